// The matrix products of the form with vectors across images. Maps are [mode][pixel][channel][lane]; one row of a
// register tile is one channel of the result, and the mixing is what is broadcast, to several pixels at a time.

/// Maps of one side of a product: `pixels` between two modes.
template <class T>
struct LaneMaps {
  T* data;
  int64_t pixels, channels;

  int64_t pixel() const { return channels * kLanes<T>; }
  T* at(int64_t mode, int64_t p) const { return data + (mode * pixels + p) * pixel(); }
};

/// NR pixels from `first` on, channels [row, row + MR) of one output mode; modes are those of `in` it pairs with.
template <class T>
using LaneMixTile = void (*)(const T* weights, const int32_t* modes, int64_t pairs, const LaneMaps<const T>& in,
                             int64_t first, T* out, int64_t out_pixel, bool accumulate);

template <class T, int MR, int NR>
void lane_mix_tile(const T* weights, const int32_t* modes, int64_t pairs, const LaneMaps<const T>& in, int64_t first,
                   T* out, int64_t out_pixel, bool accumulate) {
  Sums<T, MR, NR> sums;
  sums.clear();
  const int64_t channels = in.channels, pixel = channels * kLanes<T>;
  for (int64_t p = 0; p < pairs; ++p) {
    const T* data = in.data + (modes[p] * in.pixels + first) * pixel;
    sums.add_product(weights, 1, MR, data, kLanes<T>, channels, pixel);
    weights += MR * channels;
  }
  sums.write(out, kLanes<T>, accumulate, out_pixel);
}

/// Sums over pixels and lanes of left[i] * right[j]; a pixel of each is `step` numbers from the next.
template <class T>
using LaneGramTile = void (*)(const T* left, int64_t left_step, const T* right, int64_t right_step, int64_t pixels,
                              T* sums, int64_t sums_row);

#if SCDCF_VECTOR_BYTES == 64
constexpr int kGramRows = 6, kGramColumns = 4;
#else
constexpr int kGramRows = 3, kGramColumns = 3;
#endif

/// rows[0][l] = the sum over all lanes of rows[l].
template <class T, int H>
SCDCF_INLINE void sum_lanes(Vector<T>* rows) {
#pragma GCC unroll 16
  for (int i = 0; i < H; ++i) {
    swap_blocks<T, H>(rows[i], rows[i + H], std::make_integer_sequence<int, kLanes<T>>());
    rows[i] += rows[i + H];
  }
  if constexpr (H > 1) sum_lanes<T, H / 2>(rows);
}

template <class T, int MR, int NR>
void lane_gram_tile(const T* left, int64_t left_step, const T* right, int64_t right_step, int64_t pixels, T* sums,
                    int64_t sums_row) {
  constexpr int kCount = MR * NR, kBatches = (kCount + kLanes<T> - 1) / kLanes<T>;
  Vector<T> value[kBatches * kLanes<T>] = {};
  for (int64_t p = 0; p < pixels; ++p) {
    Vector<T> columns[NR];
#pragma GCC unroll 8
    for (int j = 0; j < NR; ++j) columns[j] = load(right + j * kLanes<T>);
#pragma GCC unroll 8
    for (int i = 0; i < MR; ++i) {
      const Vector<T> row = load(left + i * kLanes<T>);
#pragma GCC unroll 8
      for (int j = 0; j < NR; ++j) value[i * NR + j] += row * columns[j];
    }
    left += left_step;
    right += right_step;
  }
  T totals[kBatches * kLanes<T>];
  for (int batch = 0; batch < kBatches; ++batch) {
    sum_lanes<T, kLanes<T> / 2>(value + batch * kLanes<T>);
    store(totals + batch * kLanes<T>, value[batch * kLanes<T>]);
  }
  for (int i = 0; i < MR; ++i) {
    for (int j = 0; j < NR; ++j) sums[i * sums_row + j] += totals[i * NR + j];
  }
}

/// Index [rows - 1], for the gradient also [columns - 1].
template <class T>
struct LaneTileTable {
  LaneMixTile<T> mix[3][kMaxRows];  // 1, 2 and 4 pixels, the last for few rows only
  LaneGramTile<T> gram[kGramRows][kGramColumns];
};

