#include <torch/torch.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "commands.h"
#include "in_range.h"
#include "json_output.h"
#include "run_data.h"
#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/core/printable.h"
#include "scdcf/report/table.h"
#include "scdcf/theory/network_equivariance.h"

namespace scdcf::app {
namespace {

struct EquivarianceArguments {
  RunArguments run;
  double octaves = 0;
  bool json = false;
};

void equivariance(EquivarianceArguments arguments) {
  if (!arguments.run.count) arguments.run.count = 64;
  arguments.run.allow_changed_data = true;  // nothing is tested on what was learnt
  auto model = load_run(arguments.run);
  const auto splits = load_run_data(arguments.run, model).splits;
  const train::DeviceImages set(splits.test, splits.mean, splits.deviation, train::device_of(arguments.run.device));
  const auto images = set.images(set.range(0, set.count()));
  const double step = model.network->scale_step();
  const double octaves = arguments.octaves != 0 ? arguments.octaves : (step > 0 ? step : 0.25);
  const auto layers = theory::network_equivariance_error(*model.network, images, set.black(), octaves);
  require(!layers.empty(), "model ", model.config.model.name,
          step > 0 ? ": got a network of one plane, expected two or more, for features to move from one to the next"
                   : " does not tell its features");

  size_t planes = 1;
  for (const auto& layer : layers) planes = std::max(planes, layer.per_scale.size());
  std::vector<std::string> columns = {"layer"};
  for (size_t s = 0; s < planes; ++s) columns.push_back(planes == 1 ? "error" : "scale " + std::to_string(s));
  report::Table table(columns);
  for (const auto& layer : layers) {
    std::vector<report::Table::Cell> row = {layer.layer};
    for (size_t s = 0; s < planes; ++s)
      row.emplace_back(s < layer.per_scale.size() ? report::Table::Cell(layer.per_scale[s])
                                                  : report::Table::Cell(std::string(report::kNothing)));
    table.add(row);
  }
  const auto answers = theory::answer_change(*model.network, images, set.black(), octaves);
  if (arguments.json) {
    nlohmann::ordered_json json = {
        {"layers", table.to_json()}, {"scores_change", answers.scores}, {"same_class", answers.same_class}};
    json["octaves_read"] = answers.moved ? nlohmann::ordered_json(*answers.moved) : nlohmann::ordered_json();
    print_json(json);
    return;
  }
  if (!model.unfinished.empty()) std::cout << printable(model.unfinished) << '\n';
  std::cout << model.config.model.name << " on " << set.count() << " images of " << printable(splits.name)
            << ", enlarged by 2^" << octaves << "\nrelative error |x[Dx] - T x[x]| / |T x[x]|"
            << (planes > 1 ? " at each scale of the features" : "") << ":\n\n";
  table.print(std::cout);
  std::cout << format("\nanswers: class scores change by %.3f of their norm, %.1f%% of the images keep their class",
                      answers.scores, 100 * answers.same_class)
            << (answers.moved ? format(", the size read grows by 2^%.3f (median)", *answers.moved) : "") << '\n';
}

}  // namespace

void add_equivariance(CLI::App& app) {
  auto* command = app.add_subcommand("equivariance", "How far the features of a trained network are from equivariance");
  auto arguments = std::make_shared<EquivarianceArguments>();
  add_run_arguments(*command, arguments->run);
  command->get_option("--count")
      ->description("Test images to use, all at once; 64 without it")
      ->check(in_range(1, 1e5));
  command->add_option("--octaves", arguments->octaves, "Enlarge by two to this power; 0 for one step of the scale axis")
      ->check(in_range(-4, 4));
  command->add_flag("--json", arguments->json, "Print JSON instead of a table");
  command->callback([arguments] { equivariance(*arguments); });
}

}  // namespace scdcf::app
