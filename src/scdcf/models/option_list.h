// The options of a network, described. What they may be is for each network to say (resolve).
#pragma once

#include "scdcf/core/option.h"
#include "scdcf/models/options.h"

namespace scdcf::models {

template <class Visitor>
void visit_options(ModelOptions& o, Visitor&& visit) {
  visit(Option{o.name, "model", "Network (see scdcf models)"}.stored_as("name"));
  visit(Option{o.classes, "classes", ""});  // these three are fitted to the data
  visit(Option{o.in_channels, "in_channels", ""});
  visit(Option{o.image_size, "image_size", ""});
  visit(Option{o.channels, "channels", "Channels of each block; none for the network's own"});
  visit(Option{o.modes, "modes", "K, basis functions in space; 0 for the network's own, here and below"});
  visit(Option{o.scale_modes, "scale_modes", "K_alpha, basis functions in scale"});
  visit(Option{o.scale_taps, "scale_taps", "L_alpha, taps in scale"});
  visit(Option{o.scales, "scales", "N_s, planes of the scale axis"});
  visit(Option{o.scale_step, "scale_step", "Octaves between two planes"});
  visit(Option{o.finest_width, "finest_width", "Width of the finest filters in pixels"});
  visit(Option{o.scale_padding, "scale_padding", "replicate or zero, beyond the finest plane"});
  visit(Option{o.pooling, "pooling", "average or max"});
  visit(Option{o.basis, "basis", "Basis in space: sine, hermite-gauss, bspline, fourier-bessel"});
  visit(Option{o.algorithm, "algorithm", "automatic, separable or composed"});
  visit(Option{o.hidden, "hidden", "Units of the hidden layer"});
  visit(Option{o.dropout, "dropout", "Dropout in front of the last layer; negative for the network's own"});
  visit(Option{o.width, "width", "Factor on the channels (resnet16)"});
}

}  // namespace scdcf::models
