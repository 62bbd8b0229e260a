// Small members of every family of networks, which are quick and have all their parts.
#pragma once

#include <string>

#include "scdcf/models/registry.h"

namespace scdcf::testing {

inline bool for_natural_images(const std::string& name) { return name.rfind("resnet16", 0) == 0; }

inline models::ModelOptions small_network(const std::string& name) {
  models::ModelOptions options;
  options.name = name;
  options.dropout = 0;
  options.classes = 4;
  if (models::find_model(name).fits_objects) options.smaller = 1.3;  // few planes
  if (for_natural_images(name)) {
    options.in_channels = 3;
    options.image_size = 16;
    options.channels = {6, 6, 8, 12};
  } else {
    options.channels = {4, 5, 6};
    options.hidden = 32;
    if (name == "lsi-cnn" || name == "si-cnn" || name == "sevf") options.scales = 3;
  }
  return options;
}

}  // namespace scdcf::testing
