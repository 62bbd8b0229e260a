#include "scdcf/train/config.h"

#include <nlohmann/json.hpp>

#include "scdcf/core/error.h"
#include "scdcf/data/option_list.h"
#include "scdcf/files/text.h"
#include "scdcf/models/option_list.h"
#include "scdcf/train/option_list.h"

namespace scdcf::train {
namespace {

template <class Options>
nlohmann::ordered_json write(Options options) {
  nlohmann::ordered_json json, open;
  Options left_open;
  visit_options(left_open, [&](const auto& option) { open[option.json] = option.value; });
  visit_options(options, [&](const auto& option) {
    if (!option.is_later || open[option.json] != nlohmann::ordered_json(option.value)) json[option.json] = option.value;
  });
  return json;
}

template <class Options>
Options read(const nlohmann::json& json, const char* section) {
  Options options;
  const auto part = json.find(section);
  require(part != json.end() && part->is_object(), "configuration: got no \"", section, "\", expected an object");
  visit_options(options, [&](const auto& option) {
    const auto found = part->find(option.json);
    if (option.is_later && found == part->end()) return;
    require(found != part->end(), "configuration: ", section, ".", option.json, " is missing");
    bool same = false;
    try {
      found->get_to(option.value);
      same = nlohmann::json(option.value) == *found;  // not so for 1.5 or 1e300 as a whole number
      if constexpr (std::is_same_v<std::decay_t<decltype(option.value)>, uint64_t>)
        same = same && (found->is_number_unsigned() || found->template get<int64_t>() >= 0);
    } catch (const nlohmann::json::exception&) {
    }
    require(same, "configuration: ", section, ".", option.json, ": got ", files::shown(found->dump()),
            ", expected another kind of value");
    // Of words, only their user can tell: a folder need not be there where a model is looked at.
    if constexpr (!std::is_same_v<std::decay_t<decltype(option.value)>, std::string>)
      require(option.fault().empty(), "configuration: ", section, ".", option.json, ": ", option.fault());
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
