// Which images an image folder holds, before any of them is decoded.
#pragma once

#include <cstdint>
#include <map>
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

/// The side of the squares that its images become where nobody asks for a size: the median of their shorter sides, at
/// most 1024, rounded down to a multiple of 16 (of 4 below 64); 0 where all are squares of one size. Reads headers
/// only.
int side_of_images(const std::string& root, const FolderListing& listing);

/// Whether a file is read as an image: its name ends in .png, .jpg or .jpeg, and it does not begin as another format.
bool is_picture(const std::string& path);

/// Counts files that are not images of the formats read: "left out 5 files: 3 WebP, 1 TIFF, 1 of another format".
class LeftOut {
 public:
  void add(const std::string& path);
  std::string text() const;  ///< empty where there are none

 private:
  std::map<std::string, int> formats_;
};

/// Whether `path` is a folder with folders in it.
bool is_image_folder(const std::string& path);

/// What is wrong with a folder that is no image folder: "holds 3 images but no class folders, ...".
std::string why_no_image_folder(const std::string& path);

}  // namespace scdcf::data
