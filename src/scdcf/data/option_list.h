// The options of a data set, described.
#pragma once

#include <filesystem>

#include "scdcf/core/option.h"
#include "scdcf/data/datasets.h"

namespace scdcf::data {

template <class Visitor>
void visit_options(DataOptions& o, Visitor&& visit) {
  visit(
      Option{o.name, "data", "A name of `scdcf data list`, such as smnist or stir-mnist, or an image folder"}.stored_as(
          "name"));
  visit(Option{o.data_dir, "data_dir", "Folder that holds the data; looked in before the usual places"}.expects(
      "a folder", [](const auto& folder) { return folder.empty() || std::filesystem::is_directory(folder); }));
  visit(Option{o.train_size, "train_size", "Training images; 0 for all"}.expects("0 or more", at_least<0>));
  visit(Option{o.test_size, "test_size", "Test images; 0 for all"}.expects("0 or more", at_least<0>));
  visit(Option{o.validation_size, "validation_size", "Validation images; 0 for all"}.expects("0 or more", at_least<0>));
  visit(
      Option{o.size, "size",
             "Side of the images in pixels; 0 for the native size, or one chosen for an image folder of several sizes"}
          .expects("1 to 1024, or 0", [](const auto& side) { return side >= 0 && side <= 1024; }));
  visit(Option{o.fit, "fit",
               "How an oblong image becomes a square: crop (the centre, shorter side resized to the size), pad (whole, "
               "between black bars) or stretch"}
            .expects("crop, pad or stretch",
                     [](const auto& fit) { return fit == "crop" || fit == "pad" || fit == "stretch"; })
            .later());
  visit(Option{o.realisation, "realisation", "Which random split and scaling"}.expects("0 to 1000000",
                                                                                       between<0, 1000000>));
  visit(Option{o.smallest_factor, "smallest_factor", "Smallest rescaling factor of the scaled sets"}.expects(
      "more than 0 and at most 100", [](const auto& factor) { return factor > 0 && factor <= 100; }));
  visit(Option{o.largest_factor, "largest_factor", "Largest rescaling factor of the scaled sets"}.expects(
      "more than 0 and at most 100", [](const auto& factor) { return factor > 0 && factor <= 100; }));
  visit(Option{o.channels, "image_channels", "Channels of an image folder: 1 or 3; 0 for what the pictures have"}
            .expects("0, 1 or 3", [](const auto& count) { return count == 0 || count == 1 || count == 3; })
            .stored_as("channels"));
  visit(Option{o.fold, "fold", "Predefined training fold of STL-10, 0 to 9; -1 for all"}.expects(
      "0 to 9, or -1 for all training pictures", [](const auto& fold) { return fold >= -1 && fold <= 9; }));
  visit(Option{o.normalisation, "normalisation", "standard (mean 0, deviation 1) or black (black stays 0)"}.expects(
      "standard or black", [](const auto& kind) { return kind == "standard" || kind == "black"; }));
  visit(Option{o.validation_share, "validation_share",
               "Fraction of the training images, where a set has no validation part; 0: no validation, on every set"}
            .expects("0 or more and less than 1", [](const auto& share) { return share >= 0 && share < 1; }));
  visit(Option{o.smallest_size, "smallest_size", "Smallest object of the stir sets in training, in pixels"}
            .expects("17 to 64", between<17, 64>)
            .later());
  visit(Option{o.largest_size, "largest_size", "Largest object of the stir sets in training, in pixels"}
            .expects("17 to 64", between<17, 64>)
            .later());
  visit(Option{o.train_scale, "train_scale", "Factor that the large-scale sets are trained at"}
            .expects("0.5 to 8", [](const auto& scale) { return scale >= 0.5 && scale <= 8; })
            .later());
  visit(Option{o.test_scale, "test_scale", "Factor that the large-scale sets are tested at; 0 for all 17"}
            .expects("0.5 to 8, or 0 for all 17",
                     [](const auto& scale) { return scale == 0 || (scale >= 0.5 && scale <= 8); })
            .later());
}

}  // namespace scdcf::data
