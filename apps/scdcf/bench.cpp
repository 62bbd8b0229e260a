#include <torch/torch.h>

#include <torch/version.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <set>
#include <string>

#include "commands.h"
#include "scdcf/core/error.h"
#include "scdcf/core/runtime.h"
#include "scdcf/experiments/bench_cases.h"
#include "scdcf/experiments/bench_variants.h"
#include "scdcf/experiments/measure.h"
#include "scdcf/experiments/training_step.h"
#include "scdcf/report/plot.h"
#include "scdcf/report/table.h"

namespace scdcf::app {
namespace {

using namespace experiments;

struct Options {
  std::string device = "cpu", group, out;
  int64_t batch = 0;
  double seconds = 1.0;
  bool json = false;
};

constexpr std::array<Variant, 3> kVariants = {Variant::grouped, Variant::composed, Variant::separable};
/// Where a composed form would take minutes it is left out, and the table says so by a gap.
constexpr double kTooMuchWork = 4e11;

struct Timing {
  double forward = 0, both = 0, memory = 0, error = 0;
  bool ran = false;
};

/// All forms of one layer: judged first, then timed in turn.
struct Result {
  BenchCase bench_case;
  std::array<Timing, 3> variants;
  double floor_forward = 0, floor_both = 0, multiply_adds = 0, map_bytes = 0;
};

Result measure(const BenchCase& bench_case, torch::Device device, double seconds) {
  BenchLayer layer(bench_case, device);
  Result result{bench_case, {}, 0, 0, layer.multiply_adds(Variant::separable), layer.map_bytes()};
  // TF32 on a GPU keeps ten bits.
  const double tolerance = device.is_cuda() ? 2e-3 : 1e-5;
  std::vector<std::function<void()>> works{[&] { layer.floor(false); }, [&] { layer.floor(true); }};
  std::vector<size_t> timed;
  for (size_t v = 0; v < kVariants.size(); ++v) {
    const Variant variant = kVariants[v];
    if (device.is_cpu() && layer.multiply_adds(variant) > kTooMuchWork) continue;
    auto& timing = result.variants[v];
    timing.ran = true;
    timing.error = layer.error(variant);
    require(timing.error <= tolerance, "bench: ", bench_case.name, ", ", name_of(variant), ": relative error ",
            timing.error, ", expected at most ", tolerance);
    timed.push_back(v);
    works.emplace_back([&layer, variant] { layer.step(variant, false); });
    works.emplace_back([&layer, variant] { layer.step(variant, true); });
  }
  const auto times = median_ms(works, device, seconds);
  result.floor_forward = times[0];
  result.floor_both = times[1];
  for (size_t i = 0; i < timed.size(); ++i) {
    auto& timing = result.variants[timed[i]];
    timing.forward = times[2 + 2 * i];
    timing.both = times[3 + 2 * i];
    timing.memory = peak_extra_bytes([&] { layer.step(kVariants[timed[i]], true); }, device);
  }
  return result;
}

std::string number(double value, bool known, const char* unit = "") {
  if (!known) return "-";
  char text[32];
  std::snprintf(text, sizeof text, value < 10 ? "%.2f%s" : value < 100 ? "%.1f%s" : "%.0f%s", value, unit);
  return text;
}

void print(const std::vector<Result>& results) {
  report::Table table({"case", "form", "fwd ms", "fwd+bwd ms", "GFLOP/s", "vs grouped", "vs composed", "vs floor",
                       "extra memory", "error"});
  for (const auto& result : results) {
    const auto& [grouped, composed, separable] = result.variants;
    for (size_t v = 0; v < kVariants.size(); ++v) {
      const auto& t = result.variants[v];
      if (!t.ran) {
        table.add(
            {v == 0 ? result.bench_case.name : "", name_of(kVariants[v]), "too slow", "", "", "", "", "", "", ""});
        continue;
      }
      // Useful work: what the separable form needs, three times with the backward.
      const double gflops = 2e-6 * result.multiply_adds * (result.bench_case.lifting ? 2 : 3) / t.both;
      char error[16];
      std::snprintf(error, sizeof error, "%.0e", t.error);
      table.add({v == 0 ? result.bench_case.name : "", name_of(kVariants[v]), number(t.forward, true),
                 number(t.both, true), number(gflops, true), number(grouped.both / t.both, grouped.ran, "x"),
                 number(composed.both / t.both, composed.ran, "x"), number(t.both / result.floor_both, true, "x"),
                 number(t.memory / result.map_bytes, true, "x"), error});
    }
  }
  table.print(std::cout);
  std::cout
      << "  vs grouped/composed: how many times faster, forward and backward; vs floor: time over that of the matrix "
         "products\n"
         "  alone; extra memory: highest use during forward and backward over the size of input and output maps\n";
}

nlohmann::ordered_json to_json(const std::vector<Result>& results) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& result : results) {
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
    list.push_back(std::move(entry));
  }
  return list;
}

void plot_sweep(const std::vector<Result>& results, const std::string& group, const std::string& label,
                const std::string& out, const std::string& stem) {
  report::Plot plot{"Cost of a layer, forward and backward", label, "ms", true, true, {}};
  for (size_t v = 0; v < kVariants.size(); ++v) {
    report::Series series{name_of(kVariants[v]), {}, {}};
    for (const auto& result : results)
      if (result.bench_case.group == group && result.variants[v].ran) {
        series.x.push_back(result.bench_case.sweep);
        series.y.push_back(result.variants[v].both);
      }
    if (!series.x.empty()) plot.series.push_back(series);
  }
  if (!plot.series.empty()) report::write_plot(plot, out, stem);
}

