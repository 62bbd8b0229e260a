// The 1-D passes: a banded matrix applied along one axis, vectors along channels (or, for thin inputs, along x).
// A tile is R rows of the band by NG groups of NC vectors, where a group is what the stride `group` steps through.

// Vectors of a tile: for several rows each vector is loaded once for all of them; one row (a sum over modes) has no
// such reuse, and more vectors hide the latency instead.
#if SCDCF_VECTOR_BYTES == 64
constexpr int kBandVectors = 6;  // kBandRows x 6 = 24 sums, 6 loads
constexpr int kLoneVectors = 12;
#else
constexpr int kBandVectors = 2;
constexpr int kLoneVectors = 8;
#endif
constexpr int band_vectors(int rows) { return rows == 1 ? kLoneVectors : kBandVectors; }

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
  constexpr int kVectors = NG * NC;
  Vector<T> sums[R * kVectors] = {};
  for (int64_t m = 0; m < modes; ++m) {
    const T* data = source + m * mode;
    for (int64_t k = 0; k < length; ++k) {
      Vector<T> values[kVectors];
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) values[v] = load(data + v / NC * group + v % NC * kLanes<T>);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        const Vector<T> weight = broadcast(coefficients[r]);
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) sums[r * kVectors + v] += weight * values[v];
      }
      data += position;
      coefficients += R;
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) {
      T* target = targets[r] + v / NC * target_group + v % NC * kLanes<T>;
      store(target, accumulate ? load(target) + sums[r * kVectors + v] : sums[r * kVectors + v]);
    }
  }
}

/// Index [rows - 1][groups - 1], for groups of one and of two vectors.
template <class T>
struct BandTable {
  BandKernel<T> one[kBandRows][kLoneVectors];
  BandKernel<T> two[kBandRows][kLoneVectors / 2];
};

template <class T, int R, int NG>
constexpr void fill_band_table(BandTable<T>& table) {
  table.one[R - 1][NG - 1] = band_kernel<T, R, 1, NG>;
  if constexpr (2 * NG <= band_vectors(R)) table.two[R - 1][NG - 1] = band_kernel<T, R, 2, NG>;
  if constexpr (NG > 1) fill_band_table<T, R, NG - 1>(table);
  if constexpr (NG == band_vectors(R) && R > 1) fill_band_table<T, R - 1, band_vectors(R - 1)>(table);
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
  const bool wide = width == 2 * kLanes<T>;
  const int64_t most = band_vectors(band.out_modes) / (wide ? 2 : 1), parts = ceil_div(groups, most);
  // Groups outside: the few positions a group of columns needs stay in the first-level cache for all tiles.
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t g = groups * part / parts, count = groups * (part + 1) / parts - g;
    for (int64_t t = begin * band.tiles_per_position; t < end * band.tiles_per_position; ++t) {
      const BandTile& tile = band.tiles[t];
      T* targets[kBandRows];
      for (int32_t r = 0; r < tile.rows; ++r) {
        targets[r] = target.data + (tile.position - begin) * target.position + band.slots[tile.mode + r] * target.mode +
                     g * target.group;
      }
      const T* data = source.data + (tile.first - source.first) * source.position + g * source.group;
      const BandKernel<T> kernel =
          wide ? kBands<T>.two[tile.rows - 1][count - 1] : kBands<T>.one[tile.rows - 1][count - 1];
      kernel(band.coefficients + tile.coefficients, tile.length, band.in_modes, data, source.position, source.mode,
             source.group, targets, target.group, accumulate);
    }
  }
}
