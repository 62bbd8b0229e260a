// boxes.csv: where the object is in each picture of an image folder.
#pragma once

#include <map>
#include <string>

#include "scdcf/files/read_file.h"

namespace scdcf::data {

/// Pixels x0 <= x <= x1, y0 <= y <= y1.
struct Box {
  std::int64_t x0, y0, x1, y1;
  std::int64_t area() const { return (x1 - x0 + 1) * (y1 - y0 + 1); }
};

/// By path inside the folder: train/CLASS/FILE, or CLASS/FILE.
using Boxes = std::map<std::string, Box>;

/// A header line, split,class,file,x0,y0,x1,y1 or class,file,x0,y0,x1,y1, then one line a picture. Throws Error, naming
/// the line, for anything else: too few or too many fields, corners in the wrong order, a picture named twice.
Boxes parse_boxes(const files::Bytes& text, const std::string& name);

}  // namespace scdcf::data
