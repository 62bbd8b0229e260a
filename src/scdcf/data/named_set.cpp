#include "scdcf/data/named_set.h"

namespace scdcf::data {

std::string set_name(SetKind kind, const std::string& base) {
  if (kind == SetKind::scaled) return "s" + base;
  if (kind == SetKind::stir) return "stir-" + base;
  return kind == SetKind::large_scale ? base + "-large-scale" : base;
}

NamedSet named_set(const std::string& name) {
  for (const std::string base : kBases)
    for (const auto kind : kMadeOfBases)
      if (name == set_name(kind, base)) return {kind, base};
  return {name == "stl10" ? SetKind::stl10 : SetKind::image_folder, ""};
}

}  // namespace scdcf::data
