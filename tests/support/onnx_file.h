// Reads an ONNX file back, knowing nothing of what wrote it but the wire format and the numbers of onnx.proto's fields.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "scdcf/core/error.h"

namespace scdcf::testing {

/// A message of protocol buffers: its fields by number, numbers as such, the rest as bytes.
class WireMessage {
 public:
  explicit WireMessage(const std::string& bytes) {
    for (size_t at = 0; at < bytes.size();) {
      const uint64_t key = varint(bytes, at), kind = key & 7;
      const auto field = static_cast<int>(key >> 3);
      if (kind == 0) {
        numbers_[field].push_back(static_cast<int64_t>(varint(bytes, at)));
        continue;
      }
      require(kind == 2 || kind == 5, "wire format: got kind ", kind);
      const size_t size = kind == 5 ? 4 : varint(bytes, at);
      require(size <= bytes.size() - at, "wire format: field ", field, " is longer than its message");
      texts_[field].push_back(bytes.substr(at, size));
      at += size;
    }
  }

  const std::vector<std::string>& texts(int field) const { return at(texts_, field); }
  const std::vector<int64_t>& numbers(int field) const { return at(numbers_, field); }
  std::string text(int field) const { return texts(field).empty() ? "" : texts(field).front(); }
  int64_t number(int field) const { return numbers(field).empty() ? 0 : numbers(field).front(); }
  WireMessage message(int field) const { return WireMessage(text(field)); }

 private:
  static uint64_t varint(const std::string& bytes, size_t& at) {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      require(at < bytes.size(), "wire format: a number has no end");
      const auto byte = static_cast<uint8_t>(bytes[at++]);
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    detail::fail("wire format: a number is too long");
  }
  template <class Values>
  static const Values& at(const std::map<int, Values>& fields, int field) {
    static const Values none;
    const auto found = fields.find(field);
    return found == fields.end() ? none : found->second;
  }

  std::map<int, std::vector<std::string>> texts_;
  std::map<int, std::vector<int64_t>> numbers_;
};

/// What a reader of ONNX files relies on. Throws Error where it does not hold.
struct OnnxFile {
  int64_t format_version = 0, operator_set = 0;
  std::map<std::string, std::vector<std::string>> shapes;  ///< of inputs and outputs
  std::map<std::string, std::string> metadata;
  std::vector<std::string> operators;  ///< of the nodes, in order

  explicit OnnxFile(const std::string& bytes) {
    const WireMessage model(bytes), graph = model.message(7);
    format_version = model.number(1);
    operator_set = model.message(8).number(2);
    for (const auto& text : model.texts(14)) metadata[WireMessage(text).text(1)] = WireMessage(text).text(2);
    std::set<std::string> known = {""};
    for (const auto& text : graph.texts(5)) known.insert(check_table(WireMessage(text)));
    for (const auto& text : graph.texts(11)) known.insert(add_shape(WireMessage(text)));
    for (const auto& text : graph.texts(1)) {
      const WireMessage node(text);
      operators.push_back(node.text(4));
      for (const auto& name : node.texts(1))
        require(known.count(name) > 0, operators.back(), ": input \"", name, "\" is not known yet");
      for (const auto& name : node.texts(2)) require(known.insert(name).second, "\"", name, "\" is there twice");
    }
    for (const auto& text : graph.texts(12)) {
      const auto name = add_shape(WireMessage(text));
      require(known.count(name) > 0, "output \"", name, "\" is not computed");
    }
  }

 private:
  static std::string check_table(const WireMessage& table) {
    static const std::map<int64_t, int64_t> bytes_of_type = {{1, 4}, {6, 4}, {7, 8}, {9, 1}, {11, 8}};
    int64_t bytes = bytes_of_type.at(table.number(2));
    for (const int64_t size : table.numbers(1)) bytes *= size;
    require(static_cast<int64_t>(table.text(9).size()) == bytes, "table \"", table.text(8), "\": got ",
            table.text(9).size(), " bytes, expected ", bytes);
    return table.text(8);
  }
  std::string add_shape(const WireMessage& value) {
    auto& shape = shapes[value.text(1)];
    const auto sizes = value.message(2).message(1).message(2);
    for (const auto& text : sizes.texts(1)) {
      const WireMessage size(text);
      shape.push_back(size.text(2).empty() ? std::to_string(size.number(1)) : size.text(2));
    }
    return value.text(1);
  }
};

}  // namespace scdcf::testing
