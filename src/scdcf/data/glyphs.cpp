#include "scdcf/data/glyphs.h"

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/data/pool.h"

namespace scdcf::data {
namespace {

struct Point {
  double x, y;
};
using Stroke = std::vector<Point>;    // a curve through these points; a point given twice is a corner
using Strokes = std::vector<Stroke>;  // x to the right, y down, in the unit square

/// The ways to write each digit.
const std::vector<Strokes>& ways_to_write(int digit) {
  static const std::vector<std::vector<Strokes>> all = {
      // 0: closed; begun at the right and left a little open
      {{{{.5, 0}, {.17, .15}, {.04, .5}, {.17, .85}, {.5, 1}, {.83, .85}, {.96, .5}, {.83, .15}, {.5, 0}}},
       {{{.7, .06}, {.35, .03}, {.08, .3}, {.06, .68}, {.35, .98}, {.75, .9}, {.95, .55}, {.85, .2}, {.55, .04}}}},
      // 1: a line; with a nose; with a nose and a foot
      {{{{.5, 0}, {.5, .5}, {.5, 1}}},
       {{{.2, .25}, {.52, 0}, {.52, 0}, {.5, .5}, {.5, 1}}},
       {{{.25, .2}, {.5, 0}, {.5, 0}, {.5, 1}}, {{.2, 1}, {.8, 1}}}},
      // 2: with a corner; with a loop
      {{{{.1, .25}, {.3, .03}, {.68, .03}, {.85, .27}, {.6, .6}, {.05, .97}, {.05, .97}, {.95, .97}}},
       {{{.12, .2}, {.45, 0}, {.82, .2}, {.6, .6}, {.25, .93}, {.06, .86}, {.25, .76}, {.55, .93}, {.96, .92}}}},
      // 3: two bows; a flat top
      {{{{.1, .13},
         {.45, 0},
         {.8, .2},
         {.66, .42},
         {.35, .48},
         {.35, .48},
         {.76, .56},
         {.88, .78},
         {.5, 1},
         {.06, .87}}},
       {{{.1, .03}, {.86, .03}, {.86, .03}, {.42, .4}, {.42, .4}, {.84, .56}, {.84, .86}, {.42, 1}, {.05, .88}}}},
      // 4: open; closed
      {{{{.25, .02}, {.05, .56}, {.05, .56}, {.95, .54}}, {{.74, .12}, {.7, 1}}},
       {{{.68, 1}, {.7, 0}, {.7, 0}, {.02, .66}, {.02, .66}, {.97, .66}}}},
      // 5: in one go; with the roof apart
      {{{{.88, .02},
         {.2, .02},
         {.2, .02},
         {.15, .43},
         {.15, .43},
         {.58, .36},
         {.9, .62},
         {.7, .93},
         {.35, 1},
         {.05, .88}}},
       {{{.22, .05}, {.14, .46}, {.5, .4}, {.86, .62}, {.72, .92}, {.4, 1}, {.06, .9}}, {{.22, .04}, {.92, .0}}}},
      // 6: with a bow; straighter
      {{{{.78, .02}, {.38, .22}, {.1, .64}, {.25, .95}, {.6, 1}, {.85, .78}, {.65, .53}, {.35, .57}, {.13, .78}}},
       {{{.55, 0}, {.25, .45}, {.14, .8}, {.45, 1}, {.8, .84}, {.7, .58}, {.4, .58}, {.18, .76}}}},
      // 7: plain; with a bar; with a hook
      {{{{.05, .03}, {.92, .03}, {.92, .03}, {.6, .48}, {.38, 1}}},
       {{{.05, .04}, {.9, .02}, {.9, .02}, {.62, .5}, {.45, 1}}, {{.3, .53}, {.85, .5}}},
       {{{.06, .22}, {.1, .04}, {.1, .04}, {.9, .04}, {.9, .04}, {.55, .5}, {.45, 1}}}},
      // 8: in one go; two rings
      {{{{.82, .14},
         {.5, 0},
         {.2, .18},
         {.42, .44},
         {.78, .7},
         {.68, .95},
         {.4, 1},
         {.13, .84},
         {.28, .6},
         {.62, .4},
         {.8, .2}}},
       {{{.5, .46}, {.22, .34}, {.24, .08}, {.5, 0}, {.76, .08}, {.78, .34}, {.5, .46}},
        {{.5, .46}, {.14, .6}, {.14, .88}, {.5, 1}, {.86, .88}, {.86, .6}, {.5, .46}}}},
      // 9: a straight leg; a bent one
      {{{{.84, .22}, {.52, 0}, {.14, .2}, {.28, .5}, {.62, .46}, {.84, .2}, {.84, .2}, {.8, .6}, {.7, 1}}},
       {{{.8, .18}, {.48, .02}, {.14, .24}, {.34, .5}, {.7, .4}, {.82, .16}, {.84, .6}, {.62, .95}, {.16, .94}}}}};
  return all[static_cast<std::size_t>(digit)];
}

/// Bends the square by random quadratic polynomials, then squeezes, slants and turns it.
class Hand {
 public:
  explicit Hand(Random& random) : random_(random) {
    for (auto& coefficient : bend_) coefficient = 0.25 * random.bell();
    squeeze_ = random.uniform(0.45, 1.0);
    slant_ = 0.15 + 0.36 * random.bell();
    const double t = 0.13 * random.bell();  // tan of half the angle: a turn without sines
    cosine_ = (1 - t * t) / (1 + t * t);
    sine_ = 2 * t / (1 + t * t);
  }

