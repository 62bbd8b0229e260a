// Every data set that there is or could be here.
#pragma once

#include <string>
#include <vector>

namespace scdcf::data {

/// One line of `scdcf data list`.
struct DataSetInfo {
  std::string name;
  std::string what;
  std::string found_at;  ///< the folder it would be read from; empty where it is missing
  std::string how_to_get;
};
std::vector<DataSetInfo> list_datasets(const std::string& data_dir);

}  // namespace scdcf::data
