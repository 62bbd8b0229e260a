#include "scdcf/report/hover.h"

#include <gtest/gtest.h>

#include "support/scratch_folder.h"

namespace scdcf::report {
namespace {

class Hover : public testing::ScratchFolder {};

TEST_F(Hover, every_point_tells_its_values_and_every_curve_its_name) {
  Plot plot;
  plot.title = "Accuracy < 100";
  plot.x_label = "size";
  plot.series = {{"CNN & co", {0.5, 1, 2}, {10, 90.25, 1234567}}, {"limit", {0.5, 2}, {50, 50}, /*dashed=*/true}};
  if (!write_plot(plot, folder_, "plot").empty()) GTEST_SKIP() << "gnuplot is missing";
  const auto svg = read(folder_ / "plot.svg");
  for (const char* title : {"Accuracy &lt; 100", "CNN &amp; co", "limit", "CNN &amp; co: 10 at size 0.5",
                            "CNN &amp; co: 90.25 at size 1", "CNN &amp; co: 1.235e+06 at size 2"})
    EXPECT_NE(svg.find("<title>" + std::string(title) + "</title>"), std::string::npos) << title;
  EXPECT_EQ(svg.find("<title>gnuplot"), std::string::npos);
  EXPECT_EQ(with_values("<svg>of another hand</svg>", {plot}), "<svg>of another hand</svg>");
}

}  // namespace
}  // namespace scdcf::report
