// A basis of your own: write its functions of one variable, register it under a name, and every layer can use it.
// Here cosines, the Neumann eigenfunctions of the interval (the DCT basis), which do not vanish at the filter's edge.
#include <torch/torch.h>

#include <cmath>
#include <iostream>
#include <memory>

#include "scdcf/scdcf.h"

namespace {

/// cos(n pi (x+1)/2), n = 0..size-1, orthonormal on [-1, 1]; eigenvalues (n pi/2)^2.
class CosineFamily final : public scdcf::basis::Family {
 public:
  explicit CosineFamily(int size) : size_(size) {}
  std::string name() const override { return "cosine"; }
  int size() const override { return size_; }
  double value(int n, double x) const override {
    return std::abs(x) < 1 ? norm(n) * std::cos(frequency(n) * (x + 1)) : 0.0;
  }
  double integral(int n, double lo, double hi) const override {
    if (n == 0) return norm(0) * (hi - lo);
    return norm(n) * (std::sin(frequency(n) * (hi + 1)) - std::sin(frequency(n) * (lo + 1))) / frequency(n);
  }
  double eigenvalue(int n) const override { return frequency(n) * frequency(n); }

 private:
  static double frequency(int n) { return n * std::acos(0.0); }
  static double norm(int n) { return n == 0 ? std::sqrt(0.5) : 1.0; }
  int size_;
};

}  // namespace

int main() {
  // `size` functions per axis are always enough for `size` products of smallest eigenvalue.
  scdcf::basis::register_spatial_basis("cosine", [](int size) {
    return scdcf::basis::make_separable_basis("cosine", std::make_shared<CosineFamily>(size), size);
  });

  const scdcf::basis::ScaleGrid grid(4, 0.5, 5.0);
  scdcf::nn::LiftingConv layer(scdcf::nn::LiftingConvOptions(3, 8, grid).basis("cosine").modes(10));
  const auto features = layer->forward(torch::rand({2, 3, 32, 32}));
  std::cout << layer << "\nfeatures " << features.sizes() << '\n';

  // The first cosine is constant: at the finest scale, five pixels wide, its filter of unit norm has 1/5 in every
  // pixel.
  const auto sampled = scdcf::basis::sample_basis(scdcf::basis::make_spatial_basis("cosine", 10), grid);
  const double first = sampled.scales.front().filters.front();
  std::cout << "first pixel of the first filter " << first << '\n';
  return features.sizes() == torch::IntArrayRef({2, 8, 4, 32, 32}) && std::abs(first - 0.2) < 1e-12 ? 0 : 1;
}