template <class T, int MR>
constexpr void fill_lane_mix(LaneTileTable<T>& table) {
  table.mix[0][MR - 1] = lane_mix_tile<T, MR, 1>;
  table.mix[1][MR - 1] = lane_mix_tile<T, MR, 2>;
  if constexpr (MR <= kMaxRows / 2) table.mix[2][MR - 1] = lane_mix_tile<T, MR, 4>;
  if constexpr (MR > 1) fill_lane_mix<T, MR - 1>(table);
}

template <class T, int MR, int NR>
constexpr void fill_lane_gram(LaneTileTable<T>& table) {
  table.gram[MR - 1][NR - 1] = lane_gram_tile<T, MR, NR>;
  if constexpr (NR > 1) fill_lane_gram<T, MR, NR - 1>(table);
  if constexpr (NR == kGramColumns && MR > 1) fill_lane_gram<T, MR - 1, NR>(table);
}

template <class T>
constexpr LaneTileTable<T> make_lane_tile_table() {
  LaneTileTable<T> table{};
  fill_lane_mix<T, kMaxRows>(table);
  fill_lane_gram<T, kGramRows, kGramColumns>(table);
  return table;
}

template <class T>
constexpr LaneTileTable<T> kLaneTiles = make_lane_tile_table<T>();

/// Per output mode and tile of rows [depth][rows], in the order in which lane_mix reads it.
template <class T, class Value>
void pack_lanes(const MixView& mix, int64_t in_channels, const Value& value, T* packed) {
  for (int64_t mode = 0; mode < mix.modes; ++mode) {
    for_row_tiles(mix.channels, kMaxRows, [&](int64_t first, int64_t rows) {
      for (int32_t pair = mix.pair_begin[mode]; pair < mix.pair_begin[mode + 1]; ++pair) {
        for (int64_t in = 0; in < in_channels; ++in) {
          for (int64_t i = 0; i < rows; ++i) *packed++ = value(mix.pair_index[pair], in, first + i);
        }
      }
    });
  }
}

/// out (+)= packed mixing * in, for pixels [0, count) of `in` and the same number of `out` from out_first on.
template <class T>
void lane_mix(const MixView& mix, const T* packed, const LaneMaps<const T>& in, const LaneMaps<T>& out,
              int64_t out_first, int64_t count, bool accumulate) {
  for (int64_t mode = 0; mode < mix.modes; ++mode) {
    const int32_t* pairs = mix.pair_mode + mix.pair_begin[mode];
    const int64_t pair_count = mix.pair_begin[mode + 1] - mix.pair_begin[mode];
    for_row_tiles(out.channels, kMaxRows, [&](int64_t row, int64_t rows) {
      for (int64_t p = 0; p < count;) {
        const int size = count - p >= 4 && rows <= kMaxRows / 2 ? 2 : count - p >= 2 ? 1 : 0;
        kLaneTiles<T>.mix[size][rows - 1](packed, pairs, pair_count, in, p,
                                          out.at(mode, out_first + p) + row * kLanes<T>, out.pixel(), accumulate);
        p += int64_t{1} << size;
      }
      packed += pair_count * in.channels * rows;
    });
  }
}

/// grad[k][c][o] += sum over pixels and lanes of u[b_k, c] * dv[a_k, o]; grad rows are `padded` long.
template <class T>
void lane_gram(const MixView& mix, const LaneMaps<T>& u, const LaneMaps<T>& dv, int64_t pixels, T* grad) {
  // Tall tiles spare loads, square ones a little of the sums over lanes: what counts when few pixels fit the cache.
  const int64_t rows_at_once = u.channels <= 4 * kGramRows ? kGramRows : kGramColumns;
  for (int64_t a = 0; a < mix.modes; ++a) {
    for (int32_t pair = mix.pair_begin[a]; pair < mix.pair_begin[a + 1]; ++pair) {
      T* target = grad + mix.pair_index[pair] * u.channels * mix.padded;
      for_row_tiles(u.channels, rows_at_once, [&](int64_t c, int64_t rows) {
        for_row_tiles(dv.channels, kGramColumns, [&](int64_t o, int64_t columns) {
          kLaneTiles<T>.gram[rows - 1][columns - 1](u.at(mix.pair_mode[pair], 0) + c * kLanes<T>, u.pixel(),
                                                    dv.at(a, 0) + o * kLanes<T>, dv.pixel(), pixels,
                                                    target + c * mix.padded + o, mix.padded);
        });
      });
    }
  }
}
