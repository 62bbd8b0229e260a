// What a device can do at best, measured in the same run as what is held against it.
#pragma once

#include <torch/types.h>

#include "scdcf/bench/measure.h"

namespace scdcf::bench {

struct DeviceLimit {
  double multiply_adds_per_ms = 0;  ///< of a large square matrix product
  double bytes_per_ms = 0;          ///< of a large copy, read and written

  /// No faster than the products alone, nor than the bytes that must move.
  double least_ms(double multiply_adds, double bytes) const;
};

/// For maps of this type, in the precision that is set for the device.
DeviceLimit measured_limit(torch::Device device, torch::ScalarType type, Timer timer);

}  // namespace scdcf::bench
