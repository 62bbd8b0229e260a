// The digits that the figures are drawn from.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "scdcf/figures/figures.h"
#include "scdcf/report/image_grid.h"

namespace scdcf::figures {

/// mnist, fashion or glyphs: what the options name, else mnist where it is found.
std::string digit_source(const FigureOptions& options);

/// The first `count` test images of the source, `side` pixels wide in the middle of a black canvas of `canvas` pixels:
/// [count, 1, canvas, canvas] in [0, 1], on the CPU.
at::Tensor centred_digits(const FigureOptions& options, int64_t count, int side, int64_t canvas);

/// A tensor [H, W] as a map to draw, divided by `unit`.
report::Map map_of(const at::Tensor& tensor, double unit = 1);

}  // namespace scdcf::figures
