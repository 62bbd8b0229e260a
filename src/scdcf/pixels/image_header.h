// What headers of image files say: their size, and how a camera was held, by the EXIF orientation of a JPEG.
#pragma once

#include "scdcf/pixels/image_file.h"

namespace scdcf::pixels {

/// format_of the content; empty for what is no file.
std::string format_of_file(const std::string& path);

/// The height and width that a PNG or JPEG file announces in its first 128 KiB, before its orientation is applied;
/// zeros where they cannot be read.
struct AnnouncedSize {
  int height = 0, width = 0;
};
AnnouncedSize announced_size(const std::string& path);

/// The tag's value, 1 to 8, of a JPEG file; 1 (upright) where there is none or it is damaged. Never throws.
int exif_orientation(const files::Bytes& jpeg);

/// The picture turned and mirrored as the tag says: 1 as it is, 2 mirrored, 3 turned by 180 degrees, 4 upside down,
/// 5 transposed, 6 to be turned clockwise, 7 transposed along the other diagonal, 8 to be turned counter-clockwise.
Image upright(Image image, int orientation);

}  // namespace scdcf::pixels
