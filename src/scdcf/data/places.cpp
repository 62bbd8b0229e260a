#include "scdcf/data/places.h"

#include <cstdlib>
#include <filesystem>

#include "scdcf/data/folder_listing.h"
#include "scdcf/data/idx.h"
#include "scdcf/data/stl10.h"

namespace scdcf::data {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string cache_folder() {
  const std::string cache = variable("XDG_CACHE_HOME"), home = variable("HOME");
  if (!cache.empty()) return cache + "/scdcf";
  return home.empty() ? "" : home + "/.cache/scdcf";
}

std::vector<std::string> data_places(const std::string& data_dir) {
  std::vector<std::string> places;
  for (const auto& place :
       {data_dir, variable("SCDCF_DATA"), std::string("data"), std::string("/usr/share/datasets"), cache_folder()})
    if (!place.empty()) places.push_back(place);
  return places;
}

std::string find_dataset(const std::string& name, const std::string& data_dir) {
  std::vector<std::string> folders = {"mnist"};
  if (name == "fashion") folders = {"fashion-mnist", "fashion"};
  if (name == "stl10") folders = {"stl10", "stl10_binary", "stl10-sample"};
  for (const auto& place : data_places(data_dir))
    for (const auto& folder : folders) {
      auto path = (std::filesystem::path(place) / folder).string();
      if (name == "stl10" ? is_stl10_folder(path) : is_idx_folder(path)) return path;
    }
  return "";
}

std::string find_image_folder(const std::string& name, const std::string& data_dir) {
  if (name.empty()) return "";
  if (is_image_folder(name)) return name;
  if (name.front() != '/')
    for (const auto& place : data_places(data_dir))
      if (auto path = (std::filesystem::path(place) / name).string(); is_image_folder(path)) return path;
  return "";
}

}  // namespace scdcf::data
