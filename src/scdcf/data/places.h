// Where data is looked for.
#pragma once

#include <string>
#include <vector>

namespace scdcf::data {

/// The folders that are looked in, in this order: data_dir (if not empty), $SCDCF_DATA, ./data,
/// /usr/share/datasets (what Debian's packages install), the cache.
std::vector<std::string> data_places(const std::string& data_dir);

/// $XDG_CACHE_HOME/scdcf, else ~/.cache/scdcf; empty where neither variable is set.
std::string cache_folder();

/// The folder that holds mnist, fashion or stl10; empty where none does.
std::string find_dataset(const std::string& name, const std::string& data_dir);

/// `name` itself where it is an image folder, else the image folder of that name in the first place that has one; empty
/// where none does.
std::string find_image_folder(const std::string& name, const std::string& data_dir);

}  // namespace scdcf::data
