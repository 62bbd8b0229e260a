// Register-blocked matrix products. A tile of C is MR rows by NR vectors held in registers; each step of the reduction
// loads NR vectors of B and broadcasts MR values of A.

// 32 registers hold 14 x 2 sums, two vectors of B and a broadcast; 16 registers hold 6 x 2.
#if SCDCF_VECTOR_BYTES == 64
constexpr int kMaxRows = 14;
#else
constexpr int kMaxRows = 6;
#endif

template <class T, int MR, int NR>
struct Sums {
  Vector<T> value[MR][NR];

  SCDCF_INLINE void clear() {
#pragma GCC unroll 16
    for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < NR; ++v) value[i][v] = Vector<T>{};
    }
  }

  /// value += A * B over `depth` steps; A(i, k) = a[i * row + k * step], vector v of B(k) = b[k * b_step + v *
  /// b_vector].
  SCDCF_INLINE void add_product(const T* a, int64_t row, int64_t step, const T* b, int64_t b_step, int64_t depth,
                                int64_t b_vector = kLanes<T>) {
    for (int64_t k = 0; k < depth; ++k) {
      Vector<T> right[NR];
#pragma GCC unroll 4
      for (int v = 0; v < NR; ++v) right[v] = load(b + v * b_vector);
#pragma GCC unroll 16
      for (int i = 0; i < MR; ++i) {
        const Vector<T> left = broadcast(a[i * row]);
#pragma GCC unroll 4
        for (int v = 0; v < NR; ++v) value[i][v] += left * right[v];
      }
      a += step;
      b += b_step;
    }
  }

  SCDCF_INLINE void write(T* c, int64_t c_row, bool accumulate, int64_t c_vector = kLanes<T>) const {
#pragma GCC unroll 16
    for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < NR; ++v) {
        T* target = c + i * c_row + v * c_vector;
        store(target, accumulate ? load(target) + value[i][v] : value[i][v]);
      }
    }
  }
};

/// The tile of C will be read after the product: ask for it now, it may be far away.
template <class T, int MR>
SCDCF_INLINE void prefetch_tile(const T* c, int64_t c_row, int64_t width) {
#pragma GCC unroll 16
  for (int i = 0; i < MR; ++i) {
    __builtin_prefetch(c + i * c_row, 1);
    __builtin_prefetch(c + i * c_row + width - 1, 1);
  }
}

/// C[MR pixels][NR vectors] (+)= sum over segments of A_segment * B; the rows of a segment are one panel wide.
template <class T>
using MixTile = void (*)(const T* a, int64_t pixels, int64_t first_pixel, const Segment* segments, int64_t count,
                         const T* b, T* c, bool accumulate);

template <class T, int MR, int NR>
void mix_tile(const T* a, int64_t pixels, int64_t first_pixel, const Segment* segments, int64_t count, const T* b, T* c,
              bool accumulate) {
  constexpr int64_t kWidth = NR * kLanes<T>;
  Sums<T, MR, NR> sums;
  sums.clear();
  if (accumulate) prefetch_tile<T, MR>(c, kWidth, kWidth);
  for (int64_t s = 0; s < count; ++s) {
    const Segment& segment = segments[s];
    const T* left = a + segment.block * pixels + first_pixel * segment.width;
    // Constant row lengths keep all addresses of a step relative to one register.
    if (segment.width == 2 * kLanes<T>) {
      sums.add_product(left, 2 * kLanes<T>, 1, b, kWidth, segment.length);
    } else {
      sums.add_product(left, kLanes<T>, 1, b, kWidth, segment.length);
    }
    b += kWidth * segment.length;
  }
  sums.write(c, kWidth, accumulate);
}

/// C[MR][NR vectors] (+)= A^T * B: A(i, k) = a[k * a_step + i].
template <class T>
using OuterTile = void (*)(const T* a, int64_t a_step, const T* b, int64_t b_step, int64_t depth, T* c, int64_t c_row,
                           bool accumulate);

template <class T, int MR, int NR>
void outer_tile(const T* a, int64_t a_step, const T* b, int64_t b_step, int64_t depth, T* c, int64_t c_row,
                bool accumulate) {
  Sums<T, MR, NR> sums;
  sums.clear();
  if (accumulate) prefetch_tile<T, MR>(c, c_row, NR * kLanes<T>);
  sums.add_product(a, 1, a_step, b, b_step, depth);
  sums.write(c, c_row, accumulate);
}

/// C[MR][NR vectors] += sum over lines of A_line * B_line: A(i, k) = a[line * a_line + i * a_row + k].
template <class T>
using LineTile = void (*)(const T* a, int64_t a_row, int64_t a_line, const T* b, int64_t b_step, int64_t b_line,
                          int64_t lines, int64_t depth, T* c, int64_t c_row);

template <class T, int MR, int NR>
void line_tile(const T* a, int64_t a_row, int64_t a_line, const T* b, int64_t b_step, int64_t b_line, int64_t lines,
               int64_t depth, T* c, int64_t c_row) {
  Sums<T, MR, NR> sums;
  sums.clear();
  for (int64_t line = 0; line < lines; ++line) {
    sums.add_product(a + line * a_line, a_row, 1, b + line * b_line, b_step, depth);
  }
  sums.write(c, c_row, true);
}

/// All heights of a tile, for one and two vectors; index [vectors - 1][rows - 1].
template <class T>
struct TileTable {
  MixTile<T> mix[2][kMaxRows];
  OuterTile<T> outer[2][kMaxRows];
  LineTile<T> line[2][kMaxRows];
};

template <class T, int MR>
constexpr void fill_tile_table(TileTable<T>& table) {
  table.mix[0][MR - 1] = mix_tile<T, MR, 1>;
  table.mix[1][MR - 1] = mix_tile<T, MR, 2>;
  table.outer[0][MR - 1] = outer_tile<T, MR, 1>;
  table.outer[1][MR - 1] = outer_tile<T, MR, 2>;
  table.line[0][MR - 1] = line_tile<T, MR, 1>;
  table.line[1][MR - 1] = line_tile<T, MR, 2>;
  if constexpr (MR > 1) fill_tile_table<T, MR - 1>(table);
}

template <class T>
constexpr TileTable<T> make_tile_table() {
  TileTable<T> table{};
  fill_tile_table<T, kMaxRows>(table);
  return table;
}

template <class T>
constexpr TileTable<T> kTiles = make_tile_table<T>();

/// Calls body(first, rows) on near-equal parts of at most `most`: every part then hides its latencies alike.
template <class Body>
SCDCF_INLINE void for_row_tiles(int64_t total, int64_t most, const Body& body) {
  const int64_t parts = ceil_div(total, most);
  int64_t begin = 0;
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t rows = (total - begin) / (parts - part);
    body(begin, rows);
    begin += rows;
  }
}
