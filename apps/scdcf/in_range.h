// What a number on the command line may be.
#pragma once

#include <CLI/CLI.hpp>

#include "scdcf/core/format.h"
#include "scdcf/files/text.h"

namespace scdcf::app {

/// A number from `least` to `most`, which NaN is not. Said in the error, not in every line of the help.
inline CLI::Validator in_range(double least, double most) {
  const auto check = [=](const std::string& text) {
    double value = 0;
    const bool holds = CLI::detail::lexical_cast(text, value) && value >= least && value <= most;
    return holds ? "" : format("got %s, expected %g to %g", files::shown(text).c_str(), least, most);
  };
  return {check, ""};
}

}  // namespace scdcf::app
