// Vectors across images: lane l of a vector is image l / strips of a group, and there the vertical strip l % strips of
// its columns. All lanes do the same at the same place of their strip, so that no channel and no column is padded up to
// a vector. Here: maps of [N][planes][H][W][C] tensors turned to and from rows [x * C + c][lane], row by row.

/// Rows of a tensor as the lanes see them: pixel x of lane l is column strip * strip_step + first + x of its image.
struct LaneRows {
  int64_t used, strips;     // lanes that have an image
  int64_t width, channels;  // columns that exist, channels
  int64_t image_stride, strip_step, first, columns;
  bool replicate;  // what columns outside read: the nearest one, or zero

  int64_t numbers() const { return columns * channels; }
};

/// The part [begin, end) of a lane's columns that exists; `offset` is where its row starts, relative to image 0's.
struct LaneRun {
  int64_t offset, column, begin, end;
};

SCDCF_INLINE LaneRun lane_run(const LaneRows& rows, int64_t lane) {
  const int64_t column = lane % rows.strips * rows.strip_step + rows.first;
  const int64_t begin = min_of(max_of(-column, 0), rows.columns);
  return {lane / rows.strips * rows.image_stride, column, begin,
          max_of(min_of(rows.width - column, rows.columns), begin)};
}

template <class T>
constexpr int64_t whole_vectors(int64_t numbers) {
  return (numbers + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
}

/// Swaps the blocks of H lanes beside the diagonal of a pair of rows H apart.
template <class T, int H, int... L>
SCDCF_INLINE void swap_blocks(Vector<T>& above, Vector<T>& below, std::integer_sequence<int, L...>) {
  constexpr int kCount = sizeof...(L);
  const Vector<T> first = above, second = below;
  above = __builtin_shufflevector(first, second, ((L & H) != 0 ? kCount + L - H : L)...);
  below = __builtin_shufflevector(first, second, ((L & H) != 0 ? kCount + L : L + H)...);
}

template <class T, int H>
SCDCF_INLINE void swap_all_blocks(Vector<T>* rows) {
#pragma GCC unroll 16
  for (int i = 0; i < kLanes<T>; ++i) {
    if ((i & H) == 0) swap_blocks<T, H>(rows[i], rows[i + H], std::make_integer_sequence<int, kLanes<T>>());
  }
  if constexpr (H > 1) swap_all_blocks<T, H / 2>(rows);
}

/// target[j][i] = source[i][j] for i, j below the number of lanes.
template <class T>
SCDCF_INLINE void transpose(const T* source, int64_t source_stride, T* target, int64_t target_stride) {
  Vector<T> rows[kLanes<T>];
#pragma GCC unroll 16
  for (int i = 0; i < kLanes<T>; ++i) rows[i] = load(source + i * source_stride);
  swap_all_blocks<T, kLanes<T> / 2>(rows);
#pragma GCC unroll 16
  for (int i = 0; i < kLanes<T>; ++i) store(target + i * target_stride, rows[i]);
}

/// Every lane reads (or writes) runs of its own, too short for the processor to see what comes next.
template <int Write, class T>
SCDCF_INLINE void prefetch_row(const T* row, int64_t numbers) {
  constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(T)), kSecondLevel = 2;
  for (int64_t i = 0; i < numbers; i += kLine) __builtin_prefetch(row + i, Write, kSecondLevel);
}

/// The row after the next.
template <int Write, class T>
SCDCF_INLINE void prefetch_ahead(const LaneRows& rows, const LaneRun& run, const T* row) {
  prefetch_row<Write>(row + (2 * rows.width + run.begin) * rows.channels, (run.end - run.begin) * rows.channels);
}

/// Numbers [first, last) of a lane's row as it lies between tensor and vectors, margins filled in.
template <class T>
void stage_row(const LaneRows& rows, const LaneRun& run, const T* row, int64_t first, int64_t last, T* staged) {
  const int64_t channels = rows.channels, begin = run.begin * channels, end = run.end * channels;
  const T* source = row + run.offset + run.column * channels;
  prefetch_ahead<0>(rows, run, source);
  for (int64_t i = begin; i < end; ++i) staged[i - first] = source[i];
  const T *left = row + run.offset, *right = left + (rows.width - 1) * channels;
  for (int64_t i = first; i < begin; ++i) staged[i - first] = rows.replicate ? left[i % channels] : T(0);
  for (int64_t i = end; i < last; ++i) staged[i - first] = rows.replicate ? right[i % channels] : T(0);
}

