// Spatial bases psi_k on [-1, 1]^2 (eq. def-fb), in the order of their eigenvalues mu_k.
//
//   auto basis = scdcf::basis::make_spatial_basis("sine", 15);  // psi_1 .. psi_15, exactly a^2 + b^2 <= 25
//   basis->mode(0).eigenvalue;                                  // mu_1 = pi^2/2
//   basis->value(0, y, x);                                      // psi_1(y, x)
//
// A basis is chosen by name. Programs add their own with register_spatial_basis; examples/custom_basis.cpp shows it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scdcf/basis/family.h"

namespace scdcf::basis {

/// psi_k = column(y) * row(x) where the basis is separable; for others the two indices only name the mode.
struct SpatialMode {
  int column;
  int row;
  double eigenvalue;
};

class SpatialBasis {
 public:
  virtual ~SpatialBasis() = default;
  virtual std::string name() const = 0;
  /// psi_k at a point; zero outside [-1, 1]^2.
  virtual double value(int k, double y, double x) const = 0;
  /// The integral of psi_k over the rectangle [y0, y1] x [x0, x1].
  virtual double integral(int k, double y0, double y1, double x0, double x1) const = 0;
  /// The 1-D factors (column along y, row along x) where psi_k = column(y) row(x), else null: such a basis has the fast
  /// path.
  virtual const Family* column_family() const { return nullptr; }
  virtual const Family* row_family() const { return nullptr; }
  /// True for orthonormal Dirichlet eigenfunctions, to which the stability theory of Section 4 applies.
  virtual bool is_dirichlet() const { return false; }

  bool is_separable() const { return column_family() != nullptr; }
  int size() const { return static_cast<int>(modes_.size()); }
  const SpatialMode& mode(int k) const { return modes_.at(static_cast<size_t>(k)); }
  const std::vector<SpatialMode>& modes() const { return modes_; }

 protected:
  explicit SpatialBasis(std::vector<SpatialMode> modes) : modes_(std::move(modes)) {}

 private:
  std::vector<SpatialMode> modes_;
};

using SpatialBasisPtr = std::shared_ptr<const SpatialBasis>;

/// The first `size` products of a family with itself: by eigenvalue, ties by the larger index, then by the column's.
/// The order only depends on eigenvalues, so K cuts the low frequencies first (Section 3.2).
SpatialBasisPtr make_separable_basis(std::string name, FamilyPtr family, int size);
/// Chosen products of a family with itself, in this order.
SpatialBasisPtr make_separable_basis(std::string name, FamilyPtr family, std::vector<SpatialMode> modes);

/// Hermite-Gauss products of total order <= max_order at sigma, then at sigma/ratio, sigma/ratio^2, ... until there are
/// `size` of them, as in SESN (Sosnovik et al. 2020); sigma is a fraction of the half width.
SpatialBasisPtr make_hermite_pyramid_basis(std::string name, int size, double sigma, double ratio = 1.5,
                                           int max_order = 4);

/// The Dirichlet eigenfunctions of the unit disk, J_m(j_mq r) times cos or sin of m theta (the Fourier-Bessel basis of
/// the remark after eq. def-fb). Not separable. Needs Boost.Math; without it an Error says so.
SpatialBasisPtr make_fourier_bessel_basis(int size);

/// Log-radial harmonics on the unit disk (Ghosh and Gupta 2019): the real and the imaginary part of
///   r^-1 exp(-(phi - phi_j)^2 / (2 sigma^2)) exp(i n log r),  n = 1/2, 1, 2,  size/6 angles phi_j, sigma half their
/// distance. Steerable in scale: enlarging a function multiplies its complex coefficient by a number. Not separable.
SpatialBasisPtr make_log_radial_basis(int size);

/// Makes a basis of `size` modes. The factory is called with size >= 1 and may throw Error when it has not that many.
using SpatialBasisFactory = std::function<SpatialBasisPtr(int size)>;

/// Adds a name for make_spatial_basis and for the `basis` option of every layer. A name can be taken only once.
void register_spatial_basis(const std::string& name, SpatialBasisFactory factory);

/// Built in: "sine" (the paper's), "hermite-gauss" (total order, sigma = width/8), "bspline" (cubic), "fourier-bessel",
/// "log-radial" (K a multiple of 6), and SESN's for images of 28, 56 and 96 pixels: "sesn-28", "sesn-56" (Hermite
/// pyramids) and "sesn-96" (orders 0 to 2 along each axis, K <= 9).
SpatialBasisPtr make_spatial_basis(const std::string& name, int size);

std::vector<std::string> spatial_basis_names();

}  // namespace scdcf::basis
