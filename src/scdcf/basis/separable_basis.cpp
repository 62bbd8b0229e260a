#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "scdcf/basis/spatial_basis.h"
#include "scdcf/core/error.h"

namespace scdcf::basis {
namespace {

class SeparableBasis final : public SpatialBasis {
 public:
  SeparableBasis(std::string name, FamilyPtr family, std::vector<SpatialMode> modes)
      : SpatialBasis(std::move(modes)), name_(std::move(name)), family_(std::move(family)) {}
  std::string name() const override { return name_; }
  double value(int k, double y, double x) const override {
    return family_->value(mode(k).column, y) * family_->value(mode(k).row, x);
  }
  double integral(int k, double y0, double y1, double x0, double x1) const override {
    return family_->integral(mode(k).column, y0, y1) * family_->integral(mode(k).row, x0, x1);
  }
  const Family* column_family() const override { return family_.get(); }
  const Family* row_family() const override { return family_.get(); }
  bool is_dirichlet() const override { return family_->is_dirichlet(); }

 private:
  std::string name_;
  FamilyPtr family_;
};

}  // namespace

SpatialBasisPtr make_separable_basis(std::string name, FamilyPtr family, int size) {
  require(family != nullptr, name, " basis: family: got null, expected a family of 1-D functions");
  // All products are sorted, so their number must be one that memory holds.
  constexpr int kMostFunctions = 4096;
  require(family->size() >= 1 && family->size() <= kMostFunctions, name, " basis: family ", family->name(), ": got ",
          family->size(), " functions, expected 1 to ", kMostFunctions);
  const int available = family->size() * family->size();
  require(size >= 1 && size <= available, name, " basis: number of modes K: got ", size, ", expected 1 to ", available);
  std::vector<SpatialMode> modes;
  for (int column = 0; column < family->size(); ++column)
    for (int row = 0; row < family->size(); ++row)
      modes.push_back({column, row, family->eigenvalue(column) + family->eigenvalue(row)});
  // Sums such as 1 + 49 and 25 + 25 (times a constant) must compare equal in spite of rounding, or ties would be
  // decided by the last bit.
  double largest = 0;
  for (const auto& mode : modes) largest = std::max(largest, std::abs(mode.eigenvalue));
  const double quantum = largest > 0 ? largest * 1e-10 : 1.0;
  const auto key = [quantum](const SpatialMode& m) {
    return std::make_tuple(std::llround(m.eigenvalue / quantum), std::max(m.column, m.row), m.column);
  };
  std::sort(modes.begin(), modes.end(), [&](const auto& p, const auto& q) { return key(p) < key(q); });
  modes.resize(static_cast<size_t>(size));
  return make_separable_basis(std::move(name), std::move(family), std::move(modes));
}

SpatialBasisPtr make_separable_basis(std::string name, FamilyPtr family, std::vector<SpatialMode> modes) {
  require(family != nullptr, name, " basis: family: got null, expected a family of 1-D functions");
  for (const auto& mode : modes)
    require(std::min(mode.column, mode.row) >= 0 && std::max(mode.column, mode.row) < family->size(), name,
            " basis: mode: got (", mode.column, ", ", mode.row, "), expected indices below ", family->size());
  return std::make_shared<SeparableBasis>(std::move(name), std::move(family), std::move(modes));
}

}  // namespace scdcf::basis
