// The 1-D passes: a banded matrix applied along one axis, vectors along channels (or, for thin inputs, along x).
// A tile is R rows of the band by NG groups of NC vectors, where a group is what the stride `group` steps through.

#if SCDCF_VECTOR_BYTES == 64
constexpr int kBandVectors = 6;  // R x 6 = 24 sums, 6 loads
#else
constexpr int kBandVectors = 2;
#endif

template <class T>
struct BandSource {
  const T* data;
  int64_t first;  // the position data points at
  int64_t position, mode, group;
};

template <class T>
struct BandTarget {
  T* data;
  int64_t position, mode, group;
};

template <class T>
using BandKernel = void (*)(const T* coefficients, int64_t length, int64_t modes, const T* source, int64_t position,
                            int64_t mode, int64_t group, T* const* targets, int64_t target_group, bool accumulate);

template <class T, int R, int NC, int NG>
void band_kernel(const T* coefficients, int64_t length, int64_t modes, const T* source, int64_t position, int64_t mode,
                 int64_t group, T* const* targets, int64_t target_group, bool accumulate) {
  Vector<T> sums[R][NG][NC];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
    for (int g = 0; g < NG; ++g) {
#pragma GCC unroll 2
      for (int v = 0; v < NC; ++v) sums[r][g][v] = Vector<T>{};
    }
  }
  for (int64_t m = 0; m < modes; ++m) {
    const T* data = source + m * mode;
    for (int64_t k = 0; k < length; ++k) {
      Vector<T> values[NG][NC];
#pragma GCC unroll 8
      for (int g = 0; g < NG; ++g) {
#pragma GCC unroll 2
        for (int v = 0; v < NC; ++v) values[g][v] = load(data + g * group + v * kLanes<T>);
      }
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        const Vector<T> weight = broadcast(coefficients[r]);
#pragma GCC unroll 8
        for (int g = 0; g < NG; ++g) {
#pragma GCC unroll 2
          for (int v = 0; v < NC; ++v) sums[r][g][v] += weight * values[g][v];
        }
      }
      data += position;
      coefficients += R;
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
    for (int g = 0; g < NG; ++g) {
#pragma GCC unroll 2
      for (int v = 0; v < NC; ++v) {
        T* target = targets[r] + g * target_group + v * kLanes<T>;
        store(target, accumulate ? load(target) + sums[r][g][v] : sums[r][g][v]);
      }
    }
  }
}

/// Index [rows - 1][groups - 1], for groups of one and of two vectors.
template <class T>
struct BandTable {
  BandKernel<T> one[kBandRows][kBandVectors];
  BandKernel<T> two[kBandRows][kBandVectors / 2];
};

template <class T, int R, int NG>
constexpr void fill_band_table(BandTable<T>& table) {
  table.one[R - 1][NG - 1] = band_kernel<T, R, 1, NG>;
  if constexpr (2 * NG <= kBandVectors) table.two[R - 1][NG - 1] = band_kernel<T, R, 2, NG>;
  if constexpr (NG > 1) fill_band_table<T, R, NG - 1>(table);
  if constexpr (NG == kBandVectors && R > 1) fill_band_table<T, R - 1, NG>(table);
}

template <class T>
constexpr BandTable<T> make_band_table() {
  BandTable<T> table{};
  fill_band_table<T, kBandRows, kBandVectors>(table);
  return table;
}

template <class T>
constexpr BandTable<T> kBands = make_band_table<T>();

/// Positions [begin, end) of the band, for `groups` groups of `width` values (one or two vectors).
template <class T>
void apply_band(const BandView<T>& band, int64_t begin, int64_t end, const BandSource<T>& source,
                const BandTarget<T>& target, int64_t groups, int64_t width, bool accumulate) {
  const bool expanding = band.tiles_per_position > 0;
  const int64_t tile_begin = expanding ? begin * band.tiles_per_position : begin / kBandRows;
  const int64_t tile_end = expanding ? end * band.tiles_per_position : ceil_div(end, kBandRows);
  const bool wide = width == 2 * kLanes<T>;
  const int64_t step = wide ? kBandVectors / 2 : kBandVectors;
  // Groups outside: the few positions a group of columns needs stay in the first-level cache for all tiles.
  for (int64_t g = 0; g < groups; g += step) {
    const int64_t count = min_of(step, groups - g);
    for (int64_t t = tile_begin; t < tile_end; ++t) {
      const BandTile& tile = band.tiles[t];
      T* targets[kBandRows];
      for (int32_t r = 0; r < tile.rows; ++r) {
        const int64_t position = tile.position + (expanding ? 0 : r) - begin;
        const int64_t slot = band.slots[expanding ? tile.mode + r : 0];
        targets[r] = target.data + position * target.position + slot * target.mode + g * target.group;
      }
      const T* data = source.data + (tile.first - source.first) * source.position + g * source.group;
      const BandKernel<T> kernel =
          wide ? kBands<T>.two[tile.rows - 1][count - 1] : kBands<T>.one[tile.rows - 1][count - 1];
      kernel(band.coefficients + tile.coefficients, tile.length, band.in_modes, data, source.position, source.mode,
             source.group, targets, target.group, accumulate);
    }
  }
}
