// Networks whose filters are expansions on a scale grid, ScDCFNet and SESN: lifting, then joint convolutions.
#pragma once

#include "scdcf/models/variant.h"

namespace scdcf::models {

/// What a network of this kind has where its options leave it open.
struct ExpandedDefaults {
  int modes = 15;
  int scale_modes = 3;
  int scale_taps = 3;
  int scales = 5;
  double scale_step = 0.25;
  double finest_width = 5;
  const char* scale_padding = "replicate";
  const char* basis = "sine";
  const char* sampling = "area";

  /// Three scales over one octave, two taps (Section 6.3).
  static ExpandedDefaults for_natural_images(int modes);
};

/// The options that such a network has.
std::vector<std::string> expanded_options();

/// Fills in what was left open and checks the words; numbers are checked by the layers they go to.
void resolve_expanded(ModelOptions& options, const ExpandedDefaults& defaults);

Convolutions expanded_convolutions(const ModelOptions& options, bool bias);

}  // namespace scdcf::models
