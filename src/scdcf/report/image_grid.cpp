#include "scdcf/report/image_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/pixels/bitmap_font.h"

namespace scdcf::report {
namespace {

constexpr pixels::Colour kInk = {0, 0, 0}, kPaper = {255, 255, 255}, kFrame = {150, 150, 150};
constexpr int kLetter = 2, kTitleLetter = 3;  // how large a pixel of the font is
constexpr int kLine = (pixels::kGlyphHeight + 3) * kLetter, kGap = 14, kMargin = 20;
constexpr int kBarWidth = 18, kTick = 5;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

int width_of(const std::string& text) {
  int width = 0;
  for (const auto& line : lines_of(text)) width = std::max(width, pixels::text_width(line) * kLetter);
  return width;
}

int height_of(const std::string& text) { return static_cast<int>(lines_of(text).size()) * kLine; }

std::string number_text(double value) { return format("%.3g", std::abs(value) < 1e-12 ? 0.0 : value); }

/// Lines below each other, the first with its upper edge at y: from x on, or about x where they are centred.
void add_lines(std::vector<Label>& labels, const std::string& text, int x, int y, bool centred) {
  for (const auto& line : lines_of(text)) {
    labels.push_back({line, x, y, kLetter, centred});
    y += kLine;
  }
}

ValueRange common_range(const ImageGrid& grid) {
  if (grid.range) return *grid.range;
  ValueRange range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const auto& row : grid.rows)
    for (const auto& map : row.maps)
      if (!row.range)
        for (const double value : map.values) range = {std::min(range.low, value), std::max(range.high, value)};
  return range.low < range.high ? range : ValueRange{};
}

void check(const ImageGrid& grid) {
  require(!grid.rows.empty() && !grid.columns.empty(), "image grid: got ", grid.rows.size(), " rows and ",
          grid.columns.size(), " columns, expected at least one of both");
  require(grid.map_pixels > 0, "image grid: map_pixels: got ", grid.map_pixels, ", expected a positive number");
  for (const auto& row : grid.rows) {
    require(row.maps.size() <= grid.columns.size() && row.captions.size() <= grid.columns.size(), "image grid: row \"",
            row.label, "\": got ", row.maps.size(), " maps and ", row.captions.size(), " captions, expected at most ",
            grid.columns.size());
    for (const auto& map : row.maps)
      require(map.values.size() == static_cast<std::size_t>(map.height) * static_cast<std::size_t>(map.width),
              "image grid: row \"", row.label, "\": got ", map.values.size(), " numbers, expected ", map.height, "x",
              map.width);
  }
}

/// Where everything goes: measured first, so that no label reaches into another.
struct Layout {
  int left = kMargin, top = kMargin, pitch = 0;  // of the first map; from one column to the next
  std::vector<int> row_top;
  int bar_left = 0, width = 0, height = 0, footnote_top = 0;

  Layout(const ImageGrid& grid, const std::vector<ValueRange>& ranges) {
    int header = 0;
    pitch = grid.map_pixels;
    for (const auto& label : grid.columns) {
      header = std::max(header, height_of(label));
      pitch = std::max(pitch, width_of(label));
    }
    for (const auto& row : grid.rows) {
      left = std::max(left, kMargin + width_of(row.label) + kGap);
      for (const auto& caption : row.captions) pitch = std::max(pitch, width_of(caption));
    }
    pitch += kGap;
    if (!grid.title.empty()) top += (pixels::kGlyphHeight + 4) * kTitleLetter + kGap;
    top += header;
    int y = top;
    for (const auto& row : grid.rows) {
      row_top.push_back(y);
      y += grid.map_pixels + kGap + (row.captions.empty() ? 0 : kLine);
    }
    footnote_top = y;
    height = y + height_of(grid.footnote) + kMargin;
    bar_left = left + pitch * static_cast<int>(grid.columns.size()) + kGap;
    int ticks = 0;
    for (const auto& range : ranges)
      for (const double value : {range.low, range.high, (range.low + range.high) / 2})
        ticks = std::max(ticks, width_of(number_text(value)));
    width = bar_left + kBarWidth + 2 * kTick + ticks + kMargin;
    width = std::max(width, 2 * kMargin + pixels::text_width(grid.title) * kTitleLetter);
    width = std::max(width, 2 * kMargin + width_of(grid.footnote));
  }
};

void draw_frame(pixels::Canvas& canvas, int x, int y, int width, int height) {
  for (int i = -1; i <= width; ++i) {
    canvas.set(x + i, y - 1, kFrame);
    canvas.set(x + i, y + height, kFrame);
  }
  for (int i = -1; i <= height; ++i) {
    canvas.set(x - 1, y + i, kFrame);
    canvas.set(x + width, y + i, kFrame);
  }
}

void draw_map(pixels::Canvas& canvas, const Map& map, const ValueRange& range, pixels::ColourMap colours, int x, int y,
              int pixels) {
  for (int row = 0; row < pixels; ++row)
    for (int column = 0; column < pixels; ++column) {
      const auto value = map.values[static_cast<std::size_t>(row * map.height / pixels) * map.width +
                                    static_cast<std::size_t>(column * map.width / pixels)];
      canvas.set(x + column, y + row, pixels::colour_of(colours, (value - range.low) / (range.high - range.low)));
    }
  draw_frame(canvas, x, y, pixels, pixels);
}

void draw_bar(GridSheet& sheet, const ValueRange& range, pixels::ColourMap colours, int x, int y, int height) {
  auto& canvas = sheet.picture;
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < kBarWidth; ++column)
      canvas.set(x + column, y + row, pixels::colour_of(colours, 1 - row / (height - 1.0)));
  draw_frame(canvas, x, y, kBarWidth, height);
  for (const double part : {0.0, 0.5, 1.0}) {
    const int place = y + static_cast<int>(std::lround((1 - part) * (height - 1)));
    for (int i = 0; i < kTick; ++i) canvas.set(x + kBarWidth + 1 + i, place, kInk);
    const int text_top =
        std::clamp(place - pixels::kCapitalHeight * kLetter / 2, y, y + height - pixels::kCapitalHeight * kLetter);
    sheet.labels.push_back({number_text(range.low + part * (range.high - range.low)), x + kBarWidth + 2 * kTick,
                            text_top, kLetter, false});
  }
}

}  // namespace

