// Options that come and go as words, from and to callers in another language: "modes" is "15", "channels" is "8,16,24".
#pragma once

#include <cstdint>
#include <limits>
#include <locale>
#include <map>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "scdcf/core/error.h"
#include "scdcf/core/joined.h"
#include "scdcf/core/option.h"

namespace scdcf {

using NamedTexts = std::map<std::string, std::string>;

/// What a reader of exact_text makes of it: whole, real, word or list.
template <class T>
const char* kind_of() {
  if (std::is_same_v<T, std::string>) return "word";
  if (std::is_same_v<T, std::vector<int64_t>>) return "list";
  return std::is_floating_point_v<T> ? "real" : "whole";
}

/// The value that a text says.
template <class T>
T value_from_text(const std::string& name, const std::string& text) {
  if constexpr (std::is_same_v<T, std::string>) {
    return text;
  } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
    std::vector<int64_t> values;
    if (text == kEmptyList) return values;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) values.push_back(value_from_text<int64_t>(name, part));
    return values;
  } else {
    std::istringstream stream(text);
    stream.imbue(std::locale::classic());
    T value{};
    require(stream >> value && stream.peek() == std::istringstream::traits_type::eof(), name, ": got \"", text,
            "\", expected ", std::is_floating_point_v<T> ? "a number" : "a whole number");
    return value;
  }
}

/// value_from_text gives the same value again.
template <class T>
std::string exact_text(const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(std::numeric_limits<T>::max_digits10);
    text << value;
    return text.str();
  } else {
    return option_text(value);
  }
}

/// The option of this name; it must be there.
template <class T>
T option_from(const NamedTexts& texts, const std::string& name) {
  const auto found = texts.find(name);
  require(found != texts.end(), name, ": is missing");
  return value_from_text<T>(name, found->second);
}

/// One of `choices`, by the word that name_of has for it.
template <class T>
T choice_from(const NamedTexts& texts, const std::string& name, const std::vector<T>& choices) {
  const auto word = option_from<std::string>(texts, name);
  const auto name_of_choice = [](T choice) { return name_of(choice); };
  for (const auto choice : choices)
    if (word == name_of(choice)) return choice;
  detail::fail(name, ": got \"", word, "\", expected one of ", joined(choices, ", ", name_of_choice));
}

}  // namespace scdcf
