#include "run_data.h"

#include "in_range.h"
#include "scdcf/core/error.h"

namespace scdcf::app {

void add_run_arguments(CLI::App& command, RunArguments& arguments) {
  command.add_option("run", arguments.run, "Folder of a run, or a model file")->required();
  command.add_option("--data", arguments.data, "Another data set than the run's own");
  command.add_option("--data-dir", arguments.data_dir, "Folder that holds the data");
  command.add_option("--count", arguments.count, "Test images to use; 0 for all")->check(in_range(0, 1e9));
  command.add_option("--smallest-factor", arguments.smallest_factor, "Of the scaled sets, instead of the run's own")
      ->check(in_range(0.001, 100));
  command.add_option("--largest-factor", arguments.largest_factor, "Of the scaled sets, instead of the run's own")
      ->check(in_range(0.001, 100));
  command.add_option("--device", arguments.device, "cpu, cuda or cuda:N")->capture_default_str();
}

runs::TrainedModel load_run(const RunArguments& arguments) {
  return runs::load_model(arguments.run, train::device_of(arguments.device));
}

data::Splits load_run_data(const RunArguments& arguments, const runs::TrainedModel& model) {
  auto options = model.config.data;
  if (!arguments.data.empty()) {
    // The rest belongs to the run's own set.
    data::DataOptions other;
    other.name = arguments.data;
    other.data_dir = options.data_dir;
    other.test_size = options.test_size;
    other.realisation = options.realisation;
    options = other;
  }
  if (!arguments.data_dir.empty()) options.data_dir = arguments.data_dir;
  if (arguments.count > 0) options.test_size = arguments.count;
  if (arguments.smallest_factor > 0) options.smallest_factor = arguments.smallest_factor;
  if (arguments.largest_factor > 0) options.largest_factor = arguments.largest_factor;
  options.size = static_cast<int>(model.config.model.image_size);
  auto splits = data::load(options);
  require(splits.test.channels == model.config.model.in_channels, "data ", options.name, ": got images of ",
          splits.test.channels, " channels, expected ", model.config.model.in_channels, " as in training");
  require(splits.test.class_names.size() == model.class_names.size(), "data ", options.name, ": got ",
          splits.test.class_names.size(), " classes, expected the ", model.class_names.size(), " of the run");
  // The network expects what it was trained with.
  splits.mean = model.mean;
  splits.deviation = model.deviation;
  return splits;
}

}  // namespace scdcf::app
