// `scdcf data ...` as its user meets it.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "scdcf/data/download.h"
#include "support/http_server.h"
#include "support/program_test.h"

namespace {

namespace fs = std::filesystem;
using scdcf::testing::HttpServer;
using DataCommand = scdcf::testing::ProgramTest;

/// Debian's package dataset-fashion-mnist: the real files, compressed anew.
const fs::path kFashion = "/usr/share/datasets/fashion-mnist";

TEST_F(DataCommand, bad_arguments_give_one_line_that_names_the_offender) {
  expect_bad_input({"data"}, {"subcommand", "list", "scdcf data --help"});
  expect_bad_input({"data", "frobnicate"}, {"frobnicate"});
  expect_bad_input({"data", "list", "--frobnicate"}, {"--frobnicate"});
  expect_bad_input({"data", "fetch"}, {"names"});
  expect_bad_input({"data", "fetch", "cifar"}, {"cifar", "mnist,fashion,stl10"});
  expect_bad_input({"data", "show", "glyphs"}, {"--out"});
  const std::string out = (folder_ / "a.png").string();
  expect_bad_input({"data", "show", "--out", out}, {"set"});
  expect_bad_input({"data", "show", "no_such_set", "--out", out}, {"no_such_set"});
  expect_bad_input({"data", "show", "glyphs", "--out", out, "--count", "0"}, {"--count", "0"});
  expect_bad_input({"data", "show", "glyphs", "--out", out, "--columns", "-3"}, {"--columns", "-3"});
  expect_bad_input({"data", "show", "glyphs", "--out", out, "--split", "dev"}, {"--split", "dev", "validation"});
  expect_bad_input({"data", "show", "glyphs", "--out", (folder_ / "missing" / "a.png").string()}, {"missing/a.png"});
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(DataCommand, list_names_every_set_and_how_to_get_it) {
  const auto text = run({"data", "list"});
  ASSERT_EQ(text.code, 0) << text.err;
  const auto json = run({"data", "list", "--json"});
  ASSERT_EQ(json.code, 0) << json.err;
  bool has_mnist = false;
  for (const auto& set : nlohmann::json::parse(json.out)) {
    const auto name = set.at("name").get<std::string>();
    EXPECT_NE(text.out.find(name), std::string::npos) << name;
    EXPECT_FALSE(set.at("what").get<std::string>().empty()) << name;
    EXPECT_FALSE(set.at("found_at").is_null() && set.at("how_to_get").get<std::string>().empty()) << name;
    has_mnist = has_mnist || name == "mnist";
  }
  EXPECT_TRUE(has_mnist);
}

TEST_F(DataCommand, show_draws_sets_that_need_no_files) {
  const auto file = folder_ / "sheet.png";
  for (const std::string name : {"glyphs", "stir-glyphs", "glyphs-large-scale"}) {
    const auto result = run({"data", "show", name, "--out", file.string(), "--count", "20", "--split", "test"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find(file.string()), std::string::npos);
    EXPECT_EQ(read(file).substr(1, 3), "PNG");
    EXPECT_EQ(names_in(folder_).size(), 1U);
  }
}

TEST_F(DataCommand, show_tells_the_sizes_and_places_of_the_objects_that_were_asked_for) {
  const std::string out = (folder_ / "a.png").string();
  const auto scaled = run({"data", "show", "sglyphs", "--out", out, "--smallest-factor", "0.8"});
  ASSERT_EQ(scaled.code, 0) << scaled.err;
  EXPECT_NE(scaled.out.find("size of the object 0.80"), std::string::npos) << scaled.out;
  const auto placed =
      run({"data", "show", "stir-glyphs", "--out", out, "--smallest-size", "20", "--largest-size", "24", "--json"});
  ASSERT_EQ(placed.code, 0) << placed.err;
  const auto pictures = nlohmann::json::parse(placed.out);
  ASSERT_EQ(pictures.size(), 50U * 10 * 5) << "50 of every class at each of five sizes";
  for (const auto& picture : pictures) {
    const double side = 64 * picture.at("size").get<double>(), x = picture.at("centre").at("x");
    EXPECT_GE(side, 20);
    EXPECT_LE(side, 24);
    EXPECT_TRUE(x >= side / 2 - 1 && x <= 64 - side / 2 + 1) << "the object lies in the picture";
  }
  expect_bad_input({"data", "show", "stir-glyphs", "--out", out, "--largest-size", "80"},
                   {"--largest-size", "17 to 64"});
}

TEST_F(DataCommand, show_replaces_a_picture_and_no_other_file) {
  const auto file = folder_ / "notes.txt";
  write(file, "precious");
  expect_bad_input({"data", "show", "glyphs", "--out", file.string(), "--count", "1"}, {"--out", file.string(), "PNG"});
  EXPECT_EQ(read(file), "precious");
  for (const char* count : {"1", "20"})
    EXPECT_EQ(run({"data", "show", "glyphs", "--out", folder_ / "sheet.png", "--count", count}).code, 0);
}

TEST_F(DataCommand, fetch_without_an_answer_or_with_a_wrong_one_is_one_line) {
  if (!scdcf::data::can_download()) {
    expect_bad_input({"data", "fetch", "mnist", "--data-dir", folder_.string()}, {"mnist", "libcurl"});
    return;
  }
  HttpServer server;
  const auto fetch = [&](const std::string& mirror) {
    return std::vector<std::string>{"data", "fetch", "mnist", "--data-dir", folder_.string(), "--mirror", mirror};
  };
  const std::string first = "train-images-idx3-ubyte.gz";
  expect_bad_input(fetch(server.url()), {server.url() + "/" + first, "404"});
  EXPECT_FALSE(fs::exists(folder_ / "mnist"));
  server.put(first, "these are not the digits you are looking for");
  expect_bad_input(fetch(server.url()), {first, "SHA-256", "deleted"});
  server.put(first, {std::string(5000, '\x1f'), true, true, 1000});
  expect_bad_input(fetch(server.url()), {first, "1000 bytes",
                                         "run `scdcf data fetch mnist --data-dir " + folder_.string() + " --mirror " +
                                             server.url() + "` again"});
  EXPECT_EQ(names_in(folder_ / "mnist"), std::vector<std::string>{first + ".part"});
  expect_bad_input(fetch("http://127.0.0.1:1"), {"127.0.0.1"});
  expect_bad_input({"data", "fetch", "mnist", "fashion", "--mirror", server.url()}, {"--mirror", "2 data sets"});
}

TEST_F(DataCommand, fetch_puts_a_set_where_show_finds_it) {
  if (!scdcf::data::can_download()) GTEST_SKIP() << "built without libcurl";
  if (!fs::exists(kFashion)) GTEST_SKIP() << "needs " << kFashion;
  HttpServer server;
  for (const auto& file : fs::directory_iterator(kFashion)) server.put(file.path().filename(), read(file.path()));
  const auto result = run({"data", "fetch", "fashion", "--data-dir", folder_.string(), "--mirror", server.url() + "/"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(names_in(folder_ / "fashion").size(), 4U);
  const auto list = run({"data", "list", "--data-dir", folder_.string()});
  EXPECT_NE(list.out.find((folder_ / "fashion").string()), std::string::npos) << list.out;
  const auto again =
      run({"data", "fetch", "fashion", "--data-dir", folder_.string(), "--mirror", "http://127.0.0.1:1"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("already there"), std::string::npos);
}

}  // namespace
