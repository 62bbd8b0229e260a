// The subcommands of the program. Each adds itself to the command line and runs from its callback.
#pragma once

#include <CLI/CLI.hpp>

namespace scdcf::app {

/// All of them.
void add_commands(CLI::App& app);

void add_bench(CLI::App& app);
void add_equivariance(CLI::App& app);
void add_eval(CLI::App& app);
void add_export(CLI::App& app);
void add_explore(CLI::App& app);
void add_completion(CLI::App& app);
void add_data(CLI::App& app);
void add_demo(CLI::App& app);
void add_info(CLI::App& app);
void add_models(CLI::App& app);
void add_predict(CLI::App& app);
void add_report(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_train(CLI::App& app);
void add_verify(CLI::App& app);

}  // namespace scdcf::app
