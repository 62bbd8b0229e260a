#include "scdcf/data/normalisation.h"

#include <cmath>

#include "scdcf/core/error.h"

namespace scdcf::data {

Normalisation channel_statistics(const ImageSet& set) {
  require(set.count() > 0, "normalisation: got an empty set");
  const std::int64_t area = std::int64_t{1} * set.height * set.width;
  Normalisation result;
  for (int c = 0; c < set.channels; ++c) {
    std::uint64_t sum = 0, squares = 0;
    for (std::int64_t i = 0; i < set.count(); ++i) {
      const std::uint8_t* plane = set.image(i) + c * area;
      for (std::int64_t p = 0; p < area; ++p) {
        sum += plane[p];
        squares += std::uint64_t{plane[p]} * plane[p];
      }
    }
    const double pixels = static_cast<double>(area) * static_cast<double>(set.count());
    const double mean = static_cast<double>(sum) / pixels;
    const double variance = static_cast<double>(squares) / pixels - mean * mean;
    result.mean.push_back(mean / 255);
    result.deviation.push_back(variance > 1e-9 ? std::sqrt(variance) / 255 : 1.0);
  }
  return result;
}

}  // namespace scdcf::data
