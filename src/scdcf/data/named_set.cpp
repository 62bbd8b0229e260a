#include "scdcf/data/named_set.h"

namespace scdcf::data {

NamedSet named_set(const std::string& name) {
  for (const std::string base : {"mnist", "fashion", "glyphs"}) {
    if (name == base) return {SetKind::plain, base};
    if (name == "s" + base) return {SetKind::scaled, base};
    if (name == "stir-" + base) return {SetKind::stir, base};
    if (name == base + "-large-scale") return {SetKind::large_scale, base};
  }
  return {name == "stl10" ? SetKind::stl10 : SetKind::image_folder, ""};
}

}  // namespace scdcf::data
