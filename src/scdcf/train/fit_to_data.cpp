#include "scdcf/train/fit_to_data.h"

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/models/registry.h"
#include "scdcf/models/scale_plan.h"

namespace scdcf::train {
namespace {

constexpr double kMostDetail = 4;  // octaves, as the option takes

/// Whether every object lies in the middle of its picture. Where nobody says so, those on a black ground do.
bool centred(const data::Splits& splits) {
  const auto& set = splits.train;
  if (set.centres.empty()) return splits.black_ground;
  const auto off = [&](const data::Point& at) {
    return std::abs(at.x * 2 - static_cast<float>(set.width)) > 1 ||
           std::abs(at.y * 2 - static_cast<float>(set.height)) > 1;
  };
  return std::none_of(set.centres.begin(), set.centres.end(), off);
}

/// What networks that plan their scale axis want to know of the data.
void fit_to_objects(models::ModelOptions& model, const data::Splits& splits) {
  const auto& sizes = splits.train.scales;
  if (!sizes.empty()) {
    const auto [smallest, largest] = std::minmax_element(sizes.begin(), sizes.end());
    // Of the scaled sets the bounds that were asked for rather than those that were drawn: the same for every prefix.
    const auto rounded = [](double size) { return std::round(size * 100) / 100; };
    // An object of a few pixels among photographs teaches nothing: what it is at home at need not be planned.
    const double least = models::kLeastObjectPixels / splits.train.width;
    require(*largest >= least, "data ", splits.name, ": got objects of ", *smallest, " to ", *largest,
            " times the side of the image, at most ", *largest * static_cast<float>(splits.train.width),
            " pixels, expected some of at least ", models::kLeastObjectPixels, " pixels");
    model.smallest_object = std::max(rounded(*smallest), least);
    model.largest_object = std::max(rounded(*largest), model.smallest_object);
  }
  if (model.read_out.empty()) model.read_out = centred(splits) ? "centre" : "anywhere";
  if (model.padding.empty()) model.padding = splits.black_ground ? "black" : "replicate";
}

}  // namespace

double lost_detail(const models::ModelOptions& model, bool black_ground) {
  if (!models::find_model(model.name).fits_objects || !black_ground) return 0;
  return std::min(std::log2(model.smaller), kMostDetail);
}

RunConfig fit_to_data(RunConfig config, const data::Splits& splits) {
  config.model.classes = static_cast<int64_t>(splits.train.class_names.size());
  config.model.in_channels = splits.train.channels;
  require(splits.train.height == splits.train.width, "data ", splits.name, ": got images of ", splits.train.height,
          " x ", splits.train.width, " pixels, expected square ones");
  config.model.image_size = splits.train.width;
  if (models::find_model(config.model.name).fits_objects) fit_to_objects(config.model, splits);
  auto& augment = config.train.augment;
  for (const auto& [name, pixels] :
       {std::pair{"augment_crop", augment.crop_padding}, {"augment_cutout", augment.cutout}})
    require(pixels <= splits.train.width, name, ": got ", pixels, ", expected at most the ", splits.train.width,
            " pixels of the images' side");
  config.model = models::resolve(config.model);
  if (augment.detail_octaves < 0) augment.detail_octaves = lost_detail(config.model, splits.black_ground);
  return config;
}

}  // namespace scdcf::train
