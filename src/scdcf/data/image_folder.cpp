#include "scdcf/data/image_folder.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>

#include "scdcf/core/error.h"
#include "scdcf/core/for_each.h"
#include "scdcf/data/boxes.h"
#include "scdcf/pixels/image_header.h"

namespace scdcf::data {
namespace {

namespace fs = std::filesystem;

/// Where the object is in the square.
struct Object {
  float scale = 0;
  Point centre;
  bool visible = true;  ///< at least half of its box
};

struct Decoded {
  std::vector<pixels::Image> images;
  std::vector<Object> objects;  ///< empty without boxes
};

Box box_of(const Boxes& boxes, const std::string& path, const pixels::NetworkInput& input, const std::string& file) {
  const auto found = boxes.find(path);
  require(found != boxes.end(), file, ": no line for ", path);
  const Box& box = found->second;
  require(box.x1 < input.width && box.y1 < input.height, file, ": the box of ", path, " reaches to ", box.x1, ", ",
          box.y1, ", outside the image of ", input.width, " x ", input.height, " pixels");
  return box;
}

/// One axis of a box [low, high) that is resized to `length` of `whole` pixels and begins at `start` of `side` pixels.
struct Extent {
  double centre, visible;  ///< in pixels of the square; the fraction of the box inside it
  Extent(double low, double high, int whole, int start, int length, int side) {
    const auto moved = [&](double at) { return start + at * length / whole; };
    centre = start + (low + high) / 2 * length / whole;
    const double inside = std::min<double>(moved(high), side) - std::max<double>(moved(low), 0);
    visible = std::max(0.0, inside) / (moved(high) - moved(low));
  }
};

Object object_of(const Box& box, const pixels::NetworkInput& input, pixels::Fit fit) {
  const auto& image = input.image;
  const auto at = image.height == input.height && image.width == input.width
                      ? pixels::Window{0, 0, input.height, input.width}
                      : pixels::placement(fit, input.height, input.width, image.width);
  const auto width = static_cast<double>(box.x1 - box.x0 + 1), height = static_cast<double>(box.y1 - box.y0 + 1);
  const auto x0 = static_cast<double>(box.x0), y0 = static_cast<double>(box.y0);
  const Extent x(x0, x0 + width, input.width, at.left, at.width, image.width);
  const Extent y(y0, y0 + height, input.height, at.top, at.height, image.height);
  const double enlarged = 1.0 * at.width * at.height / (1.0 * image.width * image.height);
  const double share = width * height / (1.0 * input.width * input.height);
  return {static_cast<float>(std::sqrt(share * enlarged)),
          {static_cast<float>(x.centre), static_cast<float>(y.centre)},
          x.visible * y.visible >= 0.5};
}

Boxes boxes_in(const std::string& file) {
  return fs::exists(file) ? parse_boxes(files::read_file(file), file) : Boxes{};
}

Decoded decode(const fs::path& root, const std::vector<ListedImage>& listed, const pixels::InputFormat& format) {
  const std::string boxes_file = (root / "boxes.csv").string();
  const bool boxed = fs::exists(boxes_file);
  const Boxes boxes = boxes_in(boxes_file);
  require(!boxed || boxes.size() <= listed.size(), boxes_file, ": got ", boxes.size(), " boxes for ", listed.size(),
          " images");
  Decoded decoded;
  decoded.images.resize(listed.size());
  decoded.objects.resize(boxed ? listed.size() : 0);
  constexpr std::uint64_t kMostBytes = 8 * files::kLargestFile;
  std::atomic<std::uint64_t> total{0};
  for_each(static_cast<std::int64_t>(listed.size()), cores(), [&](std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    const auto path = (root / listed[i].path).string();
    auto input = pixels::network_input(files::read_file(path), path, format);
    if (boxed) decoded.objects[i] = object_of(box_of(boxes, listed[i].path, input, boxes_file), input, format.fit);
    total += input.image.pixels.size();
    require(total <= kMostBytes, root.string(), ": more than ", kMostBytes, " bytes of pixels; use a smaller --size");
    decoded.images[i] = std::move(input.image);
  });
  return decoded;
}

}  // namespace

int round_side(double side) {
  const int step = side < 64 ? 4 : 16;
  return static_cast<int>(side) / step * step;
}

ImageFolder read_image_folder(const std::string& root, pixels::InputFormat format) {
  require(format.channels == 0 || format.channels == 1 || format.channels == 3, "channels: got ", format.channels,
          ", expected 1 or 3");
  const auto listing = list_image_folder(root);
  if (format.size == 0) format.size = outline_image_folder(root, format.fit).side;
  auto decoded = decode(root, listing.images, format);
  int channels = std::max(1, format.channels);
  if (format.channels == 0)
    for (const auto& image : decoded.images) channels = std::max(channels, image.channels);
  ImageFolder result;
  result.notes = listing.notes;
  for (auto* part : {&result.train, &result.validation, &result.test}) {
    part->channels = channels;
    part->height = decoded.images[0].height;
    part->width = decoded.images[0].width;
    part->class_names = listing.classes;
  }
  std::size_t hidden = 0;
  for (std::size_t i = 0; i < listing.images.size(); ++i) {
    const auto& [where, path, label] = listing.images[i];
    if (!decoded.objects.empty() && !decoded.objects[i].visible) {
      ++hidden;
      continue;
    }
    auto& part = where == Part::train ? result.train : where == Part::test ? result.test : result.validation;
    const auto image = pixels::with_channels(std::move(decoded.images[i]), channels);
    require(image.height == part.height && image.width == part.width, (fs::path(root) / path).string(), ": got ",
            image.width, " x ", image.height, " pixels, expected ", part.width, " x ", part.height, ", or a --size");
    part.pixels.insert(part.pixels.end(), image.pixels.begin(), image.pixels.end());
    part.labels.push_back(label);
    part.names.push_back(path);
    if (decoded.objects.empty()) continue;
    part.scales.push_back(decoded.objects[i].scale);
    part.centres.push_back(decoded.objects[i].centre);
  }
  if (hidden > 0)
    result.notes.push_back("left out " + std::to_string(hidden) +
                           " images that show less than half of their object after cropping (--fit pad shows all)");
  return result;
}

FolderOutline outline_image_folder(const std::string& root, pixels::Fit fit) {
  constexpr int kLargest = 1024, kLeast = 12;
  const auto listing = list_image_folder(root);
  const auto boxes = boxes_in((fs::path(root) / "boxes.csv").string());
  FolderOutline outline;
  outline.train.class_names = listing.classes;
  std::vector<int> shorter;
  bool one_square = true;
  for (const auto& image : listing.images) {
    if (image.part == Part::train) outline.train.labels.push_back(image.label);
    const auto [height, width] = pixels::announced_size((fs::path(root) / image.path).string());
    one_square = one_square && height == width && height > 0;
    if (height <= 0 || width <= 0) continue;
    shorter.push_back(std::min(height, width));
    one_square = one_square && height == shorter.front();
    const auto box = boxes.find(image.path);
    if (image.part != Part::train || box == boxes.end()) continue;
    const double side = fit == pixels::Fit::crop  ? std::min(height, width)
                        : fit == pixels::Fit::pad ? std::max(height, width)
                                                  : std::sqrt(1.0 * height * width);
    outline.train.scales.push_back(static_cast<float>(std::sqrt(static_cast<double>(box->second.area())) / side));
  }
  if (one_square || shorter.empty()) return outline;
  const auto middle = shorter.begin() + static_cast<std::ptrdiff_t>(shorter.size() / 2);
  std::nth_element(shorter.begin(), middle, shorter.end());
  outline.side = round_side(std::clamp(*middle, kLeast, kLargest));
  return outline;
}

}  // namespace scdcf::data
