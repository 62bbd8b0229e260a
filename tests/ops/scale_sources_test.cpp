#include "scdcf/ops/scale_sources.h"

#include <gtest/gtest.h>

#include "scdcf/core/joined.h"
#include "support/expect_error.h"

namespace scdcf::ops {
namespace {

/// "plane:taps" of every plane an output scale reads.
std::string text_of(const std::vector<PlaneTaps>& planes) {
  return joined(planes, " ", [](const PlaneTaps& plane) {
    return std::to_string(plane.plane) + ":" + joined(plane.taps, "", [](auto tap) { return std::to_string(tap); });
  });
}

/// The same of every output scale, from the finest on.
std::string text_of(const ScaleSources& sources) {
  return joined(sources, " | ", [](const auto& planes) { return text_of(planes); });
}

TEST(ScaleSources, one_sided_support_reads_itself_and_finer_scales_and_replicates_the_finest_plane) {
  EXPECT_EQ(text_of(joint_sources(4, 3, ScaleSupport::one_sided, ScalePadding::replicate)),
            "0:012 | 0:01 1:2 | 0:0 1:1 2:2 | 1:0 2:1 3:2");
}

TEST(ScaleSources, zero_padding_drops_the_missing_taps) {
  EXPECT_EQ(text_of(joint_sources(4, 3, ScaleSupport::one_sided, ScalePadding::zero)),
            "0:2 | 0:1 1:2 | 0:0 1:1 2:2 | 1:0 2:1 3:2");
}

TEST(ScaleSources, centred_support_reads_both_sides_and_is_never_replicated_at_the_coarse_end) {
  EXPECT_EQ(text_of(joint_sources(3, 3, ScaleSupport::centred, ScalePadding::replicate)),
            "0:01 1:2 | 0:0 1:1 2:2 | 1:0 2:1");
}

TEST(ScaleSources, one_tap_reads_only_its_own_scale) {
  for (const auto support : {ScaleSupport::one_sided, ScaleSupport::centred})
    EXPECT_EQ(text_of(joint_sources(3, 1, support, ScalePadding::zero)), "0:0 | 1:0 | 2:0");
}

TEST(ScaleSources, an_even_number_of_taps_has_no_centre) {
  testing::expect_error([] { joint_sources(4, 2, ScaleSupport::centred, ScalePadding::replicate); },
                        "JointConv: scale_taps: got 2", "odd");
}

TEST(ScaleSources, more_taps_than_scales_follow_the_equation) {
  EXPECT_EQ(text_of(joint_sources(3, 9, ScaleSupport::one_sided, ScalePadding::replicate)[2]), "0:0123456 1:7 2:8");
  EXPECT_EQ(text_of(joint_sources(1, 5, ScaleSupport::one_sided, ScalePadding::replicate)[0]), "0:01234");
  EXPECT_EQ(text_of(joint_sources(2, 5, ScaleSupport::one_sided, ScalePadding::zero)[1]), "0:3 1:4");
}

TEST(ScaleSources, lifting_reads_the_one_plane) { EXPECT_EQ(text_of(lifting_sources(3)), "0:0 | 0:0 | 0:0"); }

TEST(ScaleSources, bad_counts_are_named) {
  testing::expect_error([] { joint_sources(0, 1, ScaleSupport::one_sided, ScalePadding::zero); }, "scales", "got 0");
  testing::expect_error([] { joint_sources(1, 0, ScaleSupport::one_sided, ScalePadding::zero); }, "taps", "got 0");
}

}  // namespace
// Planes that are read through the same taps share a set, of which there is one mixing matrix each.
TEST(TapSets, are_the_distinct_sets_of_taps) {
  const auto sets = tap_sets(joint_sources(4, 3, ScaleSupport::one_sided, ScalePadding::replicate));
  const std::vector<std::vector<int64_t>> expected = {{0, 1, 2}, {0, 1}, {2}, {0}, {1}};
  EXPECT_EQ(sets.sets, expected);
  const std::vector<int64_t> sources = {0, 0, 0, 1, 0, 1, 1, 1, 2, 2, 0, 3, 2, 1,
                                        4, 2, 2, 2, 3, 1, 3, 3, 2, 4, 3, 3, 2};
  EXPECT_EQ(sets.sources, sources);
  const std::vector<double> membership = {1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 0};  // [taps, sets]
  EXPECT_EQ(sets.membership(3), membership);
}

}  // namespace scdcf::ops
