#include "scdcf/basis/sampled_basis.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scdcf/core/error.h"
#include "scdcf/core/memory.h"

namespace scdcf::basis {
namespace {

/// The part of pixel i, [i - 1/2, i + 1/2], inside the support of `width` pixels, on the reference interval [-1, 1].
std::pair<double, double> pixel_on_reference(int i, double width) {
  const double half = width / 2;
  return {std::clamp((i - 0.5) / half, -1.0, 1.0), std::clamp((i + 0.5) / half, -1.0, 1.0)};
}

double sample(const Family& family, int order, int i, double width, Sampling sampling) {
  if (sampling == Sampling::point) return family.value(order, 2 * i / width);
  const auto [lo, hi] = pixel_on_reference(i, width);
  return width / 2 * family.integral(order, lo, hi);
}

double sample(const SpatialBasis& basis, int k, int y, int x, double width, Sampling sampling) {
  if (sampling == Sampling::point) return basis.value(k, 2 * y / width, 2 * x / width);
  const auto [y0, y1] = pixel_on_reference(y, width);
  const auto [x0, x1] = pixel_on_reference(x, width);
  return y0 < y1 && x0 < x1 ? width * width / 4 * basis.integral(k, y0, y1, x0, x1) : 0.0;
}

/// Where element `column` of row `row` lies in an array with rows of `width` elements.
size_t at(int row, int width, int column = 0) {
  return static_cast<size_t>(row) * static_cast<size_t>(width) + static_cast<size_t>(column);
}

double l2_norm(const double* values, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i] * values[i];
  return std::sqrt(sum);
}

std::vector<double> sample_factors(const Family& family, int count, int radius, double width, Sampling sampling) {
  std::vector<double> factors;
  for (int order = 0; order < count; ++order)
    for (int i = -radius; i <= radius; ++i) factors.push_back(sample(family, order, i, width, sampling));
  return factors;
}

/// The rounding noise of a mode that vanishes on the grid must not be blown up to a unit filter.
void check_norm(double norm, const std::string& what, double width) {
  require(norm > 1e-9 * width, "scale grid: finest_width: got ", width, ", too narrow for ", what,
          ", which vanishes on the pixel grid; widen the filters or use fewer modes");
}

/// Divides every 1-D factor by its norm at the finest scale; the norm of a product is the product of the norms.
void normalise_factors(std::vector<SampledScale>& scales, std::vector<double> SampledScale::*factors, int count,
                       const ScaleGrid& grid, std::vector<double>& norms) {
  const auto& finest = scales.front();
  for (int order = 0; order < count; ++order) {
    norms.push_back(l2_norm(&(finest.*factors)[at(order, finest.size())], finest.size()));
    check_norm(norms.back(), "1-D function " + std::to_string(order), grid.finest_width());
  }
  for (int s = 0; s < grid.count(); ++s) {
    auto& scale = scales[static_cast<size_t>(s)];
    for (int order = 0; order < count; ++order)
      for (int i = 0; i < scale.size(); ++i)
        (scale.*factors)[at(order, scale.size(), i)] *=
            grid.finest_width() / grid.width(s) / norms[static_cast<size_t>(order)];
  }
}

void sample_separable(SampledBasis& result) {
  const auto& basis = *result.basis;
  for (const auto& mode : basis.modes()) {
    result.column_modes = std::max(result.column_modes, mode.column + 1);
    result.row_modes = std::max(result.row_modes, mode.row + 1);
  }
  for (int s = 0; s < result.grid.count(); ++s) {
    auto& scale = result.scales[static_cast<size_t>(s)];
    const double width = result.grid.width(s);
    scale.columns = sample_factors(*basis.column_family(), result.column_modes, scale.radius, width, result.sampling);
    scale.rows = sample_factors(*basis.row_family(), result.row_modes, scale.radius, width, result.sampling);
  }
  std::vector<double> column_norms, row_norms;
  normalise_factors(result.scales, &SampledScale::columns, result.column_modes, result.grid, column_norms);
  normalise_factors(result.scales, &SampledScale::rows, result.row_modes, result.grid, row_norms);
  for (const auto& mode : basis.modes())
    result.norms.push_back(column_norms[static_cast<size_t>(mode.column)] * row_norms[static_cast<size_t>(mode.row)]);
  for (auto& scale : result.scales) {
    const int size = scale.size();
    for (const auto& mode : basis.modes())
      for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x)
          scale.filters.push_back(scale.columns[at(mode.column, size, y)] * scale.rows[at(mode.row, size, x)]);
  }
}

