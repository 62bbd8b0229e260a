#include "scdcf/train/config.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "scdcf/core/error.h"

namespace scdcf::train {
namespace {

// One list of the fields serves writing and reading.
template <class Visitor>
void visit(models::ModelOptions& o, Visitor&& field) {
  field("name", o.name);
  field("classes", o.classes);
  field("in_channels", o.in_channels);
  field("image_size", o.image_size);
  field("channels", o.channels);
  field("modes", o.modes);
  field("scale_modes", o.scale_modes);
  field("scale_taps", o.scale_taps);
  field("scales", o.scales);
  field("scale_step", o.scale_step);
  field("finest_width", o.finest_width);
  field("scale_padding", o.scale_padding);
  field("pooling", o.pooling);
  field("basis", o.basis);
  field("algorithm", o.algorithm);
  field("hidden", o.hidden);
  field("dropout", o.dropout);
  field("width", o.width);
}

template <class Visitor>
void visit(data::DataOptions& o, Visitor&& field) {
  field("name", o.name);
  field("data_dir", o.data_dir);
  field("train_size", o.train_size);
  field("test_size", o.test_size);
  field("validation_size", o.validation_size);
  field("size", o.size);
  field("realisation", o.realisation);
  field("smallest_factor", o.smallest_factor);
  field("largest_factor", o.largest_factor);
  field("channels", o.channels);
  field("fold", o.fold);
  field("normalisation", o.normalisation);
  field("validation_share", o.validation_share);
}

template <class Visitor>
void visit(TrainOptions& o, Visitor&& field) {
  field("optimizer", o.optimizer);
  field("learning_rate", o.learning_rate);
  field("weight_decay", o.weight_decay);
  field("momentum", o.momentum);
  field("milestones", o.milestones);
  field("decay", o.decay);
  field("batch", o.batch);
  field("epochs", o.epochs);
  field("scale_octaves", o.augment.scale_octaves);
  field("crop_padding", o.augment.crop_padding);
  field("flip", o.augment.flip);
  field("cutout", o.augment.cutout);
  field("seed", o.seed);
  field("device", o.device);
  field("precision", o.precision);
}

template <class Options>
nlohmann::ordered_json write(Options options) {
  nlohmann::ordered_json json;
  visit(options, [&](const char* name, const auto& value) { json[name] = value; });
  return json;
}

template <class Options>
Options read(const nlohmann::json& json, const char* section) {
  Options options;
  const auto part = json.find(section);
  require(part != json.end() && part->is_object(), "configuration: got no \"", section, "\", expected an object");
  visit(options, [&](const char* name, auto& value) {
    const auto found = part->find(name);
    require(found != part->end(), "configuration: ", section, ".", name, " is missing");
    try {
      found->get_to(value);
    } catch (const nlohmann::json::exception&) {
      detail::fail("configuration: ", section, ".", name, ": got ", found->dump(), ", expected another kind of value");
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

void check(const TrainOptions& o) {
  require(o.optimizer == "adam" || o.optimizer == "sgd", "--optimizer: got \"", o.optimizer,
          "\", expected adam or sgd");
  require(std::isfinite(o.learning_rate) && o.learning_rate > 0, "--learning-rate: got ", o.learning_rate,
          ", expected a positive number");
  require(std::isfinite(o.weight_decay) && o.weight_decay >= 0, "--weight-decay: got ", o.weight_decay,
          ", expected 0 or more");
  require(o.momentum >= 0 && o.momentum < 1, "--momentum: got ", o.momentum, ", expected 0 <= m < 1");
  require(o.decay > 0 && o.decay <= 1, "--decay: got ", o.decay, ", expected 0 < d <= 1");
  for (const int64_t milestone : o.milestones)
    require(milestone >= 1, "--milestones: got ", milestone, ", expected epochs from 1 on");
  require(o.batch >= 2, "--batch: got ", o.batch, ", expected at least 2 (batch-norm needs two)");
  require(o.epochs >= 1, "--epochs: got ", o.epochs, ", expected at least 1");
  require(o.augment.scale_octaves >= 0 && o.augment.scale_octaves <= 4, "--augment-scale: got ",
          o.augment.scale_octaves, ", expected 0 to 4 octaves");
  require(o.augment.crop_padding >= 0, "--augment-crop: got ", o.augment.crop_padding, ", expected 0 or more pixels");
  require(o.augment.cutout >= 0, "--augment-cutout: got ", o.augment.cutout, ", expected 0 or more pixels");
  require(o.precision == "float32" || o.precision == "tf32" || o.precision == "bfloat16", "--precision: got \"",
          o.precision, "\", expected float32, tf32 or bfloat16");
}

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
