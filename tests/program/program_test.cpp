// The program as its user meets it: exit codes, one line for what is wrong, JSON that parses, files that are there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "support/program_test.h"

namespace {

namespace fs = std::filesystem;

using Program = scdcf::testing::ProgramTest;

TEST_F(Program, info_tells_what_it_was_built_from_and_runs_on) {
  const auto result = run({"info"});
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* line : {"scdcf +[0-9]+\\.[0-9]+\\.[0-9]+ \\(commit .+\\)", "torch +[12]\\.[0-9]+\\.[0-9]+",
                           "BLAS +[^ ]+", "threads +[1-9][0-9]*", "SIMD +(AVX-512|AVX2|baseline)", "bases +.*sine"})
    EXPECT_TRUE(std::regex_search(result.out, std::regex(line))) << line << " in:\n" << result.out;
}

TEST_F(Program, info_prints_json) {
  const auto result = run({"info", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  for (const char* key : {"version", "commit", "torch", "blas", "simd"})
    EXPECT_FALSE(json.at(key).get<std::string>().empty()) << key;
  EXPECT_GE(json.at("threads").get<int>(), 1);
  const auto bases = json.at("bases").get<std::vector<std::string>>();
  EXPECT_NE(std::find(bases.begin(), bases.end(), "sine"), bases.end());
}

TEST_F(Program, threads_are_set_before_and_behind_the_subcommand) {
  for (const auto& arguments :
       {std::vector<std::string>{"--threads", "1", "info", "--json"}, {"info", "--json", "--threads", "1"}}) {
    const auto result = run(arguments);
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(nlohmann::json::parse(result.out).at("threads").get<int>(), 1);
  }
}

TEST_F(Program, help_and_version_exit_with_0) {
  for (const auto& arguments :
       {std::vector<std::string>{"--help"}, {"info", "--help"}, {"verify", "--help"}, {"bench", "--help"}}) {
    const auto result = run(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find("Usage: scdcf"), std::string::npos) << result.out;
  }
  const auto version = run({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_TRUE(std::regex_search(version.out, std::regex("^scdcf [0-9]+\\.[0-9]+\\.[0-9]+"))) << version.out;
}

TEST_F(Program, bad_arguments_give_one_line_that_names_the_offender) {
  expect_bad_input({}, {"subcommand"});
  expect_bad_input({"frobnicate"}, {"frobnicate"});
  expect_bad_input({"--frobnicate", "info"}, {"--frobnicate"});
  expect_bad_input({"info", "--frobnicate"}, {"--frobnicate"});
  expect_bad_input({"info", "surplus"}, {"surplus"});
  expect_bad_input({"verify", "--out"}, {"--out"});
  expect_bad_input({"bench", "--group", "nonsense"}, {"--group", "nonsense", "smnist28"});
  expect_bad_input({"bench", "--device", "tpu"}, {"--device", "tpu"});
  expect_bad_input({"bench", "--batch", "-1"}, {"--batch", "-1"});
  for (const char* threads : {"-1", "abc", "99999", "1.5", ""})
    expect_bad_input({"--threads", threads, "info"}, {"--threads", threads});
}

TEST_F(Program, numbers_that_no_option_can_mean_are_refused_in_few_letters) {
  const auto refused = [&](const std::vector<std::string>& arguments, const std::vector<std::string>& words) {
    expect_bad_input(arguments, words);
    EXPECT_LT(run(arguments).err.size(), 200U);
  };
  refused({"train", "--seed", "-1"}, {"--seed", "-1"});
  refused({"train", "--realisations", "99999999999"}, {"--realisations", "99999999999"});
  refused({"train", "--realisations", ""}, {"--realisations", "nothing"});
  refused({"train", "--channels", ""}, {"--channels"});
  refused({"train", "--channels", "99999999999,1,1"}, {"--channels", "65536"});
  refused({"train", "--learning-rate", "1e308"}, {"--learning-rate", "1e+308", "1e30"});
  refused({"train", "--checkpoint-seconds", "nan"}, {"--checkpoint-seconds", "nan"});
  refused({"train", "--checkpoint-seconds", "-1"}, {"--checkpoint-seconds", "-1"});
  refused({"train", "--smallest-factor", "nan"}, {"--smallest-factor", "nan"});
  refused({"bench", "--seconds", "nan"}, {"--seconds", "nan"});
  refused({"bench", "--seconds", std::string(400, '9')}, {"--seconds"});
  refused({"models", "cnn", "--classes", "99999999999999"}, {"--classes", "100000"});
}

TEST_F(Program, options_that_do_not_apply_to_the_data_are_refused) {
  expect_bad_input({"train", "--data", "glyphs", "--smallest-factor", "0.5"}, {"--smallest-factor", "glyphs"});
  expect_bad_input({"train", "--data", "sglyphs", "--fold", "3"}, {"--fold", "stl10"});
  expect_bad_input({"train", "--data", "sglyphs", "--largest-size", "32"}, {"--largest-size", "stir"});
  expect_bad_input({"train", "--data", "stir-glyphs", "--train-scale", "2"}, {"--train-scale", "large-scale"});
  expect_bad_input({"train", "--data", "stir-glyphs", "--largest-size", "65"}, {"--largest-size", "65", "17 to 64"});
  expect_bad_input({"train", "--data", "sglyphs", "--image-channels", "3"}, {"--image-channels", "folders"});
  expect_bad_input({"train", "--data", "sglyphs", "--size", "12", "--train-size", "20", "--augment-crop", "13"},
                   {"--augment-crop", "13", "12"});
}

TEST_F(Program, what_is_the_users_to_mend_is_no_internal_error) {
  const auto file = folder_ / "a_file", below = file / "x";
  std::ofstream(file) << "precious";
  const std::vector<std::string> small = {
      "train", "--model",           "cnn", "--data",      "sglyphs", "--size", "12", "--train-size",
      "20",    "--validation-size", "20",  "--test-size", "20"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), small.begin(), small.end());
    return more;
  };
  expect_bad_input(with({"--channels", "65536,65536,65536"}), {"--channels", "training needs about"});
  expect_bad_input(with({"--config", folder_.string()}), {folder_.string()});
  for (const auto& path : {file, below}) expect_bad_input({"eval", path.string()}, {path.string()});
  expect_bad_input({"eval", file.string()}, {"not a scdcf model"});
  expect_bad_input({"report", below.string()}, {below.string()});
  expect_bad_input({"eval", std::string(5000, 'x')}, {"xxx"});
  expect_bad_input({"eval", "two\nlines"}, {"two\\x0alines"});
  EXPECT_EQ(read(file), "precious");
}

TEST_F(Program, a_forgotten_value_is_not_the_next_option) {
  for (const auto* out : {"--out", "--out="}) {
    expect_bad_input({"eval", folder_.string(), out, "--json"}, {"--out: got no value before --json"});
    EXPECT_FALSE(fs::exists("--json"));
  }
  expect_bad_input({"train", "--model", "--data", "sglyphs"}, {"--model: got no value before --data"});
}

TEST_F(Program, help_names_every_basis) {
  const auto help = run({"train", "--help"}).out;
  for (const auto& name : nlohmann::json::parse(run({"info", "--json"}).out).at("bases"))
    EXPECT_NE(help.find(name.get<std::string>()), std::string::npos) << name;
}

TEST_F(Program, verify_stops_at_once_when_its_folder_cannot_be_made) {
  const fs::path file = folder_ / "a_file";
  std::ofstream(file) << "precious";
  expect_bad_input({"verify", "--out", (file / "figures").string()}, {"--out", file.string()});
  expect_bad_input({"verify", "--out", file.string()}, {"--out", file.string()});
  EXPECT_EQ(read(file), "precious");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "something was written";
}

TEST_F(Program, explore_overwrites_nothing_but_its_own_pages) {
  const auto mine = folder_ / "mine.html";
  std::ofstream(mine) << "precious";
  expect_bad_input({"explore", "runs/a", "--out", mine.string()}, {"mine.html", "not written by scdcf explore"});
  expect_bad_input({"explore", "runs/a", "--out", folder_.string()}, {folder_.string(), "no file"});
  std::string kept;
  std::ifstream(mine) >> kept;
  EXPECT_EQ(kept, "precious");
}

TEST_F(Program, explore_says_what_is_missing_before_it_begins) {
  setenv("SCDCF_PAGES", folder_.c_str(), 1);
  expect_bad_input({"explore", "runs/a"}, {"onnxruntime-web", folder_.string(), "make pages-deps"});
  const auto inside = folder_ / "node_modules/onnxruntime-web/dist";
  std::filesystem::create_directories(inside);
  for (const char* file : {"ort.wasm.bundle.min.mjs", "ort-wasm-simd-threaded.wasm"}) write(inside / file, "x");
  expect_bad_input({"explore", (folder_ / "none").string()}, {"none", "expected the folder of a run"});
  unsetenv("SCDCF_PAGES");
}

}  // namespace
