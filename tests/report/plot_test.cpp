#include "scdcf/report/plot.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/scratch_folder.h"

namespace scdcf::report {
namespace {

class PlotFile : public testing::ScratchFolder {};

TEST_F(PlotFile, ticks_whose_numbers_would_run_into_each_other_give_way_to_round_ones) {
  const auto ticks_of = [&](const std::vector<double>& places) {
    Plot plot;
    plot.log_x = true;
    plot.series = {{"a", places, std::vector<double>(places.size(), 1.0)}};
    write_plot(plot, folder_, "plot");
    const auto script = read(folder_ / "plot.gp");
    const auto begin = script.find("set xtics");
    return script.substr(begin, script.find('\n', begin) - begin);
  };
  EXPECT_EQ(ticks_of({0.5, 1, 2, 4}), "set xtics (\"0.5\" 0.5, \"1\" 1, \"2\" 2, \"4\" 4)");
  EXPECT_EQ(ticks_of({0.594604, 2}), "set xtics (\"0.595\" 0.594604, \"2\" 2)");
  std::vector<double> factors;
  for (int k = -4; k <= 12; ++k) factors.push_back(std::exp2(k / 4.0));
  EXPECT_EQ(ticks_of(factors), "set xtics (\"0.5\" 0.5, \"1\" 1, \"2\" 2, \"5\" 5)");
}

}  // namespace
}  // namespace scdcf::report
