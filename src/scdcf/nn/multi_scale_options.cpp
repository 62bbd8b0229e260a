#include "scdcf/nn/multi_scale_options.h"

#include <cmath>
#include <sstream>

#include "scdcf/core/error.h"

namespace scdcf::nn {

std::vector<double> scale_factors(int count, double step) {
  require(count >= 1 && count <= 64, "scale factors: count: got ", count, ", expected 1 to 64");
  require(std::isfinite(step) && step > 0, "scale factors: step: got ", step,
          ", expected a positive number of octaves");
  std::vector<double> factors;
  const int middle = count / 2;
  for (int i = 0; i < count; ++i) factors.push_back(std::exp2(step * (i - middle)));
  return factors;
}

void check_multi_scale(const MultiScaleConvOptions& options, const char* layer) {
  check_channel_options(layer, options);
  require(options.kernel_size() >= 1 && options.kernel_size() % 2 == 1, layer, ": kernel_size: got ",
          options.kernel_size(), ", expected an odd number");
  scale_factors(options.scales(), options.step());
}

std::string describe_multi_scale(const MultiScaleConvOptions& options, const char* layer) {
  std::ostringstream text;
  text.precision(3);
  text << "scdcf::nn::" << layer << "(" << options.in_channels() << " -> " << options.out_channels() << ", "
       << options.kernel_size() << "x" << options.kernel_size() << ", " << options.scales() << " scales "
       << options.step() << " octaves apart";
  if (options.stride() != 1) text << ", stride " << options.stride();
  text << (options.bias() ? ")" : ", no bias)");
  return text.str();
}

}  // namespace scdcf::nn
