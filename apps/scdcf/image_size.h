// The size that images are trained at where nobody gives one.
#pragma once

#include <string>

#include "scdcf/train/config.h"

namespace scdcf::app {

/// Sets the size of an image folder whose images have several sizes, or are oblong: at most the median shorter side,
/// and what trains in about ten minutes on this machine. Returns what to print; nothing where nothing was chosen.
std::string choose_image_size(train::RunConfig& config);

}  // namespace scdcf::app
