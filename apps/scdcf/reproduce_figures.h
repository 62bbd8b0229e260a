// The part of `scdcf reproduce` that computes single figures.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scdcf/figures/figures.h"

namespace scdcf::app {

/// Names and what they are, for the help.
std::vector<std::pair<std::string, std::string>> figure_experiment_names();

/// Computes one figure, prints its numbers beside what the paper says and writes both into options.out / name.
void reproduce_figure(const std::string& name, figures::FigureOptions options);

}  // namespace scdcf::app
