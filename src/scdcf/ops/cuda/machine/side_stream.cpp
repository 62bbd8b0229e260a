#include "scdcf/ops/cuda/machine/side_stream.h"

#include <map>
#include <mutex>
#include <utility>

#include "scdcf/ops/cuda/machine/device_limits.h"

namespace scdcf::ops::cuda {
namespace {

/// Making streams and events has no part in the graph that a thread may be capturing.
class OutsideCaptures {
 public:
  OutsideCaptures() { check(cudaThreadExchangeStreamCaptureMode(&mode_), "capture mode"); }
  ~OutsideCaptures() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  OutsideCaptures(const OutsideCaptures&) = delete;
  OutsideCaptures& operator=(const OutsideCaptures&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace

SideStream::Kept& SideStream::kept_for(cudaStream_t main) {
  static std::mutex mutex;
  static auto* all = new std::map<std::pair<int, cudaStream_t>, Kept>;  // outlives the driver's own end
  const std::lock_guard<std::mutex> lock(mutex);
  Kept& kept = (*all)[{current_device(), main}];
  if (kept.end == nullptr) {
    const OutsideCaptures outside;
    check(cudaStreamCreateWithFlags(&kept.stream, cudaStreamNonBlocking), "side stream");
    check(cudaEventCreateWithFlags(&kept.begin, cudaEventDisableTiming), "event");
    check(cudaEventCreateWithFlags(&kept.end, cudaEventDisableTiming), "event");
  }
  return kept;
}

SideStream::SideStream(cudaStream_t main) : main_(main), kept_(&kept_for(main)) {
  check(cudaEventRecord(kept_->begin, main_), "event");
  check(cudaStreamWaitEvent(kept_->stream, kept_->begin, 0), "side stream");
}

void SideStream::join() const {
  check(cudaEventRecord(kept_->end, kept_->stream), "event");
  check(cudaStreamWaitEvent(main_, kept_->end, 0), "side stream");
}

}  // namespace scdcf::ops::cuda
