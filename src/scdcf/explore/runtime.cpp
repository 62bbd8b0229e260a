#include "scdcf/explore/runtime.h"

#include <cstdlib>
#include <vector>

#include "scdcf/core/error.h"
#include "scdcf/files/read_file.h"

namespace scdcf::explore {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInside = "node_modules/onnxruntime-web/dist";  // as npm lays it out
constexpr const char* kScriptFile = "ort.wasm.bundle.min.mjs";
constexpr const char* kWasmFile = "ort-wasm-simd-threaded.wasm";

std::vector<fs::path> places() {
  if (const char* given = std::getenv("SCDCF_PAGES"); given != nullptr && *given != '\0') return {given};
  std::error_code unknown;
  const auto program = fs::read_symlink("/proc/self/exe", unknown);
  return {program.parent_path().parent_path() / "share/scdcf/pages", SCDCF_PAGES_OF_SOURCE};
}

}  // namespace

fs::path find_runtime() {
  std::error_code unreadable;
  for (const auto& place : places())
    if (fs::exists(place / kInside / kScriptFile, unreadable) && fs::exists(place / kInside / kWasmFile, unreadable))
      return place / kInside;
  return {};
}

Runtime load_runtime() {
  const auto folder = find_runtime();
  require(!folder.empty(), "explore: onnxruntime-web is missing in ", places().front().string(),
          places().size() > 1 ? " and the source tree" : "",
          ": `make pages-deps` fetches it; SCDCF_PAGES names another folder");
  return {files::read_text(folder / kScriptFile), files::read_text(folder / kWasmFile)};
}

}  // namespace scdcf::explore
