#include "scdcf/io/model_file.h"

#include <torch/types.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "scdcf/core/error.h"
#include "scdcf/core/joined.h"
#include "scdcf/core/sha256.h"

namespace scdcf::io {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files hold the lowest byte of a number first");

constexpr const char* kBeforeFormat = "{\"__metadata__\":{\"scdcf_format\":\"";
constexpr const char* kFormat = "1";
constexpr const char* kBeforeSum = ",\"sha256\":\"";
constexpr std::size_t kSum = 64, kPrefix = 8, kAlignment = 8, kMostDimensions = 16, kLongestName = 512;
constexpr std::uint64_t kLargestHeader = 100'000'000;  // the limit of the format
constexpr int64_t kMostElements = int64_t{1} << 40;    // of a tensor

const std::vector<std::pair<std::string, at::ScalarType>> kTypes = {
    {"BOOL", at::kBool}, {"U8", at::kByte},  {"I8", at::kChar},       {"I16", at::kShort}, {"I32", at::kInt},
    {"I64", at::kLong},  {"F16", at::kHalf}, {"BF16", at::kBFloat16}, {"F32", at::kFloat}, {"F64", at::kDouble}};

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char letter) { return letter >= ' ' && letter <= '~'; });
}

/// These two stand before all other metadata.
bool is_reserved(const std::string& key) { return key == "scdcf_format" || key == "sha256"; }

std::string sum_of(std::string_view bytes, std::size_t sum_at) {
  const std::string zeros(kSum, '0');
  Sha256 hash;
  hash.add(bytes.data(), sum_at);
  hash.add(zeros.data(), kSum);
  hash.add(bytes.data() + sum_at + kSum, bytes.size() - sum_at - kSum);
  return hash.hex();
}

/// Takes a file apart, from left to right.
class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  ModelFile read() {
    read_size();
    const std::size_t sum_at = read_metadata();
    while (!accept("}")) read_tensor();
    while (at_ < data_at_) expect(" ");
    check(used_ == data_size(), "its tensors end at byte ", used_, " of ", data_size());
    require(sum_of(bytes_, sum_at) == bytes_.substr(sum_at, kSum), name_,
            ": is damaged: its SHA-256 differs from the one in its header");
    return std::move(file_);
  }

 private:
  template <class... Parts>
  void check(bool holds, Parts&&... parts) const {
    require(holds, name_, ": is damaged or not a scdcf model: ", std::forward<Parts>(parts)...);
  }
  void check_header(bool holds, std::string_view expected) const {
    check(holds, "got \"", bytes_.substr(at_, std::min<std::size_t>(20, data_at_ - at_)), "\" at byte ", at_,
          ", expected ", expected);
  }
  int64_t data_size() const { return static_cast<int64_t>(bytes_.size() - data_at_); }

  void read_size() {
    check(bytes_.size() > kPrefix && bytes_[kPrefix] == '{', "got another kind of file, expected safetensors");
    std::uint64_t size = 0;
    for (std::size_t i = kPrefix; i-- > 0;) size = size << 8 | static_cast<std::uint8_t>(bytes_[i]);
    check(size <= std::min<std::uint64_t>(kLargestHeader, bytes_.size() - kPrefix) && size % kAlignment == 0,
          "got a header of ", size, " bytes in a file of ", bytes_.size());
    check(is_printable(bytes_.substr(kPrefix, size)), "its header is not printable ASCII");
    at_ = kPrefix;
    data_at_ = kPrefix + size;
  }

  bool accept(std::string_view text) {
    if (text.size() > data_at_ - at_ || bytes_.substr(at_, text.size()) != text) return false;
    at_ += text.size();
    return true;
  }
  void expect(std::string_view text) { check_header(accept(text), text); }

  /// Up to the next quotation mark, which is taken too.
  std::string text(std::size_t longest = kLongestName) {
    std::string text;
    while (!accept("\"")) {
      const bool is_escaped = accept("\\");
      check_header(at_ < data_at_ && text.size() < longest, "the end of a text");
      check_header(!is_escaped || bytes_[at_] == '"' || bytes_[at_] == '\\', "\\\" or \\\\");
      text += bytes_[at_++];
    }
    return text;
  }

  int64_t number() {
    const std::size_t begin = at_;
    int64_t value = 0;
    for (; at_ < data_at_ && bytes_[at_] >= '0' && bytes_[at_] <= '9'; ++at_) {
      check_header(at_ < begin + 18, "a number of at most 18 digits");
      value = 10 * value + (bytes_[at_] - '0');
    }
    check_header(at_ > begin && (bytes_[begin] != '0' || at_ == begin + 1), "a number");
    return value;
  }

  std::vector<int64_t> sizes() {
    std::vector<int64_t> sizes;
    while (!accept("]")) {
      if (!sizes.empty()) expect(",");
      check_header(sizes.size() < kMostDimensions, "at most 16 dimensions");
      sizes.push_back(number());
    }
    return sizes;
  }

  /// Where the digits of the sum begin.
  std::size_t read_metadata() {
    expect(kBeforeFormat);
    const auto format = text();
    require(format == kFormat, name_, ": got a model file of format \"", format, "\", expected \"", kFormat, "\"");
    expect(kBeforeSum);
    const std::size_t sum_at = at_;
    check(text().size() == kSum, "its SHA-256 does not have 64 digits");
    while (!accept("}")) {
      expect(",\"");
      const auto key = text();
      expect(":\"");
      check(!is_reserved(key) && file_.metadata.emplace(key, text(kLargestHeader)).second, "\"", key,
            "\" stands twice in its metadata");
    }
    return sum_at;
  }

  void read_tensor() {
    expect(",\"");
    const auto name = text(), what = "tensor \"" + name + "\": ";
    expect(":{\"dtype\":\"");
    const auto dtype = text();
    expect(",\"shape\":[");
    const auto shape = sizes();
    expect(",\"data_offsets\":[");
    const auto begin = number();
    expect(",");
    const auto end = number();
    expect("]}");
    const auto type =
        std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& known) { return known.first == dtype; });
    check(type != kTypes.end(), what, "got unknown dtype ", dtype);
    const auto size = static_cast<int64_t>(c10::elementSize(type->second)), expected = size * elements_of(shape, what);
    check(begin == used_, what, "begins at byte ", begin, ", expected ", used_);
    check(begin % size == 0, what, "begins at byte ", begin, ", expected a multiple of ", size);
    check(end - begin == expected, what, "got ", end - begin, " bytes, expected ", expected);
    check(end <= data_size(), what, "ends at byte ", end, " of ", data_size(), ": the file was cut off");
    const auto data = bytes_.substr(data_at_ + static_cast<std::size_t>(begin), static_cast<std::size_t>(expected));
    check(type->second != at::kBool || data.find_first_not_of(std::string_view("\0\1", 2)) == std::string_view::npos,
          what, "got a truth value other than 0 and 1");
    const auto tensor = torch::empty(shape, type->second);
    if (!data.empty()) std::memcpy(tensor.data_ptr(), data.data(), data.size());
    check(file_.tensors.emplace(name, tensor).second, what, "stands twice in its header");
    used_ = end;
  }

  /// Bounded also where there are none: strides are products of the other sizes.
  int64_t elements_of(const std::vector<int64_t>& shape, const std::string& what) const {
    int64_t product = 1;
    bool is_empty = false;
    for (const auto length : shape) {
      check(length <= kMostElements / product, what, "is too large");
      product *= std::max<int64_t>(length, 1);
      is_empty = is_empty || length == 0;
    }
    return is_empty ? 0 : product;
  }

  std::string_view bytes_;
  const std::string& name_;
  std::size_t at_ = 0, data_at_ = 0;  // the next byte of the header; where it ends
  int64_t used_ = 0;                  // bytes of data that belong to a tensor
  ModelFile file_;
};

