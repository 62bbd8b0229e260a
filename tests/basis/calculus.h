// Integrals and derivatives by numbers, for the tests of functions on a line.
#pragma once

#include <cmath>
#include <functional>

namespace scdcf::testing {

/// Composite three-point Gauss rule; exact for piecewise quintics whose pieces end at multiples of 2/cells.
inline double gauss(const std::function<double(double)>& f, double lo, double hi, int cells = 1200) {
  const double step = (hi - lo) / cells, offset = std::sqrt(0.6) / 2 * step;
  double sum = 0;
  for (int i = 0; i < cells; ++i) {
    const double x = lo + (i + 0.5) * step;
    sum += step / 18 * (5 * f(x - offset) + 8 * f(x) + 5 * f(x + offset));
  }
  return sum;
}

inline double second_derivative(const std::function<double(double)>& f, double x, double h) {
  return (-f(x + 2 * h) + 16 * f(x + h) - 30 * f(x) + 16 * f(x - h) - f(x - 2 * h)) / (12 * h * h);
}

}  // namespace scdcf::testing
