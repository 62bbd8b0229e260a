#include "scdcf/train/pickle.h"

#include <torch/torch.h>

#include <cstring>
#include <memory>
#include <vector>

#include "scdcf/core/error.h"
#include "scdcf/files/text.h"
#include "scdcf/files/zip.h"

namespace scdcf::train {
namespace {

/// What a pickle's stack holds. Copies are cheap: a pickle may ask for as many as it has letters.
struct PickleValue {
  enum Kind { number, text, global, storage, tensor, tuple, dict, mark } kind = number;
  int64_t integer = 0;
  std::string_view letters = {};                               ///< of a text; "module\nname" of a global
  torch::Tensor values = {};                                   ///< of a tensor; one-dimensional of a storage
  std::shared_ptr<const std::vector<PickleValue>> items = {};  ///< of a tuple; key, value, key, ... of a dict
  int depth = 0;
};
using PickleValues = std::vector<PickleValue>;

/// The opcodes (of Python's pickletools) that torch writes for dicts of texts and of tensors.
class PickleReader {
 public:
  PickleReader(std::string_view archive, const std::string& name) : name_(name) {
    entries_ = files::zip_entries(archive, name);
    constexpr std::string_view kPickle = "/data.pkl";
    for (const auto& [path, bytes] : entries_)
      if (path.size() > kPickle.size() && path.substr(path.size() - kPickle.size()) == kPickle) {
        root_ = path.substr(0, path.size() - kPickle.size());
        code_ = bytes;
      }
  }

  PickleValue read() {
    while (true) {
      const char opcode = take(1)[0];
      if (opcode == '.') return pop();
      step(opcode);
    }
  }

 private:
  void expect(bool holds, const char* what) const { require(holds, name_, ": got a damaged pickle: ", what); }

  void step(char opcode) {
    switch (opcode) {
      case '\x80':
        take(1);
        break;  // PROTO
      case '}':
        push_items(PickleValue::dict, {});
        break;  // EMPTY_DICT
      case ')':
        push_items(PickleValue::tuple, {});
        break;  // EMPTY_TUPLE
      case '(':
        push({PickleValue::mark});
        break;  // MARK
      case 't':
        push_items(PickleValue::tuple, pop_to_mark());
        break;  // TUPLE
      case '\x85':
        push_items(PickleValue::tuple, pop_last(1));
        break;  // TUPLE1
      case '\x86':
        push_items(PickleValue::tuple, pop_last(2));
        break;  // TUPLE2
      case '\x87':
        push_items(PickleValue::tuple, pop_last(3));
        break;  // TUPLE3
      case '\x88':
        push({PickleValue::number, 1});
        break;  // NEWTRUE
      case '\x89':
        push({PickleValue::number, 0});
        break;  // NEWFALSE
      case 'K':
        push({PickleValue::number, integer(1)});
        break;  // BININT1
      case 'M':
        push({PickleValue::number, integer(2)});
        break;  // BININT2
      case 'J':
        push({PickleValue::number, static_cast<int32_t>(integer(4))});
        break;  // BININT
      case '\x8a':
        push({PickleValue::number, long_integer()});
        break;  // LONG1
      case 'X':
        push({PickleValue::text, 0, take(integer(4))});
        break;  // BINUNICODE
      case 'c':
        push({PickleValue::global, 0, two_lines()});
        break;  // GLOBAL
      case 'q':
        memo_[integer(1)] = top();
        break;  // BINPUT
      case 'r':
        memo_[integer(4)] = top();
        break;  // LONG_BINPUT
      case 'h':
        push(remembered(integer(1)));
        break;  // BINGET
      case 'j':
        push(remembered(integer(4)));
        break;  // LONG_BINGET
      case 'Q':
        push(storage_of(pop()));
        break;  // BINPERSID
      case 'R':
        reduce();
        break;  // REDUCE
      case 'u':
        set_items();
        break;  // SETITEMS
      default:
        expect(false, "an opcode that no checkpoint has");
    }
  }

