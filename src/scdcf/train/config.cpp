#include "scdcf/train/config.h"

#include <nlohmann/json.hpp>

#include "scdcf/core/error.h"
#include "scdcf/data/option_list.h"
#include "scdcf/models/option_list.h"
#include "scdcf/train/option_list.h"

namespace scdcf::train {
namespace {

template <class Options>
nlohmann::ordered_json write(Options options) {
  nlohmann::ordered_json json;
  visit_options(options, [&](const auto& option) { json[option.json] = option.value; });
  return json;
}

template <class Options>
Options read(const nlohmann::json& json, const char* section) {
  Options options;
  const auto part = json.find(section);
  require(part != json.end() && part->is_object(), "configuration: got no \"", section, "\", expected an object");
  visit_options(options, [&](const auto& option) {
    const auto found = part->find(option.json);
    require(found != part->end(), "configuration: ", section, ".", option.json, " is missing");
    try {
      found->get_to(option.value);
    } catch (const nlohmann::json::exception&) {
      detail::fail("configuration: ", section, ".", option.json, ": got ", found->dump(),
                   ", expected another kind of value");
    }
  });
  return options;
}

}  // namespace

double learning_rate(const TrainOptions& options, int64_t epoch) {
  double rate = options.learning_rate;
  for (const int64_t milestone : options.milestones)
    if (epoch >= milestone) rate *= options.decay;
  return rate;
}

void check(const TrainOptions& options) { check_options(options); }

nlohmann::ordered_json to_json(const RunConfig& config) {
  nlohmann::ordered_json json;
  json["model"] = write(config.model);
  json["data"] = write(config.data);
  json["train"] = write(config.train);
  return json;
}

RunConfig config_from_json(const nlohmann::json& json) {
  return {read<models::ModelOptions>(json, "model"), read<data::DataOptions>(json, "data"),
          read<TrainOptions>(json, "train")};
}

}  // namespace scdcf::train
