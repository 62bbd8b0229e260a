// Networks whose scores move with the size of the object: the same weights look at the image at many sizes, and the
// largest score of all planes decides. Scaling the image moves the scores along the planes; their maximum stays.
#pragma once

#include "scdcf/models/registry.h"
#include "scdcf/models/scale_plan.h"

namespace scdcf::models {

/// What looks at one level: frames [M, C, F, F], with P planes of its own.
class LevelNetwork : public torch::nn::Module {
 public:
  /// The maps after each block, [M, C', P, H, W].
  virtual std::vector<LayerOutput> blocks(const torch::Tensor& frames) = 0;
  /// The hidden features that the scores are made of, [M, hidden, P, H, W] from the maps of the last block, or their
  /// [M, hidden, P, 1, 1] at the centre.
  virtual torch::Tensor hidden(const torch::Tensor& maps, bool at_centre) = 0;
  /// Scores [M, classes, P, H, W] of hidden features.
  virtual torch::Tensor scores(const torch::Tensor& hidden) = 0;
};

/// A kind of such network.
struct PyramidKind {
  std::string name, source, symmetry;
  std::vector<std::string> known_options;
  double home_pixels;  ///< across an object at home
  double class_width;  ///< of filters that see all of it, after two poolings
  /// Fills in what the kind has defaults for; gives the planes of a level.
  std::function<int(ModelOptions&)> resolve;
  std::function<std::shared_ptr<LevelNetwork>(const ModelOptions&, int planes_per_level)> level_network;
};
ModelEntry pyramid_entry(const PyramidKind& kind);

}  // namespace scdcf::models
