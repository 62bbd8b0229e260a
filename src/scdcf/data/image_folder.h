// Folders of images, one folder a class (folder_listing.h).
#pragma once

#include <string>

#include "scdcf/data/folder_listing.h"
#include "scdcf/data/image_set.h"
#include "scdcf/pixels/network_input.h"

namespace scdcf::data {

/// Parts that the folder does not have are empty; where it has classes alone (ROOT/CLASS/*), all images are in `train`.
struct ImageFolder {
  ImageSet train, validation, test;
  std::vector<std::string> notes;  ///< what was left out, or is missing
};

/// Reads the .png, .jpg and .jpeg files as network input. Without a size, squares of one size keep it, and others get
/// the side of the outline; without channels they become 3 where any image is coloured, else 1. ROOT/boxes.csv, where
/// it exists, must give one box for each image; the box becomes its scale, sqrt(box area / image area), and its centre.
/// An image that shows less than half of its box (Fit::crop) is left out.
ImageFolder read_image_folder(const std::string& root, pixels::InputFormat format = {});

/// What names, headers and boxes say of an image folder, without decoding anything.
struct FolderOutline {
  /// The median shorter side of the images, 12 to 1024, by round_side; 0 where all are squares of one size.
  int side = 0;
  ImageSet train;  ///< labels, class names and scales, those of images that are split off for testing included
};
FolderOutline outline_image_folder(const std::string& root, pixels::Fit fit);

/// Rounded down to a multiple of 16, of 4 below 64.
int round_side(double side);

}  // namespace scdcf::data
