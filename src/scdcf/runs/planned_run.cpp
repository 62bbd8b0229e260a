#include "scdcf/runs/planned_run.h"

#include <array>
#include <sstream>

#include "scdcf/core/error.h"
#include "scdcf/files/sha256.h"

namespace scdcf::runs {
namespace {

constexpr std::array<const char*, 4> kMeasures = {"accuracy", "scales", "deformation", "cost"};
constexpr std::size_t kKeyDigits = 16;

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
  files::Sha256 hash;
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
  if (run.measure == Measure::scales) text << " factors " << data.smallest_factor << "-" << data.largest_factor;
  text << " realisation " << data.realisation;
  return text.str();
}

double work_of(const PlannedRun& run) {
  if (run.measure == Measure::cost) return 1;
  const auto& config = run.config;
  const double side = config.data.size > 0 ? config.data.size / 28.0 : 1;
  const auto images = static_cast<double>(config.data.train_size > 0 ? config.data.train_size : 10000);
  // Validation and test pass forward only, at about a third of the price.
  const auto validated = static_cast<double>(config.data.validation_size > 0 ? config.data.validation_size : 2000) / 3;
  const auto tested = static_cast<double>(config.data.test_size > 0 ? config.data.test_size : 50000) / 3;
  return side * side * (static_cast<double>(config.train.epochs) * (images + validated) + tested);
}

}  // namespace scdcf::runs
