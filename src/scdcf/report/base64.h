// Bytes as text (RFC 4648), for pictures inside a page.
#pragma once

#include <string>
#include <string_view>

namespace scdcf::report {

/// Four letters for every three bytes, padded with '='.
std::string base64(std::string_view bytes);

}  // namespace scdcf::report
