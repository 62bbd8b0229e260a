#include "run_data.h"

#include <algorithm>

#include "in_range.h"
#include "run_options.h"
#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/core/joined.h"
#include "scdcf/data/named_set.h"

namespace scdcf::app {
namespace {

std::string counts_text(const std::vector<int64_t>& counts) {
  if (counts.size() != 3) return "others";
  return format("%lld training, %lld validation and %lld test images", static_cast<long long>(counts[0]),
                static_cast<long long>(counts[1]), static_cast<long long>(counts[2]));
}

/// The run's own data, with what has become different of it; `options` are then those of what was loaded.
RunData load_own(data::DataOptions& options, const runs::TrainedModel& model, bool allow_changed) {
  RunData data;
  try {
    data.splits = data::load(options);
  } catch (const Error& error) {
    if (!allow_changed) throw;
    options.train_size = options.validation_size = options.test_size = 0;  // more than there are now
    data.splits = data::load(options);
  }
  if (data::checksum(data.splits) == model.data_checksum) return data;
  const auto& splits = data.splits;
  const std::vector<int64_t> counts = {splits.train.count(), splits.validation.count(), splits.test.count()};
  data.change = "data " + options.name + ": has changed since training: got " + counts_text(counts) +
                (counts == model.data_counts ? ", as many as then but not the same"
                                             : ", then there were " + counts_text(model.data_counts));
  require(allow_changed, data.change, "; --allow-changed-data goes on with what is there now");
  return data;
}

}  // namespace

void add_range(CLI::App& command, runs::RangeOfSizes& range) {
  command
      .add_option("--smaller", range.smaller, "Another range for the network: this many times smaller than trained on")
      ->check(in_range(1, 100));
  command.add_option("--larger", range.larger, "Another range for the network: this many times larger than trained on")
      ->check(in_range(1, 100));
}

void add_run_arguments(CLI::App& command, RunArguments& arguments) {
  command.add_option("run", arguments.run, "Folder of a run, or a model file")->required();
  command.add_option("--data", arguments.data, "Another data set than the run's own");
  add_run_option(command, "data_dir", arguments.data_dir).type_name("FOLDER");
  command.add_option("--count", arguments.count, "Test images to use instead of as many as the run has; 0 for all")
      ->check(in_range(0, 1e9));
  command.add_option("--smallest-factor", arguments.smallest_factor, "Of the scaled sets, instead of the run's own")
      ->check(in_range(0.001, 100));
  command.add_option("--largest-factor", arguments.largest_factor, "Of the scaled sets, instead of the run's own")
      ->check(in_range(0.001, 100));
  add_range(command, arguments.range);
  command.add_option("--test-scale", arguments.test_scale, "Of the large-scale sets, instead of the run's own");
  add_run_option(command, "device", arguments.device);
}

runs::TrainedModel load_run(const RunArguments& arguments) {
  return runs::load_model(arguments.run, train::device_of(arguments.device), arguments.range);
}

RunData load_run_data(const RunArguments& arguments, const runs::TrainedModel& model) {
  auto options = model.config.data;
  if (!arguments.data_dir.empty()) options.data_dir = arguments.data_dir;
  require(!options.name.empty() || !arguments.data.empty(), arguments.run,
          ": does not say what it was trained on, expected --data");
  const bool same_name = arguments.data.empty() || arguments.data == options.name;
  RunData data;
  if (same_name && arguments.smallest_factor == 0 && arguments.largest_factor == 0 && !arguments.test_scale) {
    data = load_own(options, model, arguments.allow_changed_data);
    const int64_t own = data.splits.test.count(), count = arguments.count.value_or(own);
    const bool has_all = options.test_size == 0;
    if ((count == 0 && !has_all) || count > own) {
      options.test_size = count;
      data.splits = data::load(options);
    } else if (count > 0 && count < own) {
      data.splits.test = data::prefix(data.splits.test, count);
    }
  } else {
    if (!same_name) {
      data::DataOptions other;  // the rest belongs to the run's own set
      other.name = arguments.data;
      other.data_dir = options.data_dir;
      other.test_size = options.test_size;
      other.realisation = options.realisation;
      other.fit = options.fit;
      other.background = data::ground_of(options.name);
      if (data::named_set(other.name).kind == data::SetKind::image_folder)
        other.channels = static_cast<int>(model.config.model.in_channels);
      options = other;
    }
    if (arguments.count) options.test_size = *arguments.count;
    if (arguments.smallest_factor > 0) options.smallest_factor = arguments.smallest_factor;
    if (arguments.largest_factor > 0) options.largest_factor = arguments.largest_factor;
    if (arguments.test_scale) options.test_scale = *arguments.test_scale;
    options.train_size = 1;  // only the test part is looked at, and others take long to draw
    options.size = static_cast<int>(model.config.model.image_size);
    data.splits = data::load(options);
  }
  const auto& test = data.splits.test;
  require(test.channels == model.config.model.in_channels, "data ", options.name, ": got images of ", test.channels,
          " channels, expected ", model.config.model.in_channels, " as in training");
  // The network expects what it was trained with.
  data.splits.mean = model.mean;
  data.splits.deviation = model.deviation;
  return data;
}

nlohmann::ordered_json scores_by_class(const std::vector<std::string>& classes, const torch::Tensor& scores) {
  nlohmann::ordered_json json;
  for (size_t i = 0; i < classes.size(); ++i) json[classes[i]] = scores[static_cast<int64_t>(i)].item<float>();
  return json;
}

void match_classes(data::ImageSet& set, const std::vector<std::string>& classes, const std::string& name) {
  std::vector<std::int32_t> numbers;
  std::vector<std::string> unknown;
  for (const auto& label : set.class_names) {
    const auto found = std::find(classes.begin(), classes.end(), label);
    numbers.push_back(static_cast<std::int32_t>(found - classes.begin()));
    if (found == classes.end()) unknown.push_back(label);
  }
  require(unknown.empty(), "data ", name, ": got classes that the run does not have: ", joined(unknown),
          "; expected some of ", joined(classes));
  for (auto& label : set.labels) label = numbers[static_cast<size_t>(label)];
  set.class_names = classes;
}

}  // namespace scdcf::app