std::string quoted(const std::string& text, std::size_t longest = kLongestName) {
  require(is_printable(text) && text.size() <= longest, "model file: got a name or a text of ", text.size(),
          " letters, expected at most ", longest, " of printable ASCII");
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter;
  }
  return result + '"';
}

struct Stored {
  std::string name, dtype;
  at::Tensor values;  // its elements in memory, one after the other
};

Stored stored(const std::string& name, const at::Tensor& tensor) {
  const auto type = std::find_if(kTypes.begin(), kTypes.end(),
                                 [&](const auto& known) { return known.second == tensor.scalar_type(); });
  require(type != kTypes.end() && tensor.layout() == at::kStrided && !tensor.is_meta() &&
              tensor.dim() <= static_cast<int64_t>(kMostDimensions),
          "model file: tensor \"", name, "\": got ", tensor.toString(), " of ", tensor.dim(),
          " dimensions, expected a plain tensor of at most ", kMostDimensions);
  return {name, type->first, tensor.detach().cpu().resolve_neg().contiguous()};
}

}  // namespace

std::string to_bytes(const ModelFile& file) {
  std::vector<Stored> tensors;
  for (const auto& [name, tensor] : file.tensors) tensors.push_back(stored(name, tensor));
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const Stored& a, const Stored& b) { return a.values.element_size() > b.values.element_size(); });
  std::string header = std::string(kBeforeFormat) + kFormat + '"' + kBeforeSum;
  const std::size_t sum_at = kPrefix + header.size();
  header += std::string(kSum, '0') + '"';
  for (const auto& [key, value] : file.metadata) {
    require(!is_reserved(key), "model file: got metadata \"", key, "\", which every file has of its own");
    header += "," + quoted(key) + ":" + quoted(value, kLargestHeader);
  }
  header += "}";
  std::size_t used = 0;
  for (const auto& [name, dtype, values] : tensors) {
    const auto shape = joined(values.sizes(), ",", [](int64_t length) { return std::to_string(length); });
    header += "," + quoted(name) + ":{\"dtype\":\"" + dtype + "\",\"shape\":[" + shape + "],\"data_offsets\":[" +
              std::to_string(used) + "," + std::to_string(used + values.nbytes()) + "]}";
    used += values.nbytes();
  }
  header += "}";
  header.resize((header.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  require(header.size() <= kLargestHeader, "model file: got a header of ", header.size(), " bytes, expected at most ",
          kLargestHeader);
  std::string bytes;
  bytes.reserve(kPrefix + header.size() + used);
  for (std::size_t i = 0; i < kPrefix; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 255);
  bytes += header;
  for (const auto& tensor : tensors)
    bytes.append(static_cast<const char*>(tensor.values.data_ptr()), tensor.values.nbytes());
  return bytes.replace(sum_at, kSum, sum_of(bytes, sum_at));
}

ModelFile from_bytes(std::string_view bytes, const std::string& name) { return Reader(bytes, name).read(); }

}  // namespace scdcf::io
