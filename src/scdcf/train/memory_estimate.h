// How much memory a run takes, counted before any of it is allocated: the run's own steps without values (dry_run.h).
#pragma once

#include <cstdint>
#include <string>

#include "scdcf/data/split.h"
#include "scdcf/train/config.h"

namespace scdcf::train {

/// In bytes, at the peak.
struct MemoryEstimate {
  std::int64_t program = 0;  ///< resident before: LibTorch, the images as they were read
  std::int64_t images = 0;   ///< on the device that trains
  std::int64_t weights = 0, optimizer = 0;
  std::int64_t activations = 0;  ///< all else: activations, gradients, filters, gaps of the heap
  std::string unknown;           ///< why nothing was counted

  std::int64_t total() const { return program + images + weights + optimizer + activations; }
  /// "1.2 GB (weights 2.1 MB, ...)"; "not known: " and why.
  std::string text() const;
};

/// Of a configuration that fit_to_data has completed, `batch` images at a time.
MemoryEstimate estimate_memory(const RunConfig& fitted, const data::Splits& splits, std::int64_t batch);

/// Throws Error, naming the option to change, where a run takes more memory than there is: memory_limit() shared by
/// the ranks of this machine, or what a GPU has free. `config` as it was before fit_to_data.
MemoryEstimate require_memory(const RunConfig& config, const data::Splits& splits, int ranks, int ranks_here);

}  // namespace scdcf::train
