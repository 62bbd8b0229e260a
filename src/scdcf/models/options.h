// The options of a network, as they stand on a command line, in a configuration file and in a checkpoint.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace scdcf::models {

/// 0, a negative dropout or an empty list or word stands for the network's own default; `resolve` fills it in.
struct ModelOptions {
  std::string name = "scdcfnet";
  int64_t classes = 10;
  int64_t in_channels = 1;
  int64_t image_size = 28;
  std::vector<int64_t> channels;  ///< outputs of each block; of the first convolution and each group in resnet16
  int modes = 0;                  ///< K, functions in space
  int scale_modes = 0;            ///< K_alpha, functions in scale
  int scale_taps = 0;             ///< L_alpha, taps in scale
  int scales = 0;                 ///< N_s, planes of the scale axis
  double scale_step = 0;          ///< octaves between two planes
  double finest_width = 0;        ///< of the filters, in pixels
  std::string scale_padding;      ///< replicate or zero
  std::string pooling;            ///< average or max
  std::string block;              ///< norm-relu-pool or relu-pool-norm: what follows a convolution, in this order
  std::string basis;              ///< a name of make_spatial_basis
  std::string sampling;           ///< area or point: integrals of the basis over pixels, or values at their centres
  std::string algorithm;          ///< automatic, separable or composed
  int hidden = 0;                 ///< units of the hidden layer
  double dropout = -1;            ///< in front of the last layer
  int class_modes = 0;            ///< K of the class layer
  double class_width = 0;         ///< of the class layer's filters at the finest plane, in pixels of its maps
  int planes_per_level = 0;       ///< of the scale axis, at one enlargement of the image
  double smaller = 0;             ///< objects are recognised down to this many times smaller than those trained on,
  double larger = 0;              ///< and up to this many times larger
  double span = 0;                ///< filter widths across an object where its plane is at home
  int64_t frame = 0;              ///< pixels a side that a level looks at, about the centre
  double others_share = -1;       ///< of a batch, that the levels where training objects are not at home are shown
  std::string read_out;           ///< centre or anywhere
  std::string padding;            ///< black or replicate, beyond the border of the image
  double smallest_object = 0;     ///< trained on, as share of the side of the image
  double largest_object = 0;
  double width = 0;  ///< of resnet16: times 16, 16, 32, 64 channels; its variants have as many parameters
};

/// Refuses options that were given but that the network does not have, so that none is ignored in silence. `known`
/// names those it has beside classes, in_channels, image_size, channels, hidden and dropout.
void refuse_unknown_options(const ModelOptions& options, const std::vector<std::string>& known);

/// What a kind of network asks of the options that every network has.
struct CommonLimits {
  int64_t smallest_image;
  size_t channel_counts;
  const char* counts_of;  ///< what has a number of channels: "each of the three blocks"
  double dropout;         ///< where it is left open
  bool or_more = false;   ///< whether there may be more of them
};
/// Checks image size and channels as far as option_list.h, whose bounds hold already, cannot; fills in dropout.
void resolve_common(ModelOptions& options, const CommonLimits& limits);

/// Refuses all but images [N, in_channels, image_size, image_size] in floating point, in the name of the network.
void check_images(const ModelOptions& options, const at::Tensor& images);

}  // namespace scdcf::models
