#include "scdcf/report/base64.h"

#include <cstdint>

namespace scdcf::report {

std::string base64(std::string_view bytes) {
  constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t triple = 0;
    for (std::size_t k = 0; k < 3; ++k)
      triple = triple << 8 | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? letters[triple >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

}  // namespace scdcf::report
