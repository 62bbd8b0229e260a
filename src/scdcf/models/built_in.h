// The table of contents of the networks that come with the library: one function per file.
#pragma once

#include "scdcf/models/registry.h"

namespace scdcf::models {

// For the scaled digits.
ModelEntry scdcfnet_entry();
ModelEntry cnn_entry();
ModelEntry lsi_cnn_entry();
ModelEntry si_cnn_entry();
ModelEntry ss_cnn_entry();
ModelEntry sevf_entry();
ModelEntry dss_entry();
ModelEntry sesn_entry();

// For natural images: resnet16 and its variants.
std::vector<ModelEntry> resnet16_entries();

inline std::vector<ModelEntry> built_in_models() {
  std::vector<ModelEntry> models = {scdcfnet_entry(), cnn_entry(),  lsi_cnn_entry(), si_cnn_entry(),
                                    ss_cnn_entry(),   sevf_entry(), dss_entry(),     sesn_entry()};
  for (auto& entry : resnet16_entries()) models.push_back(std::move(entry));
  return models;
}

}  // namespace scdcf::models