void sample_general(SampledBasis& result) {
  const auto& basis = *result.basis;
  for (int s = 0; s < result.grid.count(); ++s) {
    auto& scale = result.scales[static_cast<size_t>(s)];
    const double width = result.grid.width(s);
    for (int k = 0; k < basis.size(); ++k)
      for (int y = -scale.radius; y <= scale.radius; ++y)
        for (int x = -scale.radius; x <= scale.radius; ++x)
          scale.filters.push_back(sample(basis, k, y, x, width, result.sampling));
  }
  const int area = result.scales.front().size() * result.scales.front().size();
  for (int k = 0; k < basis.size(); ++k) {
    result.norms.push_back(l2_norm(&result.scales.front().filters[at(k, area)], area));
    check_norm(result.norms.back(), "mode " + std::to_string(k), result.grid.finest_width());
  }
  for (int s = 0; s < result.grid.count(); ++s) {
    auto& scale = result.scales[static_cast<size_t>(s)];
    const size_t size = at(scale.size(), scale.size());
    const double shrink = std::pow(result.grid.finest_width() / result.grid.width(s), 2);
    for (size_t i = 0; i < scale.filters.size(); ++i) scale.filters[i] *= shrink / result.norms[i / size];
  }
}

}  // namespace

const char* name_of(Sampling sampling) { return sampling == Sampling::area ? "area" : "point"; }

double SampledBasis::paper_coefficient(int k) const {
  const double half = grid.finest_width() / 2;
  return half * half / norms.at(static_cast<size_t>(k));
}

int radius_for_width(double width) { return std::max(0, static_cast<int>(std::ceil((width - 1) / 2 - 1e-9))); }

SampledBasis sample_basis(SpatialBasisPtr basis, const ScaleGrid& grid, Sampling sampling, int max_size) {
  require(basis != nullptr, "sample_basis: basis: got null");
  require(max_size >= 0, "max_kernel_size: got ", max_size, ", expected an odd number of pixels, or 0 for no limit");
  require(max_size == 0 || max_size % 2 == 1, "max_kernel_size: got ", max_size,
          ", which is even; a filter needs a central pixel, expected an odd number");
  SampledBasis result{std::move(basis), grid, sampling, {}, {}};
  for (int s = 0; s < grid.count(); ++s) {
    SampledScale scale;
    scale.radius = radius_for_width(grid.width(s));
    if (max_size > 0) scale.radius = std::min(scale.radius, (max_size - 1) / 2);
    result.scales.push_back(std::move(scale));
  }
  double bytes = 0;
  for (const auto& scale : result.scales)
    bytes += 1.0 * sizeof(double) * result.basis->size() * scale.size() * scale.size();
  constexpr double kLarge = 1e9;
  require(bytes < kLarge || bytes < static_cast<double>(memory_limit()), "modes: got ", result.basis->size(),
          ", whose filters of up to ", result.scales.back().size(), " x ", result.scales.back().size(), " pixels take ",
          std::lround(bytes / kLarge), " GB in each layer, more memory than the ",
          memory_limit() / static_cast<std::int64_t>(kLarge), " GB available; reduce modes or finest_width");
  if (result.basis->is_separable()) {
    sample_separable(result);
  } else {
    sample_general(result);
  }
  return result;
}

}  // namespace scdcf::basis
