#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>

#include "commands.h"
#include "scdcf/core/printable.h"
#include "scdcf/tables/store_report.h"

namespace scdcf::app {
namespace {

struct ReportArguments {
  std::string folder, out;
  bool markdown = false;
};

void report(const ReportArguments& arguments) {
  auto store = runs::ResultsStore::open(arguments.folder);
  const auto records = store.records();
  const auto report = tables::make_report(records, store.damaged_lines());
  if (arguments.markdown) {
    std::istringstream lines(tables::to_markdown(report));
    for (std::string line; std::getline(lines, line);) std::cout << printable(line) << '\n';
    return;
  }
  const std::filesystem::path out =
      arguments.out.empty() ? std::filesystem::path(arguments.folder) / "report" : std::filesystem::path(arguments.out);
  const auto missing = tables::write_report(report, out);
  for (const auto& section : report.sections) std::cout << printable(section.title + ": " + section.text) << '\n';
  for (const auto& problem : report.problems) std::cerr << printable(problem) << '\n';
  if (!missing.empty()) std::cerr << printable(missing) << '\n';
  std::cout << records.size() << " records; report: " << printable((out / "report.html").string())
            << ", report.md, tables/*.csv\n";
}

}  // namespace

void add_report(CLI::App& app) {
  auto* command =
      app.add_subcommand("report", "Tables and plots of what scdcf reproduce has run, beside the paper's numbers");
  auto arguments = std::make_shared<ReportArguments>();
  command->add_option("folder", arguments->folder, "Folder of the results")->type_name("FOLDER")->required();
  command->add_option("--out", arguments->out, "Where the report goes; FOLDER/report without it")->type_name("FOLDER");
  command->add_flag("--markdown", arguments->markdown, "Print the report as Markdown and write nothing");
  command->callback([arguments] { report(*arguments); });
}

}  // namespace scdcf::app
