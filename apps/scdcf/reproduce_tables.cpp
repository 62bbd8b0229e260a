#include "reproduce_tables.h"

#include "interrupt.h"
#include "number_list.h"
#include "run_options.h"
#include "scdcf/core/error.h"
#include "scdcf/tables/experiments.h"
#include "scdcf/terminal/status_line.h"

namespace scdcf::app {
namespace {

const char* const kGroup = "Sets of runs";

}  // namespace

void add_table_options(CLI::App& command, TableArguments& arguments) {
  auto& options = arguments.options;
  const auto list = [&](const char* name, auto& values, const char* help) {
    command.add_option(name, values, help)->delimiter(',')->allow_extra_args(false)->group(kGroup);
  };
  list("--models", options.models, "Only these networks");
  list("--sizes", options.sizes, "Only these image sizes: 28, 56");
  list("--train-sizes", options.train_sizes, "Numbers of training images instead of the paper's");
  command.add_option("--realisations", arguments.realisations, "Which, such as 0-4 or 0,2")->group(kGroup);
  command.add_option("--augmentation", options.augmentation, "Augmented by scaling (the + of the tables) or not")
      ->check(CLI::IsMember({"plain", "plus", "both"}))
      ->group(kGroup)
      ->capture_default_str();
  command.add_option("--epochs", options.epochs, "Instead of the paper's; the learning rate falls in proportion")
      ->check(CLI::PositiveNumber)
      ->group(kGroup);
  command.add_option("--jobs", options.jobs, "Runs at a time, sharing a GPU")
      ->check(CLI::Range(1, 256))
      ->group(kGroup)
      ->capture_default_str();
  add_run_option(command, "precision", options.precision).group(kGroup);
  command.add_flag("--plan", options.list, "List the runs, numbered from 0, instead of making them")->group(kGroup);
  command.add_option("--only", options.only, "Make this one of the runs that --plan lists")
      ->check(CLI::Range(0, 1000000))
      ->group(kGroup);
  command.add_flag("--retry-failed", options.retry_failed, "Try runs again that have failed twice")->group(kGroup);
}

std::vector<std::pair<std::string, std::string>> table_experiment_names() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& experiment : tables::experiments()) names.emplace_back(experiment.name, experiment.what);
  return names;
}

bool is_table_experiment(const std::string& name) {
  for (const auto& experiment : tables::experiments())
    if (experiment.name == name) return true;
  return false;
}

void reproduce_table(const std::string& name, TableArguments arguments) {
  auto& options = arguments.options;
  if (!arguments.realisations.empty())
    options.realisations = parse_number_list("--realisations", arguments.realisations);
  const InterruptScope interrupt;
  InterruptScope::defer();
  terminal::StatusLine line;
  options.print = [&](const std::string& text) { line.print(text); };
  options.status = [&](const std::string& text) { line.update(text); };
  options.stop = InterruptScope::requested;
  for (const auto& experiment : tables::experiments())
    if (experiment.name == name) experiment.run(options);
  if (InterruptScope::requested()) throw CLI::RuntimeError(kStopped);
  if (options.list) return;
  line.print("results: " + (options.out / "results.jsonl").string() + "; tables and plots: scdcf report " +
             options.out.string());
}

}  // namespace scdcf::app
