#include "number_list.h"

#include "scdcf/core/error.h"
#include "scdcf/files/text.h"

namespace scdcf::app {

std::vector<int> parse_number_list(const std::string& option, const std::string& text) {
  constexpr std::int64_t kLargest = 1000000, kMost = 1000;
  std::vector<int> numbers;
  for (const auto& part : files::fields_of(text, ',')) {
    const auto dash = part.find('-');
    const auto first = files::number_of(part.substr(0, dash));
    const auto last = dash == std::string::npos ? first : files::number_of(part.substr(dash + 1));
    require(first && last && *first <= *last && *last <= kLargest, option, ": got \"", files::shown(part),
            "\", expected a number up to ", kLargest, " or a range such as 0-4");
    require(*last - *first < kMost - static_cast<std::int64_t>(numbers.size()), option, ": got more than ", kMost,
            " numbers");
    for (auto number = *first; number <= *last; ++number) numbers.push_back(static_cast<int>(number));
  }
  return numbers;
}

}  // namespace scdcf::app
