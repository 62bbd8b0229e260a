// Which part of the experiments that are sets of training runs is made, and how.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace scdcf::tables {

/// What is empty or 0 stands for the experiment's own.
struct PlanOptions {
  std::filesystem::path out;        ///< folder of the results
  bool quick = false;               ///< a few small runs that take seconds, on sglyphs where the data is not at hand
  std::vector<std::string> data;    ///< data sets instead of the experiment's own
  std::vector<std::string> models;  ///< of the experiment's networks, only these
  std::vector<int> sizes;           ///< of its image sizes, only these
  std::vector<std::int64_t> train_sizes;
  std::vector<int> realisations;
  std::string augmentation = "both";  ///< plain, plus, or both
  std::int64_t epochs = 0;            ///< milestones move along
  int jobs = 1;                       ///< runs at a time
  std::string data_dir;
  std::string device = "cpu";
  std::string precision = "float32";
  bool retry_failed = false;
  bool list = false;  ///< print the runs instead of making them
  int only = -1;      ///< the number of the one run to make, as they are listed; negative for all
  std::function<void(const std::string&)> print;   ///< a line that stays
  std::function<void(const std::string&)> status;  ///< a line that is replaced by the next
  std::function<bool()> stop;                      ///< true: end soon and keep what is done
};

}  // namespace scdcf::tables
