// One description of an option, which command line, TOML, JSON and checks follow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "scdcf/core/error.h"
#include "scdcf/core/joined.h"

namespace scdcf {

/// What stands for a list without numbers.
inline constexpr const char* kEmptyList = "none";

/// A value as it is written on a command line.
template <class T>
std::string option_text(const T& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}
inline std::string option_text(const std::vector<std::int64_t>& values) {
  return values.empty() ? kEmptyList : joined(values, ",", [](std::int64_t value) { return std::to_string(value); });
}

/// learning_rate is learning-rate in a TOML file and, with -- in front, on the command line.
inline std::string option_key(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// An option of a struct. Next to each such struct a function visit_options(options, visitor) describes them all, in
/// the order in which they are shown and written: visitor(Option{options.batch, "batch", "Images a step"}) and so on.
template <class T>
struct Option {
  T& value;
  const char* name;                   ///< in messages, and in JSON; option_key makes flag and TOML key of it
  const char* help;                   ///< empty for what users do not choose: in JSON alone
  const char* expected = "";          ///< "at least 2"
  bool (*holds)(const T&) = nullptr;  ///< whether a value is what is expected; none where only its user can tell
  const char* json = name;
  bool is_later = false;
  std::optional<T> absent{};  ///< of a later one: what JSON without it means; none for the default

  Option expects(const char* what, bool (*check)(const T&)) const {
    return {value, name, help, what, check, json, is_later, absent};
  }
  /// Another name in JSON, for that of the results that are stored.
  Option stored_as(const char* key) const { return {value, name, help, expected, holds, key, is_later, absent}; }
  /// For an option that came when there were results already: JSON has it only where it is not left as it is, so that
  /// what was stored before is read, and found by its hash, as ever.
  Option later() const { return {value, name, help, expected, holds, json, true}; }
  /// The same where the default is no longer what the option stood for when it came, `before`.
  Option later(T before) const { return {value, name, help, expected, holds, json, true, std::move(before)}; }

  /// "got 1, expected at least 2", or nothing where all is well.
  std::string fault() const {
    if (holds == nullptr || holds(value)) return {};
    const std::string quote = std::is_same_v<T, std::string> ? "\"" : "";
    return "got " + quote + option_text(value) + quote + ", expected " + expected;
  }
};
template <class T>
Option(T&, const char*, const char*) -> Option<T>;

/// For Option::expects.
template <int least, class T>
bool at_least(const T& value) {
  return value >= least;
}

template <int least, int most, class T>
bool between(const T& value) {
  return value >= least && value <= most;  // not so for NaN
}

/// Throws Error for the first option that is not what is expected of it.
template <class Options>
void check_options(Options options) {
  visit_options(options, [](const auto& option) {
    const auto fault = option.fault();
    require(fault.empty(), option.name, ": ", fault);
  });
}

}  // namespace scdcf
