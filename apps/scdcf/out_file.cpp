#include "out_file.h"

#include "scdcf/core/error.h"
#include "scdcf/files/make_folder.h"
#include "scdcf/files/read_file.h"

namespace scdcf::app {

namespace fs = std::filesystem;

void check_target(const fs::path& out, const std::string& command, const std::string& mark) {
  std::error_code failed;
  if (!fs::exists(out, failed)) return;
  require(fs::is_regular_file(out, failed), "out: ", out.string(), ": is there and no file, expected a name for one");
  require(files::read_text(out.string()).find(mark) != std::string::npos, "out: ", out.string(),
          ": is there and was not written by scdcf ", command, ", expected a new file");
}

void make_folder_of(const fs::path& out) {
  if (!out.parent_path().empty()) files::make_folder(out.parent_path(), "out: ");
}

}  // namespace scdcf::app
