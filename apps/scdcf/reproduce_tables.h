// The part of `scdcf reproduce` that makes sets of training runs in a results store.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "scdcf/tables/plan_options.h"

namespace scdcf::app {

/// The options that only sets of runs have.
struct TableArguments {
  tables::PlanOptions options;
  std::string realisations;  ///< "0-4" or "0,2"
};
void add_table_options(CLI::App& command, TableArguments& arguments);

/// Names and what they are, for the help.
std::vector<std::pair<std::string, std::string>> table_experiment_names();
bool is_table_experiment(const std::string& name);

/// Makes the runs of one experiment, with a line that says how far it is. Ctrl-C ends it after the step at hand with
/// exit code 130; the same command goes on from there.
void reproduce_table(const std::string& name, TableArguments arguments);

}  // namespace scdcf::app
