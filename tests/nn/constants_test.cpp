// What every layer with constants must do, whatever it met first: a tracer, InferenceMode, images of other sizes.
#include <c10/core/Allocator.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "scdcf/nn/enlarge.h"
#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"
#include "scdcf/nn/local_scale_conv.h"
#include "scdcf/nn/pointwise_conv.h"
#include "scdcf/nn/rescaled_kernel_conv.h"
#include "scdcf/nn/scale_space.h"
#include "scdcf/nn/vector_field.h"
#include "support/device.h"
#include "support/traced.h"

namespace scdcf::nn {
namespace {

const basis::ScaleGrid kColdGrid(3, 0.5, 3.0);
using Forward = std::function<torch::Tensor(const torch::Tensor&)>;

/// A layer that nothing has used yet.
struct Cold {
  std::shared_ptr<torch::nn::Module> module;
  Forward forward;
};

struct Kind {
  const char* name;
  std::function<Cold()> make;
  int64_t channels, scales;  // of its input; images have no scales

  torch::Tensor input(int64_t height = 9, int64_t width = 8) const {
    std::vector<int64_t> shape = {2, channels, height, width};
    if (scales > 0) shape.insert(shape.begin() + 2, scales);
    return torch::randn(shape, testing::on_device(torch::kFloat));
  }
};

template <class Layer>
Cold cold(Layer layer) {
  layer->to(testing::device());
  return {layer.ptr(), [layer](const torch::Tensor& x) mutable { return layer->forward(x); }};
}

template <class Options>
Options filters(Options options, Algorithm algorithm) {
  return options.modes(5).algorithm(algorithm);
}

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (const auto algorithm : {Algorithm::automatic, Algorithm::separable, Algorithm::composed}) {
    all.push_back({"LiftingConv",
                   [=] { return cold(LiftingConv(filters(LiftingConvOptions(2, 3, kColdGrid), algorithm))); }, 2, 0});
    all.push_back(
        {"JointConv", [=] { return cold(JointConv(filters(JointConvOptions(2, 3, kColdGrid), algorithm))); }, 2, 3});
    all.push_back({"JointConv, one tap",
                   [=] { return cold(JointConv(filters(JointConvOptions(2, 3, kColdGrid).scale_taps(1), algorithm))); },
                   2, 3});
  }
  for (const auto padding : {SpatialPadding::zero, SpatialPadding::replicate}) {
    all.push_back({"JointConv::at_centre",
                   [=] {
                     JointConv layer(JointConvOptions(2, 3, kColdGrid).scale_taps(1).padding(padding));
                     layer->to(testing::device());
                     return Cold{layer.ptr(), [layer](const auto& x) mutable { return layer->at_centre(x); }};
                   },
                   2, 3});
    all.push_back({"Enlarge", [=] { return cold(Enlarge(EnlargeOptions(1.7).padding(padding))); }, 2, 0});
  }
  all.push_back({"PointwiseConv", [] { return cold(PointwiseConv(PointwiseConvOptions(2, 3).scale_taps(2))); }, 2, 3});
  all.push_back({"ScaleSpaceLifting", [] { return cold(ScaleSpaceLifting(3)); }, 1, 0});
  all.push_back(
      {"LocalScaleConv", [] { return cold(LocalScaleConv(MultiScaleConvOptions(2, 3).kernel_size(3))); }, 2, 0});
  all.push_back({"RescaledKernelConv",
                 [] { return cold(RescaledKernelConv(MultiScaleConvOptions(2, 3).kernel_size(3))); }, 2, 0});
  all.push_back(
      {"VectorFieldConv",
       [] { return cold(VectorFieldConv(MultiScaleConvOptions(2, 3).kernel_size(3), /*field_input=*/false)); }, 2, 0});
  return all;
}

TEST(LayersWithConstants, traced_before_their_first_forward_and_freed_compute_the_same) {
  for (const auto& kind : kinds()) {
    torch::manual_seed(1);
    auto layer = kind.make(), same = kind.make();
    const torch::NoGradGuard no_grad;
    const auto from = layer.module->parameters(), to = same.module->parameters();
    for (size_t i = 0; i < from.size(); ++i) to[i].copy_(from[i].requires_grad_(false));
    const auto x = kind.input(), expected = same.forward(x);
    layer.module = nullptr;
    const auto got = testing::traced_and_freed(std::move(layer.forward), x);
    EXPECT_LT(testing::relative_error(got, expected), 1e-6) << kind.name;
  }
}

TEST(LayersWithConstants, learn_after_a_first_forward_in_inference_mode) {
  for (const auto& kind : kinds()) {
    auto layer = kind.make();
    const auto x = kind.input();
    torch::Tensor expected;
    {
      const c10::InferenceMode mode;
      expected = layer.forward(x);
    }
    const auto learning = x.clone().requires_grad_();
    const auto y = layer.forward(learning);
    EXPECT_TRUE(torch::equal(y, expected.clone())) << kind.name;
    EXPECT_NO_THROW(y.sum().backward()) << kind.name;
    for (const auto& parameter : layer.module->parameters()) EXPECT_TRUE(parameter.grad().defined()) << kind.name;
  }
}

/// Counts what this thread's tensors take, while it is in use.
struct Bytes : c10::MemoryReportingInfoBase {
  // Of LibTorch 1 and of LibTorch 2.
  void reportMemoryUsage(void*, int64_t bytes, int64_t, int64_t, c10::Device) { held += bytes; }
  void reportMemoryUsage(void*, int64_t bytes, size_t, size_t, c10::Device) { held += bytes; }
  bool memoryProfilingEnabled() const override { return true; }
  int64_t held = 0;
};

TEST(LayersWithConstants, keep_nothing_of_the_sizes_of_images) {
  if (!testing::device().is_cpu()) GTEST_SKIP() << "counts the memory of the CPU";
  const torch::NoGradGuard no_grad;
  for (const auto& kind : kinds()) {
    auto layer = kind.make();
    layer.forward(kind.input());
    const auto bytes = std::make_shared<Bytes>();
    const c10::DebugInfoGuard counted(c10::DebugInfoKind::PROFILER_STATE, bytes);
    for (int64_t size = 10; size < 30; ++size) layer.forward(kind.input(size, size + 3));
    EXPECT_EQ(bytes->held, 0) << kind.name;
  }
}

}  // namespace
}  // namespace scdcf::nn
