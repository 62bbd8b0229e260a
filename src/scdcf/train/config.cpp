#include "scdcf/train/config.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "scdcf/core/error.h"
#include "scdcf/data/option_list.h"
#include "scdcf/files/text.h"
#include "scdcf/models/option_list.h"
#include "scdcf/models/registry.h"
#include "scdcf/train/option_list.h"

namespace scdcf::train {
namespace {

template <class Options>
nlohmann::ordered_json write(Options options, Stored which) {
  nlohmann::ordered_json json, open;
  Options left_open;
  visit_options(left_open, [&](const auto& option) { open[option.json] = option.value; });
  visit_options(options, [&](const auto& option) {
    const bool is_open =
        option.absent ? option.value == *option.absent : open[option.json] == nlohmann::ordered_json(option.value);
    if (which == Stored::all || !option.is_later || !is_open) json[option.json] = option.value;
  });
  return json;
}

template <class Options>
Options read(const nlohmann::json& json, const char* section, const std::string& name) {
  Options options;
  const auto part = json.find(section);
  require(part != json.end() && part->is_object(), name, ": got no \"", section, "\", expected an object");
  visit_options(options, [&](const auto& option) {
    const auto found = part->find(option.json);
    if (option.is_later && found == part->end()) {
      if (option.absent) option.value = *option.absent;
      return;
    }
    require(found != part->end(), name, ": ", section, ".", option.json, " is missing");
    bool same = false;
    try {
      found->get_to(option.value);
      same = nlohmann::json(option.value) == *found;  // not so for 1.5 or 1e300 as a whole number
      if constexpr (std::is_same_v<std::decay_t<decltype(option.value)>, uint64_t>)
        same = same && (found->is_number_unsigned() || found->template get<int64_t>() >= 0);
    } catch (const nlohmann::json::exception&) {
    }
    require(same, name, ": ", section, ".", option.json, ": got ", files::shown(found->dump()),
            ", expected another kind of value");
    // Of words, only their user can tell: a folder need not be there where a model is looked at.
    if constexpr (!std::is_same_v<std::decay_t<decltype(option.value)>, std::string>)
      require(option.fault().empty(), name, ": ", section, ".", option.json, ": ", option.fault());
  });
  return options;
}

/// Name, value and text of an option.
struct NamedValue {
  std::string name;
  nlohmann::json value;
  std::string text;
};

std::vector<NamedValue> values_of(RunConfig config) {
  std::vector<NamedValue> values;
  const auto add = [&](const auto& option) {
    values.push_back({option.name, option.value, option_text(option.value)});
  };
  visit_options(config.model, add);
  visit_options(config.data, add);
  visit_options(config.train, add);
  return values;
}

}  // namespace

double learning_rate(const TrainOptions& options, int64_t epoch, int64_t step, int64_t steps_per_epoch) {
  double rate = options.learning_rate;
  const auto done = static_cast<double>(epoch * steps_per_epoch + step);
  if (options.schedule == "cosine") {
    constexpr double pi = 3.14159265358979323846;
    rate *= 0.5 * (1 + std::cos(pi * done / static_cast<double>(options.epochs * steps_per_epoch)));
  } else {
    for (const int64_t milestone : options.milestones)
      if (epoch >= milestone) rate *= options.decay;
  }
  return options.warm_up > 0 ? rate * std::min(1.0, (done + 1) / static_cast<double>(options.warm_up)) : rate;
}

void check(const TrainOptions& options) {
  check_options(options);
  require(options.teachers == 0 || !options.augment.moves(), "teachers: got ", options.teachers,
          " and images that are moved, rescaled, mirrored or cut, expected 0 there: teachers say once what each image "
          "shows");
}

void require_same_options(const RunConfig& got, RunConfig expected, const std::string& before,
                          const std::string& advice) {
  expected.model = models::resolve(expected.model);  // options that came later are what they were without being asked
  const auto values = values_of(got), others = values_of(expected);
  for (size_t i = 0; i < values.size(); ++i)
    require(values[i].value == others[i].value, values[i].name, ": got ", values[i].text, ", but ", before, " ",
            others[i].text, ": ", advice);
}

nlohmann::ordered_json to_json(const RunConfig& config, Stored which) {
  nlohmann::ordered_json json;
  json["model"] = write(config.model, which);
  json["data"] = write(config.data, which);
  json["train"] = write(config.train, which);
  return json;
}

RunConfig config_from_json(const nlohmann::json& json, const std::string& name) {
  return {read<models::ModelOptions>(json, "model", name), read<data::DataOptions>(json, "data", name),
          read<TrainOptions>(json, "train", name)};
}

}  // namespace scdcf::train
