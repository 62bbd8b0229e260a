// How good a network is: in all, per class, and against the size of the object.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "scdcf/distributed/group.h"
#include "scdcf/models/network.h"
#include "scdcf/train/device_images.h"

namespace scdcf::train {

/// Images at a time in validation and test.
constexpr int64_t kEvaluationBatch = 500;

/// Of each image: the predicted class [n] and its probability [n], on the CPU; and the mean loss.
struct Predictions {
  torch::Tensor labels, confidence;
  torch::Tensor scores;                 ///< [n, classes] on the CPU; undefined where ranks share the images
  torch::Tensor sizes, places, beyond;  ///< as the network reads them (models::Reading); undefined where it does not
  double loss = 0;
  double accuracy = 0;  ///< in [0, 1]
};

/// Runs a network over a set in eval mode, and leaves it in the mode it was in. `after_batch` is told how many images
/// are done; what it throws leaves the network in eval mode. The ranks of a `group` share the images, and each has the
/// predictions for all of them at the end.
Predictions predict(models::Network& network, const DeviceImages& images, int64_t batch, bool autocast = false,
                    const std::function<void(int64_t done)>& after_batch = {}, distributed::Group* group = nullptr);

/// Images that belong together: a class, or objects of about one size.
struct Group {
  std::string name;
  double from = 0, to = 0;  ///< of a size: the range
  int64_t count = 0;
  int64_t correct = 0;
  double accuracy() const { return count == 0 ? 0 : static_cast<double>(correct) / static_cast<double>(count); }
};

struct Evaluation {
  double accuracy = 0, loss = 0;
  std::vector<Group> classes;
  std::vector<Group> scales;  ///< empty where the sizes of the objects are not known
  /// Of the size that the network reads: the median of |read / true - 1|, negative where sizes are not known or read.
  double size_error = -1;
  /// Of the place that the network reads: the median distance to the true one, as share of the side of the image.
  double place_error = -1;
  int64_t beyond = -1;  ///< images whose object may be beyond what the network looks for; -1 where it does not tell
};

/// Of sets whose objects have a few sizes and no others (ImageSet::all_sizes) each size is a group, with from = to;
/// else the range of the sizes is split into steps of 0.1 (from 0.3 to 1 for the scaled sets).
/// `size_factor`: what sizes that were read are multiplied with (ScaleCalibration).
Evaluation evaluate(const data::ImageSet& set, const Predictions& predictions, double size_factor = 1);

/// The accuracy of a group without images is null.
nlohmann::ordered_json to_json(const Evaluation& evaluation);

}  // namespace scdcf::train
