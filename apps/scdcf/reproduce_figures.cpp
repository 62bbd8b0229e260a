#include "reproduce_figures.h"

#include <chrono>
#include <cmath>
#include <iostream>

#include "scdcf/core/atomic_file.h"
#include "scdcf/core/error.h"
#include "scdcf/core/runtime.h"
#include "status_line.h"

namespace scdcf::app {
namespace {

using experiments::Experiment;
using experiments::ReproduceOptions;
using experiments::Reproduction;

Experiment named(const std::string& name) {
  for (const auto& experiment : experiments::experiments())
    if (experiment.name == name) return experiment;
  throw Error("reproduce: no experiment " + name);  // the command line has checked the name
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

}  // namespace

std::vector<std::pair<std::string, std::string>> figure_experiment_names() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& experiment : experiments::experiments())
    names.emplace_back(experiment.name, experiment.what + " (" + experiment.time + ")");
  return names;
}

void reproduce_figure(const std::string& name, ReproduceOptions options) {
  const auto experiment = named(name);
  const auto folder = options.folder(name);
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

}  // namespace scdcf::app
