#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>

#include "commands.h"
#include "scdcf/core/atomic_file.h"
#include "scdcf/core/error.h"
#include "scdcf/core/runtime.h"
#include "scdcf/experiments/reproduce.h"
#include "status_line.h"

namespace scdcf::app {
namespace {

using experiments::Experiment;
using experiments::ReproduceOptions;
using experiments::Reproduction;

struct ReproduceArguments {
  std::string name, out = "out/reproduce";
  ReproduceOptions options;
};

const Experiment& named(const std::vector<Experiment>& all, const std::string& name) {
  for (const auto& experiment : all)
    if (experiment.name == name) return experiment;
  throw Error("reproduce: no experiment " + name);  // the command line has checked the name
}

void print_list(const std::vector<Experiment>& all) {
  for (const auto& experiment : all)
    std::cout << "  " << experiment.name << std::string(24 - std::min<size_t>(23, experiment.name.size()), ' ')
              << experiment.what << " (" << experiment.time << ")\n";
}

nlohmann::ordered_json to_json(const Experiment& experiment, const ReproduceOptions& options, const Reproduction& found,
                               double seconds) {
  nlohmann::ordered_json json = {{"experiment", experiment.name},
                                 {"what", experiment.what},
                                 {"version", version()},
                                 {"commit", commit()},
                                 {"quick", options.quick},
                                 {"device", options.device},
                                 {"seconds", seconds},
                                 {"setting", found.setting},
                                 {"measured", found.table.to_json()}};
  json["statements"] = nlohmann::json::array();
  for (const auto& statement : found.statements)
    json["statements"].push_back({{"paper", statement.paper}, {"ours", statement.ours}, {"agrees", statement.agrees}});
  json["details"] = found.details;
  return json;
}

void reproduce(const ReproduceArguments& arguments) {
  const auto all = experiments::experiments();
  if (arguments.name.empty()) return print_list(all);
  const auto& experiment = named(all, arguments.name);
  auto options = arguments.options;
  options.out = arguments.out;
  const auto folder = options.folder(experiment.name);
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  require(!failed, "--out: ", folder.string(), ": the folder could not be made: ", failed.message());
  StatusLine line;
  options.note = [&line](const std::string& text) { line.print(text); };
  std::cout << experiment.what << "\n"
            << (options.quick ? "quick form: small sizes" : "full form: " + experiment.time) << "\n\n"
            << std::flush;
  const auto start = std::chrono::steady_clock::now();
  const auto found = experiment.run(options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::cout << found.setting << "\n\n";
  found.table.print(std::cout);
  for (const auto& statement : found.statements)
    std::cout << "\n  paper: " << statement.paper << "\n  here:  " << statement.ours << "\n         "
              << (statement.agrees ? "AGREES" : "DISAGREES") << '\n';
  const auto numbers = folder / "numbers.json";
  write_file_atomically(numbers, to_json(experiment, options, found, seconds).dump(2) + "\n");
  std::cout << '\n';
  for (const auto& picture : found.pictures) std::cout << "figure:  " << picture.string() << '\n';
  if (!found.missing_picture.empty()) std::cout << found.missing_picture << '\n';
  std::cout << "numbers: " << numbers.string() << " (" << std::round(seconds * 10) / 10 << " s)\n";
}

}  // namespace

void add_reproduce(CLI::App& app) {
  auto* command =
      app.add_subcommand("reproduce", "Computes a figure or table of the paper anew; lists them without a name");
  auto arguments = std::make_shared<ReproduceArguments>();
  auto& options = arguments->options;
  std::vector<std::string> names;
  for (const auto& experiment : experiments::experiments()) names.push_back(experiment.name);
  command->add_option("experiment", arguments->name, "Which")->check(CLI::IsMember(names));
  command->add_flag("--quick", options.quick, "Small sizes: to see that it works, in tens of seconds");
  command->add_option("--out", arguments->out, "Folder for figures, numbers and trained networks")
      ->type_name("FOLDER")
      ->capture_default_str();
  command->add_option("--device", options.device, "cpu, cuda or cuda:N")->capture_default_str();
  command->add_option("--data", options.data, "mnist, fashion or glyphs; mnist where it is found, else glyphs");
  command->add_option("--data-dir", options.data_dir, "Folder that holds the data")->type_name("FOLDER");
  command->add_option("--runs", options.runs, "Trainings at a time; 0 for what suits the device")
      ->check(CLI::NonNegativeNumber);
  command->callback([arguments] { reproduce(*arguments); });
}

}  // namespace scdcf::app
