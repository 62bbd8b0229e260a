// Line plots through gnuplot, as PNG and SVG. Without gnuplot the numbers are still written beside where the picture
// would be.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace scdcf::report {

struct Series {
  static constexpr int kDark = 5;  // a colour that stands apart from the first five

  std::string name;
  std::vector<double> x, y;
  bool dashed = false;
  int colour = -1;  // series with the same number share a colour; -1 stands for the series' own place

  void add(double at, double value) {
    x.push_back(at);
    y.push_back(value);
  }
};

struct Plot {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Series> series{};
  bool points_only = false;  // for kinds of things that have no order

  /// The series of this name, a new one where there is none.
  Series& named(const std::string& name);
};

/// Writes STEM.dat, STEM.gp, STEM.png and STEM.svg, which tells its numbers to whoever points at them (hover.h), into
/// `folder`. Returns an empty string, or why there is no picture.
std::string write_plot(const Plot& plot, const std::filesystem::path& folder, const std::string& stem);

/// The same for several plots side by side in one picture, with one range of y for all of them.
std::string write_panels(const std::vector<Plot>& panels, const std::filesystem::path& folder, const std::string& stem);

}  // namespace scdcf::report
