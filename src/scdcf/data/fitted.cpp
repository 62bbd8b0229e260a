#include "scdcf/data/fitted.h"

#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/data/pool.h"

namespace scdcf::data {

ImageSet fitted(ImageSet set, pixels::Fit fit, int size) {
  constexpr std::uint64_t kLargestSet = std::uint64_t{16} << 30;  // bytes of pixels in memory
  if (set.height == size && set.width == size) return set;
  require(size > 0 && std::uint64_t(set.count()) * set.channels * size * size <= kLargestSet, "size: got ", size,
          " pixels, expected 1 or more, and not too many for ", set.count(), " images in memory");
  const auto at = pixels::placement(fit, set.height, set.width, size);
  ImageSet result = set;
  result.height = result.width = size;
  const double enlarged = std::sqrt(1.0 * at.height * at.width) / size;
  for (auto& scale : result.scales) scale = static_cast<float>(scale * enlarged);
  for (auto& centre : result.centres)
    centre = {static_cast<float>(at.left) + centre.x * static_cast<float>(at.width) / static_cast<float>(set.width),
              static_cast<float>(at.top) + centre.y * static_cast<float>(at.height) / static_cast<float>(set.height)};
  fill_pixels(result, [&](std::int64_t i) { return pixels::fitted(picture_of(set, i), fit, size); });
  return result;
}

}  // namespace scdcf::data
