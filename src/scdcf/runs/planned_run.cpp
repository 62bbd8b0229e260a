#include "scdcf/runs/planned_run.h"

#include <array>
#include <sstream>

#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/core/sha256.h"
#include "scdcf/data/large_scale.h"
#include "scdcf/data/named_set.h"
#include "scdcf/data/stir.h"

namespace scdcf::runs {
namespace {

constexpr std::array<const char*, 4> kMeasures = {"accuracy", "scales", "deformation", "cost"};
constexpr std::size_t kKeyDigits = 16;

/// What a set has where the options leave it open: side of the images, and how many of them.
struct SetCounts {
  int side = 28;
  std::int64_t train = 10000, validation = 2000, test = 50000;
};

SetCounts counts_of(const data::DataOptions& options) {
  constexpr std::int64_t kStirPictures = 500;  // in each part
  switch (data::named_set(options.name).kind) {
    case data::SetKind::stir: {
      const auto trained = kStirPictures * (options.largest_size - options.smallest_size + 1);
      return {data::kStirSide, trained, trained, kStirPictures * (data::kStirLargest - data::kStirSmallest + 1)};
    }
    case data::SetKind::large_scale:
      return {data::kLargeScaleSide, 50000, 10000, options.test_scale > 0 ? 10000 : 17000};
    default:
      return {};
  }
}

/// What was trained on, where it is not all there is.
std::string trained_on(const data::DataOptions& options) {
  switch (data::named_set(options.name).kind) {
    case data::SetKind::stir:
      return format(" %d-%d px", options.smallest_size, options.largest_size);
    case data::SetKind::large_scale:
      return format(" s=%g", options.train_scale);
    default:
      return format(" factors %g-%g", options.smallest_factor, options.largest_factor);
  }
}

}  // namespace

const char* name_of(Measure measure) { return kMeasures.at(static_cast<std::size_t>(measure)); }

Measure measure_of(const std::string& name) {
  for (std::size_t i = 0; i < kMeasures.size(); ++i)
    if (name == kMeasures.at(i)) return static_cast<Measure>(i);
  detail::fail("measure: got \"", name, "\", expected accuracy, scales, deformation or cost");
}

std::string key_of(const PlannedRun& run) {
  nlohmann::json described = train::to_json(run.config);  // not ordered_json: keys sorted, so that order says nothing
  described["train"].erase("device");
  described["data"].erase("data_dir");
  described["measure"] = name_of(run.measure);
  if (!run.machine.empty()) described["machine"] = run.machine;
  const std::string text = described.dump();
  Sha256 hash;
  hash.add(text.data(), text.size());
  return hash.hex().substr(0, kKeyDigits);
}

std::string label_of(const PlannedRun& run) {
  const auto& [model, data, train] = run.config;
  std::ostringstream text;
  text << model.name;
  if (model.modes > 0) text << " K=" << model.modes;
  if (model.scale_modes > 0) text << " K_alpha=" << model.scale_modes;
  if (model.scales > 0) text << " N_s=" << model.scales;
  if (run.measure == Measure::cost) {
    text << ", cost at " << data.size;
    return text.str();
  }
  text << " " << data.name;
  if (data.size > 0) text << " " << data.size << (train.augment.scale_octaves > 0 ? "+" : "");
  if (data.train_size > 0) text << " N=" << data.train_size;
  if (train.teachers > 0) text << " teachers=" << train.teachers;
  if (run.measure == Measure::scales) text << trained_on(data);
  text << " realisation " << data.realisation;
  return text.str();
}

double work_of(const PlannedRun& run) {
  if (run.measure == Measure::cost) return 1;
  const auto& config = run.config;
  const auto own = counts_of(config.data);
  const double side = (config.data.size > 0 ? config.data.size : own.side) / 28.0;
  const auto images = static_cast<double>(config.data.train_size > 0 ? config.data.train_size : own.train);
  const auto networks = static_cast<double>(config.train.teachers + 1);
  // Validation and test pass forward only, at about a third of the price.
  const auto forward = [](std::int64_t asked, std::int64_t all) {
    return static_cast<double>(asked > 0 ? asked : all) / 3;
  };
  const double validated = forward(config.data.validation_size, own.validation),
               tested = forward(config.data.test_size, own.test);
  return side * side * (static_cast<double>(config.train.epochs) * (networks * images + validated) + tested);
}

}  // namespace scdcf::runs
