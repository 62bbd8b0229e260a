// A training run that takes seconds.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "support/program_test.h"

namespace scdcf::testing {

class SmallRun : public ProgramTest {
 protected:
  /// Trains a little network on little pictures into `out`, with the options in `more` instead of or beside the usual
  /// ones. One thread: so little work is done sooner than shared, above all on a machine that is busy otherwise.
  static std::vector<std::string> train(const std::filesystem::path& out, const std::vector<std::string>& more = {}) {
    const std::vector<std::pair<std::string, std::string>> usual = {
        {"--threads", "1"},      {"--model", "scdcfnet"}, {"--channels", "4,4,4"}, {"--scales", "3"},
        {"--hidden", "32"},      {"--data", "sglyphs"},   {"--size", "12"},        {"--train-size", "300"},
        {"--test-size", "100"},  {"--batch", "32"},       {"--epochs", "4"},       {"--checkpoint-seconds", "0"},
        {"--out", out.string()},
    };
    std::vector<std::string> arguments = {"train"};
    for (const auto& [name, value] : usual)
      if (std::find(more.begin(), more.end(), name) == more.end()) arguments.insert(arguments.end(), {name, value});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  /// Goes on with the run in `out`.
  static std::vector<std::string> resume(const std::filesystem::path& out) {
    return {"--threads", "1", "train", "--out", out, "--resume"};
  }

  /// Waits until `happened`, two minutes at most.
  template <class Condition>
  static bool wait_until(Condition happened) {
    for (int i = 0; i < 24000 && !happened(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return happened();
  }

  /// Starts a training, waits until it has written `sign`, asks it to stop as Ctrl-C does, and waits for its end.
  auto stopped_after(const std::vector<std::string>& training, const std::filesystem::path& sign) {
    const pid_t child = start(training);
    EXPECT_TRUE(wait_until([&] { return std::filesystem::exists(sign); }));
    kill(child, SIGINT);
    return finish(child);
  }

  /// The name of the newest checkpoint; empty where there is none.
  static std::string newest_checkpoint(const std::filesystem::path& run) {
    std::error_code missing;
    std::string newest;
    for (std::filesystem::directory_iterator entry(run / "checkpoints", missing), end; entry != end;
         entry.increment(missing))
      if (entry->path().extension() == ".safetensors") newest = std::max(newest, entry->path().filename().string());
    return newest;
  }

  /// The program with these arguments, for shell().
  static std::string shell_line(const std::vector<std::string>& arguments) {
    std::string line = SCDCF_PROGRAM;
    for (const auto& argument : arguments) line += " '" + argument + "'";
    return line;
  }

  /// The exit code of a line for bash.
  static int shell(const std::string& line) {
    const int status = std::system(("bash -c \"" + line + "\"").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  /// The model of a run. The file holds nothing that differs between two runs with the same weights.
  static std::string model_bytes(const std::filesystem::path& run) { return read(run / "model.safetensors"); }

  /// Files that a broken write left behind, in a folder and below.
  static std::vector<std::string> leftovers(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      const std::string name = entry.path().filename();
      if (name.find(".part") != std::string::npos || name.find(".tmp") != std::string::npos || name[0] == '.')
        names.push_back(entry.path());
    }
    return names;
  }
};

}  // namespace scdcf::testing
