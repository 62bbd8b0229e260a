#include <functional>
#include <iostream>
#include <optional>
#include <vector>

#include "bench_report.h"
#include "scdcf/bench/convolutions_alone.h"
#include "scdcf/bench/training_step.h"
#include "scdcf/terminal/row_printer.h"

namespace scdcf::app {
namespace {

using namespace bench;

/// How the network of a training step is built; the first is what the others are measured against.
struct Form {
  bool separable, fused_norm, autocast;

  std::string name(torch::Device device) const {
    std::string text = separable ? "separable, " : "composed, ";
    text += fused_norm ? "fused norm" : "torch's layers";
    return device.is_cpu() ? text : text + (autocast ? ", bfloat16" : ", TF32");
  }

  /// ScDCFNet for images of 28x28 or 56x56 pixels, with filters of 5..10 or 10..20 pixels.
  TrainingSetup setup(int64_t size, int64_t batch, torch::Device device) const {
    TrainingSetup setup;
    setup.model.image_size = size;
    setup.model.finest_width = size >= 56 ? 10 : 5;
    setup.model.algorithm = separable ? "separable" : "composed";
    setup.train.batch = batch;
    if (device.is_cuda()) setup.train.precision = autocast ? "bfloat16" : "tf32";
    setup.fused_norm = fused_norm;
    return setup;
  }
};
// Composed runs in TF32 only: one baseline for both precisions.
constexpr Form kForms[] = {{false, false, false}, {true, true, false}, {true, true, true}, {false, true, false}};

const std::vector<terminal::RowPrinter::Column> kTrainingColumns = {
    {"training step", 25}, {"form", 35},     {"ms", 5},       {"vs composed, torch's layers"}, {"images/s"},
    {"convolutions ms"},   {"outside them"}, {"products ms"}, {"ratio at the floor"}};

}  // namespace

nlohmann::ordered_json bench_training(const BenchOptions& options, torch::Device device) {
  terminal::RowPrinter table(options.json ? nullptr : &std::cout, kTrainingColumns);
  auto list = nlohmann::ordered_json::array();
  for (const int64_t size : {28, 56}) {
    if (device.is_cpu() && size == 56) continue;  // seconds per composed step
    const std::string pixels = std::to_string(size);
    std::string name = "SMNIST " + pixels + "x" + pixels + ", batch " + std::to_string(options.batch);
    double first = 0;
    for (const Form& form : kForms) {
      if (device.is_cpu() && form.autocast) continue;
      TrainingStep step(form.setup(size, options.batch, device), device);
      std::optional<ConvolutionsAlone> convolutions;
      std::vector<std::function<void()>> works{[&] { step.run(); }};
      if (form.separable) {
        convolutions.emplace(size, options.batch, form.autocast, device);
        works.emplace_back([&] { convolutions->run(); });
        works.emplace_back([&] { convolutions->run_products(); });
      }
      const auto times = bench::median_ms(works, device, 2 * options.seconds, options.timer);
      const double ms = times[0];
      if (first == 0) first = ms;
      const double at_floor = form.separable ? ms - times[1] + times[2] : 0;
      table.add(
          {name, form.name(device), three_digits(ms), three_digits(first / ms, "x"),
           three_digits(1e3 * static_cast<double>(options.batch) / ms), form.separable ? three_digits(times[1]) : "-",
           form.separable ? three_digits(100 * (1 - times[1] / ms), "%") : "-",
           form.separable ? three_digits(times[2]) : "-", form.separable ? three_digits(first / at_floor, "x") : "-"});
      name.clear();
      list.push_back({{"size", size},
                      {"batch", options.batch},
                      {"autocast", form.autocast},
                      {"algorithm", form.separable ? "separable" : "composed"},
                      {"norm", form.fused_norm ? "fused" : "torch"},
                      {"ms", ms},
                      {"ratio", first / ms}});
      if (form.separable) {
        list.back()["convolutions_ms"] = times[1];
        list.back()["outside_convolutions"] = 1 - times[1] / ms;
        list.back()["products_ms"] = times[2];
        list.back()["ratio_at_floor"] = first / at_floor;
      }
    }
  }
  if (!options.json)
    std::cout << "  vs composed, torch's layers: how many times faster than the first form, which on a GPU runs in TF32"
                 "\n  outside them: share of the step that is not forward and backward of the three convolutions"
                 "\n  products: the matrix products of the three convolutions alone, through the BLAS; ratio at the "
                 "floor: with "
                 "these in place of the convolutions\n";
  return list;
}

}  // namespace scdcf::app
