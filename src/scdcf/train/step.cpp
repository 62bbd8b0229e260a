#include "scdcf/train/step.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/torch.h>

#include <chrono>
#include <map>

#include "scdcf/core/error.h"
#include "scdcf/nn/dropout.h"
#include "scdcf/train/augment.h"
#include "scdcf/train/autocast_scope.h"
#include "scdcf/train/device_work.h"
#include "scdcf/train/stream_scope.h"

#ifdef SCDCF_WITH_CUDA
#  include <ATen/cuda/CUDAGeneratorImpl.h>
#  include <ATen/cuda/CUDAGraph.h>
#  include <c10/cuda/CUDAFunctions.h>
#  include <c10/cuda/CUDAGuard.h>
#  include <c10/cuda/CUDAStream.h>
#endif

namespace scdcf::train {
namespace {

at::Generator make_generator(torch::Device device) {
#ifdef SCDCF_WITH_CUDA
  if (device.is_cuda()) return at::cuda::detail::createCUDAGenerator(device.index());
#endif
  (void)device;
  return at::detail::createCPUGenerator();
}

}  // namespace

struct Step::State {
  models::Network& network;
  Optimizer& optimizer;
  const DeviceImages& images;
  TrainOptions options;
  at::Generator generator;
  // On the device: sums of loss, correct and count; the steps so far and the first bad one.
  torch::Tensor sums, steps, first_bad;
  double data_seconds = 0;

  State(models::Network& network, Optimizer& optimizer, const DeviceImages& images, TrainOptions options)
      : network(network),
        optimizer(optimizer),
        images(images),
        options(std::move(options)),
        generator(make_generator(images.device())) {
    const auto on_device = torch::TensorOptions(images.device());
    sums = torch::zeros({3}, on_device.dtype(torch::kDouble));
    steps = torch::zeros({}, on_device.dtype(torch::kLong));
    first_bad = torch::full({}, -1, on_device.dtype(torch::kLong));
  }

  /// Everything on the device, nothing that asks the host: capturable.
  void compute(const torch::Tensor& indices, const torch::Tensor& draws) {
    const auto started = std::chrono::steady_clock::now();
    auto batch = images.images(indices);
    const auto labels = images.labels(indices);
    if (options.augment.any()) batch = augment(batch, draws, options.augment, images.black());
    // A GPU would only have been told what to do by now.
    if (batch.is_cpu())
      data_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    torch::Tensor scores;
    {
      const nn::RandomScope random(generator);
      const AutocastScope autocast(options.precision == "bfloat16");
      scores = network.forward(batch);
    }
    scores = scores.to(torch::kFloat);
    const auto loss = torch::nn::functional::cross_entropy(scores, labels);
    const auto gradients = torch::autograd::grad({loss}, optimizer.parameters());
    const torch::NoGradGuard no_grad;
    first_bad.copy_(torch::where(torch::isfinite(loss).logical_or_(first_bad.ge(0)), first_bad, steps));
    steps.add_(1);
    optimizer.step(gradients, first_bad.lt(0));
    const auto correct = scores.argmax(1).eq(labels).sum();
    const double count = static_cast<double>(indices.size(0));
    sums.add_(torch::stack(
        {loss.to(torch::kDouble) * count, correct.to(torch::kDouble), torch::full({}, count, sums.options())}));
  }

#ifdef SCDCF_WITH_CUDA
  struct Graph {
    at::cuda::CUDAGraph graph;
    torch::Tensor indices, draws;
  };
  std::map<int64_t, std::unique_ptr<Graph>> graphs;  // by batch size: the last batch of an epoch may be smaller

  Graph& graph_for(const torch::Tensor& indices, const torch::Tensor& draws) {
    auto& graph = graphs[indices.size(0)];
    if (graph != nullptr) return *graph;
    const DeviceCapture alone;
    // A capture needs a stream of its own; replays run on the caller's.
    c10::cuda::device_synchronize();
    const StreamScope own_stream(images.device());
    graph = std::make_unique<Graph>();
    graph->indices = indices.clone();
    if (draws.defined()) graph->draws = draws.clone();
    const Snapshot before(*this);
    for (int i = 0; i < 3; ++i) compute(graph->indices, graph->draws);  // autotuners and caches settle outside
    c10::cuda::device_synchronize();
    before.restore(*this);
    c10::cuda::device_synchronize();
    graph->graph.register_generator_state(generator);
    graph->graph.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    compute(graph->indices, graph->draws);
    graph->graph.capture_end();
    return *graph;
  }

  /// What the warm-up of a capture changes: weights, buffers, optimizer, sums.
  class Snapshot {
   public:
    explicit Snapshot(State& state) {
      const torch::NoGradGuard no_grad;
      for (const auto& tensor : changed(state)) copies_.push_back(tensor.clone());
    }
    void restore(State& state) const {
      const torch::NoGradGuard no_grad;
      auto tensors = changed(state);
      for (size_t i = 0; i < tensors.size(); ++i) tensors[i].copy_(copies_[i]);
    }

   private:
    static std::vector<torch::Tensor> changed(State& state) {
      std::vector<torch::Tensor> tensors = {state.sums, state.steps, state.first_bad};
      for (const auto& parameter : state.optimizer.parameters()) tensors.push_back(parameter.detach());
      for (const auto& buffer : state.network.buffers()) tensors.push_back(buffer);
      for (const auto& [name, tensor] : state.optimizer.state()) tensors.push_back(tensor);
      return tensors;
    }
    std::vector<torch::Tensor> copies_;
  };
#endif
};

Step::Step(models::Network& network, Optimizer& optimizer, const DeviceImages& images, const TrainOptions& options)
    : state_(std::make_unique<State>(network, optimizer, images, options)) {}

Step::~Step() = default;

void Step::run(const torch::Tensor& indices, const torch::Tensor& draws, uint64_t dropout_seed) {
#ifdef SCDCF_WITH_CUDA
  if (indices.is_cuda()) {
    auto& graph = state_->graph_for(indices, draws);
    graph.indices.copy_(indices);
    if (draws.defined()) graph.draws.copy_(draws);
    state_->generator.set_current_seed(dropout_seed);
    graph.graph.replay();
    return;
  }
#endif
  state_->generator.set_current_seed(dropout_seed);
  state_->compute(indices, draws);
}

StepTotals Step::totals() const {
  const auto sums = state_->sums.cpu();
  StepTotals totals;
  totals.loss = sums[0].item<double>();
  totals.correct = static_cast<int64_t>(sums[1].item<double>());
  totals.count = static_cast<int64_t>(sums[2].item<double>());
  totals.first_bad_step = state_->first_bad.item<int64_t>();
  totals.data_seconds = state_->data_seconds;
  return totals;
}

void Step::reset_totals(const StepTotals& totals) {
  state_->sums.copy_(torch::tensor(
      {totals.loss, static_cast<double>(totals.correct), static_cast<double>(totals.count)}, torch::kDouble));
  state_->steps.zero_();
  state_->first_bad.fill_(-1);
  state_->data_seconds = totals.data_seconds;
}

void apply_precision(const TrainOptions& options, torch::Device device) {
  require(device.is_cuda() || options.precision == "float32", "--precision ", options.precision,
          " needs a GPU; on the CPU expected float32");
  if (!device.is_cuda()) return;
  const bool fast = options.precision != "float32";
  at::globalContext().setAllowTF32CuBLAS(fast);
  at::globalContext().setAllowTF32CuDNN(fast);
  at::globalContext().setBenchmarkCuDNN(true);
}

}  // namespace scdcf::train
