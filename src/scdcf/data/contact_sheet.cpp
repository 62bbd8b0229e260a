#include "scdcf/data/contact_sheet.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "scdcf/core/error.h"
#include "scdcf/pixels/bitmap_font.h"

namespace scdcf::data {
namespace {

constexpr pixels::Colour kGround = {238, 238, 238}, kInk = {40, 40, 40};
constexpr int kGap = 4, kMargin = 10, kTextZoom = 2, kTileSide = 64;
constexpr int kLineHeight = pixels::kGlyphHeight * kTextZoom + 8;
constexpr std::int64_t kMostPixels = std::int64_t{1} << 26;

/// A row of the sheet: which pictures, and what is written before them.
struct Row {
  std::string label;
  std::vector<std::int64_t> pictures;
};

std::string class_name(const ImageSet& set, std::int32_t label) {
  const auto index = static_cast<std::size_t>(label);
  return label >= 0 && index < set.class_names.size() ? set.class_names[index] : std::to_string(label);
}

/// Classes in the order of their labels, each with equally many of its first pictures.
std::vector<Row> rows_by_class(const ImageSet& set, int count) {
  std::vector<std::int32_t> classes = set.labels;
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  const std::size_t each = std::max<std::size_t>(1, static_cast<std::size_t>(count) / classes.size());
  classes.resize(std::min(classes.size(), static_cast<std::size_t>(count)));
  std::vector<Row> rows;
  for (const auto label : classes) {
    rows.push_back({class_name(set, label), {}});
    for (std::int64_t i = 0; i < set.count() && rows.back().pictures.size() < each; ++i)
      if (set.labels[static_cast<std::size_t>(i)] == label) rows.back().pictures.push_back(i);
  }
  return rows;
}

std::vector<Row> rows_of_grid(const ImageSet& set, int count, int columns) {
  std::vector<Row> rows;
  const std::int64_t shown = std::min<std::int64_t>(count, set.count());
  for (std::int64_t i = 0; i < shown; ++i) {
    if (i % columns == 0) rows.emplace_back();
    rows.back().pictures.push_back(i);
  }
  return rows;
}

int scaled_width(const std::string& text) { return pixels::text_width(text) * kTextZoom; }

}  // namespace

pixels::Canvas contact_sheet(const ImageSet& set, const ContactSheetOptions& options) {
  require(set.count() > 0 && set.height > 0 && set.width > 0, "contact sheet: the set has no pictures");
  require(options.count > 0, "contact sheet: count: got ", options.count, ", expected at least 1");
  require(options.columns >= 0, "contact sheet: columns: got ", options.columns, ", expected 0 or more");
  const auto rows =
      options.columns > 0 ? rows_of_grid(set, options.count, options.columns) : rows_by_class(set, options.count);
  const int zoom = std::max(1, (kTileSide + std::max(set.height, set.width) / 2) / std::max(set.height, set.width));
  const std::int64_t step_x = std::int64_t{set.width} * zoom + kGap, step_y = std::int64_t{set.height} * zoom + kGap;
  int label_width = 0;
  std::size_t columns = 0;
  for (const auto& row : rows) {
    label_width = std::max(label_width, scaled_width(row.label));
    columns = std::max(columns, row.pictures.size());
  }
  const int left = kMargin + (label_width > 0 ? label_width + kMargin : 0);
  const int top = kMargin + (options.title.empty() ? 0 : kLineHeight);
  const std::int64_t width = std::max<std::int64_t>(left + static_cast<std::int64_t>(columns) * step_x - kGap,
                                                    kMargin + scaled_width(options.title)) +
                             kMargin;
  const std::int64_t height = top + static_cast<std::int64_t>(rows.size()) * step_y - kGap + kMargin;
  require(width * height <= kMostPixels && std::max(width, height) <= kMostPixels, "contact sheet: ", width, "x",
          height, " pixels are too many; show fewer pictures");

  pixels::Canvas canvas(set.channels, static_cast<int>(height), static_cast<int>(width), kGround);
  canvas.text(options.title, kMargin, kMargin, kTextZoom, kInk);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const int y = top + static_cast<int>(static_cast<std::int64_t>(r) * step_y);
    const int middle = y + (set.height * zoom - pixels::kCapitalHeight * kTextZoom) / 2;
    canvas.text(rows[r].label, left - kMargin - scaled_width(rows[r].label), middle, kTextZoom, kInk);
    for (std::size_t c = 0; c < rows[r].pictures.size(); ++c)
      canvas.paste(set.image(rows[r].pictures[c]), set.channels, set.height, set.width,
                   left + static_cast<int>(static_cast<std::int64_t>(c) * step_x), y, zoom);
  }
  return canvas;
}

}  // namespace scdcf::data
