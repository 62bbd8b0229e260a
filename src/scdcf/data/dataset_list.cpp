#include "scdcf/data/dataset_list.h"

#include <algorithm>
#include <filesystem>

#include "scdcf/data/image_folder.h"
#include "scdcf/data/places.h"

namespace scdcf::data {

std::vector<DataSetInfo> list_datasets(const std::string& data_dir) {
  std::vector<DataSetInfo> list;
  const auto add = [&](const std::string& name, const std::string& what, const std::string& base) {
    const bool drawn = base == "glyphs";
    list.push_back({name, what, drawn ? "(drawn)" : find_dataset(base, data_dir),
                    drawn ? "nothing to get" : "scdcf data fetch " + base});
  };
  add("mnist", "handwritten digits, 28 x 28, 60,000 + 10,000", "mnist");
  add("fashion", "Fashion-MNIST: clothes, 28 x 28, 60,000 + 10,000", "fashion");
  add("glyphs", "digits drawn by the program, 28 x 28, 60,000 + 10,000", "glyphs");
  add("smnist", "MNIST rescaled at random, 10,000 + 2,000 + 50,000", "mnist");
  add("sfashion", "Fashion-MNIST rescaled at random, 10,000 + 2,000 + 50,000", "fashion");
  add("sglyphs", "glyphs rescaled at random, 10,000 + 2,000 + 50,000", "glyphs");
  add("stir-mnist", "MNIST anywhere on 64 x 64, 17 to 64 pixels large, 3 x 24,000", "mnist");
  add("stir-fashion", "Fashion-MNIST anywhere on 64 x 64, 3 x 24,000", "fashion");
  add("stir-glyphs", "glyphs anywhere on 64 x 64, 3 x 24,000", "glyphs");
  add("mnist-large-scale", "MNIST Large Scale, rebuilt from MNIST, 112 x 112, 17 sizes", "mnist");
  add("fashion-large-scale", "the same of Fashion-MNIST", "fashion");
  add("glyphs-large-scale", "the same of glyphs", "glyphs");
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
