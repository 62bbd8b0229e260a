// What of a run the data decides.
#pragma once

#include "scdcf/data/image_set.h"
#include "scdcf/train/config.h"

namespace scdcf::train {

/// Fills in classes, channels and size of the images and, for networks that plan their scale axis, the sizes of the
/// objects, where they lie and what lies beyond the border; then the network's own defaults. Throws Error for options
/// that do not go with the data.
RunConfig fit_to_data(RunConfig config, const data::Splits& splits);

/// The octaves of detail that training images lose where nobody says how many: as many as the smallest objects that a
/// network, its options resolved, is to look for have lost beside those trained on. None on other than a black ground,
/// where it was not measured.
double lost_detail(const models::ModelOptions& model, bool black_ground);

}  // namespace scdcf::train
