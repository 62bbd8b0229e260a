#include "scdcf/data/large_scale.h"

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/data/placed.h"
#include "scdcf/data/random.h"
#include "scdcf/data/split.h"

namespace scdcf::data {
namespace {

enum Stream : std::uint64_t { train_stream = 31, test_stream = 32 };
constexpr std::int64_t kValidationShare = 6, kEveryScaleShare = 10;  // one in so many

/// `pictures` of the pool in the middle of the canvas, each at all factors.
ImageSet draw(const Pool& pool, const std::vector<std::int64_t>& pictures, const std::vector<double>& factors,
              const char* keep_option, std::int64_t keep) {
  std::vector<std::int32_t> labels;
  for (const auto index : pictures) labels.push_back(pool.labels[static_cast<std::size_t>(index)]);
  auto order = at_every_size(labels, static_cast<int>(factors.size()));
  order.resize(static_cast<std::size_t>(kept(keep_option, keep, static_cast<std::int64_t>(order.size()))));
  const double own_side = pool.image(pictures.front()).width;
  constexpr double centre = kLargeScaleSide / 2.0;
  // `factor` is of 28 pixels, a quarter of the canvas; pictures of another side are first made that large.
  const auto enlargement = [&](double factor) { return factor * kLargeScaleSide / (4 * own_side); };
  std::vector<Placed> placed;
  for (const auto& [picture, size] : order)
    placed.push_back({pictures[static_cast<std::size_t>(picture)], enlargement(factors[static_cast<std::size_t>(size)]),
                      centre, centre});
  auto set = draw_placed(pool, placed, kLargeScaleSide);
  for (const double factor : factors)
    set.all_sizes.push_back({static_cast<float>(factor / 4), format("s = %.3g", factor)});
  return set;
}

}  // namespace

std::vector<double> large_scale_factors() {
  std::vector<double> factors;
  for (int k = -4; k <= 12; ++k) factors.push_back(std::exp2(k / 4.0));
  return factors;
}

Splits make_large_scale(const Pool& train, const Pool& test, const LargeScaleOptions& options) {
  require(train.count() >= kValidationShare && test.count() > 0, "large-scale: got ", train.count(), " training and ",
          test.count(), " test pictures, expected at least ", kValidationShare, " and 1");
  const auto seed = options.seed();
  const auto training = stratified_order(train.labels, Random(seed, train_stream));
  auto tested = stratified_order(test.labels, Random(seed, test_stream));
  std::vector<double> test_factors = {options.test_scale};
  if (options.test_scale == 0) {
    test_factors = large_scale_factors();
    tested.resize(static_cast<std::size_t>(std::max<std::int64_t>(1, test.count() / kEveryScaleShare)));
  }
  const auto cut = training.end() - train.count() / kValidationShare;
  Splits splits;
  splits.train = draw(train, {training.begin(), cut}, {options.train_scale}, "train_size", options.keep_train);
  splits.validation =
      draw(train, {cut, training.end()}, {options.train_scale}, "validation_size", options.keep_validation);
  splits.test = draw(test, tested, test_factors, "test_size", options.keep_test);
  return splits;
}

}  // namespace scdcf::data
