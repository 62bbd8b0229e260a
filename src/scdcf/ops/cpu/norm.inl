// Batch-norm, ReLU and average pooling, all loops along the channels: see norm_kernels.h. Included inside the namespace
// of one SIMD level.

/// Channels handled at a time where sums over a window need a place of their own.
constexpr int64_t kNormBlock = 128;

template <class T>
SCDCF_INLINE T relu(T z) {
  return z < T(0) ? T(0) : z;  // NaN stays
}

template <class T>
void norm_statistics(const NormPoolProblem& p, const T* x, int64_t begin, int64_t end, double* sums) {
  const int64_t channels = p.channels;
  const T* __restrict__ first = x;
  double* __restrict__ sum = sums;
  double* __restrict__ squares = sums + channels;
  int64_t pixel = begin;
  for (; pixel + 4 <= end; pixel += 4) {  // four at a time, to load and store the sums less often
    const T* __restrict__ a = x + pixel * channels;
    const T* __restrict__ b = a + channels;
    const T* __restrict__ c = b + channels;
    const T* __restrict__ d = c + channels;
    for (int64_t i = 0; i < channels; ++i) {
      const double shift = first[i], u = a[i] - shift, v = b[i] - shift, w = c[i] - shift, t = d[i] - shift;
      sum[i] += (u + v) + (w + t);
      squares[i] += (u * u + v * v) + (w * w + t * t);
    }
  }
  for (; pixel < end; ++pixel) {
    const T* __restrict__ a = x + pixel * channels;
    for (int64_t i = 0; i < channels; ++i) {
      const double u = a[i] - double(first[i]);
      sum[i] += u;
      squares[i] += u * u;
    }
  }
}

/// The pixels of a window along one axis that lie inside the map.
struct WindowRange {
  int64_t begin, end;
};
SCDCF_INLINE WindowRange window_range(const NormPoolProblem& p, int64_t output, int64_t size) {
  const int64_t start = output * p.stride - p.padding;
  return {max_of(start, 0), min_of(start + p.window, size)};
}

/// body(window's first pixel, its height, its width, output pixel) for the windows of rows begin .. end - 1 of y.
template <class Body>
SCDCF_INLINE void for_windows(const NormPoolProblem& p, int64_t begin, int64_t end, const Body& body) {
  for (int64_t row = begin; row < end; ++row) {
    const WindowRange ys = window_range(p, row % p.out_height, p.in_height);
    const int64_t top = (row / p.out_height * p.in_height + ys.begin) * p.in_width;
    for (int64_t o = 0; o < p.out_width; ++o) {
      const WindowRange xs = window_range(p, o, p.in_width);
      body(top + xs.begin, ys.end - ys.begin, xs.end - xs.begin, row * p.out_width + o);
    }
  }
}

/// y = relu(z) less the ground, pixel by pixel.
template <class T>
SCDCF_INLINE void norm_relu(const T* __restrict__ x, const T* coefficients, int64_t channels, T* __restrict__ y) {
  const T* __restrict__ centre = coefficients + kCentre * channels;
  const T* __restrict__ scale = coefficients + kScale * channels;
  const T* __restrict__ shift = coefficients + kShift * channels;
  const T* __restrict__ ground = coefficients + kGround * channels;
  for (int64_t i = 0; i < channels; ++i) y[i] = relu((x[i] - centre[i]) * scale[i] + shift[i]) - ground[i];
}

/// The window of 2 x 2 pixels that begins at x, the next row of the map `line` further.
template <class T>
SCDCF_INLINE void norm_relu_pool_2x2(const T* __restrict__ x, int64_t line, const T* coefficients, int64_t channels,
                                     T* __restrict__ y) {
  const T* __restrict__ centre = coefficients + kCentre * channels;
  const T* __restrict__ scale = coefficients + kScale * channels;
  const T* __restrict__ shift = coefficients + kShift * channels;
  const T* __restrict__ ground = coefficients + kGround * channels;
  for (int64_t i = 0; i < channels; ++i) {
    const T m = centre[i], a = scale[i], b = shift[i];
    const T u = relu((x[i] - m) * a + b), v = relu((x[i + channels] - m) * a + b);
    const T w = relu((x[i + line] - m) * a + b), t = relu((x[i + line + channels] - m) * a + b);
    y[i] = ((u + v) + (w + t)) * T(0.25) - ground[i];
  }
}

template <class T>
void norm_forward(const NormPoolProblem& p, const T* x, const T* coefficients, T* y, int64_t begin, int64_t end) {
  const int64_t channels = p.channels, line = p.in_width * channels;
  if (p.window == 1 && p.stride == 1) {
    for (int64_t pixel = begin * p.in_width; pixel < end * p.in_width; ++pixel)
      norm_relu(x + pixel * channels, coefficients, channels, y + pixel * channels);
    return;
  }
  for_windows(p, begin, end, [=](int64_t corner, int64_t height, int64_t width, int64_t output) {
    const T* window = x + corner * channels;
    T* __restrict__ out = y + output * channels;
    if (height == 2 && width == 2) {
      norm_relu_pool_2x2(window, line, coefficients, channels, out);
      return;
    }
    for (int64_t i = 0; i < channels; ++i) out[i] = T(0);
    const T* __restrict__ centre = coefficients + kCentre * channels;
    const T* __restrict__ scale = coefficients + kScale * channels;
    const T* __restrict__ shift = coefficients + kShift * channels;
    for (int64_t h = 0; h < height; ++h)
      for (int64_t w = 0; w < width; ++w) {
        const T* __restrict__ pixel = window + h * line + w * channels;
        for (int64_t i = 0; i < channels; ++i) out[i] += relu((pixel[i] - centre[i]) * scale[i] + shift[i]);
      }
    const T* __restrict__ ground = coefficients + kGround * channels;
    const T share = T(1) / T(height * width);
    for (int64_t i = 0; i < channels; ++i) out[i] = out[i] * share - ground[i];
  });
}