  std::string_view take(int64_t count) {
    expect(count >= 0 && static_cast<size_t>(count) <= code_.size() - at_, "it ends too soon");
    at_ += static_cast<size_t>(count);
    return code_.substr(at_ - static_cast<size_t>(count), static_cast<size_t>(count));
  }
  /// The lowest byte first.
  int64_t integer(int64_t bytes) {
    int64_t value = 0, shift = 0;
    for (const char byte : take(bytes)) {
      value |= static_cast<int64_t>(static_cast<uint8_t>(byte)) << shift;
      shift += 8;
    }
    return value;
  }
  int64_t long_integer() {
    expect(integer(1) == 8, "a number of another size than torch writes");
    int64_t value = 0;
    std::memcpy(&value, take(8).data(), 8);
    return value;
  }
  std::string_view two_lines() {
    const auto end = code_.find('\n', std::min(code_.find('\n', at_), code_.size() - 1) + 1);
    expect(end != std::string_view::npos, "it ends too soon");
    const auto text = take(static_cast<int64_t>(end - at_ + 1));
    return text.substr(0, text.size() - 1);
  }

  void push(PickleValue value) { stack_.push_back(std::move(value)); }
  const PickleValue& top() const {
    expect(!stack_.empty(), "its stack is empty");
    return stack_.back();
  }
  PickleValue pop() {
    auto value = top();
    stack_.pop_back();
    return value;
  }
  PickleValues pop_last(size_t count) {
    expect(stack_.size() >= count, "its stack is empty");
    PickleValues last(stack_.end() - static_cast<int64_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return last;
  }
  PickleValues pop_to_mark() {
    size_t count = 0;
    while (count < stack_.size() && stack_[stack_.size() - 1 - count].kind != PickleValue::mark) ++count;
    auto items = pop_last(count);
    pop_last(1);  // the mark
    return items;
  }
  void push_items(PickleValue::Kind kind, PickleValues items) {
    PickleValue value{kind};
    for (const auto& item : items) value.depth = std::max(value.depth, item.depth + 1);
    expect(value.depth <= 8, "it is nested too deep");  // values are taken apart by recursion
    value.items = std::make_shared<const PickleValues>(std::move(items));
    push(std::move(value));
  }
  const PickleValue& remembered(int64_t place) const {
    const auto found = memo_.find(place);
    expect(found != memo_.end(), "it refers to what it has not said");
    return found->second;
  }
  /// A new dict, never a change to the old one, which may be part of something else.
  void set_items() {
    auto added = pop_to_mark();
    const auto to = pop();
    expect(to.kind == PickleValue::dict && to.items->empty() && added.size() % 2 == 0,
           "it puts something into what is no empty dict");
    push_items(PickleValue::dict, std::move(added));
  }

  const PickleValues& items_of(const PickleValue& value, PickleValue::Kind kind, size_t least) const {
    expect(value.kind == kind && value.items->size() >= least,
           "it calls something with other arguments than torch does");
    return *value.items;
  }
  std::vector<int64_t> integers_of(const PickleValue& value) const {
    std::vector<int64_t> integers;
    for (const auto& item : items_of(value, PickleValue::tuple, 0)) {
      expect(item.kind == PickleValue::number && item.integer >= 0, "a size that is no number");
      integers.push_back(item.integer);
    }
    expect(integers.size() <= 16, "a tensor of too many dimensions");
    return integers;
  }

  /// ("storage", type, record, device, number of elements): no more elements than the record has bytes for.
  PickleValue storage_of(const PickleValue& id) {
    const auto& about = items_of(id, PickleValue::tuple, 5);
    static const std::map<std::string_view, torch::ScalarType> types = {
        {"torch\nFloatStorage", torch::kFloat}, {"torch\nDoubleStorage", torch::kDouble},
        {"torch\nHalfStorage", torch::kHalf},   {"torch\nBFloat16Storage", torch::kBFloat16},
        {"torch\nLongStorage", torch::kLong},   {"torch\nIntStorage", torch::kInt},
        {"torch\nShortStorage", torch::kShort}, {"torch\nCharStorage", torch::kChar},
        {"torch\nByteStorage", torch::kByte},   {"torch\nBoolStorage", torch::kBool}};
    const auto type = types.find(about[1].letters);
    const auto record = entries_.find(root_ + "/data/" + std::string(about[2].letters));
    expect(type != types.end() && record != entries_.end() && about[4].kind == PickleValue::number,
           "a tensor without a record or of an unknown type");
    const auto count = about[4].integer, size = static_cast<int64_t>(torch::elementSize(type->second));
    const auto bytes = static_cast<int64_t>(record->second.size());
    require(count >= 0 && count <= bytes / size, name_, ": the record of a tensor: got ", bytes, " bytes, expected ",
            count, " elements of ", size);
    auto& whole = records_[record->first];  // one copy, however many tensors look into it
    if (!whole.defined()) {
      whole = torch::empty({bytes}, torch::kByte);
      if (bytes > 0) std::memcpy(whole.data_ptr(), record->second.data(), record->second.size());
    }
    const auto used = whole.narrow(0, 0, count * size);
    return {PickleValue::storage, 0, "", type->second == torch::kBool ? used.ne(0) : used.view(type->second)};
  }

  /// (storage, offset, sizes, strides, ...): every element within the storage, and no more of them than it has.
  PickleValue tensor_of(const PickleValues& arguments) const {
    expect(arguments[0].kind == PickleValue::storage && arguments[1].kind == PickleValue::number,
           "a tensor of nothing");
    const auto& storage = arguments[0].values;
    const auto offset = arguments[1].integer;
    const auto sizes = integers_of(arguments[2]), strides = integers_of(arguments[3]);
    const auto limit = storage.numel();
    bool fits = sizes.size() == strides.size() && offset >= 0 && offset <= limit;
    int64_t count = 1, last = offset;
    for (size_t i = 0; fits && i < sizes.size(); ++i) {
      fits = sizes[i] <= limit && strides[i] <= limit;
      if (sizes[i] == 0) count = 0;
      if (!fits || count == 0) continue;
      fits = sizes[i] <= limit / count && (strides[i] == 0 || sizes[i] - 1 <= (limit - last) / strides[i]);
      count *= sizes[i];
      if (fits) last += (sizes[i] - 1) * strides[i];
    }
    require(fits && (count == 0 || last < limit), name_, ": a tensor of sizes ", c10::IntArrayRef(sizes), ", strides ",
            c10::IntArrayRef(strides), " and offset ", offset, " does not fit into its ", limit, " elements");
    if (count == 0) return {PickleValue::tensor, 0, "", torch::empty(sizes, storage.options())};
    return {PickleValue::tensor, 0, "", storage.as_strided(sizes, strides, offset)};
  }

  void reduce() {
    const auto arguments = pop(), function = pop();
    const auto name = function.letters;
    expect(function.kind == PickleValue::global, "it calls what is no function");
    if (name == "torch._utils\n_rebuild_tensor_v2")
      push(tensor_of(items_of(arguments, PickleValue::tuple, 4)));
    else if (name == "collections\nOrderedDict")
      push_items(PickleValue::dict, {});
    else if (name == "torch.jit._pickle\nrestore_type_tag")
      push(items_of(arguments, PickleValue::tuple, 1)[0]);
    else
      expect(false, "it calls a function that no checkpoint calls");
  }

  const std::string& name_;
  std::map<std::string, std::string_view> entries_;
  std::string root_;
  std::string_view code_;
  size_t at_ = 0;
  PickleValues stack_;
  std::map<int64_t, PickleValue> memo_;
  std::map<std::string, torch::Tensor> records_;
};

}  // namespace

Pickled unpickle(std::string_view archive, const std::string& name) {
  const auto value = PickleReader(archive, name).read();
  require(value.kind == PickleValue::dict, name, ": got a pickle of something else, expected a dict");
  Pickled result;
  for (size_t i = 0; i < value.items->size(); i += 2) {
    const std::string key((*value.items)[i].letters);
    const auto& item = (*value.items)[i + 1];
    if (item.kind == PickleValue::text) result.texts[key] = item.letters;
    if (item.kind != PickleValue::dict) continue;
    auto& table = result.tensors[key];
    for (size_t j = 0; j < item.items->size(); j += 2) {
      const auto& tensor = (*item.items)[j + 1];
      require(tensor.kind == PickleValue::tensor, name, ": got \"", files::shown(key),
              "\" of something else, expected tensors");
      table[std::string((*item.items)[j].letters)] = tensor.values;
    }
  }
  return result;
}

}  // namespace scdcf::train
