// Whatever ends a run, going on with it leads to the very weights of a run that nothing disturbed.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>

#include "program/small_run.h"

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

class Resume : public scdcf::testing::SmallRun {
 protected:
  /// Waits until `happened`, two minutes at most.
  template <class Condition>
  static bool wait_until(Condition happened) {
    for (int i = 0; i < 24000 && !happened(); ++i) std::this_thread::sleep_for(milliseconds(5));
    return happened();
  }

  /// The name of the newest checkpoint; empty where there is none.
  static std::string newest_checkpoint(const fs::path& run) {
    std::error_code missing;
    std::string newest;
    for (fs::directory_iterator entry(run / "checkpoints", missing), end; entry != end; entry.increment(missing))
      if (entry->path().extension() == ".pt") newest = std::max(newest, entry->path().filename().string());
    return newest;
  }

  static std::vector<std::string> with_resume(std::vector<std::string> arguments) {
    arguments.emplace_back("--resume");
    return arguments;
  }

  /// Kills a run with SIGKILL again and again, at random times, and lets it end after five.
  void expect_same_weights_after_kills(const std::vector<std::string>& more, unsigned seed) {
    const auto started = std::chrono::steady_clock::now();
    ASSERT_EQ(run(train(folder_ / "whole", more), 300).code, 0);
    const auto whole = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - started);
    const fs::path out = folder_ / "killed", metrics = out / "metrics.jsonl";
    std::mt19937 random(seed);
    for (int kill_number = 0; kill_number < 5; ++kill_number) {
      const auto newest_before = newest_checkpoint(out);
      const bool begun = fs::exists(out / "config.json");
      const pid_t child = start(begun ? with_resume(train(out, more)) : train(out, more));
      if (kill_number == 0) {  // at the end of an epoch, perhaps in the midst of saving
        wait_until([&] { return fs::exists(metrics); });
        std::this_thread::sleep_for(milliseconds(random() % 60));
      } else if (kill_number % 2 == 1) {  // a little further than before
        wait_until([&] { return newest_checkpoint(out) != newest_before || fs::exists(out / "model.pt"); });
        std::this_thread::sleep_for(whole * (random() % 1000) / 8000);
      } else {  // any time
        std::this_thread::sleep_for(whole * (random() % 1000) / 1000);
      }
      kill(child, SIGKILL);
      finish(child);
    }
    const auto last = run(with_resume(train(out, more)), 300);
    ASSERT_EQ(last.code, 0) << last.err;
    EXPECT_NE(last.out.find("resumed from"), std::string::npos) << last.out;
    EXPECT_EQ(model_bytes(out), model_bytes(folder_ / "whole")) << "seed " << seed;
  }
};

TEST_F(Resume, after_being_killed_at_random_times_the_weights_are_the_same) { expect_same_weights_after_kills({}, 1); }

TEST_F(Resume, after_being_killed_at_random_times_with_augmentation_too) {
  expect_same_weights_after_kills(
      {"--augment-scale", "0.5", "--augment-crop", "2", "--augment-flip", "--augment-cutout", "3"}, 2);
}

TEST_F(Resume, ctrl_c_finishes_the_step_saves_and_says_how_to_go_on) {
  const fs::path whole = folder_ / "whole", out = folder_ / "stopped";
  const std::vector<std::string> more = {"--batch", "8"};
  ASSERT_EQ(run(train(whole, more), 300).code, 0);
  const pid_t child = start(train(out, more));
  ASSERT_TRUE(wait_until([&] { return fs::exists(out / "metrics.jsonl"); }));
  kill(child, SIGINT);
  const auto stopped = finish(child);
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_EQ(stopped.err, "");
  const auto command = "scdcf train --out " + out.string() + " --resume";
  EXPECT_NE(stopped.out.find(command), std::string::npos) << stopped.out;
  EXPECT_FALSE(fs::exists(out / "model.pt"));
  EXPECT_NE(newest_checkpoint(out), "");
  const auto resumed = run(resume(out), 300);
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(model_bytes(out), model_bytes(whole));
}

TEST_F(Resume, damaged_checkpoints_are_named_and_the_older_one_is_used) {
  const fs::path whole = folder_ / "whole", out = folder_ / "damaged";
  ASSERT_EQ(run(train(whole), 300).code, 0);
  fs::copy(whole, out, fs::copy_options::recursive);
  // 300 images in batches of 32 are ten steps an epoch.
  const fs::path newest = out / "checkpoints/step-000000040.pt", older = out / "checkpoints/step-000000030.pt";
  const auto bytes = read(newest);
  const auto expect_older_used = [&](const char* damage) {
    const auto result = run(resume(out), 300);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find("refused: " + newest.string()), std::string::npos) << damage << ":\n" << result.out;
    EXPECT_NE(result.out.find("resumed from " + older.string()), std::string::npos) << damage << ":\n" << result.out;
    EXPECT_EQ(model_bytes(out), model_bytes(whole)) << damage;
    EXPECT_EQ(read(newest).size(), bytes.size()) << "written anew";
  };
  write(newest, bytes.substr(0, bytes.size() / 3));
  expect_older_used("cut off");
  auto flipped = read(newest);
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 4);
  write(newest, flipped);
  expect_older_used("one byte changed");
  write(newest, flipped.substr(0, flipped.size() - 70));
  expect_older_used("no sum");

  const auto model_before = model_bytes(out);
  for (const auto& file : {newest, older}) write(file, "something else");
  const auto result = run(resume(out));
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find(newest.string()), std::string::npos) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_EQ(model_bytes(out), model_before);
}

TEST_F(Resume, a_run_is_neither_overwritten_nor_mixed_with_another) {
  const fs::path out = folder_ / "run";
  const std::vector<std::string> short_run = {"--epochs", "1"};
  ASSERT_EQ(run(train(out, short_run), 300).code, 0);
  const auto before = model_bytes(out);
  expect_bad_input(train(out, short_run), {out, "resume"});
  expect_bad_input(train(out, {"--epochs", "1", "--learning-rate", "0.02", "--resume"}),
                   {out, "train/learning_rate", "0.01", "0.02"});
  expect_bad_input({"train", "--out", folder_ / "nothing", "--resume"}, {folder_ / "nothing", "config.json"});
  expect_bad_input({"train", "--resume"}, {"--resume", "--out"});
  EXPECT_FALSE(fs::exists(folder_ / "nothing"));
  EXPECT_EQ(model_bytes(out), before);
}

}  // namespace
