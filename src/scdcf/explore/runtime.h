// ONNX Runtime Web, which runs networks in a page. It is no part of the program: `make pages-deps` fetches it.
#pragma once

#include <filesystem>
#include <string>

namespace scdcf::explore {

struct Runtime {
  std::string script;  ///< an ES module
  std::string wasm;
};

/// The folder that holds it: $SCDCF_PAGES, share/scdcf/pages where the program is installed, or the source tree's
/// build-pages. Empty where none of these does.
std::filesystem::path find_runtime();

/// Reads it. Throws Error, saying how to get it, where it is not found.
Runtime load_runtime();

}  // namespace scdcf::explore
