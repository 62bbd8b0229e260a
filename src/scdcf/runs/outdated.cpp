#include "scdcf/runs/outdated.h"

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/data/datasets.h"
#include "scdcf/models/registry.h"
#include "scdcf/train/fit_to_data.h"

namespace scdcf::runs {
namespace {

nlohmann::ordered_json model_of(const train::RunConfig& config) { return train::to_json(config).at("model"); }

/// Results from before training images lost detail do not say that none did.
bool loses_other_detail(const train::RunConfig& today, const train::RunConfig& used) {
  const auto octaves = [](const train::RunConfig& config) { return config.train.augment.detail_octaves; };
  const bool black = data::ground_of(used.data.name) == 0;
  const double wanted = octaves(today) >= 0 ? octaves(today) : train::lost_detail(today.model, black);
  return std::abs(wanted - std::max(octaves(used), 0.0)) > 1e-9;
}

}  // namespace

bool is_outdated(const RunRecord& record) {
  if (record.used.empty() || record.used == record.asked) return false;  // does not tell: a measurement of cost
  try {
    auto today = record.config();
    auto used = train::config_from_json(record.used);
    used.model = models::resolve(used.model);  // as it was, with what options that came later are without being asked
    auto& model = today.model;
    model.classes = used.model.classes;
    model.in_channels = used.model.in_channels;
    model.image_size = used.model.image_size;
    model.smallest_object = used.model.smallest_object;
    model.largest_object = used.model.largest_object;
    model.read_out = used.model.read_out;
    model.padding = used.model.padding;
    model = models::resolve(model);
    return model_of(today) != model_of(used) || loses_other_detail(today, used);
  } catch (const Error&) {
    return false;
  }
}

}  // namespace scdcf::runs
