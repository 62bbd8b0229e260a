// "0-4" or "0,2,5" as numbers.
#pragma once

#include <string>
#include <vector>

namespace scdcf::app {

/// Throws Error naming the option and the part that is none.
std::vector<int> parse_number_list(const std::string& option, const std::string& text);

}  // namespace scdcf::app
