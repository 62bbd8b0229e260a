// Runs the program as its user does.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "support/scratch_folder.h"

namespace scdcf::testing {

/// SCDCF_PROGRAM, with a folder of its own for every test.
class ProgramTest : public ScratchFolder {
 protected:
  struct Result {
    int code = -1;  // -1: killed, by a signal or because it ran too long
    std::string out, err;
  };

  /// Runs the program with these arguments, for at most `seconds`.
  Result run(const std::vector<std::string>& arguments, int seconds = 60) const {
    const pid_t child = start(arguments);
    return child == 0 ? Result{} : finish(child, seconds);
  }

  /// Starts it, one at a time; 0 where that failed.
  pid_t start(const std::vector<std::string>& arguments) const {
    const std::filesystem::path out = folder_ / "stdout.txt", err = folder_ / "stderr.txt";
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    std::vector<char*> argv = {const_cast<char*>(SCDCF_PROGRAM)};
    for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    pid_t child = 0;
    const int failed = posix_spawn(&child, SCDCF_PROGRAM, &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    EXPECT_EQ(failed, 0) << SCDCF_PROGRAM << " did not start";
    return failed == 0 ? child : 0;
  }

  /// Waits for what was started, at most `seconds`.
  Result finish(pid_t child, int seconds = 60) const {
    const std::filesystem::path out = folder_ / "stdout.txt", err = folder_ / "stderr.txt";
    const int status = wait_for(child, seconds);
    Result result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(out), read(err)};
    std::filesystem::remove(out);
    std::filesystem::remove(err);
    return result;
  }

  /// Bad input: exit code 2, nothing on stdout, one line on stderr that says what was wrong.
  void expect_bad_input(const std::vector<std::string>& arguments, const std::vector<std::string>& words) const {
    const Result result = run(arguments);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.err.rfind("scdcf: ", 0), 0U) << result.err;
    for (const auto& word : words) EXPECT_NE(result.err.find(word), std::string::npos) << word << " in: " << result.err;
  }

 private:
  static int wait_for(pid_t child, int seconds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > deadline) {
        ADD_FAILURE() << "still running after " << seconds << " s";
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return status;
  }
};

}  // namespace scdcf::testing
