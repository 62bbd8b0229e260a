// What must be true of the page as a file; what it does in a browser: browser_test.mjs.
#include "scdcf/explore/page.h"

#include <gtest/gtest.h>

#include "scdcf/explore/page_files.h"
#include "support/expect_error.h"
#include "support/scratch_folder.h"

namespace scdcf::explore {
namespace {

TEST(Page, holds_all_it_needs_and_asks_for_nothing_else) {
  nlohmann::ordered_json data;
  data["classes"] = {"</script><script>alert(1)</script>", "{{title}}"};
  data["networks"] = {{{"name", "a"}}, {{"name", "b"}}};
  const auto text = page_text("a < b", data, {"first", "second"}, {"export {}", "wasm"});
  for (const char* part :
       {"<title>a &lt; b</title>", "id=\"runtime\"", "id=\"wasm\"", "id=\"network-0\"", "id=\"network-1\"",
        "\"model\":\"network-1\"", "class Explorer", "prefers-color-scheme: dark"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  EXPECT_EQ(text.find("</script><script>alert"), std::string::npos) << "a name ends the element it stands in";
  EXPECT_NE(text.find("\"{{title}}\""), std::string::npos) << "what is filled in is not filled in again";
  for (const char* other : {"http:", "https:", "src=", "<link", "@import", "fetch("})
    for (const std::string own : {kPage, kStyle, kScript}) EXPECT_EQ(own.find(other), std::string::npos) << other;
}

class Runtimes : public testing::ScratchFolder {
 protected:
  void SetUp() override { setenv("SCDCF_PAGES", folder_.c_str(), 1); }
  void TearDown() override { unsetenv("SCDCF_PAGES"); }
};

TEST_F(Runtimes, a_missing_runtime_is_told_with_how_to_get_it) {
  EXPECT_TRUE(find_runtime().empty());
  testing::expect_error([] { load_runtime(); }, "onnxruntime-web", folder_.string(), "make pages-deps", "SCDCF_PAGES");
}

TEST_F(Runtimes, is_found_where_npm_lays_it) {
  const auto inside = folder_ / "node_modules/onnxruntime-web/dist";
  std::filesystem::create_directories(inside);
  write(inside / "ort.wasm.bundle.min.mjs", "script");
  EXPECT_TRUE(find_runtime().empty()) << "half of it";
  write(inside / "ort-wasm-simd-threaded.wasm", "wasm");
  EXPECT_EQ(find_runtime(), inside);
  EXPECT_EQ(load_runtime().script, "script");
  EXPECT_EQ(load_runtime().wasm, "wasm");
}

}  // namespace
}  // namespace scdcf::explore
