#include "scdcf/train/epoch_record.h"

namespace scdcf::train {
namespace {

// One list of the fields serves writing and reading.
template <class Record, class Visitor>
void visit(Record& r, Visitor&& field) {
  field("epoch", r.epoch);
  field("learning_rate", r.learning_rate);
  field("train_loss", r.train_loss);
  field("train_accuracy", r.train_accuracy);
  field("validation_loss", r.validation_loss);
  field("validation_accuracy", r.validation_accuracy);
  field("seconds", r.seconds);
  field("images_per_second", r.images_per_second);
  field("data_share", r.data_share);
}

template <class T>
constexpr bool is_optional = std::is_same_v<std::decay_t<T>, std::optional<double>>;

}  // namespace

nlohmann::ordered_json to_json(const EpochRecord& record) {
  nlohmann::ordered_json json;
  visit(record, [&](const char* name, const auto& value) {
    if constexpr (!is_optional<decltype(value)>)
      json[name] = value;
    else if (value)
      json[name] = *value;
  });
  return json;
}

EpochRecord record_from_json(const nlohmann::ordered_json& json) {
  EpochRecord record;
  visit(record, [&](const char* name, auto& value) {
    if constexpr (!is_optional<decltype(value)>)
      json.at(name).get_to(value);
    else if (json.contains(name))
      value = json.at(name).get<double>();
  });
  return record;
}

}  // namespace scdcf::train
