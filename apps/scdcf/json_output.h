// What --json prints.
#pragma once

#include <iostream>
#include <nlohmann/json.hpp>

namespace scdcf::app {

/// To standard output. Names of files may have bytes that are no UTF-8, which JSON cannot have: U+FFFD instead.
template <class Json>
void print_json(const Json& json) {
  std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace scdcf::app
