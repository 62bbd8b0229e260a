// The options of a network, described. The bounds are those of what a machine can hold; what a network makes of them is
// for itself to say (resolve).
#pragma once

#include <algorithm>

#include "scdcf/basis/spatial_basis.h"
#include "scdcf/core/option.h"
#include "scdcf/models/options.h"

namespace scdcf::models {

/// "Basis in space: sine, ...", with those that a program has added.
inline const char* basis_help() {
  static const std::string help = [] {
    std::string text;
    for (const auto& name : basis::spatial_basis_names()) text += (text.empty() ? "Basis in space: " : ", ") + name;
    return text;
  }();
  return help.c_str();
}

template <class Visitor>
void visit_options(ModelOptions& o, Visitor&& visit) {
  visit(Option{o.name, "model", "Network (see scdcf models)"}.stored_as("name"));
  visit(Option{o.classes, "classes", ""}.expects("2 to 100000",
                                                 between<2, 100000>));  // these three are fitted to the data
  visit(Option{o.in_channels, "in_channels", ""}.expects("1 to 1024", between<1, 1024>));
  visit(Option{o.image_size, "image_size", ""}.expects("1 to 1024", between<1, 1024>));
  visit(Option{o.channels, "channels", "Channels of each block; none for the network's own"}.expects(
      "at most 16 numbers from 1 to 65536", [](const auto& counts) {
        return counts.size() <= 16 && std::all_of(counts.begin(), counts.end(), between<1, 65536, int64_t>);
      }));
  visit(Option{o.modes, "modes", "K, basis functions in space; 0 for the network's own, here and below"}.expects(
      "0 to 1000", between<0, 1000>));
  visit(Option{o.scale_modes, "scale_modes", "K_alpha, basis functions in scale"}.expects("0 to 100", between<0, 100>));
  visit(Option{o.scale_taps, "scale_taps", "L_alpha, taps in scale"}.expects("0 to 100", between<0, 100>));
  visit(Option{o.scales, "scales", "N_s, planes of the scale axis"}.expects("0 to 100", between<0, 100>));
  visit(Option{o.scale_step, "scale_step", "Octaves between two planes"}.expects("0 to 10", between<0, 10>));
  visit(Option{o.finest_width, "finest_width", "Width of the finest filters in pixels"}.expects("0 to 1024",
                                                                                                between<0, 1024>));
  visit(Option{o.scale_padding, "scale_padding", "replicate or zero, beyond the finest plane"});
  visit(Option{o.pooling, "pooling", "average or max"});
  visit(Option{o.basis, "basis", basis_help()});
  visit(Option{o.algorithm, "algorithm", "automatic, separable or composed"});
  visit(Option{o.hidden, "hidden", "Units of the hidden layer"}.expects("0 to 65536", between<0, 65536>));
  visit(Option{o.dropout, "dropout", "Dropout in front of the last layer; negative for the network's own"}.expects(
      "less than 1", [](const auto& share) { return share < 1; }));
  visit(Option{o.width, "width", "Factor on the channels (resnet16)"}.expects("0 to 64", between<0, 64>));
}

}  // namespace scdcf::models
