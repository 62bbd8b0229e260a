#include "scdcf/distributed/data_parallel.h"

#include <torch/torch.h>

#include <algorithm>

namespace scdcf::distributed {
namespace {
constexpr int64_t kBucketBytes = 4 << 20;  // large enough to fill a link, small enough to leave early
}

DataParallel::DataParallel(Group& group, bool whole_batch_norms, std::vector<torch::Tensor> parameters, int64_t told)
    : group_(group), whole_batch_norms_(whole_batch_norms), parameters_(std::move(parameters)) {
  make_buckets(told);
  for (size_t i = 0; i < parameters_.size(); ++i)
    hooks_.push_back(parameters_[i].register_hook([this, i](const torch::Tensor& gradient) { arrived(i, gradient); }));
}

DataParallel::~DataParallel() {
  for (size_t i = 0; i < parameters_.size(); ++i) parameters_[i].remove_hook(hooks_[i]);
}

/// From the last parameter on: its gradient is there first.
void DataParallel::make_buckets(int64_t told) {
  const auto bytes = [](const torch::Tensor& tensor) {
    return tensor.numel() * static_cast<int64_t>(tensor.element_size());
  };
  bucket_of_.resize(parameters_.size());
  places_.resize(parameters_.size());
  waiting_.resize(parameters_.size());
  for (size_t last = parameters_.size(); last > 0;) {
    size_t first = last - 1;
    int64_t size = parameters_[first].numel(), filled = bytes(parameters_[first]);
    while (first > 0 && filled < kBucketBytes &&
           parameters_[first - 1].scalar_type() == parameters_[first].scalar_type()) {
      --first;
      size += parameters_[first].numel();
      filled += bytes(parameters_[first]);
    }
    const int64_t more = first == 0 ? told : 0;
    Bucket bucket{torch::zeros({size + more}, parameters_[first].options().requires_grad(false)), first, last - first,
                  0};
    int64_t offset = 0;
    for (size_t i = first; i < last; ++i) {
      bucket_of_[i] = buckets_.size();
      places_[i] = bucket.flat.narrow(0, offset, parameters_[i].numel()).view(parameters_[i].sizes());
      offset += parameters_[i].numel();
    }
    if (first == 0) told_ = bucket.flat.narrow(0, size, told);
    buckets_.push_back(std::move(bucket));
    last = first;
  }
}

nn::BatchPart DataParallel::part_of(int64_t whole) const {
  const int64_t least = whole_batch_norms_ ? 1 : 2, parts = std::clamp<int64_t>(whole / least, 1, group_.size());
  nn::BatchPart part;
  part.whole = whole;
  part.counts = group_.rank() < parts;
  if (part.counts) {
    const int64_t rank = group_.rank(), each = whole / parts, more = whole % parts;
    part.first = rank * each + std::min(rank, more);
    part.count = each + (rank < more ? 1 : 0);
  } else {
    part.count = std::min<int64_t>(2, whole);
  }
  if (whole_batch_norms_) part.sum = [this](const torch::Tensor& tensor) { return group_.differentiable_sum(tensor); };
  return part;
}

double DataParallel::weight_of(const nn::BatchPart& part) {
  return part.counts ? static_cast<double>(part.count) / static_cast<double>(part.whole) : 0;
}

void DataParallel::arrived(size_t parameter, const torch::Tensor& gradient) {
  if (!listening_) return;
  const torch::NoGradGuard no_grad;
  // A view, which is a tensor of its own: a gradient that somebody else holds would be copied into the parameter's.
  waiting_[parameter] = gradient.contiguous().view({-1});
  --buckets_[bucket_of_[parameter]].missing;
  // In order: every rank must send the same bucket next, whichever is full first.
  for (; sent_ < buckets_.size() && buckets_[sent_].missing == 0; ++sent_) send(buckets_[sent_]);
}

void DataParallel::send(Bucket& bucket) {
  const auto begin = waiting_.begin() + static_cast<std::ptrdiff_t>(bucket.first);
  std::vector<torch::Tensor> parts(begin, begin + static_cast<std::ptrdiff_t>(bucket.parameters));
  if (bucket.first == 0) parts.insert(parts.end(), telling_.begin(), telling_.end());
  at::cat_out(bucket.flat, parts);  // one operation on a GPU, where a copy of each takes as long as a large one
  std::fill_n(begin, bucket.parameters, torch::Tensor());
  pending_.push_back(group_.sum_later(bucket.flat));
}

std::vector<torch::Tensor> DataParallel::gradients(const torch::Tensor& loss, std::vector<torch::Tensor> told) {
  telling_ = std::move(told);
  for (auto& bucket : buckets_) bucket.missing = bucket.parameters;
  sent_ = 0;
  listening_ = true;
  loss.backward();
  listening_ = false;
  for (auto& parameter : parameters_) parameter.mutable_grad().reset();
  require(sent_ == buckets_.size(), "data-parallel training: got no gradient of some parameters, expected that the ",
          "loss depends on all");
  for (const auto& wait : pending_) wait();
  pending_.clear();
  telling_.clear();
  return places_;
}

}  // namespace scdcf::distributed
