#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>

#include "commands.h"
#include "json_output.h"
#include "message.h"
#include "run_data.h"
#include "run_options.h"
#include "scdcf/core/error.h"
#include "scdcf/core/for_each.h"
#include "scdcf/core/format.h"
#include "scdcf/data/datasets.h"
#include "scdcf/data/folder_listing.h"
#include "scdcf/files/text.h"
#include "scdcf/report/table.h"
#include "scdcf/runs/run_folder.h"

namespace scdcf::app {
namespace {

namespace fs = std::filesystem;

constexpr int kSomeRefused = 2;  // the exit code where a picture could not be read
constexpr const char* kStandardInput = "-";

struct PredictArguments {
  std::string run, device = "cpu";
  std::vector<std::string> images;
  bool invert = false, json = false;
  runs::RangeOfSizes range;
};

/// What the network says of a picture.
struct Answer {
  std::string image, label;
  double confidence = 0;
  std::optional<double> size;
  std::optional<std::pair<double, double>> place;  // x, y in pixels of the picture
  int64_t beyond = 0;                              // -1, 1: may be smaller, larger than what the network looks for
  nlohmann::ordered_json scores;                   // by class
};

/// A folder becomes the pictures below it, in the order of their names; hidden ones never.
std::vector<std::string> pictures_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<std::string> found;
  std::vector<std::string> others;
  for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (name.front() == '.' || entry->is_directory(error)) continue;
    (data::is_picture(entry->path()) ? found : others).push_back(entry->path());
  }
  require(!error, path, ": ", error.message());
  const auto note = others.empty() ? "" : ": " + data::left_out_text(others);
  require(!found.empty(), path, ": no PNG or JPEG images in this folder", note);
  if (!note.empty()) print_message(path + note);
  std::sort(found.begin(), found.end());
  return found;
}

files::Bytes read_standard_input() {
  files::Bytes bytes;
  std::vector<std::uint8_t> block(1 << 16);
  while (const size_t got = std::fread(block.data(), 1, block.size(), stdin)) {
    bytes.insert(bytes.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(got));
    require(bytes.size() <= files::kLargestFile, "standard input: expected at most ", files::kLargestFile, " bytes");
  }
  return bytes;
}

class Predictor {
 public:
  explicit Predictor(const PredictArguments& arguments)
      : device_(train::device_of(arguments.device)),
        model_(runs::load_model(arguments.run, device_, arguments.range)),
        format_(model_.input_format()) {
    format_.invert = arguments.invert;
    if (!model_.unfinished.empty()) print_message(model_.unfinished);
  }

  /// Where the sizes of the training objects were not known, that of their pictures stands for them.
  train::ScaleCalibration calibration() const { return model_.calibration.value_or(train::ScaleCalibration{1, 0}); }

  /// The answers for those pictures that can be read; what is wrong with the others goes to stderr.
  std::vector<Answer> answers(const std::vector<std::string>& paths) const {
    std::vector<pixels::NetworkInput> images(paths.size()), shown;
    std::vector<std::string> faults(paths.size());
    for_each(static_cast<int64_t>(paths.size()), cores(), [&](int64_t i) {
      const auto at = static_cast<size_t>(i);
      try {
        images[at] = read(paths[at]);
      } catch (const Error& error) {
        faults[at] = error.what();
      }
    });
    data::ImageSet set;
    set.channels = format_.channels;
    set.height = set.width = format_.size;
    std::vector<Answer> answers;
    for (size_t i = 0; i < paths.size(); ++i) {
      if (!faults[i].empty()) {
        print_message(faults[i]);
        continue;
      }
      set.pixels.insert(set.pixels.end(), images[i].image.pixels.begin(), images[i].image.pixels.end());
      set.labels.push_back(0);
      answers.push_back({is_utf8(paths[i]) ? paths[i] : printable(paths[i]), "", 0, {}, {}, 0, {}});
      shown.push_back(images[i]);
    }
    if (!answers.empty()) fill(answers, set, shown);
    return answers;
  }

 private:
  pixels::NetworkInput read(const std::string& path) const {
    const bool piped = path == kStandardInput;
    return pixels::network_input(piped ? read_standard_input() : files::read_file(path),
                                 piped ? "standard input" : path, format_);
  }

  /// A position in the network's input, in pixels of the image; at its edge where it is in the bars around.
  std::pair<double, double> in_picture(const torch::Tensor& place, const pixels::NetworkInput& shown) const {
    const auto inner = pixels::placement(format_.fit, shown.height, shown.width, format_.size);
    const double x = (place[0].item<double>() - inner.left) * shown.width / inner.width;
    const double y = (place[1].item<double>() - inner.top) * shown.height / inner.height;
    return {std::clamp<double>(x, 0, shown.width), std::clamp<double>(y, 0, shown.height)};
  }

