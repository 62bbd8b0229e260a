#include "scdcf/data/scaled.h"

#include "scdcf/core/error.h"
#include "scdcf/data/random.h"
#include "scdcf/data/split.h"
#include "scdcf/pixels/resize.h"

namespace scdcf::data {
namespace {

enum Stream : std::uint64_t { split_stream = 1, factor_stream = 2 };

ImageSet scaled_part(const Pool& pool, const ScalingOptions& options, const std::int64_t* indices, std::int64_t count) {
  const auto picture = [&](std::int64_t index, double factor) {
    pixels::Image image = pixels::rescale_about_centre(pool.image(index), factor);
    return options.size > 0 ? pixels::resize(image, options.size, options.size) : image;
  };
  ImageSet set;
  const pixels::Image model = picture(indices[0], options.largest_factor);
  set.channels = model.channels;
  set.height = model.height;
  set.width = model.width;
  set.class_names = pool.class_names;
  set.scales.resize(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) set.labels.push_back(pool.labels[static_cast<std::size_t>(indices[i])]);
  fill_pixels(set, [&](std::int64_t i) {
    Random random(options.seed(), factor_stream, static_cast<std::uint64_t>(indices[i]));
    const double factor = random.uniform(options.smallest_factor, options.largest_factor);
    set.scales[static_cast<std::size_t>(i)] = static_cast<float>(factor);
    return picture(indices[i], factor);
  });
  return set;
}

}  // namespace

Splits make_scaled(const Pool& pool, const ScalingOptions& options) {
  require(
      options.smallest_factor > 0 && options.smallest_factor <= options.largest_factor && options.largest_factor <= 100,
      "smallest_factor: got ", options.smallest_factor, " beside a largest_factor of ", options.largest_factor,
      ", expected 0 < smallest <= largest <= 100");
  const auto pool_size = static_cast<std::int64_t>(pool.labels.size());
  require(options.train > 0 && options.validation > 0 && options.test > 0 &&
              options.train + options.validation + options.test <= pool_size,
          "split: got ", options.train, " + ", options.validation, " + ", options.test, " pictures of a pool of ",
          pool_size);
  const auto order = stratified_order(pool.labels, Random(options.seed(), split_stream));
  Splits splits;
  splits.train = scaled_part(pool, options, order.data(), kept("train_size", options.keep_train, options.train));
  splits.validation = scaled_part(pool, options, order.data() + options.train,
                                  kept("validation_size", options.keep_validation, options.validation));
  splits.test = scaled_part(pool, options, order.data() + options.train + options.validation,
                            kept("test_size", options.keep_test, options.test));
  return splits;
}

}  // namespace scdcf::data
