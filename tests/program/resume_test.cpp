// Whatever ends a run, going on with it leads to the very weights of a run that nothing disturbed.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program/small_run.h"

namespace {

namespace fs = std::filesystem;

class Resume : public scdcf::testing::SmallRun {};

TEST_F(Resume, ctrl_c_finishes_the_step_saves_and_says_how_to_go_on) {
  const fs::path whole = folder_ / "whole", out = folder_ / "stopped";
  const std::vector<std::string> more = {"--batch", "8"};
  ASSERT_EQ(run(train(whole, more), 300).code, 0);
  const auto stopped = stopped_after(train(out, more), out / "metrics.jsonl");
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_EQ(stopped.err, "stopping ...\n");
  const auto command = "scdcf train --out " + out.string() + " --checkpoint-seconds 0 --threads 1 --resume";
  EXPECT_NE(stopped.out.find(command), std::string::npos) << stopped.out;
  EXPECT_FALSE(fs::exists(out / "model.safetensors"));
  EXPECT_NE(newest_checkpoint(out), "");
  const auto resumed = run(resume(out), 300);
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(model_bytes(out), model_bytes(whole));
}

/// All of them save; a second one at once is the same request.
TEST_F(Resume, every_signal_saves_even_when_it_comes_twice) {
  const fs::path whole = folder_ / "whole";
  const std::vector<std::string> more = {"--batch", "4", "--epochs", "2", "--checkpoint-seconds", "1000"};
  ASSERT_EQ(run(train(whole, more), 300).code, 0);
  for (const int signal : {SIGTERM, SIGHUP, SIGINT}) {
    const fs::path out = folder_ / std::to_string(signal);
    const pid_t child = start(train(out, more));
    ASSERT_TRUE(wait_until([&] { return fs::exists(out / "config.toml"); }));
    for (int times = 0; times < 2; ++times) kill(child, signal);
    const auto stopped = finish(child);
    EXPECT_EQ(stopped.code, 130) << strsignal(signal) << stopped.err;
    EXPECT_NE(newest_checkpoint(out), "") << strsignal(signal);
    ASSERT_EQ(run(resume(out), 300).code, 0);
    EXPECT_EQ(model_bytes(out), model_bytes(whole)) << strsignal(signal);
  }
}

TEST_F(Resume, a_closed_pipe_saves) {
  const fs::path out = folder_ / "run";
  const auto command = shell_line(train(out, {"--epochs", "1000"}));
  EXPECT_EQ(shell("set -o pipefail; " + command + " | head -n 2 > /dev/null"), 130);
  EXPECT_NE(newest_checkpoint(out), "");
  EXPECT_FALSE(fs::exists(out / "scdcf.lock"));
}

TEST_F(Resume, output_that_cannot_be_written_is_a_failure) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  EXPECT_EQ(shell(shell_line({"info"}) + " > /dev/full 2> " + (folder_ / "err.txt").string()), 2);
  const auto err = read(folder_ / "err.txt");
  EXPECT_NE(err.find("standard output"), std::string::npos) << err;
  EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
}

TEST_F(Resume, several_realisations_go_on_with_the_command_that_was_printed) {
  const fs::path whole = folder_ / "whole", out = folder_ / "my runs";
  const std::vector<std::string> more = {"--realisations", "0-1", "--epochs", "2", "--train-size", "100"};
  ASSERT_EQ(run(train(whole, more), 300).code, 0);
  const auto stopped = stopped_after(train(out, more), out / "realisation-1/config.toml");
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  const std::string words = "go on with: scdcf ";
  const auto hint = stopped.out.find(words);
  ASSERT_NE(hint, std::string::npos) << stopped.out;
  const auto rest = stopped.out.substr(hint + words.size());
  EXPECT_EQ(rest,
            "train --out '" + out.string() + "' --realisations 0-1 --checkpoint-seconds 0 --threads 1 --resume\n");
  EXPECT_EQ(shell(std::string(SCDCF_PROGRAM) + " " + rest.substr(0, rest.find('\n')) + " > /dev/null"), 0);
  for (const char* name : {"realisation-0", "realisation-1"})
    EXPECT_EQ(model_bytes(out / name), model_bytes(whole / name)) << name;
}

