// The options that say what is trained, on what and how: the same for every command that trains.
#pragma once

#include <CLI/CLI.hpp>

#include "scdcf/train/config.h"

namespace scdcf::app {

/// What stands for an empty list on the command line.
inline constexpr const char* kEmptyList = "none";

void add_model_options(CLI::App& command, models::ModelOptions& options);
void add_data_options(CLI::App& command, data::DataOptions& options);
void add_training_options(CLI::App& command, train::TrainOptions& options);

/// The same options as a TOML file that --config reads.
std::string to_toml(const train::RunConfig& config);

}  // namespace scdcf::app
