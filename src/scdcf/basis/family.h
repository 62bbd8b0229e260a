// A family of functions of one variable, the factors of a separable spatial basis.
//
// Every family lives on the reference interval [-1, 1]; a filter that is w pixels wide stretches it by w/2.
// Functions are numbered from 0 and are zero outside [-1, 1].
#pragma once

#include <memory>
#include <string>

namespace scdcf::basis {

class Family {
 public:
  virtual ~Family() = default;
  virtual std::string name() const = 0;
  /// How many functions there are; order runs from 0 to size() - 1.
  virtual int size() const = 0;
  /// The function at x, by its exact formula.
  virtual double value(int order, double x) const = 0;
  /// The integral of the function over [lo, hi], -1 <= lo <= hi <= 1, in closed form.
  virtual double integral(int order, double lo, double hi) const = 0;
  /// What orders the functions from smooth to wiggly; the eigenvalue of a product is the sum of its factors'.
  virtual double eigenvalue(int order) const = 0;
  /// True where the functions are the orthonormal Dirichlet eigenfunctions of eq. (def-fb): only then do the bounds of
  /// Section 4 of the paper apply.
  virtual bool is_dirichlet() const { return false; }
};

using FamilyPtr = std::shared_ptr<const Family>;

/// sin(n pi (x+1)/2), n = 1..size: the Dirichlet eigenfunctions of eq. (def-fb), eigenvalues (n pi/2)^2, orthonormal.
FamilyPtr make_sine_family(int size);

/// He_n(t) exp(-t^2/2), t = x/sigma, n = 0..size-1: derivatives of a Gaussian, as in SESN. sigma is a fraction of the
/// half width, so a filter w pixels wide has sigma*w/2 pixels. Eigenvalue n, that of the operator -f'' - (t f)'.
FamilyPtr make_hermite_gauss_family(int size, double sigma = 0.25);

/// `size` cardinal B-splines of the given degree on equidistant knots, filling [-1, 1] and vanishing at its ends
/// (Bekkers 2020). All are shifts of one function; the eigenvalue is its Rayleigh quotient |f'|^2/|f|^2, or 0 for
/// degree 0.
FamilyPtr make_bspline_family(int size, int degree = 3);

}  // namespace scdcf::basis
