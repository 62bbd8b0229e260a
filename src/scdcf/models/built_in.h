// The table of contents of the networks that come with the library: one function per file.
#pragma once

#include "scdcf/models/registry.h"

namespace scdcf::models {

ModelEntry cnn_entry();
ModelEntry scdcfnet_entry();

inline std::vector<ModelEntry> built_in_models() { return {scdcfnet_entry(), cnn_entry()}; }

}  // namespace scdcf::models
