// The layers that `scdcf bench` and the benchmark programs time.
#pragma once

#include <string>
#include <vector>

#include "scdcf/basis/scale_grid.h"

namespace scdcf::bench {

struct LayerCase {
  std::string group, name;
  int64_t batch, in_channels, out_channels, size;
  basis::ScaleGrid grid;
  int modes, taps;
  bool lifting = false;
  double sweep = 0;  // what grows along a group: the filters' size, the number of scales, the channels
};

/// The paper's SMNIST layers at 28 and 56 pixels, the auto-encoder's, a ResNet stage at 96x96, and three sweeps: filter
/// size, number of scales, channels. `batch` images each, fewer for the largest maps.
std::vector<LayerCase> layer_cases(int64_t batch);

/// Layers from all over the range that users have: those of a network for 112x112 pixels and one of a wide network,
/// then what grows with lines, planes, modes, channels (odd ones and those beside a multiple of 16 among them) and
/// taps. Their groups are "rows", "lines", "planes", "modes", "width" and "taps".
std::vector<LayerCase> shape_cases(int64_t batch);

}  // namespace scdcf::bench