/// target[x * C + c][lane] = the tensor's row, which starts at `row` in image 0. Lanes without an image are zero. May
/// write up to a vector of numbers beyond the row's end.
template <class T>
void gather_row(const LaneRows& rows, const T* row, T* target, T* stage) {
  // Margins that all lanes have are filled in afterwards, whole vectors at a time.
  const LaneRun first = lane_run(rows, 0);
  const int64_t begin = rows.strips == 1 ? first.begin * rows.channels : 0;
  const int64_t end = rows.strips == 1 ? first.end * rows.channels : rows.numbers();
  const int64_t length = whole_vectors<T>(end - begin);
  for (int64_t lane = 0; lane < rows.used; ++lane) {
    stage_row(rows, lane_run(rows, lane), row, begin, end, stage + lane * length);
  }
  for (int64_t i = rows.used * length; i < kLanes<T> * length; ++i) stage[i] = T(0);
  for (int64_t k = 0; k < length; k += kLanes<T>) {
    transpose(stage + k, length, target + (begin + k) * kLanes<T>, kLanes<T>);
  }
  for (int64_t i = 0; i < begin; ++i) {
    const T* nearest = target + (begin + i % rows.channels) * kLanes<T>;
    store(target + i * kLanes<T>, rows.replicate ? load(nearest) : Vector<T>{});
  }
  for (int64_t i = end; i < rows.numbers(); ++i) {
    const T* nearest = target + (end - rows.channels + i % rows.channels) * kLanes<T>;
    store(target + i * kLanes<T>, rows.replicate ? load(nearest) : Vector<T>{});
  }
}

/// The way back, for any maps [number][lane]: stage[lane][number], rows of whole vectors.
template <class T>
void lanes_apart(const T* source, int64_t numbers, T* stage) {
  const int64_t length = whole_vectors<T>(numbers);
  for (int64_t k = 0; k < length; k += kLanes<T>) transpose(source + k * kLanes<T>, kLanes<T>, stage + k, length);
}

template <class T>
void store_row(const LaneRows& rows, const T* source, T* row, T* stage) {
  lanes_apart(source, rows.numbers(), stage);
  for (int64_t lane = 0; lane < rows.used; ++lane) {
    const LaneRun run = lane_run(rows, lane);
    const T* staged = stage + lane * whole_vectors<T>(rows.numbers());
    T* target = row + run.offset + run.column * rows.channels;
    prefetch_ahead<1>(rows, run, target);
    for (int64_t i = run.begin * rows.channels; i < run.end * rows.channels; ++i) target[i] = staged[i];
  }
}

/// The adjoint of gather_row. Adds where strips overlap or the row holds something already.
template <class T>
void add_row(const LaneRows& rows, const T* source, T* row, T* stage, bool accumulate) {
  const int64_t channels = rows.channels;
  if (accumulate) {
    lanes_apart(source, rows.numbers(), stage);
  } else {
    store_row(rows, source, row, stage);
  }
  for (int64_t lane = 0; lane < rows.used; ++lane) {
    const LaneRun run = lane_run(rows, lane);
    const T* staged = stage + lane * whole_vectors<T>(rows.numbers());
    const int64_t begin = run.begin * channels, end = run.end * channels;
    T* target = row + run.offset + run.column * channels;
    if (accumulate) prefetch_ahead<1>(rows, run, target);
    for (int64_t i = begin; accumulate && i < end; ++i) target[i] += staged[i];
    if (!rows.replicate) continue;
    T *left = row + run.offset, *right = left + (rows.width - 1) * channels;
    for (int64_t i = 0; i < begin; ++i) left[i % channels] += staged[i];
    for (int64_t i = end; i < rows.numbers(); ++i) right[i % channels] += staged[i];
  }
}

/// Rows of the input under `columns` output columns from x0 on, as a scale's row pass reads them.
template <class T>
LaneRows input_rows(const PlanView<T>& plan, const ScaleView<T>& scale, const TileTask& task, int64_t x0,
                    int64_t columns) {
  return {(task.n1 - task.n0) * plan.strips,
          plan.strips,
          plan.in_width,
          plan.channels,
          plan.planes * plan.in_height * plan.in_width * plan.channels,
          plan.strip_width * plan.stride,
          x0 * plan.stride + plan.origin - scale.radius,
          (columns - 1) * plan.stride + 2 * scale.radius + 1,
          plan.replicate};
}

/// Rows of the output (or its gradient).
template <class T>
LaneRows output_rows(const PlanView<T>& plan, const TileTask& task, int64_t x0, int64_t columns) {
  return {(task.n1 - task.n0) * plan.strips,
          plan.strips,
          plan.out_width,
          plan.out_channels,
          plan.scale_count * plan.out_height * plan.out_width * plan.out_channels,
          plan.strip_width,
          x0,
          columns,
          false};
}
