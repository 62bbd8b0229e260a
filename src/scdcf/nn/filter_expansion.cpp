#include "scdcf/nn/filter_expansion.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "scdcf/core/error.h"
#include "scdcf/ops/checks.h"

namespace scdcf::nn {
namespace {

template <class Options>
std::shared_ptr<const ops::FilterBank> make_filters(const char* layer, const ConvOptions<Options>& options) {
  check_channel_options(layer, options);
  return std::make_shared<ops::FilterBank>(
      basis::sample_basis(basis::make_spatial_basis(options.basis(), options.modes()), options.grid(),
                          options.sampling(), options.max_kernel_size()));
}

}  // namespace

FilterExpansion::FilterExpansion(const LiftingConvOptions& options)
    : filters_(make_filters("LiftingConv", options)),
      scale_basis_(basis::make_scale_basis(1, 1)),
      sources_(ops::lifting_sources(options.grid().count())),
      lifting_(true) {}

FilterExpansion::FilterExpansion(const JointConvOptions& options)
    : filters_(make_filters("JointConv", options)),
      scale_basis_(basis::make_scale_basis(options.scale_modes() == 0 ? options.scale_taps() : options.scale_modes(),
                                           options.scale_taps())),
      sources_(
          ops::joint_sources(options.grid().count(), options.scale_taps(), options.support(), options.scale_padding())),
      lifting_(false) {}

at::Tensor FilterExpansion::scale_basis_like(const at::Tensor& tensor) const {
  return filters_->constant(scale_basis_.values, {scale_basis_.count, scale_basis_.taps}, tensor.options());
}

at::Tensor FilterExpansion::scale_weights_like(const at::Tensor& tensor) const {
  return scale_basis_.values == std::vector<double>{1} ? at::Tensor() : scale_basis_like(tensor);
}

void FilterExpansion::check_input(const char* layer, const at::Tensor& input, const at::Tensor& coefficients,
                                  SpatialPadding padding) const {
  ops::check_conv_input(layer, input, coefficients, padding == SpatialPadding::none ? filters_->largest_radius() : 0);
}

double FilterExpansion::initial_deviation(int64_t in_channels) const {
  const auto& finest = filters_->sampled().scales.front();
  const auto area = static_cast<std::ptrdiff_t>(finest.size()) * finest.size();
  double constant_gain = 0;
  for (auto filter = finest.filters.begin(); filter != finest.filters.end(); filter += area) {
    const double sum = std::accumulate(filter, filter + area, 0.0);
    constant_gain += sum * sum;
  }
  double scale_gain = 0;
  for (int m = 0; m < scale_basis_.count; ++m) {
    double sum = 0;
    for (int t = 0; t < scale_basis_.taps; ++t) sum += scale_basis_.value(m, t);
    scale_gain += sum * sum;
  }
  // A basis of band-pass filters does not see a constant; for it the gain for white noise, K unit norms, takes over.
  const double gain = std::max(constant_gain, static_cast<double>(filters_->modes())) * scale_gain;
  return std::sqrt(2.0 / (gain * static_cast<double>(in_channels)));
}

at::Tensor FilterExpansion::paper_coefficients(const at::Tensor& coefficients) const {
  std::vector<double> factors;
  for (int k = 0; k < filters_->modes(); ++k) factors.push_back(filters_->sampled().paper_coefficient(k));
  auto factor = at::tensor(factors, at::kDouble);
  // Our phi are orthonormal as vectors, the paper's as functions of alpha' on [-1, 1].
  if (!lifting_) factor = factor / std::sqrt(scale_basis_.spacing());
  return coefficients.to(at::kDouble) * factor.to(coefficients.device());
}

at::Tensor FilterExpansion::eigenvalues() const {
  std::vector<double> values;
  for (const auto& mode : filters_->sampled().basis->modes()) values.push_back(mode.eigenvalue);
  return at::tensor(values, at::kDouble);
}

std::string describe_filters(const ops::FilterBank& filters) {
  const auto& grid = filters.sampled().grid;
  std::ostringstream text;
  text.precision(4);
  text << grid.count() << (grid.count() == 1 ? " scale" : " scales") << ", widths " << grid.width(0);
  if (grid.count() > 1) text << " .. " << grid.width(grid.count() - 1);
  text << " px, " << filters.sampled().basis->name() << " K=" << filters.modes();
  return text.str();
}

}  // namespace scdcf::nn
