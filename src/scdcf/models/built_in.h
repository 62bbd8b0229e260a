// The table of contents of the networks that come with the library: each family of convolutions has a file, which names
// its network for the scaled digits (skeleton.h) and that for natural images (resnet16.h).
#pragma once

#include "scdcf/models/registry.h"

namespace scdcf::models {

ModelEntry scdcfnet_entry();
ModelEntry cnn_entry();
ModelEntry lsi_cnn_entry();
ModelEntry si_cnn_entry();
ModelEntry ss_cnn_entry();
ModelEntry sevf_entry();
ModelEntry dss_entry();
ModelEntry sesn_entry();

ModelEntry scdcfnet_full_entry();
ModelEntry resnet16_full_entry();
ModelEntry pyramid_cnn_entry();

ModelEntry resnet16_plain_entry();
ModelEntry resnet16_lsi_entry();
ModelEntry resnet16_si_entry();
ModelEntry resnet16_ss_entry();
ModelEntry resnet16_dss_entry();
ModelEntry resnet16_sesn_entry();
ModelEntry resnet16_scdcf_entry();

inline std::vector<ModelEntry> built_in_models() {
  return {scdcfnet_entry(),      cnn_entry(),           lsi_cnn_entry(),
          si_cnn_entry(),        ss_cnn_entry(),        sevf_entry(),
          dss_entry(),           sesn_entry(),          resnet16_plain_entry(),
          resnet16_lsi_entry(),  resnet16_si_entry(),   resnet16_ss_entry(),
          resnet16_dss_entry(),  resnet16_sesn_entry(), resnet16_scdcf_entry(),
          scdcfnet_full_entry(), resnet16_full_entry(), pyramid_cnn_entry()};
}

}  // namespace scdcf::models
