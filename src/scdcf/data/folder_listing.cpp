#include "scdcf/data/folder_listing.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "scdcf/core/error.h"
#include "scdcf/core/joined.h"
#include "scdcf/files/text.h"
#include "scdcf/pixels/image_file.h"

namespace scdcf::data {
namespace {

namespace fs = std::filesystem;

/// The names in a folder that `wanted` takes, in order; hidden ones never.
template <class Wanted>
std::vector<std::string> names_in(const fs::path& folder, Wanted wanted) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.front() == '.' || !wanted(*entry)) continue;
    require(files::is_utf8(name), files::escaped(entry->path().string()), ": the name is not UTF-8; give it another");
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

std::vector<std::string> images_in(const fs::path& folder, LeftOut& left_out) {
  return names_in(folder, [&](const fs::directory_entry& entry) {
    std::error_code error;
    if (entry.is_directory(error)) return false;
    const bool taken = is_picture(entry.path().string());
    if (!taken) left_out.add(entry.path().string());
    return taken;
  });
}

std::string counted(std::size_t count, const std::string& what, const std::string& ending = "s") {
  return std::to_string(count) + " " + what + (count == 1 ? "" : ending);
}

/// ": 12 images were found one level deeper, in a/x", or nothing.
std::string images_below(const fs::path& folder) {
  LeftOut ignored;
  for (const auto& name : folders_in(folder))
    if (const auto found = images_in(folder / name, ignored); !found.empty())
      return "; " + counted(found.size(), "image") + " found one level deeper, in " + (folder / name).string();
  return "";
}

std::vector<std::string> classes_in(const fs::path& folder) {
  auto classes = folders_in(folder);
  if (classes.size() >= 2) return classes;
  const bool nested = classes.size() == 1 && folders_in(folder / classes[0]).size() >= 2;
  detail::fail(folder.string(), ": got ", counted(classes.size(), "class folder"), ", expected at least 2",
               nested ? "; is --data " + (folder / classes[0]).string() + " meant?" : "");
}

/// The images of a part, by class; only training needs images of every class.
void add_part(FolderListing& listing, LeftOut& left_out, const fs::path& root, const std::string& folder, Part part) {
  const auto& classes = listing.classes;
  const auto there = folders_in(root / folder);
  for (const auto& name : there)
    require(std::binary_search(classes.begin(), classes.end(), name), (root / folder / name).string(),
            ": a class that train does not have");
  std::vector<std::string> missing;
  for (std::size_t label = 0; label < classes.size(); ++label) {
    const fs::path inside = fs::path(folder) / classes[label];
    std::vector<std::string> files;
    if (std::binary_search(there.begin(), there.end(), classes[label])) files = images_in(root / inside, left_out);
    if (files.empty()) missing.push_back(classes[label]);
    if (files.empty() && part == Part::train) {
      const auto others = left_out.text();
      detail::fail((root / inside).string(), ": no PNG or JPEG images in this class", images_below(root / inside),
                   others.empty() ? "" : "; " + others);
    }
    for (const auto& file : files)
      listing.images.push_back({part, (inside / file).string(), static_cast<std::int32_t>(label)});
  }
  if (!missing.empty()) listing.notes.push_back(folder + " has no images of " + joined(missing));
}

}  // namespace

bool is_picture(const std::string& path) {
  std::string extension = fs::path(path).extension().string();
  for (char& letter : extension) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  if (extension != ".png" && extension != ".jpg" && extension != ".jpeg") return false;
  const auto format = pixels::format_of_file(path);
  return format.empty() || format == "PNG" || format == "JPEG";  // what is damaged is named when it is decoded
}

void LeftOut::add(const std::string& path) {
  const auto format = pixels::format_of_file(path);
  const auto name = fs::path(path).extension().string();
  ++formats_[!format.empty() ? format : name.empty() ? "without an ending" : name];
}

std::string LeftOut::text() const {
  std::vector<std::string> parts;
  std::size_t count = 0;
  for (const auto& [format, files] : formats_) {
    parts.push_back(std::to_string(files) + " " + files::escaped(format));
    count += static_cast<std::size_t>(files);
  }
  return count == 0 ? "" : "left out " + counted(count, "file") + " (PNG and JPEG are read): " + joined(parts);
}

FolderListing list_image_folder(const std::string& root_name) {
  const fs::path root(root_name);
  std::error_code error;
  require(fs::is_directory(root, error), root_name, ": no such folder");
  const bool parts = fs::is_directory(root / "train", error);
  FolderListing listing;
  LeftOut left_out;
  listing.classes = classes_in(parts ? root / "train" : root);
  add_part(listing, left_out, root, parts ? "train" : "", Part::train);
  for (const char* folder : {"test", "val", "valid", "validation"})
    if (parts && fs::is_directory(root / folder, error))
      add_part(listing, left_out, root, folder, std::string("test") == folder ? Part::test : Part::validation);
  if (const auto text = left_out.text(); !text.empty()) listing.notes.push_back(text);
  return listing;
}

int side_of_images(const std::string& root, const FolderListing& listing) {
  constexpr int kLargest = 1024, kLeast = 12, kCoarse = 64;
  std::vector<int> shorter;
  bool one_square = true;
  for (const auto& image : listing.images) {
    const auto [height, width] = pixels::announced_size((fs::path(root) / image.path).string());
    if (height <= 0 || width <= 0) continue;
    shorter.push_back(std::min(height, width));
    one_square = one_square && height == width && height == shorter.front();
  }
  if (one_square) return 0;
  const auto middle = shorter.begin() + static_cast<std::ptrdiff_t>(shorter.size() / 2);
  std::nth_element(shorter.begin(), middle, shorter.end());
  const int side = std::clamp(*middle, kLeast, kLargest);
  return side / (side < kCoarse ? 4 : 16) * (side < kCoarse ? 4 : 16);
}

bool is_image_folder(const std::string& path) {
  std::error_code error;  // what may not be looked into is no image folder
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().front() != '.' && entry->is_directory(error)) return true;
  return false;
}

std::string why_no_image_folder(const std::string& path) {
  LeftOut left_out;
  const auto images = images_in(path, left_out);
  const auto others = left_out.text();
  return (images.empty() ? std::string("holds no images") : "holds " + counted(images.size(), "image")) +
         (images.empty() ? "" : " but no class folders") + ", expected a folder of images for each class" +
         (others.empty() ? "" : "; " + others);
}

}  // namespace scdcf::data
