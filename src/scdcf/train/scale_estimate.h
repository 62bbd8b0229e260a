// The size of the object, read off the scale axis: a larger object answers at coarser planes.
#pragma once

#include <torch/types.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "scdcf/models/network.h"
#include "scdcf/train/device_images.h"

namespace scdcf::train {

/// Of each image [N, C, H, W], in octaves: [N]. Networks that read the size off their scores say it themselves
/// (Network::read), as log2 of it. Of others, counted from the finest plane, the plane where the features of the first
/// block are largest (arg-max over S at every channel and pixel), averaged with the maxima as weights. Undefined for
/// networks without a scale axis.
///
/// The first block, because later ones mix planes: on scaled glyphs the response of four small networks correlates with
/// the log of the size by 0.5 to 0.8 in block 1, by -0.7 to 0.3 in block 2 and by -0.6 to -0.4 in block 3.
torch::Tensor scale_response(models::Network& network, const torch::Tensor& images);

/// The same for a whole set, `batch` images at a time, on the CPU. `after_batch` is called after each, and may throw.
torch::Tensor scale_response(models::Network& network, const DeviceImages& images, int64_t batch,
                             const std::function<void()>& after_batch = {});

/// Sizes are read to within so much, half of the usual step between planes, mostly.
constexpr double kReadingAccuracy = 1.09;

/// log2(size of the object) = intercept + slope * response, fitted where sizes are known.
struct ScaleCalibration {
  double slope = 0, intercept = 0;
  double correlation = 0;            ///< between log2(size) and response
  double smallest = 0, largest = 0;  ///< of the sizes it was fitted to; both 0 where they were not kept
  /// Whether such an object was among those, as exactly as sizes are read.
  bool covers(double size) const {
    return largest == 0 || (size >= smallest / kReadingAccuracy && size <= largest * kReadingAccuracy);
  }
  double estimate(double response) const;
};

/// log2(size) = intercept + response: of a network that is equivariant up to its scores the slope is known, and a
/// narrow range of training sizes is enough.
ScaleCalibration fit_offset(const torch::Tensor& responses, const std::vector<float>& scales);

/// Least squares of log2(scales[i]) against responses [n]. A response that never varies gives slope 0.
ScaleCalibration fit_scale(const torch::Tensor& responses, const std::vector<float>& scales);

/// fit_scale, or fit_offset where the network reads sizes itself, over a set whose sizes are known; nothing for
/// networks without a scale axis or sets without sizes.
std::optional<ScaleCalibration> calibrate_scale(models::Network& network, const DeviceImages& images,
                                                const std::vector<float>& scales, int64_t batch,
                                                const std::function<void()>& after_batch = {});

nlohmann::ordered_json to_json(const ScaleCalibration& calibration);
ScaleCalibration calibration_from_json(const nlohmann::json& json);

}  // namespace scdcf::train
