// Problems to test and to time.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "reference.h"

namespace cuda_kernels {

struct Shape {
  int batch = 2, planes = 3, scales = 3, taps = 2, in = 4, out = 5, height = 7, width = 6, stride = 1;
  PadMode padding = PadMode::zero;
  int columns = 2, rows = 2, dropped = 0;  // modes: all pairs but the last `dropped`
  double width0 = 3, octave = 0.5;         // filter widths width0 * 2^(s * octave)
  bool sum_of_squares = false;             // keep pairs with a^2 + b^2 <= 25 instead
};

/// Scale s reads planes max(0, s - taps + 1) .. s (clamped to the planes there are); equal planes are merged into a
/// mixing of their own, as the layers do.
inline SeparableProblem make_problem(const Shape& q) {
  SeparableProblem p;
  p.batch = q.batch, p.planes = q.planes, p.in_channels = q.in, p.out_channels = q.out;
  p.in_height = q.height, p.in_width = q.width, p.stride = q.stride, p.padding = q.padding;
  p.column_modes = q.columns, p.row_modes = q.rows;
  for (int a = 0; a < q.columns; ++a)
    for (int b = 0; b < q.rows; ++b)
      if (!q.sum_of_squares || (a + 1) * (a + 1) + (b + 1) * (b + 1) <= 25) p.modes.push_back({a, b});
  for (int i = 0; i < q.dropped && p.modes.size() > 1; ++i) p.modes.pop_back();
  int offset = 0, largest = 0;
  for (int s = 0; s < q.scales; ++s) {
    const int radius = int(std::ceil((q.width0 * std::pow(2.0, s * q.octave) - 1) / 2 - 1e-9));
    largest = std::max(largest, radius);
    const int begin = int(p.sources.size()), low = s - q.taps + 1;
    const int merged = std::max(0, -low) + 1;  // taps on plane 0 when low <= 0
    for (int plane = std::max(0, low); plane <= s; ++plane) {
      const int real = std::min(plane, q.planes - 1);
      const int mixing = plane == 0 && merged > 1 ? q.taps + merged - 2 : s - plane;
      p.sources.push_back({real, mixing});
      p.mixings = std::max<int64_t>(p.mixings, mixing + 1);
    }
    const int taps_n = 2 * radius + 1;
    p.scales.push_back({radius, offset, offset + q.columns * taps_n, begin, int(p.sources.size())});
    offset += (q.columns + q.rows) * taps_n;
  }
  p.factor_count = offset;
  const bool none = q.padding == PadMode::none;
  p.origin = none ? largest : 0;
  p.out_height = none ? (q.height - 2 * largest + q.stride - 1) / q.stride : (q.height + q.stride - 1) / q.stride;
  p.out_width = none ? (q.width - 2 * largest + q.stride - 1) / q.stride : (q.width + q.stride - 1) / q.stride;
  return p;
}

/// A convolution and the pooling behind it.
struct Layer {
  std::string name;
  Shape shape;
  int window, padding;
};

/// The layers of the SMNIST networks, images of `size` pixels.
inline std::vector<Layer> layers(int size) {
  Shape lift;
  lift.batch = 128, lift.planes = 1, lift.scales = 5, lift.taps = 1, lift.in = 1, lift.out = 32,
  lift.height = lift.width = size;
  lift.columns = lift.rows = 4, lift.sum_of_squares = true, lift.width0 = size == 28 ? 5 : 10, lift.octave = 0.25;
  Shape second = lift, third;
  second.planes = 5, second.taps = 3, second.in = 32, second.out = 64, second.height = second.width = size / 2;
  third = second;
  third.in = 64, third.out = 96, third.height = third.width = size / 4;
  const std::string tag = std::to_string(size) + "/";
  return {{tag + "1 lift 1>32", lift, 2, 0}, {tag + "2 32>64", second, 2, 0}, {tag + "3 64>96", third, size / 7, 2}};
}

/// Layers beyond the paper's networks: nine planes, filters of 6 to 24 pixels.
inline std::vector<Layer> wide_layers() {
  const auto make = [](const char* name, int lines, int in, int out, int factors, int dropped, int taps) {
    Shape s;
    s.batch = 128, s.planes = in == 1 ? 1 : 9, s.scales = 9, s.taps = taps, s.in = in, s.out = out;
    s.height = s.width = lines, s.columns = s.rows = factors, s.dropped = dropped, s.width0 = 6, s.octave = 0.25;
    return Layer{name, s, 2, 0};
  };
  return {make("112 1>16 K8", 112, 1, 16, 3, 1, 1),     make("56 16>32 K8", 56, 16, 32, 3, 1, 1),
          make("28 32>48 K8", 28, 32, 48, 3, 1, 1),     make("28 48>128 K20", 28, 48, 128, 5, 5, 1),
          make("56 64>96 K15 t3", 56, 64, 96, 4, 1, 3), make("14 256>256 K8", 14, 256, 256, 3, 1, 1)};
}

/// What is timed: both networks, and layers beyond.
inline std::vector<Layer> all_layers() {
  auto all = layers(28);
  for (const Layer& layer : layers(56)) all.push_back(layer);
  for (const Layer& layer : wide_layers()) all.push_back(layer);
  return all;
}

inline std::vector<Shape> test_shapes(bool small, int random_count) {
  std::vector<Shape> list;
  const auto add = [&](auto change) {
    Shape s;
    change(s);
    list.push_back(s);
  };
  add([](Shape&) {});
  add([](Shape& s) { s.padding = PadMode::replicate, s.in = 3, s.out = 6, s.dropped = 1; });
  add([](Shape& s) {
    s.planes = 1, s.taps = 1, s.in = 1, s.out = 10, s.columns = s.rows = 4, s.sum_of_squares = true, s.height = 9;
  });
  add([](Shape& s) {
    s.in = 32, s.out = 32, s.height = s.width = 7, s.columns = s.rows = 4, s.sum_of_squares = true, s.width0 = 5;
  });
  add([](Shape& s) {
    s.batch = 1, s.planes = s.scales = 2, s.in = 32, s.out = 64, s.height = s.width = 14, s.columns = s.rows = 4,
    s.sum_of_squares = true, s.width0 = 5;
  });
  add([](Shape& s) {  // three groups of consumers, more than four modes of a kind, strides and lines that do not fit
    s.batch = 1, s.planes = s.scales = 2, s.in = 36, s.out = 96, s.height = 13, s.width = 11, s.stride = 2,
    s.columns = 5, s.rows = 6, s.dropped = 3, s.width0 = 4;
  });
  if (small) return list;
  add([](Shape& s) {
    s.batch = 1, s.planes = s.scales = 2, s.in = 32, s.out = 64, s.height = s.width = 28, s.columns = s.rows = 4,
    s.sum_of_squares = true, s.width0 = 14;
  });
  add([](Shape& s) {
    s.batch = 1, s.planes = s.scales = 2, s.in = s.out = 32, s.height = 28, s.width = 17, s.columns = s.rows = 3,
    s.width0 = 14;
  });
  add([](Shape& s) { s.batch = 3, s.in = 32, s.out = 64, s.height = s.width = 7, s.columns = s.rows = 4; });
  add([](Shape& s) { s.stride = 2, s.height = 9, s.width = 8, s.in = 5, s.out = 7; });
  add([](Shape& s) { s.stride = 2, s.padding = PadMode::replicate, s.in = 17, s.out = 3; });
  add([](Shape& s) { s.padding = PadMode::none, s.height = 12, s.width = 13, s.in = 8, s.out = 16; });
  add([](Shape& s) { s.padding = PadMode::none, s.stride = 2, s.height = 12, s.width = 13; });
  add([](Shape& s) { s.height = s.width = 1, s.in = 16, s.out = 24; });
  add([](Shape& s) { s.height = s.width = 1, s.padding = PadMode::replicate, s.width0 = 9, s.in = 6; });
  add([](Shape& s) { s.height = 3, s.width = 4, s.padding = PadMode::replicate, s.width0 = 15, s.in = 12, s.out = 9; });
  add([](Shape& s) { s.height = 3, s.width = 4, s.width0 = 15, s.in = 12, s.out = 9, s.stride = 2; });
  add([](Shape& s) { s.batch = 0; });
  add([](Shape& s) {
    s.batch = 3, s.in = 63, s.out = 95, s.height = s.width = 5, s.columns = s.rows = 3, s.dropped = 1;
  });
  add([](Shape& s) {
    s.batch = 5, s.in = 64, s.out = 96, s.height = s.width = 7, s.columns = s.rows = 4, s.sum_of_squares = true,
    s.scales = 2;
  });
  add([](Shape& s) {
    s.batch = 1, s.in = 32, s.out = 64, s.height = s.width = 14, s.columns = s.rows = 4, s.sum_of_squares = true,
    s.width0 = 5;
  });
  add([](Shape& s) {
    s.batch = 1, s.scales = 2, s.in = 20, s.out = 40, s.height = s.width = 28, s.columns = s.rows = 4, s.width0 = 10;
  });
  add([](Shape& s) { s.batch = 1, s.height = 130, s.width = 5, s.in = 5, s.out = 6; });
  add([](Shape& s) { s.batch = 1, s.height = 6, s.width = 130, s.in = 5, s.out = 6, s.padding = PadMode::replicate; });
  add([](Shape& s) { s.batch = 1, s.planes = 1, s.taps = 1, s.in = 3, s.height = 130, s.width = 11, s.out = 33; });
  add([](Shape& s) {
    s.planes = 1, s.taps = 1, s.in = 2, s.stride = 2, s.padding = PadMode::replicate, s.columns = 5, s.rows = 3,
    s.out = 70;
  });
  add([](Shape& s) { s.columns = 9, s.rows = 2, s.height = s.width = 4; });  // too many factors for chained kernels
  add([](Shape& s) { s.columns = 1, s.rows = 7, s.in = 130, s.out = 10, s.height = 3; });
  add([](Shape& s) { s.columns = 8, s.rows = 8, s.in = 9, s.out = 11, s.batch = 1, s.scales = 1; });
  add([](Shape& s) {  // several tiles along both sides, replicated borders in the first and the last
    s.batch = 1, s.planes = s.scales = s.taps = 1, s.in = 3, s.out = 2, s.height = 150, s.width = 140, s.width0 = 25,
    s.padding = PadMode::replicate;
  });
  add([](Shape& s) {
    s.batch = 1, s.planes = s.scales = s.taps = 1, s.in = 37, s.out = 2, s.height = 61, s.width = 57, s.width0 = 17,
    s.stride = 2, s.columns = 5, s.rows = 1;
  });
#ifndef SCDCF_EMULATE
  for (Layer layer : layers(28)) {
    layer.shape.batch = 1;
    list.push_back(layer.shape);
  }
#endif
  std::mt19937 g(7);
  const auto pick = [&](int low, int high) { return low + int(g() % unsigned(high - low + 1)); };
  for (int i = 0; i < random_count; ++i)
    add([&](Shape& s) {
      s.batch = pick(1, 5), s.planes = pick(1, 4), s.scales = pick(1, 4), s.taps = pick(1, 3),
      s.in = pick(1, i % 5 == 4 ? 90 : 40), s.out = pick(1, 70);
      s.height = pick(1, 16), s.width = pick(1, 16), s.stride = pick(1, 2), s.columns = pick(1, 5), s.rows = pick(1, 5);
      s.dropped = pick(0, 3), s.width0 = pick(1, 7), s.padding = pick(0, 1) ? PadMode::replicate : PadMode::zero;
      if (i % 8 == 7) s.padding = PadMode::none, s.width0 = 3, s.height += 10, s.width += 10;
    });
  return list;
}

/// Multiplications of the reference, all three steps, roughly.
inline double reference_work(const SeparableProblem& p) {
  double pixels = 0;
  for (const auto& e : p.scales)
    pixels += double(e.source_end - e.source_begin) * p.in_height * p.out_width *
              (4.0 * (2 * e.radius + 1) + 3.0 * p.out_channels);
  return pixels * p.batch * p.modes.size() * p.in_channels;
}

/// Shapes from all that the kernels take: 4 to 256 lines, 1 to 512 channels, up to 8 factors of a kind and 64 modes, up
/// to 5 taps and 32 planes, both strides and paddings. What would take the reference too long is made smaller, one size
/// after the other.
inline std::vector<Shape> sweep_shapes(int count, unsigned seed, double most_work) {
  std::mt19937 g(seed);
  const auto pick = [&](int low, int high) { return low + int(g() % unsigned(high - low + 1)); };
  const auto spread = [&](double low, double high) {  // as many below as above the geometric mean
    return int(std::lround(low * std::pow(high / low, g() / double(g.max()))));
  };
  std::vector<Shape> list;
  while (int(list.size()) < count) {
    Shape s;
    s.batch = spread(1, 8), s.planes = spread(1, 32), s.scales = s.planes, s.taps = pick(1, 5);
    s.in = spread(1, 512), s.out = spread(1, 512), s.height = spread(4, 256), s.width = spread(4, 256);
    s.stride = pick(1, 2), s.padding = pick(0, 1) ? PadMode::replicate : PadMode::zero;
    s.columns = pick(1, 8), s.rows = pick(1, 8), s.dropped = pick(0, s.columns * s.rows / 2);
    s.width0 = pick(1, 12), s.octave = s.scales > 8 ? 0.0625 : 0.25;
    for (int turn = pick(0, 6); reference_work(make_problem(s)) > most_work; ++turn) {
      int* const sizes[] = {&s.batch, &s.scales, &s.in, &s.out, &s.height, &s.width, &s.columns};
      int& size = *sizes[turn % 7];
      size = std::max(turn % 7 == 4 || turn % 7 == 5 ? 4 : 1, size * 2 / 3);
      s.planes = s.scales;
    }
    s.out = std::max(s.out, 16 / s.in);  // one sum over all pixels alone may nearly vanish, and its digits with it
    list.push_back(s);
  }
  return list;
}

}  // namespace cuda_kernels