  void fill(std::vector<Answer>& answers, const data::ImageSet& set,
            const std::vector<pixels::NetworkInput>& shown) const {
    const train::DeviceImages images(set, model_.mean, model_.deviation, device_);
    const auto predictions = train::predict(*model_.network, images, set.count());
    torch::Tensor responses;
    if (predictions.sizes.defined() && model_.knows_sizes()) responses = predictions.sizes.log2();
    if (model_.calibration && !responses.defined())
      responses = train::scale_response(*model_.network, images, set.count());
    for (size_t i = 0; i < answers.size(); ++i) {
      const auto index = static_cast<int64_t>(i);
      answers[i].label = model_.class_names.at(static_cast<size_t>(predictions.labels[index].item<int64_t>()));
      answers[i].confidence = predictions.confidence[index].item<double>();
      if (responses.defined()) answers[i].size = calibration().estimate(responses[index].item<double>());
      if (predictions.places.defined()) answers[i].place = in_picture(predictions.places[index], shown[i]);
      answers[i].scores = scores_by_class(model_.class_names, predictions.scores[index]);
      if (predictions.beyond.defined() && model_.knows_sizes())
        answers[i].beyond = predictions.beyond[index].item<int64_t>();
    }
  }

  torch::Device device_;
  runs::TrainedModel model_;
  pixels::InputFormat format_;
};

void print_rows(const std::vector<Answer>& answers, const Predictor& predictor) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& answer : answers) {
    rows.push_back({{"image", answer.image}, {"label", answer.label}, {"confidence", answer.confidence}});
    rows.back()["scores"] = answer.scores;
    rows.back()["size"] = answer.size ? nlohmann::ordered_json(*answer.size) : nlohmann::ordered_json();
    if (answer.size) rows.back()["size_outside_training"] = !predictor.calibration().covers(*answer.size);
    if (answer.place) rows.back()["place"] = {{"x", answer.place->first}, {"y", answer.place->second}};
    if (answer.beyond != 0) rows.back()["beyond_range"] = answer.beyond < 0 ? "smaller" : "larger";
  }
  print_json(rows);
}

void print_table(const std::vector<Answer>& answers, const Predictor& predictor) {
  // Networks that look for the object anywhere say where they found it.
  const bool placed = !answers.empty() && answers.front().place;
  std::vector<std::string> columns = {"image", "label", "confidence (%)", "size of the object"};
  if (placed) columns.emplace_back("at (x, y)");
  report::Table table(columns);
  for (const auto& answer : answers) {
    std::string size = "-";
    if (answer.size) {
      const auto known = predictor.calibration();
      size = format("%.3g", *answer.size);
      if (!known.covers(*answer.size))
        size += format(" (outside what was trained, %.3g to %.3g)", known.smallest, known.largest);
      if (answer.beyond != 0)
        size += format(", or %s: beyond what the network looks for", answer.beyond < 0 ? "smaller" : "larger");
    }
    std::vector<report::Table::Cell> row = {answer.image, answer.label, 100 * answer.confidence, size};
    if (placed) row.emplace_back(format("%.1f, %.1f", answer.place->first, answer.place->second));
    table.add(row);
  }
  if (!answers.empty()) table.print(std::cout);
}

void predict(const PredictArguments& arguments) {
  constexpr size_t kBatch = 100;  // read and labelled at a time
  const Predictor predictor(arguments);
  std::vector<std::string> paths;
  bool refused = false;
  for (const auto& path : arguments.images) try {
      for (auto& picture : pictures_of(path)) paths.push_back(std::move(picture));
    } catch (const Error& error) {
      print_message(error.what());
      refused = true;
    }
  std::vector<Answer> answers;
  for (size_t first = 0; first < paths.size(); first += kBatch) {
    const auto begin = paths.begin() + static_cast<std::ptrdiff_t>(first);
    const auto count = std::min(kBatch, paths.size() - first);
    for (auto& answer : predictor.answers({begin, begin + static_cast<std::ptrdiff_t>(count)}))
      answers.push_back(std::move(answer));
  }
  arguments.json ? print_rows(answers, predictor) : print_table(answers, predictor);
  if (refused || answers.size() < paths.size()) throw CLI::RuntimeError(kSomeRefused);
}

}  // namespace

void add_predict(CLI::App& app) {
  auto* command = app.add_subcommand("predict", "Labels pictures with a trained network");
  auto arguments = std::make_shared<PredictArguments>();
  command->add_option("run", arguments->run, "Folder of a run, or a model file")->required();
  command
      ->add_option("images", arguments->images,
                   "PNG or JPEG files of any size, folders with such below them, or - for standard input")
      ->required();
  command->add_flag("--invert", arguments->invert, "Dark objects on light ground, where training had light on dark");
  add_range(*command, arguments->range);
  add_run_option(*command, "device", arguments->device);
  command->add_flag("--json", arguments->json, "Print JSON instead of a table");
  command->footer(
      "The size of the object is read off the scale axis of the network (the plane where features are largest),\n"
      "calibrated on the validation images of its training; \"-\" for networks without a scale axis.\n"
      "Pictures that cannot be read are named on standard error, the others labelled; the exit code is then 2.");
  command->callback([arguments] { predict(*arguments); });
}

}  // namespace scdcf::app
