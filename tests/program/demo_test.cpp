// The demonstration as its user meets it.
#include <fstream>

#include "support/program_test.h"

namespace {

namespace fs = std::filesystem;

class Demo : public scdcf::testing::ProgramTest {};

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (auto place = text.find(part); place != std::string::npos; place = text.find(part, place + 1)) ++count;
  return count;
}

TEST_F(Demo, leaves_a_page_that_needs_nothing_else_and_runs_that_predict) {
  const auto out = folder_ / "below" / "demo";
  const auto result = run({"--threads", "1", "demo", "--quick", "--data", "sglyphs", "--out", out.string()}, 180);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find((out / "report.html").string()), std::string::npos) << result.out;
  const auto page = read(out / "report.html");
  EXPECT_EQ(count_of(page, "http:") + count_of(page, "https:") + count_of(page, "<script") + count_of(page, "<link"),
            0);
  EXPECT_EQ(count_of(page, "<img "), count_of(page, "<img src=\"data:image/"));
  EXPECT_GE(count_of(page, "<img "), 10 + 3);  // pictures of many sizes, and one at three
  for (const char* part :
       {"<th>network</th>", "<td>ScDCFNet</td>", "<td>CNN</td>", "<td>Pyramid CNN</td>", "reads size",
        "times the size trained on", "Equivariance error", "scdcf demo --data sglyphs"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  // What tries them out in a browser, or how to get it.
  const auto explorer = (out / "explore.html").string();
  EXPECT_NE(result.out.find(fs::exists(explorer) ? "Try it out:  " + explorer : "make pages-deps && scdcf explore"),
            std::string::npos)
      << result.out;
  for (const char* run : {"scdcfnet-full", "cnn", "pyramid-cnn"}) {
    const auto answer = this->run({"predict", (out / run).string(), (out / "pictures/01.png").string()});
    EXPECT_EQ(answer.code, 0) << answer.err;
  }
}

TEST_F(Demo, refuses_a_folder_it_cannot_write_and_data_without_sizes) {
  const auto file = folder_ / "a_file";
  std::ofstream(file) << "precious";
  expect_bad_input({"demo", "--quick", "--out", (file / "demo").string()}, {"--out", file.string()});
  EXPECT_EQ(read(file), "precious");
  expect_bad_input({"demo", "--quick", "--data", "glyphs", "--out", (folder_ / "demo").string()},
                   {"--data", "glyphs", "sglyphs"});
  expect_bad_input({"demo", "--quick", "--data", "nonsense", "--out", (folder_ / "demo").string()}, {"nonsense"});
}

}  // namespace
