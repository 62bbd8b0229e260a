// What is made of the scores of all planes of a pyramid.
#pragma once

#include "scdcf/models/network.h"
#include "scdcf/models/scale_plan.h"

namespace scdcf::models {

/// The scores that training compares with labels [N], from scores [n, classes, P] of the first n images at each level:
/// all N at home, fewer or none (undefined) at the others, those of training alone at the end. What an image shows must
/// be said at home; what it does not show must be said nowhere.
torch::Tensor training_scores_of(const std::vector<torch::Tensor>& levels, const torch::Tensor& labels,
                                 const ScalePlan& plan);

/// The class, and the size of its object, from scores [N, classes, S] of all planes, `step` octaves apart, the first of
/// which is at home at objects of `first_size`; and its place, where `places` [N, classes, S, 2] are known.
Reading reading_of(const torch::Tensor& planes, const torch::Tensor& places, double step, double first_size);

}  // namespace scdcf::models
