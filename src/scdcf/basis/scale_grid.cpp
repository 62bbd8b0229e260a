#include "scdcf/basis/scale_grid.h"

#include <cmath>

#include "scdcf/core/error.h"

namespace scdcf::basis {

namespace {
constexpr double kWidestFilter = 4096;
}

ScaleGrid::ScaleGrid(int count, double step, double finest_width)
    : count_(count), step_(step), finest_width_(finest_width) {
  require(count >= 1 && count <= 1024, "scale grid: count: got ", count, ", expected 1 to 1024 scales");
  require(std::isfinite(step) && step > 0, "scale grid: step: got ", step, ", expected a positive number of octaves");
  require(std::isfinite(finest_width) && finest_width > 0, "scale grid: finest_width: got ", finest_width,
          ", expected a positive number of pixels");
  require(width(count - 1) <= kWidestFilter, "scale grid: the coarsest width is ", width(count - 1),
          " pixels, expected at most ", kWidestFilter);
}

ScaleGrid ScaleGrid::ending_at(int count, double step, double coarsest_width) {
  require(std::isfinite(coarsest_width) && coarsest_width > 0, "scale grid: coarsest_width: got ", coarsest_width,
          ", expected a positive number of pixels");
  return ScaleGrid(count, step, coarsest_width * std::exp2(-(count - 1.0) * step));
}

double ScaleGrid::width(int scale) const { return finest_width_ * std::exp2(scale * step_); }

}  // namespace scdcf::basis
