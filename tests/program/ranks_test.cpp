// Processes that train as one, as their user starts them: the result of one process, one line where a rank is lost, and
// nothing lost with it. SCDCF_RANK_KILLS says how often a rank is killed or stopped (2), SCDCF_SEED which and when.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "program/small_run.h"

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

unsigned number_from(const char* variable, unsigned otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::stoul(text));
}

class Ranks : public scdcf::testing::SmallRun {
 protected:
  static std::vector<std::string> train(const fs::path& out, int processes, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--processes", std::to_string(processes), "--rank-timeout", "4", "--sync-norm",
                             "--train-size", "200", "--model", "cnn"});
    auto arguments = SmallRun::train(out, more);
    for (size_t i = 0; i < arguments.size(); ++i)  // a plain network has no scales
      if (arguments[i] == "--scales")
        arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i),
                        arguments.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    return arguments;
  }

  /// In the order of their ranks.
  static std::vector<pid_t> ranks_of(pid_t supervisor) {
    const auto number = std::to_string(supervisor);
    std::ifstream stream("/proc/" + number + "/task/" + number + "/children");
    std::vector<pid_t> ranks;
    for (pid_t rank = 0; stream >> rank;) ranks.push_back(rank);
    return ranks;
  }

  static std::vector<Json> metrics(const fs::path& run) {
    std::vector<Json> lines;
    std::istringstream text(read(run / "metrics.jsonl"));
    for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
    return lines;
  }

  static void expect_close(const fs::path& one, const fs::path& other) {
    const auto a = metrics(one), b = metrics(other);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i)
      for (const char* key : {"train_loss", "validation_loss"})
        EXPECT_NEAR(a[i].at(key).get<double>(), b[i].at(key).get<double>(), 1e-4) << other << " epoch " << i + 1;
  }

  static size_t lines(const std::string& text) {
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }
};

TEST_F(Ranks, two_make_the_run_of_one_and_the_same_every_time) {
  const fs::path one = folder_ / "one", two = folder_ / "two", again = folder_ / "again";
  ASSERT_EQ(run(train(one, 1, {"--epochs", "2"}), 120).code, 0);
  const auto result = run(train(two, 2, {"--epochs", "2"}), 120);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(lines(result.out), 5U) << result.out;  // those of one process, once
  expect_close(one, two);
  ASSERT_EQ(run(train(again, 2, {"--epochs", "2"}), 120).code, 0);
  EXPECT_EQ(model_bytes(two), model_bytes(again));
}

TEST_F(Ranks, a_rank_that_is_killed_or_hangs_ends_all_in_time_and_nothing_is_lost) {
  const auto kills = number_from("SCDCF_RANK_KILLS", 2), seed = number_from("SCDCF_SEED", 1);
  std::mt19937 random(seed);
  const std::vector<std::string> long_run = {"--epochs", "8", "--batch", "16"};
  const int processes = kills < 10 ? 2 : 3;  // always as many, so that all is the same to the last bit
  const fs::path whole = folder_ / "whole";
  auto started = Clock::now();
  ASSERT_EQ(run(train(whole, processes, long_run), 300).code, 0);
  const auto usual = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started);
  fs::path out = folder_ / "run-0";
  unsigned runs = 0, lost = 0;
  double longest = 0;
  for (unsigned done = 0; lost < kills && done < 3 * kills; ++done) {
    const int signal = done % 2 == 0 ? SIGKILL : SIGSTOP;
    SCOPED_TRACE("kill " + std::to_string(done) + " of seed " + std::to_string(seed));
    const auto before = newest_checkpoint(out);
    auto arguments = train(out, processes, long_run);
    if (fs::exists(out / "config.json")) arguments.emplace_back("--resume");
    const pid_t supervisor = start(arguments);
    ASSERT_TRUE(wait_until([&] { return ranks_of(supervisor).size() == static_cast<size_t>(processes); }));
    const auto ranks = ranks_of(supervisor);
    std::this_thread::sleep_for(usual * (random() % 700) / 1000);
    const auto index = random() % ranks.size();
    const auto victim = "rank " + std::to_string(index) + " ";
    kill(ranks[index], signal);
    started = Clock::now();
    const auto result = finish(supervisor, 60);
    longest = std::max(longest, std::chrono::duration<double>(Clock::now() - started).count());
    EXPECT_GE(newest_checkpoint(out), before) << "work was lost";
    for (const pid_t rank : ranks) EXPECT_NE(kill(rank, 0), 0) << "a process was left behind";
    if (result.code == 0) {  // it had ended before
      EXPECT_EQ(model_bytes(out), model_bytes(whole));
      out = folder_ / ("run-" + std::to_string(++runs));
    } else {
      ++lost;
      EXPECT_EQ(result.code, 3) << result.err;
      EXPECT_EQ(lines(result.err), 1U) << result.err;
      EXPECT_NE(result.err.find(victim), std::string::npos) << victim << "in: " << result.err;
      const bool names_checkpoint = result.err.find("last checkpoint: " + out.string()) != std::string::npos ||
                                    result.err.find("no checkpoint yet") != std::string::npos;
      EXPECT_TRUE(names_checkpoint) << result.err;
    }
    if (HasFailure()) return;
    if (kills >= 10) std::cout << lost << " of " << kills << " lost, " << longest << " s at the longest" << std::endl;
  }
  auto arguments = train(out, processes, long_run);
  if (fs::exists(out / "config.json")) arguments.emplace_back("--resume");
  const auto last = run(arguments, 300);
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(model_bytes(out), model_bytes(whole));
  EXPECT_EQ(lost, kills) << "too few were killed before their end";
  std::cout << lost << " runs were ended so, " << runs << " had ended before; the longest end took " << longest
            << " s\n";
}

TEST_F(Ranks, that_are_started_by_hand_find_each_other_and_what_differs_between_them) {
  const int port = 20000 + getpid() % 20000;
  const auto rank = [&](int number, const std::vector<std::string>& more) {
    auto arguments = train(folder_ / "out", 1, more);
    std::string line = "env RANK=" + std::to_string(number) +
                       " WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=" + std::to_string(port) + " " +
                       shell_line(arguments);
    const auto file = (folder_ / std::to_string(number)).string();
    return line + " > " + file + ".out 2> " + file + ".err; echo \\$? > " + file + ".code";
  };
  shell("(" + rank(0, {}) + ") & (" + rank(1, {"--batch", "16"}) + ") & wait");
  const auto told = read(folder_ / "0.err") + read(folder_ / "1.err");
  EXPECT_NE(told.find("--batch: rank 1 has 16, rank 0 has 32: start all ranks alike"), std::string::npos) << told;
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
  EXPECT_FALSE(fs::exists(folder_ / "out"));
  shell("(" + rank(0, {"--epochs", "1"}) + ") & (" + rank(1, {"--epochs", "1"}) + ") & wait");
  EXPECT_EQ(read(folder_ / "0.code") + read(folder_ / "1.code"), "0\n0\n") << read(folder_ / "0.err");
  EXPECT_TRUE(fs::exists(folder_ / "out" / "model.pt"));
  EXPECT_EQ(read(folder_ / "1.out"), "");
}

}  // namespace
