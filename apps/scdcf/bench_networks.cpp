#include <torch/torch.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <utility>
#include <vector>

#include "bench_report.h"
#include "scdcf/bench/training_step.h"
#include "scdcf/models/registry.h"
#include "scdcf/terminal/row_printer.h"

namespace scdcf::app {
namespace {

using namespace bench;

const std::vector<terminal::RowPrinter::Column> kNetworkColumns = {
    {"network", 15}, {"images", 6},           {"batch", 5},         {"parameters", 10}, {"ms a step", 9},
    {"images/s", 8}, {"time over plain", 15}, {"ms to predict", 13}};

/// A network as the paper's comparison uses it: for 28x28 digits with Adam, for 96x96 pictures (resnet16 and its
/// variants) with SGD.
struct NetworkCase {
  std::string name;
  bool pictures = false;
  int64_t batch = 0;
  int64_t size() const { return pictures ? 96 : 28; }

  TrainingSetup setup(torch::Device device) const {
    TrainingSetup setup;
    setup.model.name = name;
    setup.model.image_size = size();
    setup.model.in_channels = pictures ? 3 : 1;
    setup.train.batch = batch;
    if (pictures) setup.train.optimizer = "sgd";
    if (device.is_cuda()) setup.train.precision = "tf32";
    return setup;
  }
};

/// Every network of the registry that is asked for, the plain one of each kind first.
std::vector<NetworkCase> network_cases(const BenchOptions& options) {
  std::vector<NetworkCase> cases;
  for (const char* plain : {"cnn", "resnet16"}) {
    const bool pictures = std::string(plain) == "resnet16";
    const int64_t batch = pictures ? options.picture_batch : options.batch;
    const auto add = [&](const std::string& name) {
      const auto& asked = options.networks;
      if (asked.empty() || std::find(asked.begin(), asked.end(), name) != asked.end())
        cases.push_back({name, pictures, batch});
    };
    add(plain);
    for (const auto& entry : models::all_models())
      if (entry.name != plain && (entry.name.rfind("resnet16", 0) == 0) == pictures) add(entry.name);
  }
  return cases;
}

struct Speed {
  int64_t parameters = 0;
  double ms = 0, prediction_ms = 0;
  std::string error;  // the first line of what went wrong, where something did
};

/// The scores of a batch, as a network in use gives them.
std::function<void()> prediction_by(TrainingStep& step, torch::Device device) {
  step.network().eval();
  const auto replay = std::make_shared<train::Replay>(
      [&step, images = step.images().images(step.indices())] {
        const torch::NoGradGuard no_grad;
        step.network().forward(images);
      },
      device);
  return [replay] { replay->run(); };
}

Speed measure(const NetworkCase& network_case, torch::Device device, const BenchOptions& options) {
  Speed speed;
  try {
    TrainingStep step(network_case.setup(device), device);
    speed.parameters = models::parameter_count(step.network());
    speed.ms = bench::median_ms({[&] { step.run(); }}, device, options.seconds, options.timer)[0];
    speed.prediction_ms =
        bench::median_ms({prediction_by(step, device)}, device, options.seconds / 2, options.timer)[0];
  } catch (const std::exception& error) {
    const std::string text = error.what();
    speed.error = text.substr(0, text.find('\n'));
  }
  bench::release_kept_memory(device);
  return speed;
}

}  // namespace

nlohmann::ordered_json bench_networks(const BenchOptions& options, torch::Device device) {
  terminal::RowPrinter table(options.json ? nullptr : &std::cout, kNetworkColumns);
  auto list = nlohmann::ordered_json::array();
  double plain = 0;
  bool pictures = false;
  for (const auto& network_case : network_cases(options)) {
    const auto speed = measure(network_case, device, options);
    if (std::exchange(pictures, network_case.pictures) != network_case.pictures) plain = 0;
    if (network_case.name == "cnn" || network_case.name == "resnet16") plain = speed.ms;
    const std::string side = std::to_string(network_case.size()), batch = std::to_string(network_case.batch);
    nlohmann::ordered_json entry{
        {"network", network_case.name}, {"size", network_case.size()}, {"batch", network_case.batch}};
    if (!speed.error.empty()) {
      table.add({network_case.name, side + "x" + side, batch, "-", "-", "-", "-", "failed: " + speed.error});
      entry["error"] = speed.error;
      list.push_back(entry);
      continue;
    }
    const double rate = 1e3 * static_cast<double>(network_case.batch) / speed.ms;
    table.add({network_case.name, side + "x" + side, batch, std::to_string(speed.parameters), three_digits(speed.ms),
               three_digits(rate), plain > 0 ? three_digits(speed.ms / plain) : "-",
               three_digits(speed.prediction_ms)});
    entry["parameters"] = speed.parameters;
    entry["ms"] = speed.ms;
    entry["images_per_second"] = rate;
    entry["prediction_ms"] = speed.prediction_ms;
    if (plain > 0) entry["time_over_plain"] = speed.ms / plain;
    list.push_back(entry);
  }
  if (!options.json)
    std::cout
        << "  a step: gather, forward, loss, backward and update, as training runs it; time over plain: that of a "
           "step over\n  the cnn's, or over resnet16's; to predict: the scores of a batch, on a GPU replayed as a step "
           "is\n";
  return list;
}

}  // namespace scdcf::app
