// A picture of a data set: what training will see, at a glance.
#pragma once

#include <string>

#include "scdcf/data/image_set.h"
#include "scdcf/pixels/canvas.h"

namespace scdcf::data {

struct ContactSheetOptions {
  int count = 64;     ///< pictures at most
  int columns = 0;    ///< 0: one row per class with its name before it; else a grid in the set's own order
  std::string title;  ///< a line above; none where empty
};

/// The first pictures of the set, or of every class, with light gaps. Small pictures are enlarged by a whole factor.
/// Throws Error for an empty set or a sheet of more than 64 million pixels.
pixels::Canvas contact_sheet(const ImageSet& set, const ContactSheetOptions& options);

}  // namespace scdcf::data
