// Folders of pictures, one folder a class.
#pragma once

#include <string>

#include "scdcf/data/image_set.h"

namespace scdcf::data {

/// ROOT/train/CLASS/*, ROOT/test/CLASS/* and ROOT/val/CLASS/* (or valid, validation). Parts that ROOT does not have are
/// empty; where it has classes alone (ROOT/CLASS/*), all pictures are in `train`.
struct ImageFolder {
  ImageSet train, validation, test;
  std::vector<std::string> train_names;  ///< CLASS/FILE of each training picture
};

/// Reads .png, .jpg and .jpeg files (in capitals too); others are passed over. Classes and pictures are in the order of
/// their names, which must be UTF-8. size: the side that every picture is stretched to; 0 for their own, which must
/// then be one. channels: 1 or 3; 0 for 3 where any picture is coloured, else 1. ROOT/boxes.csv, where it exists, must
/// give one box for each picture; it becomes the scales, sqrt(box area / picture area), and the centres.
ImageFolder read_image_folder(const std::string& root, int size = 0, int channels = 0);

/// Whether a file's name ends as those that are read.
bool is_picture(const std::string& path);

/// Whether `path` is a folder with folders in it.
bool is_image_folder(const std::string& path);

}  // namespace scdcf::data
