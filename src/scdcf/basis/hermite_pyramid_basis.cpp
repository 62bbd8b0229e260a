#include <algorithm>
#include <cmath>

#include "scdcf/basis/spatial_basis.h"
#include "scdcf/core/error.h"

namespace scdcf::basis {
namespace {

/// The Hermite-Gauss functions of every width, one width after the other.
class HermitePyramidFamily final : public Family {
 public:
  HermitePyramidFamily(int orders, double sigma, double ratio, int widths) : orders_(orders) {
    for (int j = 0; j < widths; ++j) widths_.push_back(make_hermite_gauss_family(orders, sigma / std::pow(ratio, j)));
  }
  std::string name() const override { return "hermite-pyramid"; }
  int size() const override { return orders_ * static_cast<int>(widths_.size()); }
  double value(int order, double x) const override { return of(order).value(order % orders_, x); }
  double integral(int order, double lo, double hi) const override {
    return of(order).integral(order % orders_, lo, hi);
  }
  double eigenvalue(int order) const override { return of(order).eigenvalue(order % orders_); }

 private:
  const Family& of(int order) const { return *widths_.at(static_cast<size_t>(order / orders_)); }
  int orders_;
  std::vector<FamilyPtr> widths_;
};

}  // namespace

SpatialBasisPtr make_hermite_pyramid_basis(std::string name, int size, double sigma, double ratio, int max_order) {
  require(size >= 1 && size <= 4096, name, " basis: number of modes K: got ", size, ", expected 1 to 4096");
  require(std::isfinite(ratio) && ratio > 1, name, " basis: ratio: got ", ratio, ", expected more than 1");
  require(max_order >= 0 && max_order < 64, name, " basis: order: got ", max_order, ", expected 0 to 63");
  const int orders = max_order + 1, per_width = orders * (orders + 1) / 2, widths = (size + per_width - 1) / per_width;
  std::vector<SpatialMode> modes;
  for (int j = 0; j < widths; ++j)
    for (int total = 0; total <= max_order; ++total) {
      std::vector<SpatialMode> same;
      for (int column = 0; column <= total; ++column)
        same.push_back({j * orders + column, j * orders + total - column, static_cast<double>(total)});
      // As in make_separable_basis: ties by the larger index, so that a cut treats both axes as alike as it can.
      std::stable_sort(same.begin(), same.end(), [](const auto& p, const auto& q) {
        return std::max(p.column, p.row) < std::max(q.column, q.row);
      });
      modes.insert(modes.end(), same.begin(), same.end());
    }
  modes.resize(static_cast<size_t>(size));
  return make_separable_basis(std::move(name), std::make_shared<HermitePyramidFamily>(orders, sigma, ratio, widths),
                              std::move(modes));
}

}  // namespace scdcf::basis
