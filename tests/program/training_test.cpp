// `scdcf train`, `eval`, `predict`, `equivariance` and `models` as their user meets them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "program/small_run.h"
#include "support/small_disk.h"

namespace {

namespace fs = std::filesystem;

class Training : public scdcf::testing::SmallRun {
 protected:
  /// A run of one epoch, trained once for all tests that look at one.
  static const fs::path& trained() {
    static const Shared shared;
    return shared.run;
  }

  static nlohmann::json read_json(const fs::path& file) { return nlohmann::json::parse(read(file)); }

 private:
  struct Shared : SmallRun {
    Shared() {
      SetUp();
      run = folder_ / "run";
      const auto result = ProgramTest::run(train(run, {"--epochs", "1"}), 300);
      EXPECT_EQ(result.code, 0) << result.err;
    }
    ~Shared() override { TearDown(); }
    void TestBody() override {}
    fs::path run;
  };
};

TEST_F(Training, five_epochs_on_two_cores_recognise_most_glyphs) {
  const fs::path out = folder_ / "run";
  const auto result = run({"--threads",  "2",        "train",    "--model",     "scdcfnet", "--data", "sglyphs",
                           "--channels", "8,8,16",   "--scales", "3",           "--batch",  "32",     "--train-size",
                           "600",        "--epochs", "5",        "--test-size", "1000",     "--out",  out},
                          600);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_GE(read_json(out / "result.json").at("test").at("accuracy").get<double>(), 0.6) << result.out;
  for (const char* name : {"model.safetensors", "metrics.jsonl", "config.json", "config.toml", "curves.dat"})
    EXPECT_TRUE(fs::exists(out / name)) << name;
  EXPECT_TRUE(leftovers(out).empty());
  const auto share =
      nlohmann::json::parse(read(out / "metrics.jsonl").substr(0, read(out / "metrics.jsonl").find('\n')))
          .at("data_share")
          .get<double>();
  EXPECT_GT(share, 0);
  EXPECT_LT(share, 1);
}

TEST_F(Training, a_configuration_file_gives_options_and_the_command_line_wins) {
  const fs::path file = folder_ / "options.toml", out = folder_ / "run";
  write(file,
        "# a comment\n"
        "model = \"scdcfnet\"   # another\n"
        "channels = [4, 4, 4]\n"
        "scales = 3\nsize = 12\nhidden = 32\n"
        "data = 'sglyphs'\n"
        "train-size = 100\ntest-size = 50\n"
        "learning-rate = 5e-3\n"
        "augment-flip = true\n"
        "milestones = []\n"
        "epochs = 7\n");
  const auto result = run({"--threads", "1", "train", "--config", file, "--epochs", "1", "--out", out}, 300);
  ASSERT_EQ(result.code, 0) << result.err;
  const auto config = read_json(out / "config.json");
  EXPECT_EQ(config.at("train").at("epochs"), 1);
  EXPECT_EQ(config.at("train").at("learning_rate"), 5e-3);
  EXPECT_EQ(config.at("train").at("flip"), true);
  EXPECT_TRUE(config.at("train").at("milestones").empty());
  EXPECT_EQ(config.at("model").at("channels"), nlohmann::json({4, 4, 4}));
  EXPECT_EQ(config.at("data").at("name"), "sglyphs");
  const auto again = run({"--threads", "1", "train", "--config", out / "config.toml", "--out", folder_ / "again"}, 300);
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(read(folder_ / "again/config.json"), read(out / "config.json"));
  EXPECT_EQ(model_bytes(folder_ / "again"), model_bytes(out));
}

TEST_F(Training, a_configuration_file_with_a_mistake_is_refused_with_its_line) {
  const fs::path file = folder_ / "options.toml";
  const auto refused = [&](const std::string& line, const std::vector<std::string>& words) {
    write(file, "epochs = 1\n" + line + "\n");
    auto expected = words;
    expected.push_back(file.string() + ":2");
    expect_bad_input({"train", "--config", file}, expected);
  };
  refused("learning-rat = 0.1", {"learning-rat"});
  refused("out = \"x\"", {"out"});
  refused("help = true", {"help"});
  refused("epochs = 2", {"epochs", "twice"});
  refused("batch = many", {"batch", "many"});
  refused("batch = [1, 2]", {"batch", "list"});
  refused("milestones = [1, x]", {"milestones", "x"});
  refused("milestones = [1, 2", {"]"});
  refused("batch = 1", {"--batch", "got 1", "batch-norm needs two"});
  refused("data = \"sglyphs", {"\"sglyphs", "expected"});
  refused("data = \"a # b", {"\"a # b", "expected"});
  refused("data = \"sglyphs\" x", {"x"});
  refused("[train]", {"[train]", "table"});
  refused("batch", {"batch", "key = value"});
  refused("batch =", {"value"});
  expect_bad_input({"train", "--config", folder_ / "missing.toml"}, {"missing.toml"});
  expect_bad_input({"train", "--config", folder_}, {folder_});
}

TEST_F(Training, bad_options_are_one_line_and_nothing_is_written) {
  const fs::path out = folder_ / "run";
  const auto refused = [&](const std::vector<std::string>& more, const std::vector<std::string>& words) {
    expect_bad_input(train(out, more), words);
    EXPECT_FALSE(fs::exists(out)) << words[0];
  };
  refused({"--model", "resnet99"}, {"resnet99", "scdcfnet"});
  refused({"--data", "cifar"}, {"cifar"});
  refused({"--optimizer", "adagrad"}, {"--optimizer", "adagrad"});
  refused({"--scale-padding", "mirror"}, {"--scale-padding: ", "mirror"});
  refused({"--pooling", "median"}, {"median"});
  refused({"--basis", "wavelet"}, {"wavelet"});
  refused({"--modes", "-2"}, {"modes", "-2"});
  refused({"--batch", "1"}, {"--batch", "1"});
  refused({"--data-dir", "no/such"}, {"--data-dir", "no/such"});
  refused({"--train-size", "10001"}, {"--train-size", "10001"});
  refused({"--model", "cnn"}, {"--scales", "cnn"});
  refused({"--epochs", "-3"}, {"--epochs", "-3"});
  refused({"--milestones", "3,x"}, {"--milestones", "x"});
  refused({"--device", "tpu"}, {"--device", "tpu"});
  refused({"--checkpoint-seconds", "-1"}, {"--checkpoint-seconds", "-1"});
  refused({"--realisations", "0-999", "--jobs", "2"}, {"--jobs", "2", "CPU"});
  refused({"--realisations", "4-2"}, {"--realisations", "4-2"});
  refused({"--realisations", "1,x"}, {"--realisations", "x"});
  EXPECT_TRUE(fs::is_empty(folder_));
  write(folder_ / "file", "precious");
  expect_bad_input(train(folder_ / "file" / "run"), {folder_ / "file" / "run"});
  expect_bad_input(train(folder_ / "file"), {folder_ / "file"});
  EXPECT_EQ(read(folder_ / "file"), "precious");
}

TEST_F(Training, a_loss_that_is_not_finite_ends_the_run_with_step_rate_and_layer) {
  const fs::path out = folder_ / "run";
  const auto result = run(train(out, {"--learning-rate", "1e30"}));
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  for (const char* word : {"not finite at step 2", "1e+30", "first in block"})
    EXPECT_NE(result.err.find(word), std::string::npos) << result.err;
  EXPECT_FALSE(fs::exists(out / "model.safetensors"));
  EXPECT_TRUE(leftovers(out).empty());
}

TEST_F(Training, a_full_disk_is_one_line_and_leaves_no_half_a_file) {
  const fs::path out = folder_ / "run";
  Result result;
  {
    const scdcf::testing::SmallDisk disk(10000);
    result = run(train(out));
  }
  EXPECT_EQ(result.code, 2) << result.out;
  EXPECT_NE(result.err.find((out / "checkpoints").string()), std::string::npos) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_TRUE(leftovers(out).empty());
  for (const auto& name : names_in(out / "checkpoints")) EXPECT_EQ(fs::path(name).extension(), ".sha256") << name;
  const auto resumed = run(resume(out), 300);  // somebody made room
  EXPECT_EQ(resumed.code, 0) << resumed.err;
}

TEST_F(Training, several_realisations_go_into_folders_of_their_own) {
  const fs::path out = folder_ / "runs";
  const std::vector<std::string> short_run = {"--epochs", "1", "--train-size", "60"};
  auto several = short_run;
  several.insert(several.end(), {"--realisations", "0-1"});
  const auto result = run(train(out, several), 300);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(model_bytes(out / "realisation-0"), model_bytes(out / "realisation-1"));
  auto alone = short_run;
  alone.insert(alone.end(), {"--realisation", "1"});
  ASSERT_EQ(run(train(folder_ / "alone", alone), 300).code, 0);
  EXPECT_EQ(model_bytes(folder_ / "alone"), model_bytes(out / "realisation-1"));
  const auto resumed = run({"--threads", "1", "train", "--out", out, "--realisations", "0-1", "--resume"}, 300);
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(model_bytes(folder_ / "alone"), model_bytes(out / "realisation-1"));
}

TEST_F(Training, without_a_folder_it_says_that_nothing_is_kept) {
  const auto result = run({"--threads", "1", "train", "--channels", "4,4,4", "--scales", "3", "--data", "sglyphs",
                           "--size", "12", "--train-size", "50", "--test-size", "50", "--epochs", "1"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out.rfind("there is no --out: nothing", 0), 0U) << result.out;
}

TEST_F(Training, a_long_run_is_announced_and_a_shorter_one_named) {
  const pid_t child = start(train(folder_ / "run", {"--epochs", "1000000"}));
  const auto announced = [&] { return read(folder_ / "stdout.txt").find("; --epochs ") != std::string::npos; };
  EXPECT_TRUE(wait_until(announced));
  kill(child, SIGINT);
  const auto result = finish(child);
  EXPECT_EQ(result.code, 130);
  EXPECT_NE(result.out.find("this takes about "), std::string::npos) << result.out;
}

TEST_F(Training, the_curves_of_a_single_epoch_are_drawn_too) {
  if (std::system("command -v gnuplot >/dev/null 2>&1") != 0) GTEST_SKIP() << "needs gnuplot";
  EXPECT_EQ(read(trained() / "curves.png").substr(1, 3), "PNG");
}

TEST_F(Training, eval_repeats_the_test_accuracy_of_the_run) {
  const auto expected = read_json(trained() / "result.json").at("test");
  const auto json = run({"eval", trained(), "--json"});
  ASSERT_EQ(json.code, 0) << json.err;
  const auto got = nlohmann::json::parse(json.out);
  for (const char* key : {"accuracy", "classes", "scales"}) EXPECT_EQ(got.at(key), expected.at(key)) << key;
  EXPECT_EQ(got.at("images"), 100);
  const auto text = run({"eval", trained() / "model.safetensors", "--count", "50", "--out", folder_ / "plots"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("50 test images"), std::string::npos) << text.out;
  EXPECT_TRUE(fs::exists(folder_ / "plots/accuracy-by-scale.dat"));
  const auto all =
      run({"--threads", "1", "eval", trained(), "--count", "0", "--json"}, 120);  // the run has but 100 of them
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_GT(nlohmann::json::parse(all.out).at("images"), 1000);
}

TEST_F(Training, sizes_that_were_not_trained_on_are_evaluated_one_by_one) {
  const auto small = [&](const fs::path& out, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"--threads",  "1",     "train",  "--model", "cnn",
                                      "--channels", "2,2,2", "--size", "16"};
    words.insert(words.end(),
                 {"--train-size", "40", "--validation-size", "20", "--epochs", "1", "--out", out.string()});
    words.insert(words.end(), more.begin(), more.end());
    const auto result = run(words, 300);
    EXPECT_EQ(result.code, 0) << result.err;
  };
  const auto sizes = [&](const std::vector<std::string>& words) {
    const auto result = run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out).at("scales");
  };
  const auto stir = folder_ / "stir", large = folder_ / "large";
  small(stir, {"--data", "stir-glyphs", "--smallest-size", "49", "--test-size", "96"});
  const auto by_size = sizes({"eval", stir, "--json"});
  ASSERT_EQ(by_size.size(), 48U);
  EXPECT_EQ(by_size[0].at("size"), "17 px");
  small(large, {"--data", "glyphs-large-scale", "--train-scale", "4", "--test-size", "170"});
  const auto by_scale = sizes({"eval", large, "--json"});
  ASSERT_EQ(by_scale.size(), 17U);
  for (const auto& group : by_scale) EXPECT_EQ(group.at("count"), 10) << group;
  const auto at_two = sizes({"eval", large, "--test-scale", "2", "--count", "30", "--json"});
  ASSERT_EQ(at_two.size(), 1U);
  EXPECT_EQ(at_two[0].at("size"), "s = 2");
  EXPECT_EQ(at_two[0].at("count"), 30);
  expect_bad_input({"eval", large, "--test-scale", "9"}, {"--test-scale", "got 9", "0.5 to 8"});
  expect_bad_input({"eval", stir, "--test-scale", "2"}, {"--test-scale", "large-scale"});
}

TEST_F(Training, predict_labels_pictures_of_any_size) {
  const auto picture = folder_ / "sheet.png";
  ASSERT_EQ(run({"data", "show", "glyphs", "--count", "6", "--columns", "3", "--out", picture}).code, 0);
  const auto result = run({"predict", trained(), picture, picture, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto rows = nlohmann::json::parse(result.out);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0], rows[1]);
  EXPECT_EQ(rows[0].at("image"), picture.string());
  EXPECT_EQ(rows[0].at("label").get<std::string>().size(), 1U);
  EXPECT_GE(rows[0].at("confidence").get<double>(), 0.1);
  EXPECT_GT(rows[0].at("size").get<double>(), 0);
  EXPECT_EQ(run({"predict", trained(), picture, "--invert"}).code, 0);
}

TEST_F(Training, equivariance_tells_an_error_for_every_layer_and_scale) {
  const auto result = run({"equivariance", trained(), "--count", "8", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  const auto& rows = json.at("layers");
  ASSERT_EQ(rows.size(), 3U);
  for (const auto& row : rows) EXPECT_GE(row.at("scale 0").get<double>(), 0) << row;
  EXPECT_GT(json.at("scores_change").get<double>(), 0);
  EXPECT_LE(json.at("same_class").get<double>(), 1);
}

TEST_F(Training, commands_that_need_a_run_refuse_what_is_none) {
  const fs::path missing = folder_ / "missing", empty = folder_ / "empty", other = folder_ / "other.safetensors";
  fs::create_directory(empty);
  write(other, "no model");
  const fs::path picture = folder_ / "a.png", broken = folder_ / "broken.png";
  ASSERT_EQ(run({"data", "show", "glyphs", "--count", "1", "--out", picture}).code, 0);
  write(broken, read(picture).substr(0, 100));
  for (const char* command : {"eval", "equivariance", "predict"}) {
    const auto arguments = [&](const fs::path& run) {
      std::vector<std::string> all = {command, run};
      if (command == std::string("predict")) all.push_back(picture);
      return all;
    };
    expect_bad_input(arguments(missing), {missing, "missing"});
    expect_bad_input(arguments(empty), {empty, "no weights"});
    expect_bad_input(arguments(other), {other});
  }
  expect_bad_input({"predict", trained(), broken}, {broken});
  expect_bad_input({"predict", trained(), folder_ / "none.png"}, {"none.png"});
  expect_bad_input({"predict", trained()}, {"images"});
  expect_bad_input({"eval", trained(), "--data", "cifar"}, {"cifar"});
  expect_bad_input({"eval", trained(), "--data", "glyphs", "--out", folder_ / "plots"}, {"--out", "sizes"});
  expect_bad_input({"eval", trained(), "--out", other / "plots"}, {"--out", other / "plots"});
  expect_bad_input({"eval", trained(), "--smallest-factor", "-1"}, {"--smallest-factor", "-1"});
  expect_bad_input({"equivariance", trained(), "--octaves", "9"}, {"--octaves", "9"});
  EXPECT_FALSE(fs::exists(folder_ / "plots"));
}

TEST_F(Training, pictures_of_other_classes_are_refused) {
  const fs::path set = folder_ / "animals";
  for (const char* name : {"cat", "dog"}) {
    fs::create_directories(set / name);
    for (int i = 0; i < 20; ++i)
      ASSERT_EQ(i > 0 ? 0 : run({"data", "show", "glyphs", "--count", "1", "--out", folder_ / "a.png"}).code, 0);
    for (int i = 0; i < 20; ++i) fs::copy(folder_ / "a.png", set / name / (std::to_string(i) + ".png"));
  }
  expect_bad_input({"eval", trained(), "--data", set, "--count", "2"}, {set, "expected"});
}

TEST_F(Training, models_lists_the_networks_and_shows_one) {
  const auto list = run({"models", "--json"}, 120);
  ASSERT_EQ(list.code, 0) << list.err;
  const auto rows = nlohmann::json::parse(list.out);
  EXPECT_GE(rows.size(), 8U);
  const auto one = run({"models", "scdcfnet"});
  ASSERT_EQ(one.code, 0) << one.err;
  for (const char* word : {"parameters", "block 3", "class scores"})
    EXPECT_NE(one.out.find(word), std::string::npos) << one.out;
  expect_bad_input({"models", "resnet99"}, {"resnet99", "scdcfnet"});
  expect_bad_input({"models", "scdcfnet", "--image-size", "13"}, {"--image-size: got 13", "multiple of 4"});
}

}  // namespace
