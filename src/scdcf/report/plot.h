// Line plots through gnuplot, as PNG and SVG. Without gnuplot the numbers are still written beside where the picture
// would be.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace scdcf::report {

struct Series {
  std::string name;
  std::vector<double> x, y;
  bool dashed = false;
};

struct Plot {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Series> series;
};

/// Writes STEM.dat, STEM.gp, STEM.png and STEM.svg into `folder`. Returns an empty string, or why there is no picture.
std::string write_plot(const Plot& plot, const std::filesystem::path& folder, const std::string& stem);

}  // namespace scdcf::report
