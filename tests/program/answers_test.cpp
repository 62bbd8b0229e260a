// What `scdcf eval` and `scdcf predict` answer when data and pictures are not as expected.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "program/small_run.h"
#include "support/encoders.h"

namespace {

namespace fs = std::filesystem;
using scdcf::files::Bytes;
using scdcf::pixels::Image;

class Answers : public scdcf::testing::SmallRun {
 protected:
  /// `count` grey pictures, a little lighter one by one.
  static void write_class(const fs::path& folder, int count, int first) {
    fs::create_directories(folder);
    for (int i = 0; i < count; ++i)
      scdcf::pixels::write_png((folder / (std::to_string(i) + ".png")).string(),
                               Image{1, 12, 12, Bytes(144, static_cast<std::uint8_t>(first + i))});
  }

  fs::path trained_on(const fs::path& set) {
    const fs::path run = folder_ / "run";
    const auto result = ProgramTest::run(
        train(run, {"--data", set, "--train-size", "0", "--test-size", "0", "--epochs", "1", "--batch", "16"}), 300);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE((result.out + result.err).find("no test folder"), std::string::npos) << "says what is tested on";
    return run;
  }
};

TEST_F(Answers, eval_refuses_data_that_has_changed_since_training) {
  const fs::path set = folder_ / "set";
  for (const char* name : {"cat", "dog"}) write_class(set / name, 30, name[0] == 'c' ? 10 : 150);
  const fs::path run_folder = trained_on(set);
  const auto before = run({"eval", run_folder, "--json"});
  ASSERT_EQ(before.code, 0) << before.err;
  EXPECT_FALSE(nlohmann::json::parse(before.out).contains("changed_data"));
  fs::rename(set / "cat/3.png", folder_ / "3.png");
  expect_bad_input({"eval", run_folder}, {"set", "has changed", "then there were", "--allow-changed-data"});
  const auto text = run({"eval", run_folder, "--allow-changed-data"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("has changed"), std::string::npos) << text.out;
  const auto json = run({"eval", run_folder, "--allow-changed-data", "--json"});
  ASSERT_EQ(json.code, 0) << json.err;
  EXPECT_TRUE(nlohmann::json::parse(json.out).contains("changed_data"));
  // the same pictures under other labels: as many, but not the same
  fs::rename(folder_ / "3.png", set / "cat/3.png");
  fs::rename(set / "cat/4.png", folder_ / "4.png");
  fs::rename(set / "dog/4.png", set / "cat/4.png");
  fs::rename(folder_ / "4.png", set / "dog/4.png");
  expect_bad_input({"eval", run_folder}, {"has changed", "not the same"});
}

TEST_F(Answers, eval_matches_classes_by_their_names) {
  for (const char* name : {"bee", "cat", "dog"}) write_class(folder_ / "set" / name, 20, 80 * (name[0] - 'b'));
  const fs::path run_folder = trained_on(folder_ / "set");
  for (const char* name : {"dog", "kitty"}) write_class(folder_ / "others" / name, 20, 9);
  expect_bad_input({"eval", run_folder, "--data", folder_ / "others"}, {"others", "kitty", "bee, cat, dog"});
  for (const char* name : {"cat", "dog"}) write_class(folder_ / "some" / name, 20, 9);
  const auto result = run({"eval", run_folder, "--data", folder_ / "some", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto classes = nlohmann::json::parse(result.out).at("classes");
  ASSERT_EQ(classes.size(), 3U);
  EXPECT_EQ(classes[0].at("count"), 0);
  EXPECT_TRUE(classes[0].at("accuracy").is_null()) << "nothing is known of bees";
  EXPECT_GT(classes[1].at("count"), 0);
  EXPECT_GT(classes[2].at("count"), 0);
  const auto text = run({"eval", run_folder, "--data", folder_ / "some"});
  EXPECT_EQ(text.out.find("bee"), std::string::npos) << text.out;
  expect_bad_input({"eval", run_folder, "--data", "nope"}, {"nope", "there are mnist"});
  EXPECT_EQ(run({"eval", run_folder, "--data", "nope"}).err.find("fetch"), std::string::npos);
}

TEST_F(Answers, names_that_are_not_utf8_are_refused_before_training) {
  write_class(folder_ / "set/a", 10, 10);
  write_class(folder_ / "set/b\xff", 10, 90);
  expect_bad_input(train(folder_ / "run", {"--data", folder_ / "set", "--train-size", "0"}), {"b\\xff", "not UTF-8"});
}

TEST_F(Answers, predict_goes_on_after_a_bad_picture_and_reads_folders_and_standard_input) {
  const fs::path run_folder = folder_ / "run", set = folder_ / "pictures";
  ASSERT_EQ(run(train(run_folder, {"--epochs", "1"}), 300).code, 0);
  write_class(set, 2, 100);
  write_class(set / "deeper", 1, 200);
  write(set / "bad.png", "no picture");
  write(set / "notes.txt", "passed over");
  const auto folder = run({"predict", run_folder, set, folder_ / "none.png", "--json"});
  EXPECT_EQ(folder.code, 2);
  EXPECT_NE(folder.err.find("bad.png: neither"), std::string::npos) << folder.err;
  EXPECT_NE(folder.err.find("none.png: no such file"), std::string::npos) << folder.err;
  const auto rows = nlohmann::json::parse(folder.out);
  ASSERT_EQ(rows.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const char* names[] = {"0.png", "1.png", "deeper/0.png"};
    EXPECT_EQ(rows[i].at("image"), (set / names[i]).string());
    EXPECT_GE(rows[i].at("confidence"), 0.1);
    EXPECT_LE(rows[i].at("confidence"), 1);
    EXPECT_GT(rows[i].at("size"), 0);
    EXPECT_TRUE(rows[i].at("size_outside_training").is_boolean());
  }
  fs::create_directory(folder_ / "empty");
  expect_bad_input({"predict", run_folder, folder_ / "empty"}, {"empty", "no PNG or JPEG images"});

  const auto out = folder_ / "piped.json";
  const std::string command = "'" SCDCF_PROGRAM "' predict '" + run_folder.string() + "' - --json < '" +
                              (set / "1.png").string() + "' > '" + out.string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  auto piped = nlohmann::json::parse(read(out))[0], expected = rows[1];
  EXPECT_EQ(piped.at("image"), "-");
  EXPECT_EQ(piped.at("label"), expected.at("label"));
  EXPECT_NEAR(piped.at("confidence"), expected.at("confidence"), 1e-5);
}

TEST_F(Answers, predict_lays_transparent_pictures_on_black_for_digits_and_takes_thin_ones) {
  const fs::path run_folder = folder_ / "run", clear = folder_ / "clear.png", black = folder_ / "black.png";
  ASSERT_EQ(run(train(run_folder, {"--epochs", "1"}), 300).code, 0);
  Bytes rows;
  for (int i = 0; i < 144; ++i) rows.insert(rows.end(), {255, 0});  // white, and wholly transparent
  const auto bytes = scdcf::testing::png(PNG_COLOR_TYPE_GRAY_ALPHA, 8, 12, 12, rows);
  write(clear, std::string(bytes.begin(), bytes.end()));
  scdcf::pixels::write_png(black.string(), Image{1, 12, 12, Bytes(144, 0)});
  scdcf::pixels::write_png((folder_ / "thin.png").string(), Image{1, 1, 16384, Bytes(16384, 200)});
  const auto answers = [&](const std::vector<std::string>& more) {
    std::vector<std::string> command = {"predict", run_folder, clear, black, folder_ / "thin.png", "--json"};
    command.insert(command.end(), more.begin(), more.end());
    const auto result = run(command);
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out);
  };
  const auto plain = answers({}), inverted = answers({"--invert"});
  ASSERT_EQ(plain.size(), 3U);
  for (const auto& same : {plain[1], inverted[0]}) {  // inverted, the ground is black again
    EXPECT_EQ(plain[0].at("label"), same.at("label"));
    EXPECT_NEAR(plain[0].at("confidence"), same.at("confidence"), 1e-5);
  }
}

}  // namespace