TEST_F(Resume, a_run_has_one_process_at_a_time) {
  const fs::path out = folder_ / "run";
  const pid_t child = start(train(out, {"--epochs", "1000"}));
  ASSERT_TRUE(wait_until([&] { return fs::exists(out / "metrics.jsonl"); }));
  for (const auto& arguments : {train(out), resume(out)}) {
    const fs::path err = folder_ / "second.txt";
    EXPECT_EQ(shell(shell_line(arguments) + " 2> " + err.string()), 2);
    EXPECT_NE(read(err).find("in use by process " + std::to_string(child) + " on "), std::string::npos) << read(err);
  }
  kill(child, SIGINT);
  EXPECT_EQ(finish(child).code, 130);
  EXPECT_TRUE(leftovers(out).empty());
}

TEST_F(Resume, a_folder_that_holds_something_else_is_refused_and_left_as_it_is) {
  const fs::path out = folder_ / "mine";
  fs::create_directories(out / "checkpoints");
  for (const char* name : {"config.toml", "checkpoints/step-000000001.safetensors"}) write(out / name, "precious");
  expect_bad_input(train(out), {out, "no run"});
  expect_bad_input(train(out, {"--resume"}), {out, "no run"});
  for (const char* name : {"config.toml", "checkpoints/step-000000001.safetensors"})
    EXPECT_EQ(read(out / name), "precious");
  EXPECT_EQ(names_in(out).size(), 2U);
}

TEST_F(Resume, damaged_checkpoints_are_named_and_the_older_one_is_used) {
  const fs::path whole = folder_ / "whole", out = folder_ / "damaged";
  ASSERT_EQ(run(train(whole), 300).code, 0);
  fs::copy(whole, out, fs::copy_options::recursive);
  // 300 images in batches of 32 are ten steps an epoch.
  const fs::path newest = out / "checkpoints/step-000000040.safetensors",
                 older = out / "checkpoints/step-000000030.safetensors";
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

TEST_F(Resume, an_edited_configuration_is_noticed) {
  const fs::path out = folder_ / "run";
  ASSERT_EQ(run(train(out, {"--epochs", "1"}), 300).code, 0);
  const auto config = read(out / "config.json"), toml = read(out / "config.toml");
  const auto before = model_bytes(out);
  auto edited = nlohmann::ordered_json::parse(config);
  edited["train"]["seed"] = 9;
  edited["train"]["epochs"] = 2;
  write(out / "config.json", edited.dump());
  const auto refused = run(resume(out), 300);
  EXPECT_EQ(refused.code, 2);
  const auto checkpoint = (out / "checkpoints/step-000000010.safetensors").string();
  EXPECT_EQ(
      refused.err.find("scdcf: --epochs: got 2, but " + checkpoint + " was written with 1: config.json was edited"), 0U)
      << refused.err;
  EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  EXPECT_EQ(read(out / "config.toml"), toml);
  EXPECT_EQ(model_bytes(out), before);
  write(out / "config.json", config);
  EXPECT_EQ(run(resume(out), 300).code, 0);
  EXPECT_EQ(model_bytes(out), before);
}

TEST_F(Resume, a_run_is_neither_overwritten_nor_mixed_with_another) {
  const fs::path out = folder_ / "run";
  const std::vector<std::string> short_run = {"--epochs", "1"};
  ASSERT_EQ(run(train(out, short_run), 300).code, 0);
  const auto before = model_bytes(out);
  expect_bad_input(train(out, short_run), {"scdcf: --resume: ", out, "holds a run already"});
  expect_bad_input(train(out, {"--epochs", "1", "--learning-rate", "0.02", "--resume"}),
                   {"--learning-rate: got 0.02", out, "0.01"});
  // Options that are not given are those of the run, not the usual ones.
  expect_bad_input({"train", "--out", out, "--resume", "--milestones", "3"}, {"--milestones: got 3", "20,40", out});
  expect_bad_input({"train", "--out", out, "--resume", "--data", "nowhere"}, {"--data: got nowhere", "sglyphs"});
  expect_bad_input({"train", "--out", out, "--resume", "--model", "cnn"}, {"--model: got cnn", "scdcfnet"});
  expect_bad_input({"train", "--out", folder_ / "nothing", "--resume"}, {folder_ / "nothing", "config.json"});
  expect_bad_input({"train", "--resume"}, {"--resume", "--out"});
  EXPECT_FALSE(fs::exists(folder_ / "nothing"));
  EXPECT_EQ(model_bytes(out), before);
}

}  // namespace
