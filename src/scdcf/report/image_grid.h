// Maps of numbers side by side, labelled, with a colour bar that says what the colours mean. Torch-free.
//
//   ImageGrid grid;
//   grid.columns = {"x", "D x"};
//   grid.rows = {{"layer 1", {map_a, map_b}, {"", "error 0.03"}}};
//   write_png("layers.png", draw(grid));
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scdcf/report/colour_map.h"

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
  ColourMap colours = ColourMap::viridis;
  int map_pixels = 192;  ///< height and width of a map on paper; a multiple of the maps' sides keeps pixels square
};

/// One colour bar for the whole grid where all rows have the same range, else one beside each row.
Canvas draw(const ImageGrid& grid);

}  // namespace scdcf::report
