// Maps of numbers side by side, labelled, with a colour bar that says what the colours mean. Torch-free.
//
//   ImageGrid grid;
//   grid.columns = {"x", "D x"};
//   grid.rows = {{"layer 1", {map_a, map_b}, {"", "error 0.03"}}};
//   write_grid(grid, "out", "layers");  // out/layers.png, out/layers.svg
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scdcf/pixels/colour_map.h"

namespace scdcf::report {

/// values: [height, width], row after row. A map without values leaves its place in the grid empty.
struct Map {
  int height = 0, width = 0;
  std::vector<float> values;
};

/// The numbers at the lower and the upper end of the colours; what lies beyond is drawn as the end.
struct ValueRange {
  double low = 0, high = 1;
  bool operator==(const ValueRange& other) const { return low == other.low && high == other.high; }
};

struct GridRow {
  std::string label;  ///< at the left; lines are separated by \n
  std::vector<Map> maps;
  std::vector<std::string> captions;  ///< one line below each map; none where empty
  std::optional<ValueRange> range;    ///< of this row alone; else the grid's
};

struct ImageGrid {
  std::string title;
  std::vector<std::string> columns;  ///< labels above; lines are separated by \n
  std::vector<GridRow> rows;
  std::string footnote;             ///< below: what the colours mean; lines are separated by \n
  std::optional<ValueRange> range;  ///< else from the least to the largest number in the rows without their own
  pixels::ColourMap colours = pixels::ColourMap::viridis;
  int map_pixels = 192;  ///< height and width of a map on paper; a multiple of the maps' sides keeps pixels square
};

/// A line of text: the upper left corner of its first letter, or the upper middle of the line where it is centred, and
/// how large a pixel of the bitmap font would be.
struct Label {
  std::string text;
  int x = 0, y = 0, zoom = 1;
  bool centred = false;
};

/// The maps and bars without a letter, and the letters that belong there.
struct GridSheet {
  pixels::Canvas picture;
  std::vector<Label> labels;
};

/// One colour bar for the whole grid where all rows have the same range, else one beside each row.
GridSheet lay_out(const ImageGrid& grid);
/// With letters of bitmap_font.h.
pixels::Canvas draw(const ImageGrid& grid);
/// With text that stays text: for print.
std::string to_svg(const ImageGrid& grid);
/// folder/name.png and folder/name.svg; returns both.
std::vector<std::filesystem::path> write_grid(const ImageGrid& grid, const std::filesystem::path& folder,
                                              const std::string& name);

}  // namespace scdcf::report
