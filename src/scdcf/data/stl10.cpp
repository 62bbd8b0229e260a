#include "scdcf/data/stl10.h"

#include <filesystem>

#include "scdcf/core/error.h"
#include "scdcf/files/text.h"

namespace scdcf::data {

ImageSet parse_stl10(const files::Bytes& images, const files::Bytes& labels, std::vector<std::string> class_names,
                     const std::string& name) {
  constexpr std::size_t kPlane = std::size_t{kStl10Side} * kStl10Side, kImage = 3 * kPlane;
  require(!images.empty() && images.size() % kImage == 0, name, ": got ", images.size(),
          " bytes, expected a multiple of ", kImage);
  const std::size_t count = images.size() / kImage;
  require(labels.size() == count, name, ": got ", labels.size(), " labels for ", count, " pictures");
  ImageSet set;
  set.channels = 3;
  set.height = set.width = kStl10Side;
  set.class_names = std::move(class_names);
  for (std::size_t i = 0; i < count; ++i) {
    require(labels[i] >= 1 && labels[i] <= set.class_names.size(), name, ": label ", i, " is ", int{labels[i]},
            ", expected 1 to ", set.class_names.size());
    set.labels.push_back(labels[i] - 1);
  }
  set.pixels.resize(images.size());
  for (std::size_t plane = 0; plane < 3 * count; ++plane)
    for (std::size_t x = 0; x < kStl10Side; ++x)
      for (std::size_t y = 0; y < kStl10Side; ++y)
        set.pixels[plane * kPlane + y * kStl10Side + x] = images[plane * kPlane + x * kStl10Side + y];
  return set;
}

std::vector<std::string> parse_class_names(const files::Bytes& text, const std::string& name) {
  constexpr std::size_t kClasses = 10;
  auto names = files::lines_of(text);
  require(names.size() == kClasses, name, ": got ", names.size(), " lines, expected ", kClasses, " class names");
  for (std::size_t i = 0; i < names.size(); ++i)
    require(!names[i].empty() && files::shown(names[i]) == names[i], name, ": line ", i + 1, " is \"",
            files::shown(names[i]), "\", expected the name of a class");
  return names;
}

std::vector<std::vector<std::int64_t>> parse_folds(const files::Bytes& text, std::int64_t count,
                                                   const std::string& name) {
  constexpr std::size_t kFolds = 10;
  const auto lines = files::lines_of(text);
  require(lines.size() == kFolds, name, ": got ", lines.size(), " lines, expected ", kFolds, " folds");
  std::vector<std::vector<std::int64_t>> folds;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<bool> taken(static_cast<std::size_t>(count));
    folds.emplace_back();
    for (const auto& field : files::fields_of(lines[i], ' ')) {
      if (field.empty()) continue;
      const auto index = files::number_of(field);
      require(index && *index < count, name, ": line ", i + 1, ": got \"", files::shown(field), "\", expected 0 to ",
              count - 1);
      require(!taken[static_cast<std::size_t>(*index)], name, ": line ", i + 1, ": picture ", *index, " twice");
      taken[static_cast<std::size_t>(*index)] = true;
      folds.back().push_back(*index);
    }
    require(!folds.back().empty(), name, ": line ", i + 1, " is empty");
  }
  return folds;
}

ImageSet read_stl10_part(const std::string& folder, const std::string& part) {
  const std::string images = folder + "/" + part + "_X.bin", labels = folder + "/" + part + "_y.bin";
  const std::string names = folder + "/class_names.txt";
  return parse_stl10(files::read_file(images), files::read_file(labels),
                     parse_class_names(files::read_file(names), names), images);
}

std::vector<std::vector<std::int64_t>> read_stl10_folds(const std::string& folder, std::int64_t train_count) {
  const std::string path = folder + "/fold_indices.txt";
  return parse_folds(files::read_file(path), train_count, path);
}

bool is_stl10_folder(const std::string& folder) { return std::filesystem::exists(folder + "/train_X.bin"); }
bool has_stl10_test(const std::string& folder) { return std::filesystem::exists(folder + "/test_X.bin"); }

}  // namespace scdcf::data
