#include "scdcf/train/scale_estimate.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/nn/eval_mode_guard.h"
#include "scdcf/train/device_work.h"

namespace scdcf::train {

torch::Tensor scale_response(models::Network& network, const torch::Tensor& images) {
  if (network.scale_step() == 0) return {};
  const DeviceWork no_capture;
  const torch::NoGradGuard no_grad;
  const nn::EvalModeGuard in_eval_mode(network);
  const auto reading = network.read(images);
  const auto layers = reading ? std::vector<models::LayerOutput>() : network.features(images);
  if (reading) return reading->size.to(torch::kFloat).log2();
  if (layers.empty() || layers.front().maps.dim() != 5) return {};
  const auto maps = layers.front().maps.to(torch::kFloat).clamp_min(0);
  const auto [value, plane] = maps.max(2);
  const auto weighted = (value * plane).flatten(1).sum(1), weight = value.flatten(1).sum(1);
  return weighted / weight.clamp_min(1e-12) * network.scale_step();
}

torch::Tensor scale_response(models::Network& network, const DeviceImages& images, int64_t batch,
                             const std::function<void()>& after_batch) {
  std::vector<torch::Tensor> responses;
  for (int64_t first = 0; first < images.count(); first += batch) {
    const auto indices = images.range(first, batch);
    responses.push_back(scale_response(network, images.images(indices)));
    if (!responses.back().defined()) return {};
    if (after_batch) after_batch();
  }
  return torch::cat(responses).cpu();
}

double ScaleCalibration::estimate(double response) const { return std::exp2(intercept + slope * response); }

ScaleCalibration fit_offset(const torch::Tensor& responses, const std::vector<float>& scales) {
  auto result = fit_scale(responses, scales);
  const auto log_size = torch::tensor(scales).to(torch::kDouble).log2();
  result.slope = 1;
  result.intercept = (log_size - responses.to(torch::kCPU, torch::kDouble)).median().item<double>();
  return result;
}

ScaleCalibration fit_scale(const torch::Tensor& responses, const std::vector<float>& scales) {
  require(responses.size(0) == static_cast<int64_t>(scales.size()), "scale calibration: got ", responses.size(0),
          " responses, expected one for each of ", scales.size(), " sizes");
  const auto x = responses.to(torch::kCPU, torch::kDouble);
  const auto y = torch::tensor(scales).to(torch::kDouble).log2();
  const auto dx = x - x.mean(), dy = y - y.mean();
  const double xx = dx.dot(dx).item<double>(), xy = dx.dot(dy).item<double>(), yy = dy.dot(dy).item<double>();
  ScaleCalibration result;
  const auto [smallest, largest] = std::minmax_element(scales.begin(), scales.end());
  if (!scales.empty()) {
    result.smallest = *smallest;
    result.largest = *largest;
  }
  if (xx > 0 && yy > 0) {
    result.slope = xy / xx;
    result.correlation = xy / std::sqrt(xx * yy);
  }
  result.intercept = y.mean().item<double>() - result.slope * x.mean().item<double>();
  return result;
}

std::optional<ScaleCalibration> calibrate_scale(models::Network& network, const DeviceImages& images,
                                                const std::vector<float>& scales, int64_t batch,
                                                const std::function<void()>& after_batch) {
  if (network.scale_step() == 0 || scales.empty()) return std::nullopt;
  const auto responses = scale_response(network, images, batch, after_batch);
  if (!responses.defined()) return std::nullopt;
  const torch::NoGradGuard no_grad;
  const bool reads = network.read(images.images(images.range(0, 1))).has_value();
  return reads ? fit_offset(responses, scales) : fit_scale(responses, scales);
}

nlohmann::ordered_json to_json(const ScaleCalibration& calibration) {
  return {{"slope", calibration.slope},
          {"intercept", calibration.intercept},
          {"correlation", calibration.correlation},
          {"smallest", calibration.smallest},
          {"largest", calibration.largest}};
}

ScaleCalibration calibration_from_json(const nlohmann::json& json) {
  try {
    return {json.at("slope"), json.at("intercept"), json.at("correlation"), json.value("smallest", 0.0),
            json.value("largest", 0.0)};
  } catch (const nlohmann::json::exception&) {
    detail::fail("scale calibration: got ", json.dump(), ", expected slope, intercept and correlation");
  }
}

}  // namespace scdcf::train
