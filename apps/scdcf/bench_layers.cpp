#include <torch/torch.h>

#include <array>
#include <functional>
#include <iostream>
#include <set>

#include "bench_report.h"
#include "scdcf/bench/layer_cases.h"
#include "scdcf/bench/layer_variants.h"
#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/core/joined.h"
#include "scdcf/report/plot.h"
#include "scdcf/terminal/row_printer.h"

namespace scdcf::app {
namespace {

using namespace bench;

constexpr std::array<bench::Variant, 3> kVariants = {bench::Variant::grouped, bench::Variant::composed,
                                                     bench::Variant::separable};
/// Where forward and backward of a composed form would take longer it is left out, and the table says so by a gap.
constexpr double kMostSeconds = 10;

struct Timing {
  double forward = 0, both = 0, memory = 0, error = 0;
  bool ran = false;
};

/// All forms of one layer: judged first, then timed in turn.
struct Result {
  bench::LayerCase bench_case;
  std::array<Timing, 3> variants;
  double floor_forward = 0, floor_both = 0, multiply_adds = 0, map_bytes = 0;
};

Result measure(const bench::LayerCase& bench_case, torch::Device device, const BenchOptions& options) {
  bench::BenchLayer layer(bench_case, device);
  Result result{bench_case, {}, 0, 0, layer.multiply_adds(bench::Variant::separable), layer.map_bytes()};
  // TF32 on a GPU keeps ten bits.
  const double tolerance = device.is_cuda() ? 2e-3 : 1e-5;
  std::vector<std::function<void()>> works{[&] { layer.floor(false); }, [&] { layer.floor(true); }};
  std::vector<size_t> timed;
  for (size_t v = 0; v < kVariants.size(); ++v) {
    const bench::Variant variant = kVariants[v];
    auto& timing = result.variants[v];
    const bench::Judgement judgement = layer.judge(variant);
    timing.error = judgement.error;
    require(timing.error <= tolerance, "bench: ", bench_case.name, ", ", name_of(variant), ": relative error ",
            timing.error, ", expected at most ", tolerance);
    const double expected_seconds = judgement.seconds * static_cast<double>(bench_case.batch);
    if (device.is_cpu() && variant != bench::Variant::separable && expected_seconds > kMostSeconds) continue;
    timing.ran = true;
    timed.push_back(v);
    works.emplace_back([&layer, variant] { layer.step(variant, false); });
    const auto both = [&layer, variant] { layer.step(variant, true); };
    if (device.is_cpu())  // the first call, of a slow form the only one, also finds the memory it takes
      works.emplace_back([&timing, both, device] {
        if (timing.memory == 0) return void(timing.memory = bench::peak_extra_bytes(both, device));
        both();
      });
    else
      works.emplace_back(both);
  }
  const auto times = bench::median_ms(works, device, options.seconds, options.timer);
  result.floor_forward = times[0];
  result.floor_both = times[1];
  for (size_t i = 0; i < timed.size(); ++i) {
    auto& timing = result.variants[timed[i]];
    timing.forward = times[2 + 2 * i];
    timing.both = times[3 + 2 * i];
    if (device.is_cuda())
      timing.memory = bench::peak_extra_bytes([&] { layer.step(kVariants[timed[i]], true); }, device);
  }
  return result;
}

void print(const Result& result, terminal::RowPrinter& table) {
  const auto& [grouped, composed, separable] = result.variants;
  const auto ratio = [](double value, bool known) { return known ? three_digits(value, "x") : "-"; };
  for (size_t v = 0; v < kVariants.size(); ++v) {
    const auto& t = result.variants[v];
    const std::string name = v == 0 ? result.bench_case.name : "";
    const auto error = format("%.0e", t.error);
    if (!t.ran) {
      table.add({name, name_of(kVariants[v]), "-", "-", "-", "-", "-", "-", "-", error});
      continue;
    }
    // Useful work: what the separable form needs, three times with the backward.
    const double gflops = 2e-6 * result.multiply_adds * (result.bench_case.lifting ? 2 : 3) / t.both;
    table.add({name, name_of(kVariants[v]), three_digits(t.forward), three_digits(t.both), three_digits(gflops),
               ratio(grouped.both / t.both, grouped.ran), ratio(composed.both / t.both, composed.ran),
               ratio(t.both / result.floor_both, true), ratio(t.memory / result.map_bytes, true), error});
  }
}

nlohmann::ordered_json to_json(const Result& result) {
  const auto& c = result.bench_case;
  nlohmann::ordered_json entry{{"group", c.group},
                               {"case", c.name},
                               {"batch", c.batch},
                               {"floor_forward_ms", result.floor_forward},
                               {"floor_ms", result.floor_both},
                               {"map_bytes", result.map_bytes},
                               {"multiply_adds", result.multiply_adds}};
  for (size_t v = 0; v < kVariants.size(); ++v) {
    const auto& t = result.variants[v];
    if (t.ran)
      entry[name_of(kVariants[v])] = {
          {"forward_ms", t.forward}, {"forward_backward_ms", t.both}, {"extra_bytes", t.memory}, {"error", t.error}};
  }
  return entry;
}

void plot_sweep(const std::vector<Result>& results, const std::string& group, const std::string& label,
                const std::string& out, const std::string& stem) {
  report::Plot plot{"Cost of a layer, forward and backward", label, "ms", true, true, {}};
  for (size_t v = 0; v < kVariants.size(); ++v) {
    report::Series series{name_of(kVariants[v]), {}, {}};
    for (const auto& result : results)
      if (result.bench_case.group == group && result.variants[v].ran) {
        series.add(result.bench_case.sweep, result.variants[v].both);
      }
    if (!series.x.empty()) plot.series.push_back(series);
  }
  if (!plot.series.empty()) report::write_plot(plot, out, stem);
}

std::vector<bench::LayerCase> chosen_cases(const BenchOptions& options) {
  std::vector<bench::LayerCase> chosen;
  const std::set<std::string> others{"training", "networks", "shapes"};
  auto groups = others;
  for (const auto& bench_case : bench::layer_cases(options.batch)) {
    groups.insert(bench_case.group);
    if (options.group.empty() || options.group == bench_case.group) chosen.push_back(bench_case);
  }
  require(!chosen.empty() || others.count(options.group) > 0, "--group: got \"", options.group, "\", expected one of ",
          joined(groups));
  return chosen;
}

const std::vector<terminal::RowPrinter::Column> kLayerColumns = {
    {"case", 22},   {"form", 9},     {"fwd ms"},   {"fwd+bwd ms"},   {"GFLOP/s"},
    {"vs grouped"}, {"vs composed"}, {"vs floor"}, {"extra memory"}, {"error"}};

}  // namespace

std::string three_digits(double value, const char* unit) {
  return format("%.*f%s", value < 10 ? 2 : value < 100 ? 1 : 0, value, unit);
}

nlohmann::ordered_json bench_layers(const BenchOptions& options, torch::Device device) {
  terminal::RowPrinter table(options.json ? nullptr : &std::cout, kLayerColumns);
  std::vector<Result> results;
  auto list = nlohmann::ordered_json::array();
  for (const auto& bench_case : chosen_cases(options)) {
    results.push_back(measure(bench_case, device, options));
    print(results.back(), table);
    list.push_back(to_json(results.back()));
  }
  if (!options.json && !results.empty())
    std::cout << "  vs grouped/composed: how many times faster, forward and backward; vs floor: time over that of the "
                 "matrix products\n"
                 "  alone; extra memory: highest use during forward and backward over the size of input and output "
                 "maps;\n"
                 "  -: not run, forward and backward would take more than "
              << kMostSeconds << " s\n";
  if (!options.out.empty()) {
    plot_sweep(results, "filter size", "filter size L (pixels)", options.out, "cost-filter-size");
    plot_sweep(results, "scales", "number of scales N_s", options.out, "cost-scales");
    plot_sweep(results, "channels", "channels", options.out, "cost-channels");
  }
  return list;
}

}  // namespace scdcf::app
