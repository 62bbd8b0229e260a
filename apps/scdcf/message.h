// Messages to the user on standard error.
#pragma once

#include <iostream>
#include <string>

#include "scdcf/core/printable.h"

namespace scdcf::app {

/// "scdcf: data photos: ...": one line, whatever names it holds.
inline void print_message(const std::string& text) { std::cerr << "scdcf: " + printable(text) + "\n" << std::flush; }

}  // namespace scdcf::app
