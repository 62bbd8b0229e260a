#include "scdcf/demo/folder.h"

#include "scdcf/core/error.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/files/make_folder.h"
#include "scdcf/runs/run_folder.h"

namespace scdcf::demo {
namespace {

namespace fs = std::filesystem;

/// Says that the folder is a demonstration's; written before anything else, so that a stopped one is replaced too.
constexpr const char* kMark = ".scdcf-demo";

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Whether a file is one that a demonstration writes into this folder of its.
bool is_ours(const std::string& folder, const std::string& file) {
  if (folder == "pictures") return ends_with(file, ".png");
  if (folder == "figures") {
    for (const char* stem : {"accuracy-by-scale", "scores"})
      for (const char* extension : {".dat", ".gp", ".png", ".svg"})
        if (file == stem + std::string(extension)) return true;
    return false;
  }
  return runs::is_run_file(file);
}

std::vector<std::string> subfolders() {
  std::vector<std::string> names = {"pictures", "figures"};
  for (const auto& run : demo_runs()) {
    names.push_back(run + "/checkpoints");  // before the run: a folder goes when it is empty
    names.push_back(run);
  }
  return names;
}

void remove_earlier(const fs::path& folder) {
  std::error_code failed;
  for (const char* page : {"report.html", kExplorerPage}) {
    fs::remove(folder / page, failed);
    require(!failed, (folder / page).string(), ": cannot be replaced: ", failed.message());
  }
  for (const auto& name : subfolders()) {
    const auto place = folder / name;
    if (fs::is_symlink(place) || !fs::is_directory(place)) continue;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(place, failed))
      if (!entry.is_directory() && is_ours(name, entry.path().filename().string())) files.push_back(entry.path());
    for (const auto& file : files) {
      fs::remove(file, failed);
      require(!failed, file.string(), ": cannot be replaced: ", failed.message());
    }
    if (fs::is_empty(place, failed)) fs::remove(place, failed);
  }
}

}  // namespace

const std::vector<std::string>& demo_runs() {
  static const std::vector<std::string> names = {"scdcfnet-full", "cnn", "pyramid-cnn"};
  return names;
}

files::FolderLock prepare_demo_folder(const fs::path& folder) {
  files::make_folder(folder, "out: ");
  files::FolderLock lock(folder);
  if (fs::exists(folder / kMark)) {
    remove_earlier(folder);
  } else {
    std::vector<std::string> names = subfolders();
    names.insert(names.end(), {"report.html", kExplorerPage});
    for (const auto& name : names)
      require(!fs::exists(folder / name), "out: ", folder.string(), ": holds a ", name,
              " that no demonstration wrote, expected an empty folder or that of an earlier demonstration");
  }
  files::write_file_atomically(folder / kMark, "scdcf demo writes here, and replaces what it wrote\n");
  return lock;
}

}  // namespace scdcf::demo
