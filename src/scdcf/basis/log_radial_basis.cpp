#include <array>
#include <cmath>

#include "scdcf/basis/spatial_basis.h"
#include "scdcf/core/error.h"

namespace scdcf::basis {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr std::array<double, 3> kOrders = {0.5, 1, 2};

/// Four Gauss-Legendre nodes a side: an even number, so that none falls on the pole at the centre.
constexpr std::array<double, 4> kNodes = {-0.86113631159405257522, -0.33998104358485626480, 0.33998104358485626480,
                                          0.86113631159405257522};
constexpr std::array<double, 4> kWeights = {0.34785484513745385737, 0.65214515486254614263, 0.65214515486254614263,
                                            0.34785484513745385737};

class LogRadialBasis final : public SpatialBasis {
 public:
  LogRadialBasis(std::vector<SpatialMode> modes, int angles)
      : SpatialBasis(std::move(modes)), spacing_(2 * kPi / angles) {}
  std::string name() const override { return "log-radial"; }
  double value(int k, double y, double x) const override {
    const double r = std::hypot(x, y);
    if (r >= 1 || r == 0) return 0;
    const double away = std::remainder(std::atan2(y, x) - mode(k).column * spacing_, 2 * kPi) / (0.5 * spacing_);
    const double phase = kOrders[static_cast<size_t>(mode(k).row / 2)] * std::log(r);
    return std::exp(-away * away / 2) / r * (mode(k).row % 2 == 0 ? std::cos(phase) : std::sin(phase));
  }
  double integral(int k, double y0, double y1, double x0, double x1) const override {
    double sum = 0;
    for (size_t i = 0; i < kNodes.size(); ++i)
      for (size_t j = 0; j < kNodes.size(); ++j)
        sum += kWeights[i] * kWeights[j] *
               value(k, (y0 + y1) / 2 + (y1 - y0) / 2 * kNodes[i], (x0 + x1) / 2 + (x1 - x0) / 2 * kNodes[j]);
    return sum * (y1 - y0) * (x1 - x0) / 4;
  }

 private:
  double spacing_;
};

}  // namespace

SpatialBasisPtr make_log_radial_basis(int size) {
  require(size >= 6 && size % 6 == 0 && size <= 600, "log-radial basis: number of modes K: got ", size,
          ", expected a multiple of 6 up to 600: three orders, real and imaginary part, times the angles");
  std::vector<SpatialMode> modes;
  for (size_t order = 0; order < kOrders.size(); ++order)
    for (int angle = 0; angle < size / 6; ++angle)
      for (int part = 0; part < 2; ++part)
        modes.push_back({angle, 2 * static_cast<int>(order) + part, kOrders[order] * kOrders[order]});
  return std::make_shared<LogRadialBasis>(std::move(modes), size / 6);
}

}  // namespace scdcf::basis
