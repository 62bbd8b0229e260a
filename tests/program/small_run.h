// A training run that takes seconds.
#pragma once

#include <string>
#include <vector>

#include "support/program_test.h"

namespace scdcf::testing {

class SmallRun : public ProgramTest {
 protected:
  /// Trains a little network on little pictures into `out`; `more` goes behind.
  static std::vector<std::string> train(const std::filesystem::path& out, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {
        "train",   "--model",  "scdcfnet", "--channels", "4,4,4", "--scales",    "3",   "--data",
        "sglyphs", "--size",   "12",       "--hidden",   "32",    "--batch",     "32",  "--train-size",
        "300",     "--epochs", "4",        "--out",      out,     "--test-size", "100", "--checkpoint-seconds",
        "0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  /// The model of a run. The file holds nothing that differs between two runs with the same weights.
  static std::string model_bytes(const std::filesystem::path& run) { return read(run / "model.pt"); }

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
