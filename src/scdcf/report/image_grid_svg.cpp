// A grid of maps as SVG: the maps as one embedded picture, the letters as text over it.
#include <sstream>

#include "scdcf/pixels/bitmap_font.h"
#include "scdcf/report/base64.h"
#include "scdcf/report/image_grid.h"
#include "scdcf/report/markup.h"

namespace scdcf::report {
std::string to_svg(const ImageGrid& grid) {
  const auto sheet = lay_out(grid);
  const int width = sheet.picture.width(), height = sheet.picture.height();
  std::ostringstream svg;
  svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << height
      << "\" viewBox=\"0 0 " << width << ' ' << height << "\" font-family=\"Helvetica, Arial, sans-serif\">\n"
      << "<image width=\"" << width << "\" height=\"" << height
      << "\" style=\"image-rendering: pixelated\" href=\"data:image/png;base64,"
      << base64(pixels::encode_png(sheet.picture)) << "\"/>\n";
  for (const auto& label : sheet.labels) {
    // Narrower than the bitmap letters for which room was left.
    const int size = pixels::kGlyphHeight * label.zoom, baseline = label.y + pixels::kCapitalHeight * label.zoom;
    svg << "<text x=\"" << label.x << "\" y=\"" << baseline << "\" font-size=\"" << size << '"'
        << (label.centred ? " text-anchor=\"middle\"" : "") << '>' << markup_escaped(label.text) << "</text>\n";
  }
  svg << "</svg>\n";
  return svg.str();
}

}  // namespace scdcf::report