GridSheet lay_out(const ImageGrid& grid) {
  check(grid);
  const auto shared = common_range(grid);
  std::vector<ValueRange> ranges;
  for (const auto& row : grid.rows) ranges.push_back(row.range.value_or(shared));
  const Layout layout(grid, ranges);
  GridSheet sheet{pixels::Canvas(3, layout.height, layout.width, kPaper), {}};
  auto& labels = sheet.labels;
  if (!grid.title.empty()) labels.push_back({grid.title, kMargin, kMargin, kTitleLetter, false});
  const int middle = (layout.pitch - kGap) / 2, inset = middle - grid.map_pixels / 2;
  for (std::size_t c = 0; c < grid.columns.size(); ++c)
    add_lines(labels, grid.columns[c], layout.left + layout.pitch * static_cast<int>(c) + middle,
              layout.top - height_of(grid.columns[c]), true);
  for (std::size_t r = 0; r < grid.rows.size(); ++r) {
    const auto& row = grid.rows[r];
    const int y = layout.row_top[r];
    add_lines(labels, row.label, kMargin, y + (grid.map_pixels - height_of(row.label)) / 2, false);
    for (std::size_t c = 0; c < row.maps.size(); ++c)
      if (!row.maps[c].values.empty())
        draw_map(sheet.picture, row.maps[c], ranges[r], grid.colours,
                 layout.left + layout.pitch * static_cast<int>(c) + inset, y, grid.map_pixels);
    for (std::size_t c = 0; c < row.captions.size(); ++c)
      add_lines(labels, row.captions[c], layout.left + layout.pitch * static_cast<int>(c) + middle,
                y + grid.map_pixels + kGap / 2, true);
  }
  const bool one_bar = std::all_of(ranges.begin(), ranges.end(), [&](const auto& range) { return range == ranges[0]; });
  if (one_bar) {
    draw_bar(sheet, ranges[0], grid.colours, layout.bar_left, layout.row_top.front(),
             layout.row_top.back() + grid.map_pixels - layout.row_top.front());
  } else {
    for (std::size_t r = 0; r < ranges.size(); ++r)
      draw_bar(sheet, ranges[r], grid.colours, layout.bar_left, layout.row_top[r], grid.map_pixels);
  }
  add_lines(labels, grid.footnote, kMargin, layout.footnote_top, false);
  return sheet;
}

pixels::Canvas draw(const ImageGrid& grid) {
  auto sheet = lay_out(grid);
  for (const auto& label : sheet.labels)
    sheet.picture.text(label.text, label.centred ? label.x - pixels::text_width(label.text) * label.zoom / 2 : label.x,
                       label.y, label.zoom, kInk);
  return sheet.picture;
}

std::vector<std::filesystem::path> write_grid(const ImageGrid& grid, const std::filesystem::path& folder,
                                              const std::string& name) {
  const auto png = folder / (name + ".png"), svg = folder / (name + ".svg");
  pixels::write_png(png, draw(grid));
  files::write_file_atomically(svg, to_svg(grid));
  return {png, svg};
}

}  // namespace scdcf::report
