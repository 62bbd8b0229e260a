// SEVF, scale equivariance with vector fields (Marcos et al. 2018): of eight sizes of its input each filter keeps the
// strongest response and, as the angle of a vector, the size where it occurred.
#include "scdcf/models/built_in.h"
#include "scdcf/models/scale_options.h"
#include "scdcf/models/skeleton.h"
#include "scdcf/nn/vector_field.h"

namespace scdcf::models {
namespace {

Convolutions vector_convolutions(const ModelOptions& options, const Kernel& kernel) {
  const auto make = [=](bool field_input) {
    return [=](int64_t in, int64_t out, int64_t stride) {
      return torch::nn::Sequential(
          nn::VectorFieldConv(multi_scale_options(options, kernel, in, out, stride), field_input));
    };
  };
  const auto pixels = static_cast<double>(kernel.size * kernel.size);
  return {make(false), make(true), pixels, 2 * pixels};  // a kernel for each component
}

}  // namespace

ModelEntry sevf_entry() {
  return skeleton_entry({"sevf",
                         "Marcos et al. 2018",
                         "translations; local scalings turn the vectors of every layer",
                         Maps::vectors,
                         {"scales", "scale_step"},
                         [](ModelOptions& options) { resolve_scale_set(options, 8, 1.0 / 3); },  // 1.26^-4 .. 1.26^3
                         vector_convolutions},
                        {23, 45, 68});
}

}  // namespace scdcf::models
