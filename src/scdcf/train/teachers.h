// Teachers: networks of the same kind that are trained first, on the same images from other weights. The network that
// is kept learns from the labels and from what its teachers say together, which is right more often than one of them
// and tells which classes resemble each other.
#pragma once

#include "scdcf/models/network.h"
#include "scdcf/train/config.h"
#include "scdcf/train/step.h"

namespace scdcf::train {

/// Of teacher 1, 2, ...: as the network that it teaches, from another seed, without teachers of its own.
RunConfig teacher_config(RunConfig config, int64_t number);

/// softmax(scores / temperature) of a network in eval mode for every image, [images, classes], on the CPU.
torch::Tensor answers_of(models::Network& network, const DeviceImages& images, int64_t batch,
                         const TrainOptions& options);

/// (1 - w) times the cross-entropy of the labels + w T^2 KL(answers || softmax(scores / T)), with w = teacher_weight
/// and T = teacher_temperature. T^2 keeps the gradient as large whatever T is. `answers` [images, classes] on the
/// device of training: means over the teachers.
Loss taught_loss(const torch::Tensor& answers, const TrainOptions& options);

/// What all teachers say: the mean of their answers.
class Answers {
 public:
  void add(const torch::Tensor& answers) {
    sum_ = count_ == 0 ? answers : sum_ + answers;
    ++count_;
  }
  torch::Tensor mean() const { return sum_ / static_cast<double>(count_); }
  /// The share of the images whose label they say.
  double accuracy(const DeviceImages& images) const;

 private:
  torch::Tensor sum_;
  int64_t count_ = 0;
};

}  // namespace scdcf::train
