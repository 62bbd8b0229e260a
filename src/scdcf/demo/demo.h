// The demonstration: three networks that learn from objects of one size and are tested at all sizes, on one page.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "scdcf/train/trainer.h"

namespace scdcf::demo {

struct DemoOptions {
  std::filesystem::path out;
  data::DataOptions data;                            ///< a scaled set, whose objects' sizes are known
  double trained_factor = 0.6;                       ///< the one size of training objects
  double smallest_factor = 0.3, largest_factor = 1;  ///< of test objects
  std::int64_t validation_size = 500;
  std::int64_t epochs = 12;
  std::int64_t batch = 64;
  /// Of the networks that look at every size, and of the CNN, half of the paper's.
  std::vector<std::int64_t> range_channels = {16, 32, 48}, cnn_channels = {16, 31, 47};
  std::string command;  ///< how the user called it; stands on the page

  /// On Fashion-MNIST where it is found, else on drawn digits.
  static DemoOptions standard();
  /// Seconds instead of minutes: everything is there, and nothing is learned.
  static DemoOptions quick();
};

/// Whom to tell. `network` is the name on the page.
struct DemoProgress {
  std::function<void(const std::string& line)> say;
  std::function<void(const std::string& network, const train::StepProgress&)> on_step;
  std::function<void(const std::string& network, const train::EpochRecord&)> on_epoch;
  std::function<void(const std::filesystem::path& folder, const train::RunConfig&)> on_run;  ///< before it is trained
};

/// Trains them, writes OUT/report.html, OUT/pictures, OUT/figures and a run for each network (demo_runs); where
/// onnxruntime-web is found, OUT/explore.html too (explore/explore.h). Throws Error where
/// the data is missing or does not know the sizes of its objects.
void run_demo(const DemoOptions& options, const DemoProgress& progress);

}  // namespace scdcf::demo
