#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>

#include "commands.h"
#include "json_output.h"
#include "run_data.h"
#include "scdcf/core/error.h"
#include "scdcf/core/printable.h"
#include "scdcf/files/make_folder.h"
#include "scdcf/report/plot.h"
#include "scdcf/report/table.h"
#include "scdcf/train/evaluation.h"

namespace scdcf::app {
namespace {

struct EvalArguments {
  RunArguments run;
  std::string out;
  bool json = false, each = false;
};

report::Table table_of(const char* what, const std::vector<train::Group>& groups) {
  report::Table table({what, "images", "accuracy (%)"});
  for (const auto& group : groups)
    if (group.count > 0) table.add({group.name, static_cast<double>(group.count), 100 * group.accuracy()});
  return table;
}

void plot_scales(const train::Evaluation& evaluation, const std::string& title, const std::string& out) {
  report::Plot plot{title, "size of the object", "accuracy (%)"};
  report::Series series{"test images", {}, {}};
  for (const auto& group : evaluation.scales) {
    if (group.count == 0) continue;
    series.add((group.from + group.to) / 2, 100 * group.accuracy());
  }
  plot.series = {series};
  const auto missing = report::write_plot(plot, out, "accuracy-by-scale");
  std::cerr << (missing.empty() ? "plot: " + (std::filesystem::path(out) / "accuracy-by-scale.png").string() : missing)
            << '\n';
}

/// What is predicted for each test image, by its file where there is one.
nlohmann::ordered_json each_of(const data::ImageSet& set, const train::Predictions& predictions) {
  auto json = nlohmann::ordered_json::array();
  for (int64_t i = 0; i < set.count(); ++i) {
    const auto at = static_cast<size_t>(i);
    const auto label = static_cast<size_t>(predictions.labels[i].item<int64_t>());
    json.push_back({{"image", set.names.empty() ? nlohmann::ordered_json(i) : nlohmann::ordered_json(set.names[at])},
                    {"class", set.class_names.at(static_cast<size_t>(set.labels[at]))},
                    {"label", set.class_names.at(label)},
                    {"confidence", predictions.confidence[i].item<float>()},
                    {"scores", scores_by_class(set.class_names, predictions.scores[i])}});
  }
  return json;
}

/// The smallest and the largest object, where they are known.
std::optional<std::pair<double, double>> sizes_of(const data::ImageSet& set) {
  if (set.scales.empty()) return std::nullopt;
  const auto [smallest, largest] = std::minmax_element(set.scales.begin(), set.scales.end());
  return std::pair<double, double>{*smallest, *largest};
}

void eval(const EvalArguments& arguments) {
  require(!arguments.each || arguments.json, "--each: needs --json");
  auto model = load_run(arguments.run);
  auto [splits, change] = load_run_data(arguments.run, model);
  match_classes(splits.test, model.class_names, splits.name);
  if (!arguments.out.empty()) {
    require(!splits.test.scales.empty(), "--out: ", splits.name, " does not know the sizes of its objects: no plot");
    files::make_folder(arguments.out, "out: ");
  }
  const train::DeviceImages images(splits.test, splits.mean, splits.deviation, train::device_of(arguments.run.device));
  const double factor = model.calibration ? model.calibration->estimate(0) : 1;
  const auto predictions = train::predict(*model.network, images, 500);
  const auto evaluation = train::evaluate(splits.test, predictions, factor);
  if (arguments.json) {
    auto json = train::to_json(evaluation);
    json["model"] = model.config.model.name;
    json["data"] = splits.name;
    json["images"] = splits.test.count();
    if (!model.unfinished.empty()) json["unfinished"] = model.unfinished;
    if (!change.empty()) json["changed_data"] = change;
    if (!splits.note.empty()) json["note"] = splits.note;
    if (const auto planned = model.network->about(); !planned.empty()) json["planned"] = planned;
    if (const auto sizes = sizes_of(splits.test))
      json["sizes"] = {{"smallest", sizes->first}, {"largest", sizes->second}};
    if (arguments.each) json["predictions"] = each_of(splits.test, predictions);
    print_json(json);
  } else {
    for (const auto& line : {model.unfinished, change, splits.note})
      if (!line.empty()) std::printf("%s\n", printable(line).c_str());
    std::printf("%s on %s: accuracy %.2f%% of %lld test images, loss %.4f\n", model.config.model.name.c_str(),
                printable(splits.name).c_str(), 100 * evaluation.accuracy, static_cast<long long>(splits.test.count()),
                evaluation.loss);
    if (const auto planned = model.network->about(); !planned.empty()) std::printf("the network %s\n", planned.c_str());
    if (const auto sizes = sizes_of(splits.test)) std::printf("objects of %.3g to %.3g\n", sizes->first, sizes->second);
    if (evaluation.size_error >= 0)
      std::printf("size of the object, read off the scores: median error %.1f%%\n", 100 * evaluation.size_error);
    if (evaluation.place_error >= 0)
      std::printf("place of the object: median error %.1f%% of the side of the image\n", 100 * evaluation.place_error);
    if (evaluation.beyond > 0 && model.knows_sizes())
      std::printf("%lld objects may be smaller or larger than the network looks for\n",
                  static_cast<long long>(evaluation.beyond));
    std::fflush(stdout);
    std::cout << '\n';
    table_of("class", evaluation.classes).print(std::cout);
    if (!evaluation.scales.empty()) {
      std::cout << '\n';
      table_of("size of the object", evaluation.scales).print(std::cout);
    }
  }
  if (!arguments.out.empty()) plot_scales(evaluation, model.config.model.name + " on " + splits.name, arguments.out);
}

}  // namespace

void add_eval(CLI::App& app) {
  auto* command = app.add_subcommand("eval", "Accuracy of a trained network: in all, by class, by size of the object");
  auto arguments = std::make_shared<EvalArguments>();
  add_run_arguments(*command, arguments->run);
  command->add_flag("--allow-changed-data", arguments->run.allow_changed_data,
                    "Go on where the run's data is not what it was trained on; the output says so");
  command->add_option("--out", arguments->out, "Folder for the plot of accuracy against the size of the object");
  command->add_flag("--json", arguments->json, "Print JSON instead of tables");
  command->add_flag("--each", arguments->each, "With --json: also the prediction and the scores of each test image");
  command->callback([arguments] { eval(*arguments); });
}

}  // namespace scdcf::app
