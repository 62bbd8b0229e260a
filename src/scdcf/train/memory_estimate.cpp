#include "scdcf/train/memory_estimate.h"

#include <torch/torch.h>

#include <utility>

#include "scdcf/core/error.h"
#include "scdcf/core/memory.h"
#include "scdcf/models/option_list.h"
#include "scdcf/models/registry.h"
#include "scdcf/terminal/progress_line.h"
#include "scdcf/train/augment.h"
#include "scdcf/train/device.h"
#include "scdcf/train/dry_run.h"
#include "scdcf/train/evaluation.h"
#include "scdcf/train/fit_to_data.h"
#include "scdcf/train/step.h"
#include "scdcf/train/teachers.h"

namespace scdcf::train {
namespace {

using terminal::bytes_text;

/// After so many steps the gaps of the heap are as large as they become.
constexpr int kSteps = 3;
/// Measured: what small objects between tensors, which a DryRun does not see, add to the gaps of the heap.
constexpr double kSmallObjects = 1.15;

/// A smaller value of one option, and the memory that a run takes with it.
struct Smaller {
  std::string option, from, to;
  int64_t total = 0;
};

/// The option of the network that takes the most memory more than its default does; none where none takes more.
Smaller dearest_option(const RunConfig& config, const data::Splits& splits, int64_t batch, int64_t total) {
  Smaller best{{}, {}, {}, total};
  models::ModelOptions defaults, given = config.model;
  visit_options(given, [&](const auto& option) {
    visit_options(defaults, [&](const auto& usual) {
      if constexpr (std::is_same_v<decltype(option.value), decltype(usual.value)>) {
        const std::string name = option.name;
        if (name != usual.name || name == "model" || *option.help == '\0' || option.value == usual.value) return;
        const auto from = std::exchange(option.value, usual.value);
        auto changed = config;
        changed.model = given;
        try {
          const auto fitted = fit_to_data(changed, splits);
          const auto needed = estimate_memory(fitted, splits, batch).total();
          if (needed < best.total) best = {name, option_text(from), "the default", needed};
        } catch (const std::exception&) {  // the other options need this one
        }
        option.value = from;
      }
    });
  });
  return best;
}

/// The largest half, quarter and so on of the batch that fits.
Smaller smaller_batch(const RunConfig& fitted, const data::Splits& splits, int64_t total, int64_t limit, int ranks) {
  auto batch = fitted.train.batch;
  while (total > limit && batch / 2 / ranks >= 2) {
    batch /= 2;
    total = estimate_memory(fitted, splits, batch / ranks).total();
  }
  return {"batch", std::to_string(fitted.train.batch), std::to_string(batch), total};
}

}  // namespace

std::string MemoryEstimate::text() const {
  if (!unknown.empty()) return "not known: " + unknown.substr(0, unknown.find('\n'));
  return bytes_text(total()) + " (weights " + bytes_text(weights) + ", optimizer " + bytes_text(optimizer) +
         ", activations " + bytes_text(activations) + ", images " + bytes_text(images) + ", program " +
         bytes_text(program) + ")";
}

MemoryEstimate estimate_memory(const RunConfig& fitted, const data::Splits& splits, int64_t batch) {
  MemoryEstimate estimate;
  const auto unused = unused_heap();
  {
    const DryRun dry;
    int64_t before = 0;
    const auto added = [&] {
      const auto now = dry.heap().used();
      return now - std::exchange(before, now);
    };
    const DeviceImages images(splits.train, splits.mean, splits.deviation, torch::kMeta),
        validation(splits.validation, splits.mean, splits.deviation, torch::kMeta);
    estimate.images = added();
    const auto network = models::make_model(fitted.model);
    std::vector<torch::Tensor> best;  // the weights that are kept
    for (const auto& weights : network->parameters()) best.push_back(torch::empty_like(weights));
    estimate.weights = added();
    Optimizer optimizer(*network, fitted.train);
    estimate.optimizer = added();
    Loss loss;
    if (fitted.train.teachers > 0)
      loss = taught_loss(torch::empty({images.count(), fitted.model.classes}), fitted.train);
    Step step(*network, optimizer, images, fitted.train, loss);
    const auto indices = images.range(0, batch);
    const auto draws = fitted.train.augment.any() ? torch::empty({indices.size(0), kDraws}) : torch::Tensor();
    for (int i = 0; i < kSteps; ++i) step.run(indices, draws, /*dropout_seed=*/0);
    network->eval();
    const torch::NoGradGuard no_grad;
    const auto evaluated = std::min(kEvaluationBatch, std::max(splits.validation.count(), splits.test.count()));
    const auto shown = images.images(torch::arange(evaluated));
    if (!network->read(shown)) network->forward(shown);
    const bool on_gpu = fitted.train.device != "cpu";  // where gaps are few
    const auto most =
        on_gpu ? dry.heap().most_used() : static_cast<int64_t>(kSmallObjects * static_cast<double>(dry.heap().most()));
    estimate.activations = most - estimate.images - estimate.weights - estimate.optimizer;
    if (on_gpu) return estimate;
  }
  estimate.program = std::max<int64_t>(0, resident_memory() - unused);
  return estimate;
}

MemoryEstimate require_memory(const RunConfig& config, const data::Splits& splits, int ranks, int ranks_here) {
  const auto fitted = fit_to_data(config, splits);
  const auto device = device_of(config.train);
  const auto limit = device.is_cpu() ? memory_limit(ranks_here) : free_memory(device);
  const auto batch = (config.train.batch + ranks - 1) / ranks;
  MemoryEstimate estimate;
  try {
    estimate = estimate_memory(fitted, splits, batch);
  } catch (const c10::Error& error) {  // an operator whose shape is not known
    estimate.unknown = error.what_without_backtrace();
  } catch (const Error& error) {  // what cannot be trained says so when it is built
    estimate.unknown = error.what();
  }
  if (estimate.total() <= limit) return estimate;
  const auto fewer = smaller_batch(fitted, splits, estimate.total(), limit, ranks);
  const auto option = dearest_option(config, splits, batch, fewer.total);
  const auto& best = option.option.empty() ? fewer : option;
  detail::fail(best.option, ": with ", best.from, ", training needs about ", estimate.text(),
               " of memory, more than the ", bytes_text(limit), " available", ranks_here > 1 ? " to each process" : "",
               "; with ", best.to, " it needs about ", bytes_text(best.total));
}

}  // namespace scdcf::train
