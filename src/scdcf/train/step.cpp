#include "scdcf/train/step.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/torch.h>

#include <chrono>
#include <mutex>

#include "scdcf/core/error.h"
#include "scdcf/nn/batch_part.h"
#include "scdcf/nn/dropout.h"
#include "scdcf/train/augment.h"
#include "scdcf/train/autocast_scope.h"
#include "scdcf/train/device_work.h"

#ifdef SCDCF_WITH_CUDA
#  include <ATen/cuda/CUDAGeneratorImpl.h>
#endif

namespace scdcf::train {
namespace {

at::Generator make_generator([[maybe_unused]] torch::Device device) {
#ifdef SCDCF_WITH_CUDA
  if (device.is_cuda()) return at::cuda::detail::createCUDAGenerator(device.index());
#endif
  return at::detail::createCPUGenerator();
}

}  // namespace

Loss cross_entropy(double smoothing) {
  const auto how = torch::nn::functional::CrossEntropyFuncOptions().label_smoothing(smoothing);
  return [how](const torch::Tensor& scores, const Batch& batch) {
    return Outcome{torch::nn::functional::cross_entropy(scores, batch.labels, how),
                   scores.argmax(1).eq(batch.labels).sum()};
  };
}

Step::Step(torch::nn::Module& network, Forward forward, Optimizer& optimizer, const DeviceImages& images,
           const TrainOptions& options, Loss loss)
    : network_(network),
      forward_(std::move(forward)),
      optimizer_(optimizer),
      images_(images),
      augment_(options.augment),
      autocast_(options.precision == "bfloat16"),
      loss_(loss ? std::move(loss) : cross_entropy(options.label_smoothing)),
      generator_(make_generator(images.device())) {
  const auto on_device = torch::TensorOptions(images.device());
  sums_ = torch::zeros({3}, on_device.dtype(torch::kDouble));
  steps_ = torch::zeros({}, on_device.dtype(torch::kLong));
  first_bad_ = torch::full({}, -1, on_device.dtype(torch::kLong));
  stop_here_ = torch::zeros({1}, on_device);
  stop_anywhere_ = torch::zeros({}, on_device);
}

void Step::share(distributed::DataParallel& parallel) {
  parallel_ = &parallel;
  stop_anywhere_ = parallel.told()[1];
  losses_ = torch::zeros({parallel.group().size()}, stop_here_.options());
  nothing_ = torch::zeros_like(losses_);
}

Outcome Step::forward_pass(const torch::Tensor& indices, const torch::Tensor& draws) {
  const auto started = std::chrono::steady_clock::now();
  Batch batch{indices, images_.images(indices), images_.labels(indices)};
  if (augment_.any()) batch.images = augment(batch.images, draws, augment_, images_.black());
  // A GPU would only have been told what to do by now.
  if (batch.images.is_cpu())
    data_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  torch::Tensor output;
  {
    const nn::RandomScope random(generator_);
    const AutocastScope autocast(autocast_);
    output = forward_(batch.images, batch.labels);
  }
  auto outcome = loss_(output.to(torch::kFloat), batch);
  if (!outcome.correct.defined()) outcome.correct = torch::zeros({}, sums_.options());
  return outcome;
}

Step::Pass Step::pass_alone(const torch::Tensor& indices, const torch::Tensor& draws) {
  const auto [loss, correct] = forward_pass(indices, draws);
  return {loss.detach().to(torch::kDouble), correct.to(torch::kDouble),
          torch::autograd::grad({loss}, optimizer_.parameters())};
}

Step::Pass Step::pass_together(const torch::Tensor& indices, const torch::Tensor& draws) {
  auto& group = parallel_->group();
  const auto part = parallel_->part_of(indices.size(0));
  const double weight = distributed::DataParallel::weight_of(part);
  const auto [loss, correct] = [&] {
    const nn::BatchPartScope scope(part);
    return forward_pass(indices.narrow(0, part.first, part.count),
                        draws.defined() ? draws.narrow(0, part.first, part.count) : draws);
  }();
  const auto share = weight == 1 ? loss : loss * weight;
  // What all ranks must know goes round with the gradients: correct, a wish to stop, and the loss of each.
  const int64_t rank = group.rank(), ranks = group.size();
  std::vector<torch::Tensor> told = {part.counts ? correct.to(torch::kFloat).view({1}) : nothing_.narrow(0, 0, 1),
                                     stop_here_};
  if (part.counts) {
    for (const auto& more :
         {nothing_.narrow(0, 0, rank), share.detach().view({1}), nothing_.narrow(0, rank, ranks - rank - 1)})
      if (more.numel() > 0) told.push_back(more);
  } else {
    told.push_back(nothing_);
  }
  auto gradients = parallel_->gradients(share, std::move(told));
  const torch::NoGradGuard no_grad;
  const auto losses = parallel_->told().narrow(0, kToldByAll, ranks);
  at::where_out(losses_, first_bad_.lt(0), losses, losses_);  // kept from the first bad step, as its number is
  return {losses.sum(torch::kDouble), parallel_->told()[0].to(torch::kDouble), std::move(gradients)};
}

/// Everything on the device, nothing that asks the host: capturable.
void Step::compute(const torch::Tensor& indices, const torch::Tensor& draws) {
  const auto [loss, correct, gradients] =
      parallel_ == nullptr ? pass_alone(indices, draws) : pass_together(indices, draws);
  const torch::NoGradGuard no_grad;
  const auto finite = loss.sub(loss).eq(0);  // infinite less infinite is not a number, either
  first_bad_.copy_(torch::where(finite.logical_or_(first_bad_.ge(0)), first_bad_, steps_));
  steps_.add_(1);
  optimizer_.step(gradients, first_bad_.ge(0));
  const double count = static_cast<double>(indices.size(0));
  sums_.add_(torch::stack({loss * count, correct, torch::full({}, count, sums_.options())}));
}

std::vector<torch::Tensor> Step::changed() const {
  std::vector<torch::Tensor> tensors = {sums_, steps_, first_bad_, stop_anywhere_};
  if (losses_.defined()) tensors.push_back(losses_);
  for (const auto& parameter : optimizer_.parameters()) tensors.push_back(parameter);
  for (const auto& buffer : network_.buffers()) tensors.push_back(buffer);
  for (const auto& [name, tensor] : optimizer_.state()) tensors.push_back(tensor);
  return tensors;
}

Step::OfSize& Step::of_size(const torch::Tensor& indices, const torch::Tensor& draws) {
  auto& step = sizes_[indices.size(0)];
  if (step.replay != nullptr) return step;
  {
    const DeviceWork no_capture;
    step.indices = indices.clone();
    if (draws.defined()) step.draws = draws.clone();
  }
  step.replay = std::make_unique<Replay>([this, &step] { compute(step.indices, step.draws); }, images_.device(),
                                         changed(), generator_);
  return step;
}

void Step::run(const torch::Tensor& indices, const torch::Tensor& draws, uint64_t dropout_seed) {
  auto& step = of_size(indices, draws);
  step.indices.copy_(indices);
  if (draws.defined()) step.draws.copy_(draws);
  generator_.set_current_seed(dropout_seed);
  step.replay->run();
}

StepTotals Step::totals() const {
  const auto sums = sums_.cpu();
  StepTotals totals;
  totals.loss = sums[0].item<double>();
  totals.correct = static_cast<int64_t>(sums[1].item<double>());
  totals.count = static_cast<int64_t>(sums[2].item<double>());
  totals.first_bad_step = first_bad_.item<int64_t>();
  if (losses_.defined())
    totals.bad_rank = torch::isfinite(losses_).logical_not().to(torch::kInt).argmax().item<int64_t>();
  totals.data_seconds = data_seconds_;
  return totals;
}

void Step::reset_totals(const StepTotals& totals) {
  sums_.copy_(torch::tensor({totals.loss, static_cast<double>(totals.correct), static_cast<double>(totals.count)},
                            torch::kDouble));
  steps_.zero_();
  first_bad_.fill_(-1);
  data_seconds_ = totals.data_seconds;
}

void apply_precision(const TrainOptions& options, torch::Device device) {
  require(device.is_cuda() || options.precision == "float32", "precision: got ", options.precision,
          ", which needs a GPU, expected float32 on the CPU");
  if (!device.is_cuda()) return;
  const bool fast = options.precision != "float32";
  at::globalContext().setAllowTF32CuBLAS(fast);
  at::globalContext().setAllowTF32CuDNN(fast);
  static std::once_flag once;  // whoever turns it off later has it off, also where runs share the process
  std::call_once(once, [] { at::globalContext().setBenchmarkCuDNN(true); });
}

}  // namespace scdcf::train
