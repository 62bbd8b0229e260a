#include "scdcf/train/dry_run.h"

#include <ATen/ExpandUtils.h>
#include <torch/library.h>
#include <torch/torch.h>

#include <string>
#include <vector>

#include "scdcf/core/error.h"

namespace scdcf::train {
namespace {

using torch::jit::Stack;

/// Below autograd, so that what the backward pass needs is kept, and above every device. LibTorch reserves the key for
/// this use.
constexpr auto kIntercept = c10::DispatchKey::Fake;
/// An operator without a shape function is computed for one image, if that has at most so many elements.
constexpr int64_t kLargeImage = 1 << 24;

thread_local std::shared_ptr<Heap> current;

/// A storage without memory takes a block of the heap for as long as it lives.
struct Block {
  std::shared_ptr<Heap> heap;
  int64_t begin, size;

  static void end(void* block) {
    const std::unique_ptr<Block> ended(static_cast<Block*>(block));
    ended->heap->give_back(ended->begin, ended->size);
  }
  static void follow(const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.is_meta()) return;
    auto* storage = tensor.storage().unsafeGetStorageImpl();
    const auto size = static_cast<int64_t>(storage->nbytes());
    const bool followed = storage->data_ptr().get_deleter() == &Block::end;
    if (size == 0 || (followed && static_cast<Block*>(storage->data_ptr().get_context())->size >= size)) return;
    auto* block = new Block{current, current->take(size), size};
    storage->set_data_ptr(c10::DataPtr(nullptr, block, &Block::end, c10::Device(c10::kMeta)));
  }
};

/// Calls change(tensor) for the tensors of a value, alone or in a list, and stores what it returns.
template <class Change>
void change_tensors(c10::IValue& value, Change&& change) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) value = change(value.toTensor());
  } else if (value.isList()) {
    auto list = value.toList();
    for (size_t i = 0; i < list.size(); ++i) {
      const c10::IValue element = list.get(i);
      if (element.isTensor() && element.toTensor().defined()) list.set(i, change(element.toTensor()));
    }
  }
}

/// One operator call: its arguments, or its results once they are there, are the last values of the stack.
class Call {
 public:
  Call(const c10::OperatorHandle& op, c10::DispatchKeySet keys, Stack& stack)
      : op_(op), schema_(op.schema()), keys_(keys), stack_(stack), first_(stack.size() - schema_.arguments().size()) {}

