#include "run_options.h"

#include <charconv>
#include <nlohmann/json.hpp>

namespace scdcf::app {
namespace {

// The list of options exists once; a visitor adds them to a command line or writes them to a file.
template <class Visitor>
void visit_model(models::ModelOptions& o, Visitor&& option) {
  option("model", o.name, "Network (see scdcf models)");
  option("channels", o.channels, "Channels of each block; none for the network's own");
  option("modes", o.modes, "K, basis functions in space; 0 for the network's own, here and below");
  option("scale-modes", o.scale_modes, "K_alpha, basis functions in scale");
  option("scale-taps", o.scale_taps, "L_alpha, taps in scale");
  option("scales", o.scales, "N_s, planes of the scale axis");
  option("scale-step", o.scale_step, "Octaves between two planes");
  option("finest-width", o.finest_width, "Width of the finest filters in pixels");
  option("scale-padding", o.scale_padding, "replicate or zero, beyond the finest plane");
  option("pooling", o.pooling, "average or max");
  option("basis", o.basis, "Basis in space: sine, hermite-gauss, bspline, fourier-bessel");
  option("algorithm", o.algorithm, "automatic, separable or composed");
  option("hidden", o.hidden, "Units of the hidden layer");
  option("dropout", o.dropout, "Dropout in front of the last layer; negative for the network's own");
  option("width", o.width, "Factor on the channels (resnet16)");
}

template <class Visitor>
void visit_data(data::DataOptions& o, Visitor&& option) {
  option("data", o.name, "smnist, sfashion, sglyphs, mnist, fashion, glyphs, stl10 or an image folder");
  option("data-dir", o.data_dir, "Folder that holds the data; looked in before the usual places");
  option("train-size", o.train_size, "Training images; 0 for all");
  option("test-size", o.test_size, "Test images; 0 for all");
  option("validation-size", o.validation_size, "Validation images; 0 for all");
  option("size", o.size, "Side of the images in pixels; 0 for the set's own");
  option("realisation", o.realisation, "Which random split and scaling");
  option("smallest-factor", o.smallest_factor, "Smallest rescaling factor of the scaled sets");
  option("largest-factor", o.largest_factor, "Largest rescaling factor of the scaled sets");
  option("image-channels", o.channels, "Channels of an image folder: 1 or 3; 0 for what the pictures have");
  option("fold", o.fold, "Predefined training fold of STL-10, 0 to 9; -1 for all");
  option("normalisation", o.normalisation, "standard (mean 0, deviation 1) or black (black stays 0)");
  option("validation-share", o.validation_share, "Share of the training images, where a set has no validation part");
}

template <class Visitor>
void visit_training(train::TrainOptions& o, Visitor&& option) {
  option("optimizer", o.optimizer, "adam, or sgd with Nesterov momentum");
  option("learning-rate", o.learning_rate, "Learning rate at the beginning");
  option("weight-decay", o.weight_decay, "Added to the gradient, times the weights");
  option("momentum", o.momentum, "Momentum of sgd");
  option("milestones", o.milestones, "Epochs after which the learning rate is multiplied by --decay; or none");
  option("decay", o.decay, "Factor on the learning rate at each milestone");
  option("batch", o.batch, "Images a step");
  option("epochs", o.epochs, "Passes over the training images");
  option("augment-scale", o.augment.scale_octaves, "Rescale training images by up to this many octaves either way");
  option("augment-crop", o.augment.crop_padding, "Pad training images by this many pixels and crop at random");
  option("augment-flip", o.augment.flip, "Mirror half of the training images");
  option("augment-cutout", o.augment.cutout, "Side of a square hole cut out of training images");
  option("seed", o.seed, "Of weights, order, augmentation and dropout");
  option("device", o.device, "cpu, cuda or cuda:N");
  option("precision", o.precision, "float32; on a GPU also tf32 and bfloat16");
}

std::string list_text(const std::vector<int64_t>& values) {
  std::string text;
  for (const auto value : values) text += (text.empty() ? "" : ",") + std::to_string(value);
  return text.empty() ? kEmptyList : text;
}

std::vector<int64_t> parse_list(const std::string& name, const std::vector<std::string>& words) {
  if (words == std::vector<std::string>{kEmptyList}) return {};
  std::vector<int64_t> values;
  for (const auto& word : words) {
    const char* end = word.data() + word.size();
    const auto [stopped, failure] = std::from_chars(word.data(), end, values.emplace_back());
    if (failure != std::errc() || stopped != end)
      throw CLI::ConversionError(name + ": got \"" + word + "\", expected whole numbers or " + kEmptyList);
  }
  return values;
}

/// Adds an option of any of the kinds above.
struct Adder {
  CLI::App& command;
  const char* group;
  void operator()(const char* name, bool& value, const char* help) const {
    command.add_flag(std::string("--") + name, value, help)->group(group);
  }
  void operator()(const char* name, std::vector<int64_t>& value, const char* help) const {
    const auto flag = std::string("--") + name;
    const auto set = [&value, flag](const std::vector<std::string>& words) { value = parse_list(flag, words); };
    command.add_option_function<std::vector<std::string>>(flag, set, help)
        ->delimiter(',')
        ->type_name("INT,...")
        ->default_str(list_text(value))
        ->group(group);
  }
  template <class T>
  void operator()(const char* name, T& value, const char* help) const {
    command.add_option(std::string("--") + name, value, help)->group(group)->capture_default_str();
  }
};

}  // namespace

void add_model_options(CLI::App& command, models::ModelOptions& options) {
  visit_model(options, Adder{command, "Network"});
}

void add_data_options(CLI::App& command, data::DataOptions& options) { visit_data(options, Adder{command, "Data"}); }

void add_training_options(CLI::App& command, train::TrainOptions& options) {
  visit_training(options, Adder{command, "Training"});
}

std::string to_toml(const train::RunConfig& config) {
  train::RunConfig copy = config;
  std::string text;
  // Numbers, words, booleans and lists of numbers are written in TOML as they are in JSON.
  const auto line = [&](const char* name, const auto& value, const char* help) {
    text += std::string("# ") + help + "\n" + name + " = " + nlohmann::json(value).dump() + "\n";
  };
  visit_model(copy.model, line);
  text += "\n";
  visit_data(copy.data, line);
  text += "\n";
  visit_training(copy.train, line);
  return text;
}

}  // namespace scdcf::app
