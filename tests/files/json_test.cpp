// JSON of strangers: read as it is, or refused in one line.
#include "scdcf/files/json.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/scratch_folder.h"

namespace scdcf::files {
namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(Json, comes_as_it_was_written_with_its_keys_in_order) {
  EXPECT_EQ(read_json(R"({"b": [1, "[[[\\\"[[["], "a": null})", "x").dump(), R"({"b":[1,"[[[\\\"[[["],"a":null})");
}

TEST(Json, is_nested_64_deep_at_most) {
  EXPECT_NO_THROW(read_json(nested(64), "x"));
  for (const std::size_t depth : {65, 100000, 1000000})
    testing::expect_error([&] { read_json(nested(depth), "x.json"); }, "x.json", std::to_string(depth), "64");
  testing::expect_error([] { read_json(std::string(100000, '['), "x"); }, "x");
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  testing::expect_error([&] { read_json(objects, "x"); }, "x", "100000");
  EXPECT_NO_THROW(read_json("\"" + std::string(100, '[') + "\"", "x")) << "brackets in words do not count";
}

TEST(Json, what_is_none_is_refused_by_name) {
  for (const char* text : {"", "{", "]", "\"", "\"\\", "nope", "{\"a\":1}x", "1e999", "\"\xff\""})
    testing::expect_error([&] { read_json(text, "x.json"); }, "x.json", "expected JSON");
  const testing::TemporaryFolder folder;
  testing::expect_error([&] { read_json_file(folder.path("none.json")); }, "none.json", "no such file");
  testing::expect_error([&] { read_json_file(folder.path()); }, folder.path(), "not a file");
}

}  // namespace
}  // namespace scdcf::files
