// One file that holds the page, the networks and what runs them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scdcf/explore/runtime.h"

namespace scdcf::explore {

/// Bytes inside a page: gzip, base64, in an element of that id.
std::string packed(const std::string& id, const std::string& bytes);

/// `data`: what page/main.js reads; networks: ONNX, in the order of data["networks"], each of whose "model" it fills
/// in.
std::string page_text(const std::string& title, nlohmann::ordered_json data, const std::vector<std::string>& networks,
                      const Runtime& runtime);

}  // namespace scdcf::explore
