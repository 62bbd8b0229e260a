// Which kind of data set a name stands for, and what it is made of.
#pragma once

#include <array>
#include <string>

namespace scdcf::data {

enum class SetKind { plain, scaled, stir, large_scale, stl10, image_folder };

/// Each of these kinds there is of each of these bases.
inline constexpr std::array kMadeOfBases = {SetKind::plain, SetKind::scaled, SetKind::stir, SetKind::large_scale};
inline constexpr std::array kBases = {"mnist", "fashion", "glyphs"};
/// stir-mnist.
std::string set_name(SetKind kind, const std::string& base);

/// What a name stands for: stir-mnist is MNIST (its base) made into a stir set.
struct NamedSet {
  SetKind kind;
  std::string base;  ///< mnist, fashion or glyphs, which have a black ground; empty for the others
};
/// What is no known name is taken for an image folder.
NamedSet named_set(const std::string& name);

}  // namespace scdcf::data