  /// Where the point goes, with a tremor of its own.
  Point operator()(Point p) const {
    const double u = 2 * p.x - 1, v = 2 * p.y - 1;
    double x = u + bend_[0] * u * v + bend_[1] * u * u + bend_[2] * v * v + 0.1 * random_.bell();
    const double y = v + bend_[3] * u * v + bend_[4] * u * u + bend_[5] * v * v + 0.1 * random_.bell();
    x = squeeze_ * x - slant_ * y;
    return {cosine_ * x - sine_ * y, sine_ * x + cosine_ * y};
  }

 private:
  Random& random_;
  double bend_[6], squeeze_, slant_, cosine_, sine_;
};

/// The Catmull-Rom curve through the points, as short line segments.
Stroke flatten(const Stroke& points) {
  constexpr int kSteps = 6;
  const auto at = [&](std::ptrdiff_t i) {
    return points[static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(i, 0, static_cast<std::ptrdiff_t>(points.size()) - 1))];
  };
  Stroke line = {points.front()};
  for (std::ptrdiff_t i = 0; i + 1 < static_cast<std::ptrdiff_t>(points.size()); ++i) {
    const Point a = at(i - 1), b = at(i), c = at(i + 1), d = at(i + 2);
    for (int step = 1; step <= kSteps; ++step) {
      const double t = static_cast<double>(step) / kSteps;
      const auto curve = [t](double p, double q, double r, double s) {
        return q + 0.5 * t * (r - p + t * (2 * p - 5 * q + 4 * r - s + t * (3 * (q - r) + s - p)));
      };
      line.push_back({curve(a.x, b.x, c.x, d.x), curve(a.y, b.y, c.y, d.y)});
    }
  }
  return line;
}

/// Moves and scales the strokes so that, drawn with a pen, they fill a box of 20 pixels about the centre.
void fit(Strokes& strokes, double pen, Random& random) {
  constexpr double kBox = 20;
  double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
  for (const auto& stroke : strokes)
    for (const auto& p : stroke) {
      left = std::min(left, p.x);
      right = std::max(right, p.x);
      top = std::min(top, p.y);
      bottom = std::max(bottom, p.y);
    }
  const double scale = (kBox - pen) / std::max(right - left, bottom - top);
  const double x = kGlyphSide / 2.0 + 0.7 * random.bell(), y = kGlyphSide / 2.0 + 0.7 * random.bell();
  for (auto& stroke : strokes)
    for (auto& p : stroke) p = {x + scale * (p.x - (left + right) / 2), y + scale * (p.y - (top + bottom) / 2)};
}

double squared_distance(double x, double y, Point a, Point b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  const double along = length > 0 ? std::clamp(((x - a.x) * dx + (y - a.y) * dy) / length, 0.0, 1.0) : 0.0;
  const double ex = x - a.x - along * dx, ey = y - a.y - along * dy;
  return ex * ex + ey * ey;
}

/// Ink falls from full to none over one pixel at the edge of the pen.
pixels::Image ink(const Strokes& strokes, double pen, double darkness) {
  const double reach = pen / 2 + 0.5;
  std::vector<double> nearest(std::size_t{kGlyphSide} * kGlyphSide, reach * reach);
  const auto pixel = [](double coordinate) { return std::clamp(static_cast<int>(coordinate), 0, kGlyphSide); };
  for (const auto& stroke : strokes)
    for (std::size_t i = 0; i + 1 < stroke.size(); ++i) {
      const Point a = stroke[i], b = stroke[i + 1];
      const int right = pixel(std::max(a.x, b.x) + reach + 1), bottom = pixel(std::max(a.y, b.y) + reach + 1);
      for (int y = pixel(std::min(a.y, b.y) - reach - 1); y < bottom; ++y)
        for (int x = pixel(std::min(a.x, b.x) - reach - 1); x < right; ++x) {
          double& best = nearest[static_cast<std::size_t>(y) * kGlyphSide + x];
          best = std::min(best, squared_distance(x + 0.5, y + 0.5, a, b));
        }
    }
  pixels::Image image{1, kGlyphSide, kGlyphSide, files::Bytes(nearest.size())};
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    const double coverage = std::clamp(reach - std::sqrt(nearest[i]), 0.0, 1.0);  // sqrt is exact in IEEE arithmetic
    const double rounded_up = darkness * coverage + 0.5;
    image.pixels[i] = static_cast<std::uint8_t>(rounded_up);
  }
  return image;
}

}  // namespace

pixels::Image draw_glyph(int digit, Random& random) {
  require(digit >= 0 && digit <= 9, "digit: got ", digit, ", expected 0 to 9");
  const auto& ways = ways_to_write(digit);
  const Strokes& model = ways[random.below(ways.size())];
  const Hand hand(random);
  Strokes strokes;
  for (const auto& points : model) {
    Stroke moved;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const bool corner = i > 0 && points[i].x == points[i - 1].x && points[i].y == points[i - 1].y;
      moved.push_back(corner ? moved.back() : hand(points[i]));
    }
    strokes.push_back(flatten(moved));
  }
  const double pen = random.uniform(1.0, 3.6), darkness = random.uniform(190, 255);
  fit(strokes, pen, random);
  return ink(strokes, pen, darkness);
}

pixels::Image glyph(std::int64_t index) {
  constexpr std::uint64_t kSeries = 0x676C797068;  // one series for all: realisations differ in the choice from it
  Random random(kSeries, 0, static_cast<std::uint64_t>(index));
  return draw_glyph(glyph_label(index), random);
}

ImageSet draw_glyphs(std::int64_t begin, std::int64_t count) {
  ImageSet set;
  set.height = set.width = kGlyphSide;
  set.class_names = digit_names();
  for (std::int64_t i = 0; i < count; ++i) set.labels.push_back(glyph_label(begin + i));
  fill_pixels(set, [=](std::int64_t i) { return glyph(begin + i); });
  return set;
}

std::vector<std::string> digit_names() { return {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}; }

}  // namespace scdcf::data
