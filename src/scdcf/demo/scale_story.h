// How the first-layer features of a network move along the scale axis when the picture is enlarged.
#pragma once

#include "scdcf/demo/findings.h"
#include "scdcf/models/network.h"

namespace scdcf::demo {

/// A picture [C, H, W] of normalised pixels as bytes: (pixel - black) * range is what is drawn, where black is 0.
pixels::Canvas canvas_of(const torch::Tensor& picture, const torch::Tensor& black);

/// `images` [N, C, H, W]: the maps are those of the first, the response is the mean over all. The network needs a scale
/// axis; truth and factor are the caller's to fill in.
ScaleStory tell_scale_story(models::Network& network, const torch::Tensor& images, const torch::Tensor& black,
                            double finest_width);

}  // namespace scdcf::demo
