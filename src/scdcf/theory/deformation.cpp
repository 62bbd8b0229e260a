#include "scdcf/theory/deformation.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "scdcf/core/error.h"
#include "scdcf/theory/interpolation.h"

namespace scdcf::theory {
namespace {

struct Wave {
  double ky, kx, phase, ay, ax;  // (ay, ax) sin(ky y + kx x + phase)
};

std::vector<Wave> random_waves(uint64_t seed, double wavelength) {
  constexpr int kWaves = 12;
  constexpr double kTwoPi = 6.28318530717958647692;
  std::mt19937_64 engine(seed);
  // The engine is the same everywhere, the distributions of the standard library are not.
  const auto uniform = [&engine] { return static_cast<double>(engine() >> 11) * 0x1.0p-53; };
  std::vector<Wave> waves;
  for (int i = 0; i < kWaves; ++i) {
    const double number = kTwoPi / (wavelength * (1 + 2 * uniform())), direction = kTwoPi * uniform();
    const double swing = kTwoPi * uniform(), strength = 0.5 + uniform();
    waves.push_back({number * std::sin(direction), number * std::cos(direction), kTwoPi * uniform(),
                     strength * std::sin(swing), strength * std::cos(swing)});
  }
  return waves;
}

struct FieldAt {
  double y, x, norm;  // tau and the operator norm of its Jacobian
};

FieldAt evaluate(const std::vector<Wave>& waves, double y, double x) {
  double ty = 0, tx = 0, yy = 0, yx = 0, xy = 0, xx = 0;
  for (const auto& wave : waves) {
    const double phase = wave.ky * y + wave.kx * x + wave.phase, s = std::sin(phase), c = std::cos(phase);
    ty += wave.ay * s;
    tx += wave.ax * s;
    yy += wave.ay * wave.ky * c;
    yx += wave.ay * wave.kx * c;
    xy += wave.ax * wave.ky * c;
    xx += wave.ax * wave.kx * c;
  }
  const double squares = yy * yy + yx * yx + xy * xy + xx * xx, determinant = yy * xx - yx * xy;
  const double gap = std::sqrt(std::max(0.0, squares * squares / 4 - determinant * determinant));
  return {ty, tx, std::sqrt(squares / 2 + gap)};
}

}  // namespace

Deformation random_deformation(int64_t height, int64_t width, double gradient_sup, uint64_t seed, double wavelength) {
  require(height >= 1 && width >= 1, "deformation: got a grid of ", height, " x ", width, ", expected at least 1 x 1");
  require(std::isfinite(gradient_sup) && gradient_sup >= 0 && gradient_sup < 1, "deformation: |grad tau|: got ",
          gradient_sup, ", expected at least 0 and below 1, or the map would fold");
  require(std::isfinite(wavelength) && wavelength >= 2, "deformation: wavelength: got ", wavelength,
          ", expected at least 2 pixels");
  const auto waves = random_waves(seed, wavelength);
  std::vector<double> ty, tx;
  double norm = 0, length = 0;
  // Half-pixel steps: the suprema are over the plane, not over pixel centres.
  for (int64_t i = 0; i < 2 * height; ++i)
    for (int64_t j = 0; j < 2 * width; ++j) {
      const auto field = evaluate(waves, static_cast<double>(i) / 2, static_cast<double>(j) / 2);
      norm = std::max(norm, field.norm);
      length = std::max(length, std::hypot(field.y, field.x));
      if (i % 2 == 0 && j % 2 == 0) {
        ty.push_back(field.y);
        tx.push_back(field.x);
      }
    }
  const double factor = gradient_sup / norm;
  ty.insert(ty.end(), tx.begin(), tx.end());
  return {at::tensor(ty, at::kDouble).view({2, height, width}) * factor, gradient_sup, length * factor};
}

at::Tensor deform(const at::Tensor& input, const Deformation& deformation) {
  require(input.dim() == 4 || input.dim() == 5, "deform: input: got shape ", input.sizes(),
          ", expected [N, C, H, W] or [N, C, S, H, W]");
  const int64_t height = input.size(-2), width = input.size(-1);
  require(deformation.tau.size(1) == height && deformation.tau.size(2) == width, "deform: input: got ", height, " x ",
          width, " pixels, expected the field's ", deformation.tau.size(1), " x ", deformation.tau.size(2));
  const auto field = deformation.tau.contiguous();
  const auto* displacement = field.data_ptr<double>();
  const auto pixels = static_cast<size_t>(height * width);
  // For each of the 4 x 4 samples around a source point: which pixel, and with what weight (zero beyond the border).
  std::array<std::vector<int64_t>, 16> index;
  std::array<std::vector<double>, 16> weight;
  for (auto& list : index) list.resize(pixels);
  for (auto& list : weight) list.resize(pixels);
  for (size_t i = 0; i < pixels; ++i) {
    const int64_t line = static_cast<int64_t>(i) / width, place = static_cast<int64_t>(i) % width;
    const double y = static_cast<double>(line) - displacement[i];
    const double x = static_cast<double>(place) - displacement[pixels + i];
    const double top = std::floor(y), left = std::floor(x);
    const auto wy = interpolation_weights(y - top, Interpolation::bicubic);
    const auto wx = interpolation_weights(x - left, Interpolation::bicubic);
    for (size_t j = 0; j < 16; ++j) {
      const auto row = static_cast<int64_t>(top) - 1 + static_cast<int64_t>(j / 4);
      const auto column = static_cast<int64_t>(left) - 1 + static_cast<int64_t>(j % 4);
      const bool inside = row >= 0 && row < height && column >= 0 && column < width;
      index[j][i] = inside ? row * width + column : 0;
      weight[j][i] = inside ? wy[j / 4] * wx[j % 4] : 0.0;
    }
  }
  const auto maps = input.flatten(-2);
  at::Tensor moved;
  for (size_t j = 0; j < 16; ++j) {
    const auto part = maps.index_select(-1, at::tensor(index[j], at::kLong).to(input.device())) *
                      at::tensor(weight[j], at::kDouble).to(input.device(), input.scalar_type());
    moved = moved.defined() ? moved + part : part;
  }
  return moved.view(input.sizes());
}

}  // namespace scdcf::theory
