// How the scores of a network move along the planes when the object becomes larger.
#pragma once

#include "scdcf/demo/findings.h"
#include "scdcf/runs/run_folder.h"

namespace scdcf::demo {

/// A picture of a set as it is.
pixels::Canvas canvas_of(const data::ImageSet& set, std::int64_t index);

/// `picture`, its object at its full size, shown to the model at each of `factors`.
ScaleStory tell_scale_story(const runs::TrainedModel& model, const pixels::Image& picture, std::int32_t label,
                            const std::vector<double>& factors);

}  // namespace scdcf::demo
