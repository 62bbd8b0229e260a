// Parts of a set that keep the proportions of its classes.
#pragma once

#include <cstdint>
#include <vector>

#include "scdcf/data/image_set.h"
#include "scdcf/data/random.h"

namespace scdcf::data {

/// Every index of `labels` once, each class shuffled and spread evenly over the whole. So the order may be cut
/// anywhere: in every range [a, b), and with it in every prefix, each class has its share of b - a to within three.
std::vector<std::int64_t> stratified_order(const std::vector<std::int32_t>& labels, Random random);

/// The pictures at `indices`, in that order.
ImageSet select(const ImageSet& set, const std::vector<std::int64_t>& indices);

/// All but the last `share` of a stratified order, and that last share (rounded, and never all or, of a positive share,
/// nothing).
struct Pair {
  ImageSet first;
  ImageSet last;
};
Pair split_off(const ImageSet& set, double share, Random random);

/// The same by the names of the pictures: each is split off or not whatever other pictures there are, so that one that
/// comes or goes moves no other. Only where every picture of a class would be split off, or none at all, the one next
/// to the border changes sides.
struct Indices {
  std::vector<std::int64_t> first, last;  ///< each in a stratified order
};
Indices split_by_name(const std::vector<std::int32_t>& labels, const std::vector<std::string>& names, double share,
                      std::uint64_t seed, std::uint64_t stream);

}  // namespace scdcf::data
