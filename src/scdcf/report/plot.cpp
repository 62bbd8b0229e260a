#include "scdcf/report/plot.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <limits>
#include <set>
#include <sstream>

#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/files/make_folder.h"
#include "scdcf/files/read_file.h"
#include "scdcf/report/hover.h"

namespace scdcf::report {
namespace {

/// Colours that stay apart for colour-blind readers and in grey print.
constexpr std::array<const char*, 9> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9",
                                                 "#333333", "#e69f00", "#7f3c8d", "#8c8c8c"};

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

/// Round numbers that cover a range: 1, 2, 5 and their tenfolds on a logarithmic axis, else equal steps.
std::set<double> round_places(double low, double high, bool logarithmic) {
  std::set<double> places;
  constexpr std::array<double, 3> kSteps = {1, 2, 5};
  if (logarithmic) {
    const int last = static_cast<int>(std::floor(std::log10(high)));
    for (int power = static_cast<int>(std::floor(std::log10(low))); power <= last; ++power)
      for (const double step : kSteps) {
        const double place = step * std::pow(10, power);
        if (place >= low / 1.2 && place <= high * 1.2) places.insert(place);
      }
    return places;
  }
  double step = std::pow(10, std::floor(std::log10((high - low) / 4)));
  step *= (high - low) / step > 30 ? 5 : (high - low) / step > 12 ? 2 : 1;
  for (double place = std::ceil(low / step); place * step <= high; ++place) places.insert(place * step);
  return places;
}

std::string tick_label(double place) { return format("%.3g", place); }

/// Whether the numbers of two ticks would run into each other.
bool too_close(const std::set<double>& places, bool logarithmic) {
  constexpr double kDigit = 0.018;  // of the axis; half of a number lies on either side of its tick
  const auto on_axis = [&](double place) { return logarithmic ? std::log(place) : place; };
  const double length = on_axis(*places.rbegin()) - on_axis(*places.begin());
  for (auto first = places.begin(), second = std::next(first); second != places.end(); ++first, ++second) {
    const auto digits = static_cast<double>(tick_label(*first).size() + tick_label(*second).size()) / 2;
    if (on_axis(*second) - on_axis(*first) < kDigit * digits * length) return true;
  }
  return false;
}

/// A tick at every place where something was measured; round numbers where these would stand too close.
std::string ticks(const Plot& plot) {
  std::set<double> places;
  for (const auto& series : plot.series) places.insert(series.x.begin(), series.x.end());
  if (places.size() > 2 && too_close(places, plot.log_x))
    places = round_places(*places.begin(), *places.rbegin(), plot.log_x);
  std::ostringstream text;
  for (const double place : places)
    text << (text.tellp() > 0 ? ", " : "") << '"' << tick_label(place) << "\" " << place;
  return text.str();
}

/// The measured range of all panels with a margin, so that no point sits on the frame.
std::string range(const std::vector<Plot>& panels, std::vector<double> Series::*values, bool logarithmic) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto& plot : panels)
    for (const auto& series : plot.series)
      for (const double value : series.*values) {
        low = std::min(low, value);
        high = std::max(high, value);
      }
  // gnuplot draws nothing where all points lie on one line
  const double margin = logarithmic ? 1.2 : (high > low ? 0.05 * (high - low) : 0.5);
  std::ostringstream text;
  if (logarithmic) {
    text << "[" << low / margin << ":" << high * margin << "]";
  } else {
    text << "[" << low - margin << ":" << high + margin << "]";
  }
  return text.str();
}

/// One panel; its series are the data sets from `first` on.
std::string panel_script(const Plot& plot, const std::string& y_range, const std::string& stem, size_t first) {
  std::ostringstream text;
  text << "set title " << quoted(plot.title) << "\nset xlabel " << quoted(plot.x_label) << "\nset ylabel "
       << quoted(plot.y_label) << "\n";
  text << (plot.log_x ? "set" : "unset") << " logscale x\nset xtics (" << ticks(plot) << ")\n";
  text << "set xrange " << range({plot}, &Series::x, plot.log_x) << "\nset yrange " << y_range << "\n";
  text << (plot.log_y ? "set logscale y\nset format y \"%g\"\n" : "unset logscale y\n");
  text << "plot";
  for (size_t i = 0; i < plot.series.size(); ++i) {
    const auto& series = plot.series[i];
    const size_t colour = series.colour < 0 ? i : static_cast<size_t>(series.colour);
    const char* style = plot.points_only && !series.dashed ? "points ps 1.6"
                        : series.dashed                    ? "lines"
                                                           : "linespoints ps 1.2";
    text << (i == 0 ? " " : ", ") << quoted(stem + ".dat") << " index " << first + i << " with " << style << " lw 2";
    if (!series.dashed) text << " pt " << 5 + 2 * (i % 5) - i / 5 % 2;  // after five filled shapes the open ones
    text << " dt " << (series.dashed ? 2 : 1) << " lc rgb " << quoted(kColours[colour % kColours.size()]) << " title "
         << quoted(series.name);
  }
  text << "\n";
  return text.str();
}

