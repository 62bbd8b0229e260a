// Runs code that computes with tensors without their values: what a network of any size needs is known before any of it
// is allocated.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <memory>

#include "scdcf/train/heap.h"

namespace scdcf::train {

/// While it lives, operators called by this thread return tensors of the meta device, which have shapes and no memory,
/// and a Heap follows their storages. Code that asks for a device gets it: a table of constants on the CPU is computed
/// as usual, and counts once it meets a tensor without values.
class DryRun {
 public:
  DryRun();
  ~DryRun();
  DryRun(const DryRun&) = delete;
  DryRun& operator=(const DryRun&) = delete;

  const Heap& heap() const { return *heap_; }

 private:
  std::shared_ptr<Heap> heap_;
  c10::impl::IncludeDispatchKeyGuard intercept_;
};

}  // namespace scdcf::train