/// How the network of a training step is built; the first is what the others are measured against.
struct Form {
  const char* name;
  ops::Algorithm algorithm;
  bool fused_norm;
};
constexpr std::array<Form, 3> kForms = {{{"composed, torch's layers", ops::Algorithm::composed, false},
                                         {"composed, fused norm", ops::Algorithm::composed, true},
                                         {"separable, fused norm", ops::Algorithm::separable, true}}};

/// The whole training step of the SMNIST network in every form, each against the first at the same precision.
nlohmann::ordered_json training_steps(const Options& options, torch::Device device, int64_t batch) {
  auto list = nlohmann::ordered_json::array();
  report::Table table({"training step", "form", "ms", "ratio", "images/s"});
  for (const int64_t size : {28, 56}) {
    if (device.is_cpu() && size == 56) continue;  // seconds per composed step
    for (const bool autocast : {false, true}) {
      if (device.is_cpu() && autocast) continue;
      std::vector<std::unique_ptr<TrainingStep>> steps;
      std::vector<std::function<void()>> works;
      for (const Form& form : kForms) {
        steps.push_back(std::make_unique<TrainingStep>(
            TrainingSetup{size, batch, form.algorithm, form.fused_norm, autocast}, device));
        works.emplace_back([step = steps.back().get()] { step->run(); });
      }
      const auto times = median_ms(works, device, 2 * options.seconds);
      const std::string precision = device.is_cpu() ? "" : autocast ? ", bfloat16" : ", TF32";
      const std::string name = "SMNIST " + std::to_string(size) + "x" + std::to_string(size) + ", batch " +
                               std::to_string(batch) + precision;
      for (size_t f = 0; f < kForms.size(); ++f) {
        table.add({f == 0 ? name : "", kForms[f].name, number(times[f], true), number(times[0] / times[f], true, "x"),
                   number(1e3 * static_cast<double>(batch) / times[f], true)});
        list.push_back({{"size", size},
                        {"batch", batch},
                        {"autocast", autocast},
                        {"algorithm", kForms[f].algorithm == ops::Algorithm::composed ? "composed" : "separable"},
                        {"norm", kForms[f].fused_norm ? "fused" : "torch"},
                        {"ms", times[f]},
                        {"ratio", times[0] / times[f]}});
      }
    }
  }
  if (!options.json) {
    table.print(std::cout);
    std::cout << "  ratio: how many times faster than the first form at the same precision\n";
  }
  return list;
}

void bench(const Options& options) {
  torch::Device device(torch::kCPU);
  if (options.device != "cpu") {
    require(torch::cuda::is_available(), "--device: got cuda, but this LibTorch sees no CUDA device");
    device = torch::Device(torch::kCUDA);
    at::globalContext().setBenchmarkCuDNN(true);   // the composed forms get cuDNN's best algorithm
    at::globalContext().setAllowTF32CuBLAS(true);  // and the floor the same precision as the convolutions
  }
  require(options.batch >= 0 && options.batch <= 65536, "--batch: got ", options.batch, ", expected 1 to 65536");
  const int64_t batch = options.batch > 0 ? options.batch : device.is_cuda() ? 128 : 32;
  torch::manual_seed(0);
  const bool live = !options.json && isatty(STDERR_FILENO) != 0;  // which case is at work
  std::vector<Result> results;
  std::set<std::string> groups;
  for (const auto& bench_case : bench_cases(batch)) {
    groups.insert(bench_case.group);
    if (!options.group.empty() && options.group != bench_case.group) continue;
    results.push_back(measure(bench_case, device, options.seconds));
    if (live) std::cerr << "\r" << results.back().bench_case.name << "          " << std::flush;
  }
  if (live) std::cerr << "\r                                        \r";
  if (results.empty() && options.group != "training") {
    std::string known = "training";
    for (const auto& group : groups) known += ", " + group;
    detail::fail("--group: got \"", options.group, "\", expected one of ", known);
  }
  if (!options.json && !results.empty()) print(results);
  nlohmann::ordered_json report{{"version", version()},     {"commit", commit()},   {"torch", TORCH_VERSION},
                                {"device", options.device}, {"threads", threads()}, {"layers", to_json(results)}};
  if (options.group.empty() || options.group == "training") report["training"] = training_steps(options, device, batch);
  if (options.json) std::cout << report.dump(2) << '\n';
  if (!options.out.empty()) {
    plot_sweep(results, "filter size", "filter size L (pixels)", options.out, "cost-filter-size");
    plot_sweep(results, "scales", "number of scales N_s", options.out, "cost-scales");
    plot_sweep(results, "channels", "channels", options.out, "cost-channels");
  }
}

}  // namespace

void add_bench(CLI::App& app) {
  auto* command = app.add_subcommand(
      "bench", "Times the joint convolution in all its forms, after checking each against a reference in double");
  auto options = std::make_shared<Options>();
  command->add_option("--device", options->device, "Where to run")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  command->add_option(
      "--group", options->group,
      "Only one group: smnist28, smnist56, autoencoder, resnet96, filter size, scales, channels, training");
  command->add_option("--batch", options->batch, "Images; 32 on the CPU and 128 on a GPU without it");
  command->add_option("--seconds", options->seconds, "Time for the samples of each case")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 600.0));
  command->add_option("--out", options->out, "Folder for plots of cost against filter size, scales and channels")
      ->type_name("FOLDER");
  command->add_flag("--json", options->json, "Print JSON instead of tables");
  command->callback([options] { bench(*options); });
}

}  // namespace scdcf::app
