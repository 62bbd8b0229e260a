#include <cmath>

#include "scdcf/basis/family.h"
#include "scdcf/core/error.h"

namespace scdcf::basis {
namespace {

constexpr double kHalfPi = 1.57079632679489661923;

class SineFamily final : public Family {
 public:
  explicit SineFamily(int size) : size_(size) {}
  std::string name() const override { return "sine"; }
  int size() const override { return size_; }
  double value(int order, double x) const override {
    return std::abs(x) < 1 ? std::sin(frequency(order) * (x + 1)) : 0.0;
  }
  double integral(int order, double lo, double hi) const override {
    // (cos p - cos q)/f written as a product of sines: no cancellation over narrow pixels.
    const double f = frequency(order);
    return 2 / f * std::sin(f * (lo + hi + 2) / 2) * std::sin(f * (hi - lo) / 2);
  }
  double eigenvalue(int order) const override { return frequency(order) * frequency(order); }
  bool is_dirichlet() const override { return true; }

 private:
  static double frequency(int order) { return kHalfPi * (order + 1); }
  int size_;
};

}  // namespace

FamilyPtr make_sine_family(int size) {
  require(size >= 1, "sine family: size: got ", size, ", expected at least 1");
  return std::make_shared<SineFamily>(size);
}

}  // namespace scdcf::basis
