// The matrix products of the form with vectors across images. A pixel's maps are [mode][channel][lane]; one row of a
// register tile is one channel of the result, and the mixing is what is broadcast.

template <class T>
using LaneMixTile = void (*)(const T* weights, const int32_t* modes, int64_t pairs, int64_t channels, const T* in,
                             T* out, bool accumulate);

template <class T, int MR>
void lane_mix_tile(const T* weights, const int32_t* modes, int64_t pairs, int64_t channels, const T* in, T* out,
                   bool accumulate) {
  Sums<T, MR, 1> sums;
  sums.clear();
  for (int64_t p = 0; p < pairs; ++p) {
    sums.add_product(weights, 1, MR, in + modes[p] * channels * kLanes<T>, kLanes<T>, channels);
    weights += MR * channels;
  }
  sums.write(out, kLanes<T>, accumulate);
}

/// Sums over pixels and lanes of left[i] * right[j]; a pixel of each is `step` numbers from the next.
template <class T>
using LaneGramTile = void (*)(const T* left, int64_t left_step, const T* right, int64_t right_step, int64_t pixels,
                              T* sums, int64_t sums_row);

#if SCDCF_VECTOR_BYTES == 64
constexpr int kGramRows = 6, kGramColumns = 4;  // 24 sums
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
  LaneMixTile<T> mix[kMaxRows];
  LaneGramTile<T> gram[kGramRows][kGramColumns];
};

template <class T, int MR>
constexpr void fill_lane_mix(LaneTileTable<T>& table) {
  table.mix[MR - 1] = lane_mix_tile<T, MR>;
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

/// out [mode][channel][lane] (+)= packed mixing * in, of one pixel.
template <class T>
void lane_mix(const MixView& mix, int64_t in_channels, const T* packed, const T* in, T* out, bool accumulate) {
  for (int64_t mode = 0; mode < mix.modes; ++mode) {
    const int32_t* pairs = mix.pair_mode + mix.pair_begin[mode];
    const int64_t count = mix.pair_begin[mode + 1] - mix.pair_begin[mode];
    for_row_tiles(mix.channels, kMaxRows, [&](int64_t first, int64_t rows) {
      kLaneTiles<T>.mix[rows - 1](packed, pairs, count, in_channels, in,
                                  out + (mode * mix.channels + first) * kLanes<T>, accumulate);
      packed += count * in_channels * rows;
    });
  }
}

/// grad[k][c][o] += sum over pixels and lanes of u[b_k, c] * dv[a_k, o]; grad rows are padded_out_channels long.
template <class T>
void lane_gram(const PlanView<T>& plan, const T* u, const T* dv, int64_t pixels, T* grad) {
  const MixView& mix = plan.mix;
  constexpr int64_t lanes = kLanes<T>;
  const int64_t u_step = plan.row_modes * plan.channels * lanes, dv_step = plan.column_modes * mix.channels * lanes;
  for (int64_t a = 0; a < mix.modes; ++a) {
    for (int32_t pair = mix.pair_begin[a]; pair < mix.pair_begin[a + 1]; ++pair) {
      T* target = grad + mix.pair_index[pair] * plan.channels * mix.padded;
      for_row_tiles(plan.channels, kGramRows, [&](int64_t c, int64_t rows) {
        const T* left = u + (mix.pair_mode[pair] * plan.channels + c) * lanes;
        for_row_tiles(mix.channels, kGramColumns, [&](int64_t o, int64_t columns) {
          kLaneTiles<T>.gram[rows - 1][columns - 1](left, u_step, dv + (a * mix.channels + o) * lanes, dv_step, pixels,
                                                    target + c * mix.padded + o, mix.padded);
        });
      });
    }
  }
}
