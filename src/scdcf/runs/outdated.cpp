#include "scdcf/runs/outdated.h"

#include "scdcf/core/error.h"
#include "scdcf/models/registry.h"

namespace scdcf::runs {
namespace {

nlohmann::ordered_json model_of(const train::RunConfig& config) { return train::to_json(config).at("model"); }

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
    return model_of(today) != model_of(used);
  } catch (const Error&) {
    return false;
  }
}

}  // namespace scdcf::runs
