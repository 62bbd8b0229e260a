// What the program asks of a network, whoever wrote it.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <optional>
#include <string>
#include <vector>

namespace scdcf::models {

/// What a layer computed: [N, C, S, H, W], or [N, C, H, W] where the network has no scale axis.
struct LayerOutput {
  std::string layer;
  torch::Tensor maps;
  /// Each plane shows a part of the image that grows with its objects: enlarging the image moves the maps along S
  /// alone.
  bool along_scales = false;
};

/// What a network says of each image beside its scores.
struct Reading {
  torch::Tensor scores;  ///< [N, classes]
  torch::Tensor size;    ///< [N]: of the object, as share of the side of the image, by the plane of its highest score
  torch::Tensor place;   ///< [N, 2]: x, y of its centre in pixels, pixel 0 from 0 to 1; undefined if not looked for
  /// [N]: -1, 1 where that score rises to the first or the last plane and would peak more than half a plane beyond, so
  /// that the object may be smaller or larger than any that is looked for; else 0. Three planes tell, fewer do not.
  torch::Tensor beyond;
};

/// What one plane of the scale axis has to say, of networks that score every plane by itself.
struct PlaneOutput {
  double home_size = 0;           ///< of the objects that it answers to, as share of the side of the image
  double seen = 0;                ///< the middle part of the image that its maps show, as share of the side
  torch::Tensor scores;           ///< [N, classes]: the highest at any place
  std::vector<LayerOutput> maps;  ///< [N, C, H, W] after each block, and of the scores where objects may be anywhere
};

/// A classifier of images. Training, evaluation and the rest of the program need `forward` alone; `features` and
/// `scale_step` let it look inside.
class Network : public torch::nn::Module {
 public:
  /// Images [N, C, H, W] to class scores [N, classes].
  virtual torch::Tensor forward(const torch::Tensor& images) = 0;
  /// The scores that training compares with the labels [N]; those of `forward` in most networks.
  virtual torch::Tensor training_scores(const torch::Tensor& images, const torch::Tensor& /*labels*/) {
    return forward(images);
  }
  /// Scores, and the size of the object, in networks that read it off their scores.
  virtual std::optional<Reading> read(const torch::Tensor& /*images*/) { return std::nullopt; }
  /// A line worth telling before it is used: what it was planned for. Empty in most networks.
  virtual std::string about() const { return {}; }
  /// The maps after each block, in order; empty where a network does not show them.
  virtual std::vector<LayerOutput> features(const torch::Tensor& /*images*/) { return {}; }
  /// The planes from the finest to the coarsest; empty in networks that do not score them. The highest score of a class
  /// over all planes is that of `forward`.
  virtual std::vector<PlaneOutput> planes(const torch::Tensor& /*images*/) { return {}; }
  /// Octaves between neighbouring planes of the scale axis of `features`; 0 where there is no such axis.
  virtual double scale_step() const { return 0; }
};

}  // namespace scdcf::models
