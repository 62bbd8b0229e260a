#include "scdcf/report/hover.h"

#include "scdcf/core/format.h"
#include "scdcf/report/markup.h"

namespace scdcf::report {
namespace {

std::vector<size_t> places_of(const std::string& part, const std::string& text) {
  std::vector<size_t> places;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) places.push_back(at);
  return places;
}

/// Of the first element that has one.
void replace_title(std::string& text, const std::string& words) {
  const auto open = text.find("<title>"), close = text.find("</title>", open);
  if (close != std::string::npos) text.replace(open + 7, close - open - 7, markup_escaped(words));
}

/// What gnuplot drew of one series: a point is <use .../>, and the last of them stands in the legend.
std::string curve_with_values(std::string curve, const Plot& plot, const Series& series) {
  const auto points = places_of("<use ", curve);
  if (points.size() == series.x.size() + 1)
    for (size_t i = series.x.size(); i-- > 0;) {  // from the end: what is before keeps its place
      const auto close = curve.find("/>", points[i]);
      const auto words =
          format("%s: %.4g at %s %.4g", series.name.c_str(), series.y[i], plot.x_label.c_str(), series.x[i]);
      curve.replace(close, 2, "><title>" + markup_escaped(words) + "</title></use>");
    }
  replace_title(curve, series.name);
  return curve;
}

}  // namespace

std::string with_values(const std::string& svg, const std::vector<Plot>& panels) {
  std::vector<std::pair<const Plot*, const Series*>> all;
  for (const auto& plot : panels)
    for (const auto& series : plot.series) all.emplace_back(&plot, &series);
  const auto begins = places_of("<g id=\"gnuplot_plot_", svg);
  if (begins.size() != all.size() || all.empty()) return svg;
  auto text = svg.substr(0, begins.front());
  replace_title(text, panels.front().title);
  for (size_t i = 0; i < all.size(); ++i) {
    const auto end = i + 1 < all.size() ? begins[i + 1] : svg.size();
    text += curve_with_values(svg.substr(begins[i], end - begins[i]), *all[i].first, *all[i].second);
  }
  return text;
}

}  // namespace scdcf::report
