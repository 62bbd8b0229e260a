// Pictures for a network that was trained before: the test part of its own data, or of another set.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "scdcf/data/datasets.h"
#include "scdcf/runs/run_folder.h"

namespace scdcf::app {

/// What the commands that look at a run have in common.
struct RunArguments {
  std::string run, data, data_dir, device = "cpu";
  std::optional<int64_t> count;  // test images; 0 for all, none for as many as the run has
  double smallest_factor = 0, largest_factor = 0;
  std::optional<double> test_scale;
  bool allow_changed_data = false;
  runs::RangeOfSizes range;
};
/// --smaller and --larger.
void add_range(CLI::App& command, runs::RangeOfSizes& range);
void add_run_arguments(CLI::App& command, RunArguments& arguments);

runs::TrainedModel load_run(const RunArguments& arguments);

struct RunData {
  data::Splits splits;
  std::string change;  ///< since the run was trained, of its own data; empty where there is none
};

/// The splits that the run was trained on, refused where they have changed unless that is allowed; or, with --data, the
/// same of another set, made to the size of the network's images and refused where they do not fit.
RunData load_run_data(const RunArguments& arguments, const runs::TrainedModel& model);

/// {"cat": 1.5, "dog": -0.3}, of scores [classes].
nlohmann::ordered_json scores_by_class(const std::vector<std::string>& classes, const torch::Tensor& scores);

/// Numbers the classes of a set as the run does, by their names. Throws Error naming those that the run does not have.
void match_classes(data::ImageSet& set, const std::vector<std::string>& classes, const std::string& name);

}  // namespace scdcf::app
