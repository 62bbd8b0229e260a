#include "scdcf/explore/pictures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "scdcf/data/named_set.h"
#include "scdcf/data/pool.h"

namespace scdcf::explore {

std::vector<SourcePicture> pick_pictures(const data::ImageSet& set, std::int64_t count) {
  std::vector<std::int64_t> order(static_cast<size_t>(set.count()));
  std::iota(order.begin(), order.end(), 0);
  const auto scale = [&](std::int64_t i) { return set.scales.empty() ? 1.0F : set.scales[static_cast<size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return scale(a) > scale(b); });
  // The first of every class, then the second of every class, ...
  std::map<std::int32_t, std::int64_t> met;
  std::vector<std::int64_t> round(order.size());
  for (const auto i : order) round[static_cast<size_t>(i)] = met[set.labels[static_cast<size_t>(i)]]++;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    const auto key = [&](auto i) {
      return std::pair(round[static_cast<size_t>(i)], set.labels[static_cast<size_t>(i)]);
    };
    return key(a) < key(b);
  });
  std::vector<SourcePicture> pictures;
  for (const auto i : order) {
    if (static_cast<std::int64_t>(pictures.size()) == count) break;
    const auto place = static_cast<size_t>(i);
    SourcePicture picture;
    picture.image = data::picture_of(set, i);
    picture.label = set.labels[place];
    picture.size = scale(i);
    picture.x = set.centres.empty() ? set.width / 2.0 : set.centres[place].x;
    picture.y = set.centres.empty() ? set.height / 2.0 : set.centres[place].y;
    pictures.push_back(std::move(picture));
  }
  return pictures;
}

nlohmann::ordered_json sampling_of(const std::string& data_name) {
  const auto set = data::named_set(data_name);
  nlohmann::ordered_json json = {
      {"antialias", set.kind != data::SetKind::scaled}, {"repeat", set.base.empty()}, {"drawing", nullptr}};
  // As shares of the picture's side: how large the object is, and the pen that draws its like.
  if (set.base == "fashion")
    json["drawing"] = {{"box", 26.0 / 28}, {"pen", 4.0 / 28}, {"byMass", false}};
  else if (!set.base.empty())
    json["drawing"] = {{"box", 20.0 / 28}, {"pen", 2.5 / 28}, {"byMass", set.base == "mnist"}};
  return json;
}

double TrainedSizes::middle() const { return std::sqrt(smallest * largest); }

TrainedSizes trained_sizes(const runs::TrainedModel& model) {
  const auto& config = model.config;
  if (!model.knows_sizes()) return {};
  if (config.model.smallest_object > 0) return {config.model.smallest_object, config.model.largest_object, true};
  if (model.calibration && model.calibration->largest > 0)
    return {model.calibration->smallest, model.calibration->largest, true};
  if (data::named_set(config.data.name).kind == data::SetKind::scaled)
    return {config.data.smallest_factor, config.data.largest_factor, true};
  return {};
}

}  // namespace scdcf::explore
