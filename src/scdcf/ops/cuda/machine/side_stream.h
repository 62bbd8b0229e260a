// Work beside a stream, for kernels that do not wait for each other: the small ones of one fill what the large ones of
// the other leave idle.
#pragma once

#include <cuda_runtime_api.h>

namespace scdcf::ops::cuda {

/// Begins behind what `main` was told before; what `main` is told after join() comes behind it. May be captured. Every
/// stream has its own, which is kept: one that takes part in a capture may take part in no other.
class SideStream {
 public:
  explicit SideStream(cudaStream_t main);
  cudaStream_t stream() const { return kept_->stream; }
  void join() const;

 private:
  struct Kept {
    cudaStream_t stream = nullptr;
    cudaEvent_t begin = nullptr, end = nullptr;
  };
  static Kept& kept_for(cudaStream_t main);
  cudaStream_t main_;
  Kept* kept_;
};

}  // namespace scdcf::ops::cuda
