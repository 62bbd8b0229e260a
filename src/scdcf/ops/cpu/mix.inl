// The matrix products between blocked maps, and the packing of their constant operand.

/// Packs mixing [K][C][O] so that the product streams it: per output mode and panel [depth][width], depth running over
/// (paired mode, input channel). `value(k, in, out)` reads the matrix in the direction wanted.
template <class T, class Value>
void pack_mixing(const MixView& mix, int64_t in_channels, const Value& value, T* packed) {
  for (int64_t mode = 0; mode < mix.modes; ++mode) {
    const int64_t depth = mix.depth_begin[mode + 1] - mix.depth_begin[mode];
    for (int64_t begin = 0; begin < mix.padded; begin += 2 * kLanes<T>) {
      const int64_t width = panel_width<T>(mix.padded, begin), real = min_of(width, mix.channels - begin);
      T* target = packed + mix.depth_begin[mode] * mix.padded + begin * depth;
      for (int32_t pair = mix.pair_begin[mode]; pair < mix.pair_begin[mode + 1]; ++pair) {
        const int64_t k = mix.pair_index[pair];
        for (int64_t in = 0; in < in_channels; ++in) {
          for (int64_t out = 0; out < real; ++out) target[out] = value(k, in, begin + out);
          for (int64_t out = real; out < width; ++out) target[out] = T(0);
          target += width;
        }
      }
    }
  }
}

template <class T>
void pack_forward(const PlanView<T>& plan, const T* mixing, T* packed, const Runner& runner) {
  const int64_t size = plan.modes * plan.channels;
  run_tasks(runner, plan.mixings, [&](int64_t, int64_t m) {
    const T* source = mixing + m * size * plan.out_channels;
    pack_mixing(
        plan.mix, plan.channels,
        [&](int64_t k, int64_t in, int64_t out) { return source[(k * plan.channels + in) * plan.out_channels + out]; },
        packed + m * size * plan.padded_out_channels);
  });
}

template <class T>
void pack_adjoint(const PlanView<T>& plan, const T* mixing, T* packed, const Runner& runner) {
  const int64_t size = plan.modes * plan.out_channels;
  run_tasks(runner, plan.mixings, [&](int64_t, int64_t m) {
    const T* source = mixing + m * size * plan.channels;
    pack_mixing(
        plan.adjoint_mix, plan.out_channels,
        [&](int64_t k, int64_t in, int64_t out) { return source[(k * plan.channels + out) * plan.out_channels + in]; },
        packed + m * size * plan.padded_channels);
  });
}

/// out blocks (+)= in blocks * packed, for all output modes and panels of a tile of `pixels` pixels. The reduction goes
/// in parts whose share of the packed operand stays in the first-level cache while the rows of `in` stream by.
template <class T>
void mix_blocks(const MixView& mix, const T* in, const T* packed, T* out, int64_t pixels, bool accumulate) {
  constexpr int64_t kPartDepth = 20 * 1024 / (2 * SCDCF_VECTOR_BYTES);
  for (int64_t mode = 0; mode < mix.modes; ++mode) {
    const int64_t depth = mix.depth_begin[mode + 1] - mix.depth_begin[mode];
    const Segment* segments = mix.segments + mix.segment_begin[mode];
    const int64_t count = mix.segment_begin[mode + 1] - mix.segment_begin[mode];
    const int64_t parts = max_of(min_of(ceil_div(depth, kPartDepth), count), 1);
    for (int64_t begin = 0; begin < mix.padded; begin += 2 * kLanes<T>) {
      const int64_t width = panel_width<T>(mix.padded, begin);
      const T* right = packed + mix.depth_begin[mode] * mix.padded + begin * depth;
      T* target = out + (mode * mix.padded + begin) * pixels;
      const MixTile<T>* tiles = kTiles<T>.mix[width / kLanes<T> - 1];
      for (int64_t part = 0; part < parts; ++part) {
        const int64_t first_segment = count * part / parts, last_segment = count * (part + 1) / parts;
        for_row_tiles(pixels, kMaxRows, [&](int64_t first, int64_t rows) {
          tiles[rows - 1](in, pixels, first, segments + first_segment, last_segment - first_segment, right,
                          target + first * width, accumulate || part > 0);
        });
        for (int64_t i = first_segment; i < last_segment; ++i) right += segments[i].length * width;
      }
    }
  }
}

/// grad[k][c][o] += sum over pixels of u[b_k, c] * dv[a_k, o]; grad rows are padded_out_channels long.
template <class T>
void accumulate_gram_part(const PlanView<T>& plan, const T* u, const T* dv, T* grad, int64_t pixels, int64_t part_first,
                          int64_t part_pixels) {
  const MixView& mix = plan.mix;
  for (int64_t a = 0; a < mix.modes; ++a) {
    for (int64_t begin = 0; begin < mix.padded; begin += 2 * kLanes<T>) {
      const int64_t width = panel_width<T>(mix.padded, begin);
      const T* right = dv + (a * mix.padded + begin) * pixels + part_first * width;
      const OuterTile<T>* tiles = kTiles<T>.outer[width / kLanes<T> - 1];
      for (int32_t pair = mix.pair_begin[a]; pair < mix.pair_begin[a + 1]; ++pair) {
        const int64_t b = mix.pair_mode[pair];
        T* target = grad + mix.pair_index[pair] * plan.channels * mix.padded + begin;
        for (int64_t c = 0; c < plan.channels; c += 2 * kLanes<T>) {
          const int64_t left_width = panel_width<T>(plan.padded_channels, c);
          const T* left = u + (b * plan.padded_channels + c) * pixels + part_first * left_width;
          for_row_tiles(min_of(left_width, plan.channels - c), kMaxRows, [&](int64_t first, int64_t rows) {
            tiles[rows - 1](left + first, left_width, right, width, part_pixels, target + (c + first) * mix.padded,
                            mix.padded, true);
          });
        }
      }
    }
  }
}

/// Pixels in parts whose two panels stay in the first-level cache together.
template <class T>
void accumulate_gram(const PlanView<T>& plan, const T* u, const T* dv, T* grad, int64_t pixels) {
  constexpr int64_t kPart = 128;
  const int64_t parts = ceil_div(pixels, kPart);
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t first = pixels * part / parts, last = pixels * (part + 1) / parts;
    accumulate_gram_part(plan, u, dv, grad, pixels, first, last - first);
  }
}
