// One training step of several processes: each has a part of the batch, and the gradients are those of the whole.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "scdcf/distributed/group.h"
#include "scdcf/nn/batch_part.h"

namespace scdcf::distributed {

/// Shares of a batch, and sums of gradients in buckets that are on their way while the backward goes on. Every rank
/// has the same parameters and makes the same steps.
///
///   DataParallel parallel(group, /*whole_batch_norms=*/true, network->parameters());
///   const auto part = parallel.part_of(128);             // this rank's images of a batch
///   const nn::BatchPartScope scope(part);                // norms and dropout as with one process
///   auto loss = loss_of(images.narrow(0, part.first, part.count)) * DataParallel::weight_of(part);
///   auto gradients = parallel.gradients(loss);           // of the mean over all 128
class DataParallel {
 public:
  /// told: how many numbers beside the gradients are summed over the ranks in each step. They travel with the last
  /// gradients: a small network takes no longer for its step than for a message of their own.
  DataParallel(Group& group, bool whole_batch_norms, std::vector<at::Tensor> parameters, int64_t told = 0);
  ~DataParallel();
  DataParallel(const DataParallel&) = delete;
  DataParallel& operator=(const DataParallel&) = delete;

  Group& group() { return group_; }

  /// Neighbouring images for neighbouring ranks, as equal parts as can be. A rank that nothing is left for computes the
  /// first images once more, for nothing: it must take part in the sums of the others. A norm of the part alone needs
  /// two images, so no part has one only.
  nn::BatchPart part_of(int64_t whole) const;
  /// What the mean over the part is multiplied with for the sum over the ranks to be the mean over the batch.
  static double weight_of(const nn::BatchPart& part);

  /// Of the sum over the ranks of `loss`, in the order of the parameters. Views that the next call overwrites. And sums
  /// `told`, tensors [n] of the parameters' type with `told` numbers in all.
  std::vector<at::Tensor> gradients(const at::Tensor& loss, std::vector<at::Tensor> told = {});
  /// The sums of what was told in the last step; a view that the next overwrites.
  const at::Tensor& told() const { return told_; }

 private:
  struct Bucket {
    at::Tensor flat;
    size_t first = 0, parameters = 0, missing = 0;
  };

  void make_buckets(int64_t told);
  void arrived(size_t parameter, const at::Tensor& gradient);
  void send(Bucket& bucket);

  Group& group_;
  bool whole_batch_norms_;
  std::vector<at::Tensor> parameters_;
  std::vector<unsigned> hooks_;
  std::vector<Bucket> buckets_;
  std::vector<size_t> bucket_of_;    // by parameter
  std::vector<at::Tensor> places_;   // by parameter: its view of the bucket
  std::vector<at::Tensor> waiting_;  // by parameter: its gradient, until its bucket is full
  at::Tensor told_;                  // the end of the last bucket
  std::vector<at::Tensor> telling_;  // what this rank adds to it
  bool listening_ = false;
  size_t sent_ = 0;  // buckets
  std::vector<std::function<void()>> pending_;
};

}  // namespace scdcf::distributed
