// More modes of a basis do not change its first ones.
#pragma once

#include <gtest/gtest.h>

#include "scdcf/basis/spatial_basis.h"

namespace scdcf::testing {

inline void expect_prefix(const basis::SpatialBasis& shorter, const basis::SpatialBasis& longer) {
  for (int k = 0; k < shorter.size(); ++k) {
    EXPECT_EQ(shorter.mode(k).column, longer.mode(k).column) << shorter.name() << " " << k;
    EXPECT_EQ(shorter.mode(k).row, longer.mode(k).row) << shorter.name() << " " << k;
    EXPECT_EQ(shorter.value(k, 0.21, -0.43), longer.value(k, 0.21, -0.43)) << shorter.name() << " " << k;
  }
}

}  // namespace scdcf::testing
