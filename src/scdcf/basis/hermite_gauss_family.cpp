#include <cmath>

#include "scdcf/basis/family.h"
#include "scdcf/core/error.h"

namespace scdcf::basis {
namespace {

/// He_n(t) exp(-t^2/2) by the three-term recurrence He_{n+1} = t He_n - n He_{n-1}.
double hermite_gauss(int n, double t) {
  double previous = 0, current = std::exp(-t * t / 2);
  for (int i = 0; i < n; ++i) {
    const double next = t * current - i * previous;
    previous = current;
    current = next;
  }
  return current;
}

class HermiteGaussFamily final : public Family {
 public:
  HermiteGaussFamily(int size, double sigma) : size_(size), sigma_(sigma) {}
  std::string name() const override { return "hermite-gauss"; }
  int size() const override { return size_; }
  double value(int order, double x) const override { return std::abs(x) < 1 ? hermite_gauss(order, x / sigma_) : 0.0; }
  double integral(int order, double lo, double hi) const override {
    const double a = lo / sigma_, b = hi / sigma_;
    if (order == 0) {
      constexpr double kSqrtHalfPi = 1.25331413731550025121, kSqrtHalf = 0.70710678118654752440;
      return sigma_ * kSqrtHalfPi * (std::erf(b * kSqrtHalf) - std::erf(a * kSqrtHalf));
    }
    // d/dt He_{n-1} exp(-t^2/2) = -He_n exp(-t^2/2)
    return sigma_ * (hermite_gauss(order - 1, a) - hermite_gauss(order - 1, b));
  }
  double eigenvalue(int order) const override { return order; }

 private:
  int size_;
  double sigma_;
};

}  // namespace

FamilyPtr make_hermite_gauss_family(int size, double sigma) {
  require(size >= 1 && size <= 64, "hermite-gauss family: size: got ", size, ", expected 1 to 64");
  require(sigma > 0 && std::isfinite(sigma), "hermite-gauss family: sigma: got ", sigma,
          ", expected a positive number");
  return std::make_shared<HermiteGaussFamily>(size, sigma);
}

}  // namespace scdcf::basis
