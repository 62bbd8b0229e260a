#include <cmath>

#include "scdcf/basis/family.h"
#include "scdcf/core/error.h"

namespace scdcf::basis {
namespace {

double binomial(int n, int k) {
  double result = 1;
  for (int i = 0; i < k; ++i) result = result * (n - i) / (i + 1);
  return result;
}

/// The cardinal B-spline of degree d with support [0, d+1], as its truncated-power sum. It is even about (d+1)/2; the
/// left half has fewer terms, so less cancellation.
double cardinal(int degree, double x) {
  if (x <= 0 || x >= degree + 1) return degree == 0 && x == 0 ? 1.0 : 0.0;
  if (2 * x > degree + 1 && degree > 0) x = degree + 1 - x;
  double sum = 0, factorial = 1;
  for (int i = 2; i <= degree; ++i) factorial *= i;
  for (int j = 0; j <= x; ++j) sum += (j % 2 == 0 ? 1 : -1) * binomial(degree + 1, j) * std::pow(x - j, degree);
  return sum / factorial;
}

/// The integral of the cardinal B-spline of degree d from 0 to x: a sum of splines one degree higher.
double cardinal_integral(int degree, double x) {
  if (x >= degree + 1) return 1;
  double sum = 0;
  for (int j = 0; j <= x; ++j) sum += cardinal(degree + 1, x - j);
  return sum;
}

class BsplineFamily final : public Family {
 public:
  BsplineFamily(int size, int degree) : size_(size), degree_(degree), spacing_(2.0 / (size + degree)) {}
  std::string name() const override { return "bspline"; }
  int size() const override { return size_; }
  double value(int order, double x) const override {
    return std::abs(x) < 1 ? cardinal(degree_, local(order, x)) : 0.0;
  }
  double integral(int order, double lo, double hi) const override {
    return spacing_ * (primitive(order, hi) - primitive(order, lo));
  }
  double eigenvalue(int) const override {
    if (degree_ == 0) return 0;  // a box has no derivative in L2; all orders are equal anyway
    // Inner products of cardinal splines are values of the spline of twice the degree plus one at the integers.
    const int d = degree_;
    const double square = cardinal(2 * d + 1, d + 1);
    const double slope = 2 * (cardinal(2 * d - 1, d) - cardinal(2 * d - 1, d + 1));
    return slope / square / (spacing_ * spacing_);
  }

 private:
  double local(int order, double x) const { return (x + 1) / spacing_ - order; }
  double primitive(int order, double x) const {
    const double t = local(order, x);
    return t <= 0 ? 0 : cardinal_integral(degree_, t);
  }
  int size_, degree_;
  double spacing_;
};

}  // namespace

FamilyPtr make_bspline_family(int size, int degree) {
  require(size >= 1, "bspline family: size: got ", size, ", expected at least 1");
  require(degree >= 0 && degree <= 7, "bspline family: degree: got ", degree, ", expected 0 to 7");
  return std::make_shared<BsplineFamily>(size, degree);
}

}  // namespace scdcf::basis
