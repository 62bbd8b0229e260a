#include "scdcf/nn/dropout.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <ostream>

#include "scdcf/core/error.h"
#include "scdcf/nn/batch_part.h"

namespace scdcf::nn {

namespace {
thread_local c10::optional<at::Generator> current_generator;

/// True with probability `share`, a byte each. For a part of a batch they are drawn for the whole and the part's are
/// taken: the parts together have the noise of the batch in one piece.
at::Tensor noise_for(const at::Tensor& input, double share) {
  const auto like = at::empty_like(input, input.options().dtype(at::kBool));
  const auto* part = BatchPartScope::current();
  if (part == nullptr || part->count == part->whole || input.size(0) == 0)
    return at::Tensor(like).bernoulli_(share, RandomScope::current());
  const int64_t rows = like.size(0), per_image = (rows + part->count - 1) / part->count;
  auto sizes = like.sizes().vec(), strides = like.strides().vec();
  sizes[0] = part->whole * per_image;
  strides[0] = like.numel() / rows;  // images one behind the other, each laid out as here
  const auto whole = at::empty_strided(sizes, strides, like.options()).bernoulli_(share, RandomScope::current());
  return whole.narrow(0, part->first * per_image, rows);
}

/// `scale` times what is kept, one pass each way: torch's own derivative of dropout, which is linear.
struct KeepScaled : torch::autograd::Function<KeepScaled> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& input, const at::Tensor& kept,
                            double scale) {
    context->save_for_backward({kept});
    context->saved_data["scale"] = scale;
    return at::native_dropout_backward(input, kept, scale);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    const auto kept = context->get_saved_variables()[0];
    return {at::native_dropout_backward(grads[0], kept, context->saved_data["scale"].toDouble()), {}, {}};
  }
};

}  // namespace

RandomScope::RandomScope(at::Generator generator) : outer_(current_generator) {
  current_generator = std::move(generator);
}

RandomScope::~RandomScope() { current_generator = outer_; }

c10::optional<at::Generator> RandomScope::current() { return current_generator; }

DropoutImpl::DropoutImpl(double p) : p(p) { require(p >= 0 && p < 1, "Dropout: p: got ", p, ", expected 0 <= p < 1"); }

void DropoutImpl::pretty_print(std::ostream& stream) const { stream << "Dropout(" << p << ")"; }

torch::Tensor DropoutImpl::forward(const torch::Tensor& input) {
  if (!is_training() || p == 0) return input;
  return KeepScaled::apply(input, noise_for(input, 1 - p), 1 / (1 - p));
}

}  // namespace scdcf::nn
