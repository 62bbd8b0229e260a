#include "scdcf/data/image_folder.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "scdcf/core/error.h"
#include "scdcf/core/for_each.h"
#include "scdcf/core/printable.h"
#include "scdcf/data/boxes.h"
#include "scdcf/files/text.h"
#include "scdcf/pixels/image_file.h"
#include "scdcf/pixels/resize.h"

namespace scdcf::data {
namespace {

namespace fs = std::filesystem;

struct Entry {
  ImageSet* part;
  std::string path;  // inside the root
  std::int32_t label;
};

/// The names in a folder that `wanted` takes, in order; hidden ones never.
template <class Wanted>
std::vector<std::string> names_in(const fs::path& folder, Wanted wanted) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.front() == '.' || !wanted(*entry)) continue;
    require(is_utf8(name), printable(entry->path().string()), ": the name is not UTF-8; give it another");
    names.push_back(name);
  }
  require(!error, folder.string(), ": ", error.message());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> folders_in(const fs::path& folder) {
  return names_in(folder, [](const fs::directory_entry& entry) {
    std::error_code error;
    return entry.is_directory(error);
  });
}

void add_part(std::vector<Entry>& entries, ImageSet& part, const fs::path& root, const std::string& folder,
              const std::vector<std::string>& classes) {
  for (const auto& name : folders_in(root / folder))
    require(std::binary_search(classes.begin(), classes.end(), name), (root / folder / name).string(),
            ": a class that train does not have");
  for (std::size_t label = 0; label < classes.size(); ++label) {
    const std::string inside = (fs::path(folder) / classes[label]).string();
    const auto files = names_in(root / inside, [](const auto& entry) { return is_picture(entry.path().string()); });
    require(!files.empty(), (root / inside).string(), ": no pictures (.png, .jpg, .jpeg) in this class");
    for (const auto& file : files)
      entries.push_back({&part, (fs::path(inside) / file).string(), static_cast<std::int32_t>(label)});
  }
}

struct Decoded {
  std::vector<pixels::Image> images;
  std::vector<float> scales;
  std::vector<Point> centres;
};

Box box_of(const Boxes& boxes, const std::string& path, const pixels::Image& image, const std::string& boxes_file) {
  const auto found = boxes.find(path);
  require(found != boxes.end(), boxes_file, ": no line for ", path);
  const Box& box = found->second;
  require(box.x1 < image.width && box.y1 < image.height, boxes_file, ": the box of ", path, " reaches to ", box.x1,
          ", ", box.y1, ", outside the picture of ", image.width, " x ", image.height);
  return box;
}

Decoded decode(const fs::path& root, const std::vector<Entry>& entries, int size) {
  const std::string boxes_file = (root / "boxes.csv").string();
  const bool boxed = fs::exists(boxes_file);
  const Boxes boxes = boxed ? parse_boxes(files::read_file(boxes_file), boxes_file) : Boxes{};
  require(!boxed || boxes.size() <= entries.size(), boxes_file, ": got ", boxes.size(), " boxes for ", entries.size(),
          " pictures");
  Decoded decoded;
  decoded.images.resize(entries.size());
  decoded.scales.resize(boxed ? entries.size() : 0);
  decoded.centres.resize(decoded.scales.size());
  constexpr std::uint64_t kMostBytes = 8 * files::kLargestFile;
  std::atomic<std::uint64_t> total{0};
  for_each(static_cast<std::int64_t>(entries.size()), cores(), [&](std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    auto image = pixels::read_image((root / entries[i].path).string());
    const int width = image.width, height = image.height;
    const Box box = boxed ? box_of(boxes, entries[i].path, image, boxes_file) : Box{};
    if (size > 0) image = pixels::resize(image, size, size);
    if (boxed) {
      decoded.scales[i] = static_cast<float>(std::sqrt(static_cast<double>(box.area()) / (1.0 * width * height)));
      decoded.centres[i] = {static_cast<float>((box.x0 + box.x1 + 1) / 2.0 * image.width / width),
                            static_cast<float>((box.y0 + box.y1 + 1) / 2.0 * image.height / height)};
    }
    total += image.pixels.size();
    require(total <= kMostBytes, root.string(), ": more than ", kMostBytes, " bytes of pixels; ask for a smaller size");
    decoded.images[i] = std::move(image);
  });
  return decoded;
}

}  // namespace

bool is_picture(const std::string& path) {
  std::string extension = fs::path(path).extension().string();
  for (char& letter : extension) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

bool is_image_folder(const std::string& path) {
  std::error_code error;  // what may not be looked into is no image folder
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().front() != '.' && entry->is_directory(error)) return true;
  return false;
}

ImageFolder read_image_folder(const std::string& root_name, int size, int channels) {
  const fs::path root(root_name);
  std::error_code error;
  require(fs::is_directory(root, error), root_name, ": no such folder");
  require(channels == 0 || channels == 1 || channels == 3, "channels: got ", channels, ", expected 1 or 3");
  const bool parts = fs::is_directory(root / "train", error);
  const fs::path class_root = parts ? root / "train" : root;
  const auto classes = folders_in(class_root);
  require(classes.size() >= 2, class_root.string(), ": got ", classes.size(), " class folders, expected at least 2");
  ImageFolder result;
  std::vector<Entry> entries;
  add_part(entries, result.train, root, parts ? "train" : "", classes);
  for (const auto& entry : entries) {
    const fs::path path(entry.path);
    result.train_names.push_back(classes[static_cast<std::size_t>(entry.label)] + "/" + path.filename().string());
  }
  for (const char* folder : {"test", "val", "valid", "validation"})
    if (parts && fs::is_directory(root / folder, error)) {
      ImageSet& part = std::string("test") == folder ? result.test : result.validation;
      add_part(entries, part, root, folder, classes);
    }

  auto decoded = decode(root, entries, size);
  if (channels == 0) {
    channels = 1;
    for (const auto& image : decoded.images) channels = std::max(channels, image.channels);
  }
  for (auto* part : {&result.train, &result.validation, &result.test}) {
    part->channels = channels;
    part->height = decoded.images[0].height;
    part->width = decoded.images[0].width;
    part->class_names = classes;
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    ImageSet& part = *entries[i].part;
    pixels::Image image = pixels::with_channels(std::move(decoded.images[i]), channels);
    require(image.height == part.height && image.width == part.width, (root / entries[i].path).string(), ": got ",
            image.width, " x ", image.height, " pixels, expected ", part.width, " x ", part.height,
            " as in the first picture; ask for a size to have them resized");
    part.pixels.insert(part.pixels.end(), image.pixels.begin(), image.pixels.end());
    part.labels.push_back(entries[i].label);
    if (decoded.scales.empty()) continue;
    part.scales.push_back(decoded.scales[i]);
    part.centres.push_back(decoded.centres[i]);
  }
  return result;
}

}  // namespace scdcf::data
