// Which kind of data set a name stands for, and what it is made of.
#pragma once

#include <string>

namespace scdcf::data {

enum class SetKind { plain, scaled, stir, large_scale, stl10, image_folder };

/// What a name stands for: stir-mnist is MNIST (its base) made into a stir set.
struct NamedSet {
  SetKind kind;
  std::string base;  ///< mnist, fashion or glyphs, which have a black ground; empty for the others
};
/// What is no known name is taken for an image folder.
NamedSet named_set(const std::string& name);

}  // namespace scdcf::data
