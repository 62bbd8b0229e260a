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
  visit(Option{o.block, "block", "norm-relu-pool or relu-pool-norm: what follows each convolution, in this order"}
            .later());
  visit(Option{o.basis, "basis", basis_help()});
  visit(Option{o.sampling, "sampling", "area (integrals of the basis over pixels) or point (values at their centres)"}
            .later());
  visit(Option{o.algorithm, "algorithm", "automatic, separable or composed"});
  visit(Option{o.hidden, "hidden", "Units of the hidden layer"}.expects("0 to 65536", between<0, 65536>));
  visit(Option{o.dropout, "dropout", "Dropout in front of the last layer; negative for the network's own"}.expects(
      "less than 1", [](const auto& share) { return share < 1; }));
  visit(Option{o.smaller, "smaller", "Recognise objects down to this many times smaller than those trained on"}
            .expects("0, or 1 to 100", [](const auto& factor) { return factor == 0 || (factor >= 1 && factor <= 100); })
            .later());
  visit(Option{o.larger, "larger", "Recognise objects up to this many times larger than those trained on"}
            .expects("0, or 1 to 100", [](const auto& factor) { return factor == 0 || (factor >= 1 && factor <= 100); })
            .later());
  visit(Option{o.class_modes, "class_modes", "K of the class layer"}.expects("0 to 1000", between<0, 1000>).later());
  visit(Option{o.class_width, "class_width", "Width of the class layer's finest filters in pixels of its maps"}
            .expects("0 to 1024", between<0, 1024>)
            .later());
  visit(Option{o.planes_per_level, "planes_per_level", "Planes of the scale axis at one enlargement of the image"}
            .expects("0 to 32", between<0, 32>)
            .later());
  visit(Option{o.span, "span", "Filter widths across an object where its plane is at home"}
            .expects("0 to 100", between<0, 100>)
            .later());
  visit(Option{o.frame, "frame", "Pixels a side, about the centre, that are looked at of an enlarged image"}
            .expects("0 to 1024", between<0, 1024>)
            .later());
  visit(Option{o.others_share, "others_share",
               "Share of a batch that levels where it is not at home see in training; negative for the network's own"}
            .expects("at most 1", [](const auto& share) { return share <= 1; })
            .later());
  visit(Option{o.read_out, "read_out", "centre, or anywhere where objects are not centred"}
            .expects("centre or anywhere",
                     [](const auto& place) { return place.empty() || place == "centre" || place == "anywhere"; })
            .later());
  visit(Option{o.padding, "padding",
               "black, which then stays black from layer to layer, or replicate, beyond the border of the image"}
            .expects("black or replicate",
                     [](const auto& kind) { return kind.empty() || kind == "black" || kind == "replicate"; })
            .later());
  visit(Option{o.smallest_object, "smallest_object", ""}.expects("0 to 100", between<0, 100>).later());
  visit(Option{o.largest_object, "largest_object", ""}.expects("0 to 100", between<0, 100>).later());
  visit(Option{o.width, "width", "Factor on the channels (resnet16)"}.expects("0 to 64", between<0, 64>));
}

}  // namespace scdcf::models
