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
/// side_of_images; without channels they become 3 where any image is coloured, else 1. ROOT/boxes.csv, where it exists,
/// must give one box for each image; the box becomes its scale, sqrt(box area / image area), and its centre. An image
/// that shows less than half of its box (Fit::crop) is left out.
ImageFolder read_image_folder(const std::string& root, pixels::InputFormat format = {});

/// The scales of the training images' boxes as their headers have it; empty without boxes.
std::vector<float> announced_scales(const std::string& root, const FolderListing& listing, pixels::Fit fit);

}  // namespace scdcf::data
