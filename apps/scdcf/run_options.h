// The options that say what is trained, on what and how (scdcf/*/option_list.h), on a command line and in a TOML file.
#pragma once

#include <CLI/CLI.hpp>

#include "scdcf/train/config.h"

namespace scdcf::app {

/// The options of network, data and training, in groups of these names.
void add_run_options(CLI::App& command, train::RunConfig& config);

/// The option of this name for a command that has few of them: described and checked as all have it, into `value`.
template <class T>
CLI::Option& add_run_option(CLI::App& command, const std::string& name, T& value);

bool is_run_option(const CLI::Option& option);
/// Whether one of them was given.
bool has_run_options(const CLI::App& command);

/// Those of `begun` with those instead that were given to `command`, which have their values in `given`.
train::RunConfig with_given_options(const CLI::App& command, const train::RunConfig& given,
                                    const train::RunConfig& begun);
/// The same for a run that was begun, whose network is resolved.
train::RunConfig as_begun(const CLI::App& command, const train::RunConfig& given, const train::RunConfig& begun);

/// The same options as a TOML file that --config reads.
std::string to_toml(const train::RunConfig& config);

}  // namespace scdcf::app
