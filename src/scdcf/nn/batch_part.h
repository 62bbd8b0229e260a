// A batch that several processes share: what layers need to know that look across a batch, or draw noise for it.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <optional>

namespace scdcf::nn {

/// The part of a batch that this process has.
struct BatchPart {
  int64_t first = 0;   ///< its first image, counted in the whole batch
  int64_t count = 0;   ///< images of this part
  int64_t whole = 0;   ///< images of the whole batch
  bool counts = true;  ///< false where its images are others' and stand in for none: they enter no sum
  /// The sum of a tensor over the parts, with a derivative; none where every part has statistics of its own.
  std::function<at::Tensor(const at::Tensor&)> sum;
};

/// While it lives, layers in this thread take what they are given for that part of a batch.
class BatchPartScope {
 public:
  explicit BatchPartScope(const BatchPart& part);
  ~BatchPartScope();
  BatchPartScope(const BatchPartScope&) = delete;
  BatchPartScope& operator=(const BatchPartScope&) = delete;
  /// That of the innermost scope of this thread; null outside every scope.
  static const BatchPart* current();

 private:
  const BatchPart* outer_;
};

/// Of every channel over the whole batch, [C] in double, with derivatives.
struct BatchMoments {
  at::Tensor mean, variance;  ///< the variance divided by count, not by count - 1
  at::Tensor count;           ///< values of a channel, [1]
};

/// Of channels [N, C, ...]; nothing where the batch at hand is all there is to look at.
std::optional<BatchMoments> whole_batch_moments(const at::Tensor& input);

}  // namespace scdcf::nn
