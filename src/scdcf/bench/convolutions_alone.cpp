#include "scdcf/bench/convolutions_alone.h"

#include "scdcf/core/error.h"
#include "scdcf/train/autocast_scope.h"

namespace scdcf::bench {
namespace {

std::vector<BenchLayer> layers_of(int64_t size, int64_t batch, bool autocast, torch::Device device) {
  std::vector<BenchLayer> layers;
  for (const auto& bench_case : layer_cases(batch))
    if (bench_case.group == "smnist" + std::to_string(size))
      layers.emplace_back(bench_case, device, autocast ? torch::kBFloat16 : torch::kFloat);
  require(!layers.empty(), "convolutions alone: got images of ", size, " pixels, expected 28 or 56");
  return layers;
}

}  // namespace

ConvolutionsAlone::ConvolutionsAlone(int64_t size, int64_t batch, bool autocast, torch::Device device)
    : layers_(layers_of(size, batch, autocast, device)),
      convolutions_(
          [this, autocast] {
            const train::AutocastScope scope(autocast);
            for (auto& layer : layers_) layer.step(Variant::separable, true);
          },
          device),
      products_(
          [this] {
            for (auto& layer : layers_) layer.floor(true);
          },
          device) {}

}  // namespace scdcf::bench
