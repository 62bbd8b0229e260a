// Mixed precision on a GPU for as long as the object lives.
#pragma once

#ifdef SCDCF_WITH_CUDA
#  include <ATen/autocast_mode.h>
#endif

namespace scdcf::train {

/// bfloat16 autocast where `enabled`; builds without CUDA have none.
class AutocastScope {
 public:
  explicit AutocastScope([[maybe_unused]] bool enabled) {
#ifdef SCDCF_WITH_CUDA
    enabled_ = enabled;
    if (!enabled_) return;
    at::autocast::set_autocast_enabled(at::kCUDA, true);
    at::autocast::set_autocast_dtype(at::kCUDA, at::kBFloat16);
#endif
  }
  ~AutocastScope() {
#ifdef SCDCF_WITH_CUDA
    if (!enabled_) return;
    at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCUDA, false);
#endif
  }
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

#ifdef SCDCF_WITH_CUDA
 private:
  bool enabled_ = false;
#endif
};

}  // namespace scdcf::train
