// A small run of several processes, and how it ends where one of them is lost.
#pragma once

#include <sys/wait.h>

#include <chrono>
#include <fstream>
#include <iostream>

#include "program/small_run.h"
#include "support/process_stacks.h"

namespace scdcf::testing {

inline unsigned number_from(const char* variable, unsigned otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::stoul(text));
}

class RankRun : public SmallRun {
 protected:
  static constexpr double kBound = 60;  ///< seconds from the loss of a rank to the end of all

  static std::vector<std::string> train(const std::filesystem::path& out, int processes,
                                        std::vector<std::string> more = {}) {
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

  /// All ranks, once `count` were started.
  static std::vector<pid_t> started_ranks(pid_t supervisor, int count) {
    std::vector<pid_t> ranks;
    EXPECT_TRUE(wait_until([&] { return (ranks = ranks_of(supervisor)).size() == static_cast<size_t>(count); }));
    return ranks;
  }

  struct End {
    Result result;
    double seconds = 0;
  };

  /// Waits for the end of all, within the bound and with no rank left behind; else says what those that are left do,
  /// and kills them.
  End end_of(pid_t supervisor, const std::vector<pid_t>& ranks) const {
    const auto started = std::chrono::steady_clock::now();
    End end;
    siginfo_t info{};
    const auto has_ended = [&] {
      return waitid(P_PID, static_cast<id_t>(supervisor), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
    };
    while (!has_ended() && end.seconds < kBound) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      end.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    }
    if (!has_ended()) {
      ADD_FAILURE() << "still running after " << kBound << " s";
      std::cout << stacks_of(supervisor) << std::flush;
    }
    for (const pid_t rank : ranks) {
      if (kill(rank, 0) != 0) continue;
      ADD_FAILURE() << "process " << rank << " was left behind";
      std::cout << stacks_of(rank) << std::flush;
      kill(rank, SIGKILL);
    }
    if (!has_ended()) kill(supervisor, SIGKILL);
    end.result = finish(supervisor);
    return end;
  }

  /// One line that names the rank and how to go on.
  static void expect_lost(const Result& result, size_t rank, const std::filesystem::path& out) {
    EXPECT_EQ(result.code, 3) << result.err;
    EXPECT_EQ(lines(result.err), 1U) << result.err;
    const auto victim = "rank " + std::to_string(rank) + " ";
    EXPECT_NE(result.err.find(victim), std::string::npos) << victim << "in: " << result.err;
    const bool names_checkpoint = result.err.find("last checkpoint: " + out.string()) != std::string::npos ||
                                  result.err.find("no checkpoint yet") != std::string::npos;
    EXPECT_TRUE(names_checkpoint) << result.err;
  }

  static size_t lines(const std::string& text) {
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }
};

}  // namespace scdcf::testing
