#include "scdcf/data/folder_listing.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

#include "scdcf/core/error.h"
#include "scdcf/core/joined.h"
#include "scdcf/core/printable.h"
#include "scdcf/pixels/image_header.h"

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

std::vector<std::string> images_in(const fs::path& folder, std::vector<std::string>& others) {
  return names_in(folder, [&](const fs::directory_entry& entry) {
    std::error_code error;
    const auto path = entry.path().string();
    if (entry.is_directory(error)) return false;
    if (!is_picture(path)) others.push_back(path);
    return others.empty() || others.back() != path;
  });
}

std::string counted(std::size_t count, const std::string& what) {
  return (count == 0 ? "no" : std::to_string(count)) + " " + what + (count == 1 ? "" : "s");
}

/// The images of a part, by class; only training needs images of every class.
void add_part(FolderListing& listing, std::vector<std::string>& others, const fs::path& root, const std::string& folder,
              Part part) {
  const auto& classes = listing.classes;
  const auto there = folders_in(root / folder);
  for (const auto& name : there)
    require(std::binary_search(classes.begin(), classes.end(), name), (root / folder / name).string(),
            ": a class that train does not have");
  std::vector<std::string> missing;
  for (std::size_t label = 0; label < classes.size(); ++label) {
    const fs::path inside = fs::path(folder) / classes[label];
    std::vector<std::string> files;
    if (std::binary_search(there.begin(), there.end(), classes[label])) files = images_in(root / inside, others);
    if (files.empty()) missing.push_back(classes[label]);
    if (files.empty() && part == Part::train)
      detail::fail((root / inside).string(), ": ", contents_text((root / inside).string()),
                   ", expected PNG or JPEG images of this class");
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

std::string left_out_text(const std::vector<std::string>& files) {
  std::map<std::string, int> formats;
  for (const auto& file : files) {
    const auto format = pixels::format_of_file(file), ending = fs::path(file).extension().string();
    ++formats[!format.empty() ? format : ending.empty() ? "without an ending" : printable(ending)];
  }
  const auto text_of = [](const auto& format) { return std::to_string(format.second) + " " + format.first; };
  if (files.empty()) return "";
  return "left out " + counted(files.size(), "file") + " (PNG and JPEG are read): " + joined(formats, ", ", text_of);
}

std::string contents_text(const std::string& folder) {
  std::vector<std::string> others;
  const auto images = images_in(folder, others), folders = folders_in(folder);
  return "holds " + counted(images.size(), "image") + " and " + counted(folders.size(), "folder") +
         (folders.empty() ? "" : " (" + joined(folders) + ")") + (others.empty() ? "" : "; " + left_out_text(others));
}

FolderListing list_image_folder(const std::string& root_name) {
  const fs::path root(root_name);
  std::error_code error;
  require(fs::is_directory(root, error), root_name, ": no such folder");
  const bool parts = fs::is_directory(root / "train", error);
  const auto class_root = parts ? root / "train" : root;
  FolderListing listing;
  std::vector<std::string> others;
  listing.classes = folders_in(class_root);
  if (listing.classes.size() < 2)
    detail::fail(class_root.string(), ": ", contents_text(class_root.string()),
                 ", expected a folder of images for each of two or more classes");
  add_part(listing, others, root, parts ? "train" : "", Part::train);
  for (const char* folder : {"test", "val", "valid", "validation"})
    if (parts && fs::is_directory(root / folder, error))
      add_part(listing, others, root, folder, std::string("test") == folder ? Part::test : Part::validation);
  if (!others.empty()) listing.notes.push_back(left_out_text(others));
  return listing;
}

bool is_image_folder(const std::string& path) {
  std::error_code error;  // what may not be looked into is no image folder
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().front() != '.' && entry->is_directory(error)) return true;
  return false;
}

}  // namespace scdcf::data
