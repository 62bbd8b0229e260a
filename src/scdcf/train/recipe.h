// How a network is trained best, where that is not how the paper trains.
#pragma once

#include "scdcf/train/config.h"

namespace scdcf::train {

/// `config` with optimiser, rates and epochs that suit its network, and pictures normalised as it wants them: networks
/// that are equivariant up to their scores need a black ground to stay zero, since zeros continue it beyond the border.
/// What it was not made for (device, seed, augmentation, batch) stays; networks of the paper stay as they are.
RunConfig with_recipe(RunConfig config);

}  // namespace scdcf::train
