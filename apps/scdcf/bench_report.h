// The parts of `scdcf bench`. Each prints a row as soon as it is known, unless all is to become JSON.
#pragma once

#include <torch/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scdcf/bench/measure.h"

namespace scdcf::app {

struct BenchOptions {
  std::string device = "cpu", group, out;
  std::vector<std::string> networks;     // none: all of them
  int64_t batch = 0, picture_batch = 0;  // of digits, and of pictures for the resnets
  double seconds = 1.0;                  // for the samples of each case, all forms together
  bench::Timer timer = bench::Timer::clock;
  bool json = false;
};

/// Every form of the layers of options.group (of all groups where it is empty), judged, then timed. Throws Error with
/// the known groups where there is no such group.
nlohmann::ordered_json bench_layers(const BenchOptions& options, torch::Device device);

/// Layers of every shape in the precisions that the device has, beside its limit and the BLAS' time for the products.
nlohmann::ordered_json bench_shapes(const BenchOptions& options, torch::Device device);

/// The whole training step of the SMNIST network in every form, and how much of it is spent outside the convolutions.
nlohmann::ordered_json bench_training(const BenchOptions& options, torch::Device device);

/// A training step and a prediction of every network of the registry that is asked for. What goes wrong with one is
/// told in its row and stops no other.
nlohmann::ordered_json bench_networks(const BenchOptions& options, torch::Device device);

/// 1.23, 12.3, 123: three digits, with a unit behind them.
std::string three_digits(double value, const char* unit = "");

}  // namespace scdcf::app
