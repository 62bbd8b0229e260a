#include "number_list.h"

#include <cstdio>
#include <sstream>

#include "scdcf/core/error.h"

namespace scdcf::app {

std::vector<int> parse_number_list(const std::string& option, const std::string& text) {
  std::vector<int> numbers;
  std::stringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    int first = 0, last = 0, used = 0;
    const int found = std::sscanf(part.c_str(), "%d-%d%n", &first, &last, &used);
    if (found < 2) {
      require(std::sscanf(part.c_str(), "%d%n", &first, &used) == 1, option, ": got \"", part,
              "\", expected a number or a range such as 0-4");
      last = first;
    }
    require(used == static_cast<int>(part.size()) && first >= 0 && last >= first && last - first < 1000, option,
            ": got \"", part, "\", expected a number or a range such as 0-4");
    for (int i = first; i <= last; ++i) numbers.push_back(i);
  }
  require(!numbers.empty(), option, ": got nothing, expected a number or a range such as 0-4");
  return numbers;
}

}  // namespace scdcf::app
