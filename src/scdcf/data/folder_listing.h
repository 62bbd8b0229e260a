// Which images an image folder holds, before any of them is decoded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scdcf::data {

enum class Part { train, test, validation };

struct ListedImage {
  Part part;
  std::string path;  ///< inside the folder: CLASS/FILE, or PART/CLASS/FILE
  std::int32_t label;
};

struct FolderListing {
  std::vector<std::string> classes;  ///< in the order of their names, as the images of a class are
  std::vector<ListedImage> images;
  std::vector<std::string> notes;  ///< what was left out, or is missing
};

/// Lists ROOT/CLASS/*, or ROOT/train/CLASS/*, ROOT/test/CLASS/* and ROOT/val/CLASS/* (or valid, validation). Throws
/// Error for names that are not UTF-8, fewer than two classes, and classes without training images or unknown in train.
FolderListing list_image_folder(const std::string& root);

/// Whether a file is read as an image: its name ends in .png, .jpg or .jpeg, and it does not begin as another format.
bool is_picture(const std::string& path);

/// "left out 5 files (PNG and JPEG are read): 1 .txt, 1 TIFF, 3 WebP"; empty for no files.
std::string left_out_text(const std::vector<std::string>& files);

/// "holds 3 images and 1 folder (cat)", and what would be left out.
std::string contents_text(const std::string& folder);

/// Whether `path` is a folder with folders in it.
bool is_image_folder(const std::string& path);

}  // namespace scdcf::data
