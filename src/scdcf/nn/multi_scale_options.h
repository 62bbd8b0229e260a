// Options of the layers that see an image at a set of scales through one ordinary kernel.
#pragma once

#include <cstdint>
#include <vector>

#include "scdcf/nn/options.h"

namespace scdcf::nn {

/// The factors 2^(step (i - count/2)), i = 0 .. count-1 (count/2 rounded down): one of them is 1.
std::vector<double> scale_factors(int count, double step);

///   MultiScaleConvOptions(1, 32).kernel_size(7).scales(7).step(0.579)
class MultiScaleConvOptions : public ChannelOptions<MultiScaleConvOptions> {
  using Self = MultiScaleConvOptions;

 public:
  using ChannelOptions::ChannelOptions;
  std::vector<double> factors() const { return scale_factors(scales(), step()); }

  SCDCF_OPTION(int64_t, kernel_size, 7);  // odd
  SCDCF_OPTION(int, scales, 3);
  SCDCF_OPTION(double, step, 0.5);  // octaves between two scales
};

/// Refuses sizes that make no sense; `layer` names the layer in the message.
void check_multi_scale(const MultiScaleConvOptions& options, const char* layer);

/// "LocalScaleConv(1 -> 32, 7x7, 7 scales 0.579 octaves apart)": for printing a layer.
std::string describe_multi_scale(const MultiScaleConvOptions& options, const char* layer);

}  // namespace scdcf::nn
