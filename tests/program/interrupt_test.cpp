// Ctrl-C at any moment: answered at once, and what was trained is saved.
#include <gtest/gtest.h>

#include <fstream>

#include "program/small_run.h"

namespace {

namespace fs = std::filesystem;

class Interrupt : public scdcf::testing::SmallRun {
 protected:
  /// Whether the process has come so far that it answers Ctrl-C itself.
  static bool answers(pid_t process) {
    std::ifstream stream("/proc/" + std::to_string(process) + "/status");
    for (std::string word; stream >> word;)
      if (word == "SigCgt:" && stream >> word) return (std::stoull(word, nullptr, 16) >> (SIGINT - 1) & 1U) != 0;
    return false;
  }

  /// Starts a training whose data takes long to make, and presses Ctrl-C while it is made.
  Result stopped_while_data_is_made(std::vector<std::string> more) const {
    more.insert(more.end(), {"--size", "128", "--train-size", "10000"});
    const pid_t child = start(train(folder_ / "run", more));
    const auto ranks_file = "/proc/" + std::to_string(child) + "/task/" + std::to_string(child) + "/children";
    EXPECT_TRUE(wait_until([&] {
      std::ifstream stream(ranks_file);
      for (pid_t rank = 0; stream >> rank;)
        if (!answers(rank)) return false;
      return answers(child);
    }));
    kill(child, SIGINT);
    return finish(child);
  }
};

TEST_F(Interrupt, while_data_is_made_ends_the_program_and_leaves_nothing) {
  const auto result = stopped_while_data_is_made({});
  EXPECT_EQ(result.code, 130);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "stopping ...\n");
  EXPECT_FALSE(fs::exists(folder_ / "run"));
}

TEST_F(Interrupt, while_several_processes_make_their_data_ends_all) {
  const auto result = stopped_while_data_is_made({"--processes", "2"});
  EXPECT_EQ(result.code, 130) << result.err;
  EXPECT_EQ(result.err, "stopping ...\n");
  EXPECT_FALSE(fs::exists(folder_ / "run"));
}

TEST_F(Interrupt, in_training_is_answered_and_saved) {
  const fs::path out = folder_ / "run";
  const auto result = stopped_after(train(out, {"--epochs", "1000"}), out / "metrics.jsonl");
  EXPECT_EQ(result.code, 130);
  EXPECT_EQ(result.err, "stopping ...\n");
  EXPECT_NE(result.out.find("stopped and saved; go on with: "), std::string::npos) << result.out;
}

TEST_F(Interrupt, a_run_that_is_not_finished_says_so_where_it_is_used) {
  const fs::path out = folder_ / "run", picture = folder_ / "a.png";
  ASSERT_EQ(run({"data", "show", "glyphs", "--count", "1", "--out", picture}).code, 0);
  stopped_after(train(out, {"--epochs", "1000"}), out / "metrics.jsonl");
  const std::string words = out.string() + ": training is not finished: best epoch so far, ", end = " of 1000\n";
  const auto evaluated = run({"eval", out});
  EXPECT_EQ(evaluated.out.rfind(words, 0), 0U) << evaluated.out;
  EXPECT_NE(evaluated.out.find(end), std::string::npos) << evaluated.out;
  EXPECT_NE(run({"eval", out, "--json"}).out.find("\"unfinished\": \"" + words), std::string::npos);
  EXPECT_EQ(run({"predict", out, picture}).err.rfind("scdcf: " + words, 0), 0U);
  EXPECT_EQ(run({"export", out, "--out", folder_ / "a.onnx"}).err.rfind("scdcf: " + words, 0), 0U);
  const fs::path whole = folder_ / "whole";
  ASSERT_EQ(run(train(whole, {"--epochs", "1"}), 300).code, 0);
  EXPECT_EQ(run({"eval", whole}).out.find("not finished"), std::string::npos);
  EXPECT_EQ(run({"predict", whole, picture}).err, "");
}

}  // namespace
