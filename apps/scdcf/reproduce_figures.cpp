#include "reproduce_figures.h"

#include <cmath>
#include <iostream>

#include "scdcf/core/clock.h"
#include "scdcf/core/error.h"
#include "scdcf/core/printable.h"
#include "scdcf/core/runtime.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/files/make_folder.h"
#include "scdcf/terminal/status_line.h"

namespace scdcf::app {
namespace {

using figures::Figure;
using figures::FigureOptions;
using figures::Reproduction;

Figure named(const std::string& name) {
  for (const auto& figure : figures::figures())
    if (figure.name == name) return figure;
  throw Error("reproduce: no figure " + name);  // the command line has checked the name
}

nlohmann::ordered_json to_json(const Figure& figure, const FigureOptions& options, const Reproduction& found,
                               double seconds) {
  nlohmann::ordered_json json = {
      {"experiment", figure.name}, {"what", figure.what},      {"version", version()},
      {"commit", commit()},        {"quick", options.quick},   {"device", options.device},
      {"seconds", seconds},        {"setting", found.setting}, {"measured", found.table.to_json()}};
  json["statements"] = nlohmann::json::array();
  for (const auto& statement : found.statements)
    json["statements"].push_back({{"paper", statement.paper}, {"ours", statement.ours}, {"agrees", statement.agrees}});
  json["details"] = found.details;
  return json;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> figure_experiment_names() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& figure : figures::figures()) names.emplace_back(figure.name, figure.what + " (" + figure.time + ")");
  return names;
}

void reproduce_figure(const std::string& name, FigureOptions options) {
  const auto figure = named(name);
  const auto folder = options.folder(name);
  files::make_folder(folder, "out: ");
  terminal::StatusLine line;
  options.note = [&line](const std::string& text) { line.print(text); };
  std::cout << figure.what << "\n"
            << (options.quick ? "quick form: small sizes" : "full form: " + figure.time) << "\n\n"
            << std::flush;
  const double start = now();
  const auto found = figure.run(options);
  const double seconds = now() - start;
  std::cout << found.setting << "\n\n";
  found.table.print(std::cout);
  for (const auto& statement : found.statements)
    std::cout << "\n  paper: " << statement.paper << "\n  here:  " << statement.ours << "\n         "
              << (statement.agrees ? "AGREES" : "DISAGREES") << '\n';
  const auto numbers = folder / "numbers.json";
  files::write_file_atomically(numbers, to_json(figure, options, found, seconds).dump(2) + "\n");
  std::cout << '\n';
  for (const auto& picture : found.pictures) std::cout << "figure:  " << printable(picture.string()) << '\n';
  if (!found.missing_picture.empty()) std::cout << printable(found.missing_picture) << '\n';
  std::cout << "numbers: " << printable(numbers.string()) << " (" << std::round(seconds * 10) / 10 << " s)\n";
}

}  // namespace scdcf::app
