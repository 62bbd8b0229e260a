#include "scdcf/models/scale_options.h"

namespace scdcf::models {

void resolve_scale_set(ModelOptions& options, int scales, double step) {
  if (options.scales == 0) options.scales = scales;
  if (options.scale_step == 0) options.scale_step = step;
}

nn::MultiScaleConvOptions multi_scale_options(const ModelOptions& options, const Kernel& kernel, int64_t in,
                                              int64_t out, int64_t stride) {
  return nn::MultiScaleConvOptions(in, out)
      .kernel_size(kernel.size)
      .scales(options.scales)
      .step(options.scale_step)
      .stride(stride)
      .bias(kernel.bias);
}

}  // namespace scdcf::models
