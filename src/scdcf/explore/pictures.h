// The pictures of a page: a few of the test data, and how the page makes them smaller and larger.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "scdcf/data/image_set.h"
#include "scdcf/pixels/image_file.h"
#include "scdcf/runs/run_folder.h"

namespace scdcf::explore {

/// A picture whose object has this size, as share of the side, and this centre, in pixels.
struct SourcePicture {
  pixels::Image image;
  std::int32_t label = 0;
  double size = 1, x = 0, y = 0;
};

/// At most `count` pictures of a set, of every class in turn, those with the largest objects: they can be made smaller.
std::vector<SourcePicture> pick_pictures(const data::ImageSet& set, std::int64_t count);

/// How objects of a network's data are made smaller, or drawn: "antialias", "repeat" (the border, where the ground is
/// not black) and "drawing", null where nobody can draw such pictures.
nlohmann::ordered_json sampling_of(const std::string& data_name);

/// The sizes that a network was trained on, as its data has them; 1 to 1 where these are not known.
struct TrainedSizes {
  double smallest = 1, largest = 1;
  bool known = false;
  double middle() const;
};
TrainedSizes trained_sizes(const runs::TrainedModel& model);

}  // namespace scdcf::explore