/// A window's gradient is the same for all its pixels, so their number and sum behind the ReLU are enough.
template <class T>
void norm_gradient_sums(const NormPoolProblem& p, const T* x, const T* coefficients, const T* grad_y, int64_t begin,
                        int64_t end, double* sums) {
  const int64_t channels = p.channels, line = p.in_width * channels;
  for_windows(p, begin, end, [=](int64_t corner, int64_t height, int64_t width, int64_t output) {
    const T share = T(1) / T(height * width);
    for (int64_t first = 0; first < channels; first += kNormBlock) {
      const int64_t count = min_of(kNormBlock, channels - first);
      const T* __restrict__ centre = coefficients + kCentre * channels + first;
      const T* __restrict__ scale = coefficients + kScale * channels + first;
      const T* __restrict__ shift = coefficients + kShift * channels + first;
      const T* window = x + corner * channels + first;
      T active[kNormBlock], sum[kNormBlock];
      for (int64_t i = 0; i < count; ++i) active[i] = sum[i] = T(0);
      for (int64_t h = 0; h < height; ++h)
        for (int64_t w = 0; w < width; ++w) {
          const T* __restrict__ pixel = window + h * line + w * channels;
          for (int64_t i = 0; i < count; ++i) {
            const T d = pixel[i] - centre[i];
            const bool off = d * scale[i] + shift[i] <= T(0);
            active[i] += off ? T(0) : T(1);
            sum[i] += off ? T(0) : d;
          }
        }
      const T* __restrict__ grad = grad_y + output * channels + first;
      const T* __restrict__ ground = coefficients + kGround * channels + first;
      double* __restrict__ grads = sums + first;
      double* __restrict__ products = sums + channels + first;
      for (int64_t i = 0; i < count; ++i) {
        const double g = grad[i] * share, taken_off = ground[i] > T(0) ? grad[i] : T(0);
        grads[i] += g * active[i] - taken_off;
        products[i] += g * sum[i] + taken_off * centre[i];
      }
    }
  });
}

/// grad_x of one pixel, channels first .. first + count - 1, from the gradient behind the pooling times `share`.
template <class T>
SCDCF_INLINE void norm_backward_pixel(const T* __restrict__ x, const T* coefficients, int64_t channels,
                                      const T* __restrict__ grad, T share, int64_t count, T* __restrict__ grad_x) {
  const T* __restrict__ centre = coefficients + kCentre * channels;
  const T* __restrict__ scale = coefficients + kScale * channels;
  const T* __restrict__ shift = coefficients + kShift * channels;
  const T* __restrict__ offset = coefficients + kOffset * channels;
  const T* __restrict__ slope = coefficients + kSlope * channels;
  for (int64_t i = 0; i < count; ++i) {
    const T d = x[i] - centre[i];
    const T through = grad[i] * share * scale[i];
    grad_x[i] = (d * scale[i] + shift[i] <= T(0) ? T(0) : through) + (offset[i] + slope[i] * d);
  }
}

/// Outputs begin .. end - 1 whose window covers a pixel; moves on with the pixel, so that nothing is divided.
struct Cover {
  int64_t begin = 0, end = 0;
  SCDCF_INLINE void advance_to(const NormPoolProblem& p, int64_t pixel, int64_t outputs) {
    while (end < outputs && end * p.stride <= pixel + p.padding) ++end;
    while (begin < end && begin * p.stride + p.window <= pixel + p.padding) ++begin;
  }
};

template <class T>
void norm_backward(const NormPoolProblem& p, const T* x, const T* coefficients, const T* grad_y, T* grad_x,
                   int64_t begin, int64_t end) {
  const int64_t channels = p.channels;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t plane = row / p.in_height;
    Cover ys;
    ys.advance_to(p, row % p.in_height, p.out_height);
    Cover xs;
    for (int64_t column = 0; column < p.in_width; ++column) {
      xs.advance_to(p, column, p.out_width);
      const int64_t pixel = (row * p.in_width + column) * channels;
      const auto grad_at = [&](int64_t oy, int64_t ox) {
        return grad_y + ((plane * p.out_height + oy) * p.out_width + ox) * channels;
      };
      const auto share_at = [&](int64_t oy, int64_t ox) {
        const WindowRange h = window_range(p, oy, p.in_height), w = window_range(p, ox, p.in_width);
        return T(1) / T((h.end - h.begin) * (w.end - w.begin));
      };
      if (ys.end - ys.begin == 1 && xs.end - xs.begin == 1) {
        norm_backward_pixel(x + pixel, coefficients, channels, grad_at(ys.begin, xs.begin),
                            share_at(ys.begin, xs.begin), channels, grad_x + pixel);
        continue;
      }
      for (int64_t first = 0; first < channels; first += kNormBlock) {  // no window, or several
        const int64_t count = min_of(kNormBlock, channels - first);
        T sum[kNormBlock];
        for (int64_t i = 0; i < count; ++i) sum[i] = T(0);
        for (int64_t oy = ys.begin; oy < ys.end; ++oy)
          for (int64_t ox = xs.begin; ox < xs.end; ++ox) {
            const T* __restrict__ grad = grad_at(oy, ox) + first;
            const T share = share_at(oy, ox);
            for (int64_t i = 0; i < count; ++i) sum[i] += grad[i] * share;
          }
        norm_backward_pixel(x + pixel + first, coefficients + first, channels, sum, T(1), count,
                            grad_x + pixel + first);
      }
    }
  }
}
