// The demonstration: ScDCFNet and a plain network of the same size, trained for minutes and shown on one page.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "scdcf/train/trainer.h"

namespace scdcf::demo {

struct DemoOptions {
  std::filesystem::path out;
  data::DataOptions data;  ///< a scaled set, whose objects' sizes are known
  std::int64_t validation_size = 1000;
  std::int64_t epochs = 14;
  std::int64_t batch = 64;
  /// Of ScDCFNet and of the CNN: half of the paper's, which gives both the same number of parameters within 1%, and is
  /// what two CPU cores train in two minutes.
  std::vector<std::int64_t> scdcfnet_channels = {16, 32, 48}, cnn_channels = {16, 31, 47};
  std::string command;  ///< how the user called it; stands on the page

  /// On Fashion-MNIST where it is found, else on drawn digits.
  static DemoOptions standard();
  /// Seconds instead of minutes: everything is there, and nothing is learned.
  static DemoOptions quick();
};

/// Whom to tell, and whether to go on. `network` is the name on the page.
struct DemoProgress {
  std::function<void(const std::string& line)> say;
  std::function<void(const std::string& network, const train::StepProgress&)> on_step;
  std::function<void(const std::string& network, const train::EpochRecord&)> on_epoch;
  std::function<void(const std::filesystem::path& folder, const train::RunConfig&)> on_run;  ///< before it is trained
  std::function<bool()> stop;
};

/// Trains both, writes OUT/report.html, OUT/pictures, OUT/figures and the runs OUT/scdcfnet and OUT/cnn. False where it
/// was stopped. Throws Error where the data is missing or does not know the sizes of its objects.
bool run_demo(const DemoOptions& options, const DemoProgress& progress);

}  // namespace scdcf::demo