std::string script(const std::vector<Plot>& panels, const std::string& stem) {
  const bool side_by_side = panels.size() > 1;
  const auto y_range = range(panels, &Series::y, panels.front().log_y);
  std::ostringstream text;
  for (const char* kind : {"pngcairo", "svg"}) {
    const bool png = std::string(kind) == "pngcairo";
    const size_t width = side_by_side ? 760 * panels.size() : 960, height = 640;
    text << "set terminal " << kind << " size " << (png ? width : width * 3 / 4) << ","
         << (png ? height : height * 3 / 4) << " font \"DejaVu Sans," << (png ? 15 : 11) << "\" background \"white\""
         << (png ? "" : " noenhanced") << "\n";
    text << "set output " << quoted(stem + (png ? ".png" : ".svg")) << "\n";
    text << "set termoption noenhanced\n";
    text << "set grid back lt 1 lw 1 lc rgb \"#d0d0d0\"\nset border 3\nset tics nomirror\n";
    // Beside a single plot there is room for the legend; panels keep theirs below, so that all have the same size.
    text << (side_by_side ? "set key below center horizontal Left reverse\nset bmargin 7\n"
                          : "set key outside right center Left reverse\n");
    if (side_by_side) text << "set multiplot layout 1," << panels.size() << "\n";
    size_t first = 0;
    for (const auto& plot : panels) {
      text << panel_script(plot, y_range, stem, first);
      first += plot.series.size();
    }
    if (side_by_side) text << "unset multiplot\n";
    text << "unset output\n";
  }
  return text.str();
}

std::string data(const std::vector<Plot>& panels) {
  std::ostringstream text;
  text << std::setprecision(9);
  for (const auto& plot : panels)
    for (const auto& series : plot.series) {
      require(series.x.size() == series.y.size(), "plot: series \"", series.name, "\": got ", series.x.size(),
              " x and ", series.y.size(), " y values, expected as many of both");
      text << "# " << (panels.size() > 1 ? plot.title + ": " : "") << series.name << "\n";
      for (size_t i = 0; i < series.x.size(); ++i) text << series.x[i] << " " << series.y[i] << "\n";
      text << "\n\n";
    }
  return text.str();
}

/// Runs gnuplot in `folder`, quietly; true when it drew the picture.
bool run_gnuplot(const std::filesystem::path& folder, const std::string& file) {
  const std::string command = "cd -- \"$1\" && exec gnuplot \"$2\" >/dev/null 2>&1";
  const std::string place = folder.string();
  const auto word = [](const char* text) { return const_cast<char*>(text); };  // posix_spawn does not write to them
  std::array<char*, 7> argv = {word("sh"),         word("-c"), word(command.c_str()), word("sh"), word(place.c_str()),
                               word(file.c_str()), nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, "/bin/sh", nullptr, nullptr, argv.data(), environ) != 0) return false;
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Series& Plot::named(const std::string& name) {
  for (auto& one : series)
    if (one.name == name) return one;
  return series.emplace_back(Series{name, {}, {}});
}

std::string write_plot(const Plot& plot, const std::filesystem::path& folder, const std::string& stem) {
  return write_panels({plot}, folder, stem);
}

std::string write_panels(const std::vector<Plot>& panels, const std::filesystem::path& folder,
                         const std::string& stem) {
  require(!panels.empty(), "plot ", stem, ": got no panel, expected at least one");
  files::make_folder(folder);
  files::write_file_atomically(folder / (stem + ".dat"), data(panels));
  files::write_file_atomically(folder / (stem + ".gp"), script(panels, stem));
  if (run_gnuplot(folder, stem + ".gp")) {
    const auto svg = folder / (stem + ".svg");
    files::write_file_atomically(svg, with_values(files::read_text(svg), panels));
    return "";
  }
  return "no picture: gnuplot is missing or failed; the numbers are in " + (folder / (stem + ".dat")).string();
}

}  // namespace scdcf::report
