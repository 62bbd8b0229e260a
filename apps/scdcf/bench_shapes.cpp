#include <iostream>
#include <optional>

#include "bench_report.h"
#include "scdcf/bench/device_limit.h"
#include "scdcf/bench/layer_cases.h"
#include "scdcf/bench/layer_variants.h"
#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/report/plot.h"
#include "scdcf/terminal/row_printer.h"
#include "scdcf/train/step.h"

namespace scdcf::app {
namespace {

using namespace bench;

struct Precision {
  const char* name;  // as TrainOptions has it
  torch::ScalarType maps;
  double tolerance;  // of the error against the composed form in double
};
/// The first is what the time of the others is compared with.
std::vector<Precision> precisions_of(torch::Device device) {
  if (device.is_cpu()) return {{"float32", torch::kFloat, 1e-5}};
  return {{"tf32", torch::kFloat, 2e-3}, {"bfloat16", torch::kBFloat16, 2e-2}, {"float32", torch::kFloat, 1e-5}};
}

void set_precision(const Precision& precision, torch::Device device) {
  train::TrainOptions options;
  options.precision = precision.name;
  train::apply_precision(options, device);
}

/// The reference composes filters in double; where that takes too long the shape is timed and not judged here.
constexpr double kMostReferenceMultiplyAdds = 2e10;

struct Timed {
  double ms = 0, products_ms = 0, limit_ms = 0;
  std::optional<double> error;
};

Timed measure(const LayerCase& bench_case, const Precision& precision, const DeviceLimit& limit,
              const BenchOptions& options, torch::Device device) {
  BenchLayer layer(bench_case, device, precision.maps);
  Timed timed;
  if (layer.multiply_adds(Variant::composed) / static_cast<double>(bench_case.batch) < kMostReferenceMultiplyAdds) {
    timed.error = layer.judge(Variant::separable).error;
    require(*timed.error <= precision.tolerance, "bench: ", bench_case.name, ", ", precision.name, ": relative error ",
            *timed.error, ", expected at most ", precision.tolerance);
  }
  const auto ms = median_ms({[&] { layer.step(Variant::separable, true); }, [&] { layer.floor(true); }}, device,
                            options.seconds, options.timer);
  timed.ms = ms[0];
  timed.products_ms = ms[1];
  timed.limit_ms = limit.least_ms(layer.product_multiply_adds(true), layer.least_bytes(true));
  return timed;
}

void plot_growth(const nlohmann::ordered_json& list, const std::string& group, const std::string& out) {
  report::Plot plot{"Cost of a layer, forward and backward", group, "ms", true, true, {}};
  for (const auto& entry : list) {
    if (entry.at("group") != group) continue;
    const std::string precision = entry.at("precision");
    plot.named(precision).add(entry.at("sweep"), entry.at("ms"));
    plot.named(precision + ", limit").add(entry.at("sweep"), entry.at("limit_ms"));
  }
  report::write_plot(plot, out, "shapes-" + group);
}

const std::vector<terminal::RowPrinter::Column> kColumns = {
    {"layer", 27}, {"images"},      {"precision", 9}, {"ms", 6},    {"limit ms"},
    {"vs limit"},  {"products ms"}, {"vs products"},  {"vs first"}, {"error", 5}};

}  // namespace

nlohmann::ordered_json bench_shapes(const BenchOptions& options, torch::Device device) {
  terminal::RowPrinter table(options.json ? nullptr : &std::cout, kColumns);
  const auto precisions = precisions_of(device);
  std::vector<DeviceLimit> limits;
  for (const auto& precision : precisions) {
    set_precision(precision, device);
    limits.push_back(measured_limit(device, precision.maps, options.timer));
    release_kept_memory(device);
  }
  auto list = nlohmann::ordered_json::array();
  for (const auto& bench_case : shape_cases(options.batch)) {
    double first = 0;
    for (size_t p = 0; p < precisions.size(); ++p) {
      set_precision(precisions[p], device);
      const auto timed = measure(bench_case, precisions[p], limits[p], options, device);
      if (p == 0) first = timed.ms;
      const auto ratio = [](double value) { return three_digits(value, "x"); };
      table.add({p == 0 ? bench_case.name : "", std::to_string(bench_case.batch), precisions[p].name,
                 three_digits(timed.ms), three_digits(timed.limit_ms), ratio(timed.ms / timed.limit_ms),
                 three_digits(timed.products_ms), ratio(timed.ms / timed.products_ms), ratio(timed.ms / first),
                 timed.error ? format("%.0e", *timed.error) : "-"});
      list.push_back({{"group", bench_case.group},
                      {"case", bench_case.name},
                      {"sweep", bench_case.sweep},
                      {"batch", bench_case.batch},
                      {"precision", precisions[p].name},
                      {"ms", timed.ms},
                      {"limit_ms", timed.limit_ms},
                      {"products_ms", timed.products_ms}});
      if (timed.error) list.back()["error"] = *timed.error;
    }
    release_kept_memory(device);
  }
  if (!options.json) {
    std::cout << "  forward and backward. limit: the larger of the products' operations at the rate of a large square "
                 "product and of the\n  maps' bytes at the speed of a copy, in this run:";
    for (size_t p = 0; p < precisions.size(); ++p)
      std::cout << (p == 0 ? " " : ", ") << precisions[p].name
                << format(" %.3g TFLOP/s, %.3g GB/s", 2e-9 * limits[p].multiply_adds_per_ms,
                          1e-6 * limits[p].bytes_per_ms);
    std::cout << "\n  products: these matrix products alone, through the BLAS; vs first: over the first precision's "
                 "time; error: against the\n  composed form in double, - where that would take too long\n";
  }
  if (!options.out.empty())
    for (const char* group : {"lines", "planes", "modes", "width", "taps"}) plot_growth(list, group, options.out);
  return list;
}

}  // namespace scdcf::app
