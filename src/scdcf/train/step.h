// One training step: gather, augment, forward, loss, backward, update. The trainer runs it, the auto-encoders learn by
// it and the benchmarks time it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <type_traits>

#include "scdcf/distributed/data_parallel.h"
#include "scdcf/models/network.h"
#include "scdcf/train/device_images.h"
#include "scdcf/train/optimizer.h"
#include "scdcf/train/replay.h"

namespace scdcf::train {

/// What a step makes of a network's output for a batch.
struct Outcome {
  torch::Tensor loss;     ///< the mean over the batch: what is minimised
  torch::Tensor correct;  ///< how many images came out right; undefined where that means nothing
};
/// What a step looks at.
struct Batch {
  torch::Tensor indices;  ///< [n]: which of the training images
  torch::Tensor images;   ///< [n, C, H, W], augmented
  torch::Tensor labels;   ///< [n]
};
using Loss = std::function<Outcome(const torch::Tensor& output, const Batch& batch)>;

/// Of a classifier, whose output is scores [n, classes]; `smoothing` is the share of a label given to all classes
/// alike.
Loss cross_entropy(double smoothing = 0);

/// Sums over the steps since the last reset.
struct StepTotals {
  double loss = 0;  ///< of all images, not the mean
  int64_t correct = 0;
  int64_t count = 0;
  int64_t first_bad_step = -1;  ///< counted from the reset; the first step whose loss was not a number or infinite
  int64_t bad_rank = 0;         ///< whose loss that was
  double data_seconds = 0;      ///< for gathering and augmenting images; measured on the CPU alone
};

/// Refers to network, optimizer and images, which must outlive it. On a GPU it is replayed: see replay.h.
class Step {
 public:
  /// The network is a module with forward(images), or a models::Network, of which the training scores are taken; in
  /// bfloat16, where `options` say so, its output is made float32 before the loss. Of `options` only augmentation,
  /// precision and, without a loss, the smoothing of labels matter here.
  template <class Network>
  Step(Network& network, Optimizer& optimizer, const DeviceImages& images, const TrainOptions& options,
       Loss loss = nullptr)
      : Step(
            network,
            [&network](const torch::Tensor& batch, [[maybe_unused]] const torch::Tensor& labels) {
              if constexpr (std::is_base_of_v<models::Network, Network>)
                return network.training_scores(batch, labels);
              else
                return network.forward(batch);
            },
            optimizer, images, options, std::move(loss)) {}
  Step(const Step&) = delete;  // what it replays refers to it
  Step& operator=(const Step&) = delete;

  /// From now on the step is one of all ranks of a group: `run` is given the whole batch and computes this rank's part
  /// of it. Before the first run. `parallel` lets it tell `numbers_told` to the others.
  void share(distributed::DataParallel& parallel);
  static int64_t numbers_told(int ranks) { return kToldByAll + ranks; }

  /// Trains on the images at `indices` [n]; `draws` [n, ...] says how they are augmented (ignored without
  /// augmentation). Both on the device. Random layers draw from a stream of this seed. After a step whose loss was not
  /// finite the weights change no more.
  void run(const torch::Tensor& indices, const torch::Tensor& draws, uint64_t dropout_seed);

  /// Whether some rank has asked all of them to stop, before the last step; waits for the device. Alone: never.
  void ask_to_stop() { stop_here_.fill_(1); }
  bool stop_is_agreed() const { return stop_anywhere_.item<float>() > 0; }

  /// Waits for the device.
  StepTotals totals() const;
  void reset_totals(const StepTotals& totals = {});

 private:
  using Forward = std::function<torch::Tensor(const torch::Tensor& images, const torch::Tensor& labels)>;
  /// A step for batches of one size, and what it reads.
  struct OfSize {
    torch::Tensor indices, draws;
    std::unique_ptr<Replay> replay;
  };

  Step(torch::nn::Module& network, Forward forward, Optimizer& optimizer, const DeviceImages& images,
       const TrainOptions& options, Loss loss);
  void compute(const torch::Tensor& indices, const torch::Tensor& draws);
  /// Loss, sum of correct ones and gradients of a batch.
  struct Pass {
    torch::Tensor loss, correct;
    std::vector<torch::Tensor> gradients;
  };
  Outcome forward_pass(const torch::Tensor& indices, const torch::Tensor& draws);
  Pass pass_alone(const torch::Tensor& indices, const torch::Tensor& draws);
  Pass pass_together(const torch::Tensor& indices, const torch::Tensor& draws);
  OfSize& of_size(const torch::Tensor& indices, const torch::Tensor& draws);
  std::vector<torch::Tensor> changed() const;

  static constexpr int64_t kToldByAll = 2;  // correct and a wish to stop, in front of the loss of each rank

  torch::nn::Module& network_;
  Forward forward_;
  Optimizer& optimizer_;
  const DeviceImages& images_;
  AugmentOptions augment_;
  bool autocast_;
  Loss loss_;
  at::Generator generator_;
  // On the device: sums of loss, correct and count; the steps so far, the first bad one, and the ranks' losses in it.
  torch::Tensor sums_, steps_, first_bad_, losses_, stop_here_, stop_anywhere_;
  torch::Tensor nothing_;  // zeros, one for each rank
  distributed::DataParallel* parallel_ = nullptr;
  double data_seconds_ = 0;
  std::map<int64_t, OfSize> sizes_;  // the last batch of an epoch may be smaller
};

/// Sets what `precision` of TrainOptions means for this process and device; refuses what the device cannot do.
void apply_precision(const TrainOptions& options, torch::Device device);

}  // namespace scdcf::train
