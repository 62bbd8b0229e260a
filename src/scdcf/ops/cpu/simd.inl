// Vectors of SCDCF_VECTOR_BYTES bytes through the compiler's vector extensions. Included inside the namespace of one
// SIMD level; nothing here may be shared between levels.

#define SCDCF_INLINE inline __attribute__((always_inline))

template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
  typedef float Register __attribute__((vector_size(SCDCF_VECTOR_BYTES)));
  typedef float Memory __attribute__((vector_size(SCDCF_VECTOR_BYTES), aligned(4), may_alias));
};
template <>
struct VectorOf<double> {
  typedef double Register __attribute__((vector_size(SCDCF_VECTOR_BYTES)));
  typedef double Memory __attribute__((vector_size(SCDCF_VECTOR_BYTES), aligned(8), may_alias));
};

template <class T>
using Vector = typename VectorOf<T>::Register;

template <class T>
constexpr int64_t kLanes = SCDCF_VECTOR_BYTES / static_cast<int64_t>(sizeof(T));

template <class T>
SCDCF_INLINE Vector<T> load(const T* pointer) {
  return *reinterpret_cast<const typename VectorOf<T>::Memory*>(pointer);
}

template <class T>
SCDCF_INLINE void store(T* pointer, Vector<T> value) {
  *reinterpret_cast<typename VectorOf<T>::Memory*>(pointer) = value;
}

template <class T>
SCDCF_INLINE Vector<T> broadcast(T value) {
  return value - Vector<T>{};  // x - 0 is x for every x, so this is a plain broadcast
}

SCDCF_INLINE int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }
SCDCF_INLINE int64_t max_of(int64_t a, int64_t b) { return a > b ? a : b; }
SCDCF_INLINE int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Width of the panel that begins at `begin`, see kernel_plan.h.
template <class T>
SCDCF_INLINE int64_t panel_width(int64_t padded, int64_t begin) {
  return min_of(2 * kLanes<T>, padded - begin);
}

/// Copies rows of `channels` values `source_stride` apart to rows `target_stride` apart, filling up with zeros to
/// `width`.
template <class T>
void copy_rows(const T* source, int64_t source_stride, T* target, int64_t target_stride, int64_t rows, int64_t channels,
               int64_t width) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < channels; ++c) target[c] = source[c];
    for (int64_t c = channels; c < width; ++c) target[c] = T(0);
    source += source_stride;
    target += target_stride;
  }
}

/// Runs body(worker) on every worker of the host.
template <class Body>
void run_workers(const Runner& runner, int64_t count, const Body& body) {
  if (count <= 0) return;
  runner.run(
      runner.host, count, [](void* context, int64_t index) { (*static_cast<const Body*>(context))(index); },
      const_cast<Body*>(&body));
}

/// body(worker, task) for all tasks, handed out as workers become free. For tasks whose results do not depend on who
/// does them.
template <class Body>
void run_tasks(const Runner& runner, int64_t tasks, const Body& body) {
  int64_t next = 0;
  run_workers(runner, min_of(runner.workers, tasks), [&](int64_t worker) {
    for (;;) {
      const int64_t task = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
      if (task >= tasks) break;
      body(worker, task);
    }
  });
}
