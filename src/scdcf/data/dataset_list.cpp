#include "scdcf/data/dataset_list.h"

#include <algorithm>
#include <filesystem>

#include "scdcf/data/folder_listing.h"
#include "scdcf/data/named_set.h"
#include "scdcf/data/places.h"

namespace scdcf::data {
namespace {

std::string what_is(SetKind kind, const std::string& base) {
  const std::string title = base == "mnist" ? "MNIST" : base == "fashion" ? "Fashion-MNIST" : base;
  if (kind == SetKind::scaled) return title + " rescaled at random, 10,000 + 2,000 + 50,000";
  if (kind == SetKind::stir) return title + " anywhere on 64 x 64, 17 to 64 pixels large, 3 x 24,000";
  if (kind == SetKind::large_scale) return "MNIST Large Scale, rebuilt from " + title + ", 112 x 112, 17 sizes";
  const std::string shown = base == "mnist"     ? "handwritten digits"
                            : base == "fashion" ? "Fashion-MNIST: clothes"
                                                : "digits drawn by the program";
  return shown + ", 28 x 28, 60,000 + 10,000";
}

}  // namespace

std::vector<DataSetInfo> list_datasets(const std::string& data_dir) {
  std::vector<DataSetInfo> list;
  const auto add = [&](const std::string& name, const std::string& what, const std::string& base) {
    const bool drawn = base == "glyphs";
    list.push_back({name, what, drawn ? "(drawn)" : find_dataset(base, data_dir),
                    drawn ? "nothing to get" : "scdcf data fetch " + base});
  };
  for (const auto kind : kMadeOfBases)
    for (const std::string base : kBases) add(set_name(kind, base), what_is(kind, base), base);
  add("stl10", "natural pictures, 96 x 96, ten classes, 5,000 + 8,000", "stl10");

  // Image folders that lie where data is looked for.
  for (const auto& place : data_places(data_dir)) {
    std::vector<DataSetInfo> here;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(place, error), end; !error && entry != end; entry.increment(error)) {
      const std::string path = entry->path().string(), name = entry->path().filename().string();
      const auto same_name = [&](const DataSetInfo& info) { return info.name == name; };
      if (name.front() != '.' && is_image_folder(path) && std::none_of(list.begin(), list.end(), same_name))
        here.push_back({name, "image folder", path, ""});
    }
    std::sort(here.begin(), here.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    list.insert(list.end(), here.begin(), here.end());
  }
  return list;
}

}  // namespace scdcf::data
