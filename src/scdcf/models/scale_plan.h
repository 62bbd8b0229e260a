// Which sizes of objects a network recognises, and how it looks for them: at levels, each an enlarged image, with
// planes of the scale axis at each level.
#pragma once

#include <string>
#include <vector>

#include "scdcf/models/options.h"

namespace scdcf::models {

/// Across the box of an object: with less there is nothing to recognise.
constexpr double kLeastObjectPixels = 5;

/// Planes are numbered from the finest, of the most enlarged level, to the coarsest. Sizes of objects are those of
/// their box, as shares of the side of the image.
///
/// Plane s of a level answers to objects that span `span` widths of its filters: its home sizes. Levels are whole
/// numbers of planes apart, so that all planes together are equally spaced, `step` octaves.
struct ScalePlan {
  int planes_per_level = 1;
  double step = 0;                   ///< octaves between planes
  std::vector<double> enlargements;  ///< of each level, the largest first
  std::vector<int64_t> frames;       ///< pixels a side that are looked at, of each level
  /// More levels, of training alone. An object smaller or larger than those trained on appears at some of the levels
  /// smaller or larger than any of these ever did there: training looks at images so reduced or enlarged, to be quiet.
  std::vector<double> training_enlargements;
  std::vector<int64_t> training_frames;
  double finest_width = 0;  ///< of the filters, in pixels of a level
  double span = 0;          ///< filter widths across an object at home
  int64_t image_size = 0;
  double smallest = 0, largest = 0;  ///< objects that are recognised
  double smallest_trained = 0, largest_trained = 0;
  int first_home = 0, last_home = 0;  ///< planes where the objects trained on are at home

  int levels() const { return static_cast<int>(enlargements.size()); }
  int planes() const { return levels() * planes_per_level; }
  /// The size of the objects whose home a plane is; between planes too.
  double home_size(double plane) const;
  bool is_home_level(int level) const;
};

/// Where options leave them open, fills in smaller and larger; then plans. Throws Error for a range that does not fit
/// the image or cannot be sampled.
ScalePlan plan_scales(ModelOptions& options, int planes_per_level);

/// "recognises 0.33 to 1.5 times the size trained on; 12 planes, filters of 1.2 to 7 px of the image, which is enlarged
/// up to 4.2 times"
std::string describe(const ScalePlan& plan);

}  // namespace scdcf::models
