// The wire format of protocol buffers, as far as writing goes: a field is its number and kind, then its content.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace scdcf::exchange {

/// The bytes of one message. Fields that repeat are written once for each value.
class Message {
 public:
  Message& integer(uint32_t field, int64_t value) {
    varint(field << 3);
    varint(static_cast<uint64_t>(value));
    return *this;
  }
  Message& number(uint32_t field, float value) {
    varint(field << 3 | 5);
    char little_endian[sizeof value];
    std::memcpy(little_endian, &value, sizeof value);
    bytes_.append(little_endian, sizeof value);
    return *this;
  }
  /// Text, raw bytes, or a message within this one.
  Message& text(uint32_t field, std::string_view value) {
    varint(field << 3 | 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(uint32_t field, const Message& value) { return text(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

}  // namespace scdcf::exchange