  void run() {
    if (!is_dry()) return redispatch(keys_ & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kIntercept));
    change([](const at::Tensor& tensor) { return without_values(tensor); });
    if (changes_values())
      stack_.resize(first_ + 1);
    else if (schema_.name() == "aten::convolution")
      give({convolution()});
    else if (schema_.name() == "aten::convolution_backward")
      give(convolution_gradients());
    else if (schema_.name() == "aten::native_batch_norm")
      give({like(0), empty({tensor(0).size(1)}), empty({tensor(0).size(1)})});
    else if (schema_.name() == "aten::native_batch_norm_backward")
      give({like(1), empty({tensor(1).size(1)}), empty({tensor(1).size(1)})});
    else if (has_shape_function())
      redispatch(c10::DispatchKeySet(c10::DispatchKey::Meta));
    else if (writes_output() || largest().numel() / batch_of(largest()) > kLargeImage)
      elementwise();
    else
      on_cpu();
    change([](const at::Tensor& tensor) {
      auto result = without_values(tensor);
      Block::follow(result);
      return result;
    });
  }

 private:
  /// Whether the operator has a kernel for tensors without values. LibTorch 2 has a fallback too, which only refuses.
  bool has_shape_function() const {
    for (const auto key :
         {c10::DispatchKey::Meta, c10::DispatchKey::CompositeExplicitAutograd,
          c10::DispatchKey::CompositeExplicitAutogradNonFunctional, c10::DispatchKey::CompositeImplicitAutograd})
      if (op_.hasKernelForDispatchKey(key)) return true;
    return false;
  }

  /// Whether a tensor has no values, or one is made that needs none: of LibTorch's default type on no particular
  /// device. at::tensor makes tables of other types so, and then writes their values.
  bool is_dry() {
    bool tensors = false, dry = false, table = false;
    change([&](const at::Tensor& tensor) {
      tensors = true;
      dry = dry || tensor.is_meta();
      return tensor;
    });
    for (size_t i = 0; !tensors && i < schema_.arguments().size(); ++i) {
      const auto& name = schema_.arguments()[i].name();
      auto& value = stack_[first_ + i];
      if (name == "dtype") table = !value.isNone() && value.toScalarType() != at::kFloat;
      if (name != "device") continue;
      if (value.isNone() && !table) value = c10::Device(c10::kMeta);
      dry = !value.isNone() && value.toDevice().is_meta();
    }
    return dry;
  }

  template <class Change>
  void change(Change&& change) {
    for (size_t i = first_; i < stack_.size(); ++i) change_tensors(stack_[i], change);
  }

  static at::Tensor without_values(const at::Tensor& tensor) {
    if (tensor.is_meta() || tensor.unsafeGetTensorImpl()->is_wrapped_number()) return tensor;
    return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kMeta));
  }

  bool writes() const {
    const auto* alias = schema_.returns().empty() ? nullptr : schema_.returns().front().alias_info();
    return alias != nullptr && alias->isWrite();
  }
  bool writes_output() const { return writes() && schema_.arguments().back().is_out(); }
  /// add_ and its like, of which nothing remains to be done: shapes stay as they are.
  bool changes_values() const {
    const auto& name = schema_.name();
    return writes() && !writes_output() && !op_.hasTag(at::Tag::inplace_view) && name != "aten::resize_" &&
           name.rfind("aten::set_", 0) != 0;
  }

  at::Tensor tensor(size_t argument) const { return stack_[first_ + argument].toTensor(); }
  at::Tensor like(size_t argument) const { return at::empty_like(tensor(argument)); }
  at::Tensor empty(at::IntArrayRef sizes) const { return at::empty(sizes, tensor(0).options()); }

  at::Tensor convolution() const {
    const auto input = tensor(0), weight = tensor(1);
    const bool transposed = stack_[first_ + 6].toBool();
    const auto option = [&](size_t argument, int64_t axis) {  // one number for all axes, or one for each
      const auto values = stack_[first_ + argument].toIntVector();
      return values[values.size() == 1 ? 0 : static_cast<size_t>(axis)];
    };
    std::vector<int64_t> sizes = {input.size(0),
                                  transposed ? weight.size(1) * stack_[first_ + 8].toInt() : weight.size(0)};
    for (int64_t axis = 0; axis + 2 < input.dim(); ++axis) {
      const int64_t stride = option(3, axis), padding = 2 * option(4, axis), size = input.size(axis + 2);
      const int64_t reach = option(5, axis) * (weight.size(axis + 2) - 1);
      sizes.push_back(transposed ? (size - 1) * stride - padding + reach + option(7, axis) + 1
                                 : (size + padding - reach - 1) / stride + 1);
    }
    return at::empty(sizes, input.options(), input.suggest_memory_format());
  }

  std::vector<at::Tensor> convolution_gradients() const {
    const auto asked = stack_[first_ + 10].toBoolList();
    return {asked[0] ? like(1) : at::Tensor(), asked[1] ? like(2) : at::Tensor(),
            asked[2] ? empty({tensor(0).size(1)}) : at::Tensor()};
  }

  /// The shape to which all arguments broadcast.
  void elementwise() {
    at::DimVector sizes;
    at::Tensor out;
    change([&](const at::Tensor& tensor) {
      out = tensor;  // the last argument, where one is written to
      if (tensor.numel() > 0 && at::are_expandable(sizes, tensor.sizes()))
        sizes = at::infer_size_dimvector(sizes, tensor.sizes());
      return tensor;
    });
    if (writes_output()) return give({out.resize_(sizes)});
    give(std::vector<at::Tensor>(schema_.returns().size(), empty(sizes)));
  }

  /// Computes it for one image of the batch: the first dimension of the largest argument and of those like it.
  void on_cpu() {
    const auto largest = this->largest();
    const int64_t batch = batch_of(largest);
    const auto resized = [](const at::Tensor& tensor, int64_t from, int64_t to, c10::DeviceType device) {
      auto sizes = tensor.sizes().vec();
      if (!sizes.empty() && sizes[0] == from) sizes[0] = to;
      return at::zeros(sizes, tensor.options().device(device));
    };
    change([&](const at::Tensor& tensor) {
      return resized(tensor, tensor.dim() == largest.dim() ? batch : -1, 1, at::kCPU);
    });
    redispatch(c10::DispatchKeySet(c10::DispatchKey::CPU));
    change([&](const at::Tensor& tensor) { return resized(tensor, 1, batch, at::kMeta); });
  }

  static int64_t batch_of(const at::Tensor& tensor) {
    return tensor.dim() > 0 ? std::max<int64_t>(1, tensor.size(0)) : 1;
  }
  at::Tensor largest() {
    at::Tensor largest;
    change([&](const at::Tensor& tensor) {
      if (!largest.defined() || tensor.numel() > largest.numel()) largest = tensor;
      return tensor;
    });
    return largest;
  }

  void redispatch(c10::DispatchKeySet keys) { op_.redispatchBoxed(keys, &stack_); }
  void give(const std::vector<at::Tensor>& results) {
    stack_.resize(first_);
    for (const auto& result : results) stack_.emplace_back(result);
  }

  const c10::OperatorHandle& op_;
  const c10::FunctionSchema& schema_;
  c10::DispatchKeySet keys_;
  Stack& stack_;
  size_t first_;
};

void intercept(const c10::OperatorHandle& op, c10::DispatchKeySet keys, Stack* stack) { Call(op, keys, *stack).run(); }

torch::Library registration() {
  auto library = MAKE_TORCH_LIBRARY_IMPL(_, Fake);
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&intercept>());
  return library;
}

}  // namespace

DryRun::DryRun() : heap_(std::make_shared<Heap>()), intercept_(kIntercept) {
  require(current == nullptr, "DryRun: this thread has one already");
  static const auto registered = registration();  // not when the program starts: it changes the tables of all operators
  current = heap_;
}

DryRun::~DryRun() { current = nullptr; }

}  // namespace scdcf::train
