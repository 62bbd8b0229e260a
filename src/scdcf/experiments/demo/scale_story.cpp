#include "scdcf/experiments/demo/scale_story.h"

#include <torch/torch.h>

#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/report/colour_map.h"
#include "scdcf/theory/network_equivariance.h"

namespace scdcf::experiments {
namespace {

constexpr double kStoryOctaves = 0.5;
constexpr int64_t kStoryChannels = 3;

/// [planes] to numbers.
std::vector<double> numbers(const torch::Tensor& values) {
  const auto flat = values.to(torch::kCPU, torch::kDouble).contiguous();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

/// A map [H, W] on the intensity scale from 0 to `highest`.
report::Canvas shaded(const torch::Tensor& map, float highest) {
  const auto flat = map.to(torch::kCPU, torch::kFloat).contiguous();
  return report::coloured(report::ColourMap::blues, {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()},
                          static_cast<int>(map.size(0)), static_cast<int>(map.size(1)), 0, highest);
}

/// Channels whose peak changes most along the scale axis, among those whose highest one lies so far from the coarse end
/// that it can move.
torch::Tensor clearest_channels(const torch::Tensor& peaks, int64_t shift) {
  const auto highest = peaks.amax(1);
  const auto room = peaks.argmax(1).lt(peaks.size(1) - shift).to(torch::kFloat);
  const auto contrast = (highest - peaks.amin(1)) / highest.clamp_min(1e-6);
  // Weak features are noise, however clear their peak.
  const auto strong = highest.ge(highest.median()).to(torch::kFloat);
  return std::get<1>((contrast + room + strong).topk(std::min(kStoryChannels, peaks.size(0))));
}

}  // namespace

report::Canvas canvas_of(const torch::Tensor& picture, const torch::Tensor& black) {
  const auto above = picture - black[0];
  const auto highest = above.max().clamp_min(1e-6);
  const auto bytes = (above / highest * 255).round().clamp(0, 255).to(torch::kCPU, torch::kByte).contiguous();
  report::Canvas canvas(static_cast<int>(bytes.size(0)), static_cast<int>(bytes.size(1)),
                        static_cast<int>(bytes.size(2)), {0, 0, 0});
  canvas.paste(bytes.data_ptr<uint8_t>(), canvas.channels(), canvas.height(), canvas.width(), 0, 0, 1);
  return canvas;
}

ScaleStory tell_scale_story(models::Network& network, const torch::Tensor& images, const torch::Tensor& black,
                            double finest_width) {
  require(network.scale_step() > 0, "scale story: got a network without a scale axis");
  const torch::NoGradGuard no_grad;
  ScaleStory story;
  story.octaves = kStoryOctaves;
  story.shift = static_cast<int>(std::lround(kStoryOctaves / network.scale_step()));
  story.images = images.size(0);
  const std::vector<torch::Tensor> sets = {images, theory::enlarged(images, black, kStoryOctaves)};
  std::vector<torch::Tensor> maps, peaks;  // [N, C, S, H, W] and, of the first picture, [C, S]
  for (const auto& set : sets) {
    maps.push_back(network.features(set).front().maps);
    const auto highest = maps.back().amax({3, 4});
    peaks.push_back(highest[0]);
    story.response.push_back(numbers(highest.mean(c10::IntArrayRef{0, 1})));
    story.pictures.push_back(canvas_of(set[0], black));
  }
  for (int64_t s = 0; s < maps[0].size(2); ++s)
    story.filter_widths.push_back(finest_width * std::exp2(static_cast<double>(s) * network.scale_step()));
  const auto chosen = clearest_channels(peaks[0], story.shift);
  for (int64_t i = 0; i < chosen.size(0); ++i) {
    ScaleStory::Channel channel;
    channel.index = chosen[i].item<int64_t>();
    const float highest =
        std::max(peaks[0][channel.index].max().item<float>(), peaks[1][channel.index].max().item<float>());
    for (size_t k = 0; k < 2; ++k) {
      channel.strongest.push_back(static_cast<size_t>(peaks[k][channel.index].argmax().item<int64_t>()));
      channel.maps.emplace_back();
      for (int64_t s = 0; s < maps[k].size(2); ++s)
        channel.maps.back().push_back(shaded(maps[k][0][channel.index][s], highest));
    }
    story.channels.push_back(channel);
  }
  return story;
}

}  // namespace scdcf::experiments
