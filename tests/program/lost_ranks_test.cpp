// Ranks that are killed or hang, at any moment of their life: all end in time, one line says who was lost, and nothing
// is lost with it. SCDCF_RANK_KILLS says how often a rank is killed or stopped (2), SCDCF_SEED which and when.
#include <gtest/gtest.h>

#include <random>

#include "program/rank_run.h"

namespace {

namespace fs = std::filesystem;
using scdcf::testing::number_from;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

class LostRanks : public scdcf::testing::RankRun {
 protected:
  /// A point of a rank's life, as stop_at.cpp knows it.
  struct Point {
    const char* where;
    int rank;
    bool is_slow = false;  ///< or much like another point
  };

  /// Stops the rank there and sees that all end, and that the run can be gone on with.
  void stop_at(const Point& point) const {
    SCOPED_TRACE(std::string("rank ") + std::to_string(point.rank) + " at " + point.where);
    const fs::path out = folder_ / (std::string(point.where) + "-" + std::to_string(point.rank));
    auto arguments = train(out, 2, {"--epochs", "1"});
    setenv("LD_PRELOAD", SCDCF_STOP_AT, 1);
    setenv("SCDCF_STOP_AT", point.where, 1);
    setenv("SCDCF_STOP_RANK", std::to_string(point.rank).c_str(), 1);
    const pid_t supervisor = start(arguments);
    for (const char* name : {"LD_PRELOAD", "SCDCF_STOP_AT", "SCDCF_STOP_RANK"}) unsetenv(name);
    ASSERT_NE(supervisor, 0);
    const auto end = end_of(supervisor, started_ranks(supervisor, 2));
    std::cout << "rank " << point.rank << " at " << point.where << ": " << end.seconds << " s, " << end.result.err;
    expect_lost(end.result, static_cast<size_t>(point.rank), out);
    if (fs::exists(out / "config.json")) arguments.emplace_back("--resume");
    const auto resumed = run(arguments);
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_TRUE(fs::exists(out / "model.safetensors"));
  }
};

TEST_F(LostRanks, stop_at_any_point_of_their_life_and_end_all) {
  const bool all = number_from("SCDCF_RANK_KILLS", 2) >= 10;
  for (const Point& point : {Point{"start", 0, true}, Point{"start", 1, true},  // as the libraries are loaded
                             Point{"share:1", 0, true}, Point{"share:1", 1},    // as they join
                             Point{"listen:1", 0}, Point{"listen:1", 1, true},  // as they connect in pairs
                             Point{"rename:1", 0, true}, Point{"rename:4", 0},  // as rank 0 writes
                             Point{"exit", 0, true}, Point{"exit", 1}})
    if (all || !point.is_slow) stop_at(point);
}

TEST_F(LostRanks, a_rank_that_is_killed_or_hangs_ends_all_in_time_and_nothing_is_lost) {
  const auto kills = number_from("SCDCF_RANK_KILLS", 2), seed = number_from("SCDCF_SEED", 1);
  std::mt19937 random(seed);
  const std::vector<std::string> long_run = {"--epochs", "8", "--batch", "16"};
  const int processes = kills < 10 ? 2 : 3;  // always as many, so that all is the same to the last bit
  const fs::path whole = folder_ / "whole";
  const auto began = Clock::now();
  ASSERT_EQ(run(train(whole, processes, long_run), 300).code, 0);
  const auto usual = std::chrono::duration_cast<milliseconds>(Clock::now() - began);
  fs::path out = folder_ / "run-0";
  const auto command = [&] {
    auto arguments = train(out, processes, long_run);
    if (fs::exists(out / "config.json")) arguments.emplace_back("--resume");
    return arguments;
  };
  unsigned runs = 0, lost = 0;
  double longest = 0;
  for (unsigned done = 0; lost < kills && done < 3 * kills; ++done) {
    const int signal = done % 2 == 0 ? SIGKILL : SIGSTOP;
    const auto before = newest_checkpoint(out);
    const milliseconds moment = usual * (random() % 700) / 1000;
    const size_t victim = random() % static_cast<unsigned>(processes);
    const auto line = "seed " + std::to_string(seed) + " attempt " + std::to_string(done) + ": " +
                      (signal == SIGKILL ? "SIGKILL" : "SIGSTOP") + " of rank " + std::to_string(victim) + " after " +
                      std::to_string(moment.count()) + " ms";
    SCOPED_TRACE(line);
    std::cout << line << std::flush;
    const pid_t supervisor = start(command());
    ASSERT_NE(supervisor, 0);
    const auto ranks = started_ranks(supervisor, processes);
    ASSERT_EQ(ranks.size(), static_cast<size_t>(processes));
    std::this_thread::sleep_for(moment);
    kill(ranks[victim], signal);
    const auto [result, seconds] = end_of(supervisor, ranks);
    longest = std::max(longest, seconds);
    const bool resumed = result.out.find("resumed from") != std::string::npos;
    const auto from = before.empty() ? "from the beginning" : (resumed ? "resumed from " : "not yet at ") + before;
    std::cout << ": " << from << ", ended in " << seconds << " s with code " << result.code << ", "
              << newest_checkpoint(out) << "  " << result.err << std::flush;
    EXPECT_GE(newest_checkpoint(out), before) << "work was lost";
    if (result.code == 0) {  // it had ended before
      std::cout << std::endl;
      EXPECT_EQ(model_bytes(out), model_bytes(whole));
      out = folder_ / ("run-" + std::to_string(++runs));
    } else {
      ++lost;
      expect_lost(result, victim, out);
    }
    if (HasFailure()) return;
  }
  const auto last = run(command(), 300);
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(model_bytes(out), model_bytes(whole));
  EXPECT_EQ(lost, kills) << "too few were killed before their end";
  std::cout << lost << " runs were ended so, " << runs << " had ended before; the longest end took " << longest
            << " s\n";
}

}  // namespace
