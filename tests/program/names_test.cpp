// Names of classes and files that a terminal would obey: they are shown, and do nothing.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program/small_run.h"

namespace {

namespace fs = std::filesystem;

class Names : public scdcf::testing::SmallRun {
 protected:
  static void expect_printable(const std::string& text, const std::vector<std::string>& words) {
    for (const char letter : text)
      EXPECT_TRUE(letter == '\n' || static_cast<unsigned char>(letter) >= ' ') << static_cast<int>(letter);
    for (const auto& word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
  }
};

TEST_F(Names, of_classes_and_files_are_shown_and_do_nothing) {
  const std::string red = "\x1b[31mred", broken = "a\nb";
  const fs::path data = folder_ / "data", picture = folder_ / "picture.png", out = folder_ / "run";
  ASSERT_EQ(run({"data", "show", "glyphs", "--count", "1", "--out", picture}).code, 0);
  for (const char* part : {"train", "test"})
    for (const auto& name : {red, broken}) {
      fs::create_directories(data / part / name);
      for (int i = 0; i < 12; ++i) fs::copy_file(picture, data / part / name / (std::to_string(i) + ".png"));
    }
  const auto trained = run({"--threads", "1", "train", "--model", "cnn", "--channels", "4,4,4", "--hidden", "32",
                            "--data", data, "--size", "12", "--batch", "4", "--epochs", "1", "--out", out});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const auto evaluated = run({"eval", out});
  expect_printable(evaluated.out, {"  \\x1b[31mred      12", "  a\\x0ab           12"});

  const fs::path good = folder_ / "new\nline.png", bad = folder_ / "\x1b[2Jbad\n.png";
  fs::copy_file(picture, good);
  write(bad, "no picture");
  const auto predicted = run({"predict", out, good, bad});
  EXPECT_EQ(predicted.code, 2);
  EXPECT_EQ(std::count(predicted.out.begin(), predicted.out.end(), '\n'), 2) << "a title and a row";
  EXPECT_EQ(std::count(predicted.err.begin(), predicted.err.end(), '\n'), 1) << "one picture that cannot be read";
  expect_printable(predicted.out, {"new\\x0aline.png"});
  expect_printable(predicted.err, {"\\x1b[2Jbad\\x0a.png"});
  const auto json = nlohmann::json::parse(run({"predict", out, good, "--json"}).out);
  EXPECT_EQ(json.at(0).at("image"), good.string());
  EXPECT_TRUE(json.at(0).at("label") == red || json.at(0).at("label") == broken) << json;
}

TEST_F(Names, in_errors_of_many_experiments_are_shown_and_do_nothing) {
  const auto result = run({"reproduce", "all", "--quick", "--data", "\x1b[31mcats", "--out", folder_ / "out"});
  EXPECT_EQ(result.code, 2);
  expect_printable(result.err, {"\\x1b[31mcats"});
}

}  // namespace
