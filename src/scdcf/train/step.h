// One training step: gather, augment, forward, loss, backward, update. On a GPU it is captured in a CUDA graph and
// replayed, because launching its hundreds of small kernels takes longer than running them.
#pragma once

#include <memory>

#include "scdcf/models/network.h"
#include "scdcf/train/device_images.h"
#include "scdcf/train/optimizer.h"

namespace scdcf::train {

/// Sums over the steps since the last reset.
struct StepTotals {
  double loss = 0;  ///< of all images, not the mean
  int64_t correct = 0;
  int64_t count = 0;
  int64_t first_bad_step = -1;  ///< counted from the reset; the first step whose loss was not a number or infinite
  double data_seconds = 0;      ///< for gathering and augmenting images; measured on the CPU alone
};

class Step {
 public:
  Step(models::Network& network, Optimizer& optimizer, const DeviceImages& images, const TrainOptions& options);
  ~Step();

  /// Trains on the images at `indices` [n]; `draws` [n, ...] says how they are augmented (ignored without
  /// augmentation). Both on the device. Random layers draw from a stream of this seed. After a step whose loss was not
  /// finite the weights change no more.
  void run(const torch::Tensor& indices, const torch::Tensor& draws, uint64_t dropout_seed);

  /// Waits for the device.
  StepTotals totals() const;
  void reset_totals(const StepTotals& totals = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Sets what `precision` of TrainOptions means for this process and device; refuses what the device cannot do.
void apply_precision(const TrainOptions& options, torch::Device device);

}  // namespace scdcf::train
