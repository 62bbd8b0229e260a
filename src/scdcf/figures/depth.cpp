// Figure 3: how the truncated scale axis spoils equivariance as the network gets deeper (Section 6.2).
#include <cmath>

#include "scdcf/core/format.h"
#include "scdcf/core/joined.h"
#include "scdcf/figures/digits.h"
#include "scdcf/figures/figures.h"
#include "scdcf/report/plot.h"
#include "scdcf/theory/equivariance.h"
#include "scdcf/train/trainer.h"
#include "scdcf/verify/small_net.h"

namespace scdcf::figures {
namespace {

constexpr double kDepthStep = 0.25, kDepthFinestWidth = 5;
constexpr int kDepthScales = 9, kDepthScale = 4;  // the middle scale is measured, filters 10 pixels wide

/// Errors of one network with random coefficients after each layer, at the measured scale.
std::vector<double> errors_by_depth(const torch::Tensor& image, int layers, int taps, nn::ScalePadding padding,
                                    uint64_t seed) {
  const theory::GroupElement g{kDepthStep, 0, 0};
  verify::SmallNet net(basis::ScaleGrid(kDepthScales, kDepthStep, kDepthFinestWidth), layers, taps, padding, seed);
  net.to(image.device());
  const auto original = net.features(image), enlarged = net.features(theory::act_on_image(image, g));
  std::vector<double> errors;
  for (size_t l = 0; l < original.size(); ++l)
    errors.push_back(theory::equivariance_error(enlarged[l], original[l], g, kDepthStep)[kDepthScale]);
  return errors;
}

/// By layer: the mean over the draws, and its standard error.
struct Curve {
  int taps = 1;
  std::vector<double> depth, error, uncertainty;
};

Curve mean_curve(const torch::Tensor& images, int layers, int taps, nn::ScalePadding padding) {
  std::vector<std::vector<double>> draws;
  for (int64_t n = 0; n < images.size(0); ++n)
    draws.push_back(errors_by_depth(images.narrow(0, n, 1), layers, taps, padding, static_cast<uint64_t>(n) + 1));
  Curve curve{taps, {}, {}, {}};
  const auto count = static_cast<double>(draws.size());
  for (size_t l = 0; l < static_cast<size_t>(layers); ++l) {
    double mean = 0, square = 0;
    for (const auto& errors : draws) mean += errors[l] / count;
    for (const auto& errors : draws) square += std::pow(errors[l] - mean, 2) / (count - 1);
    curve.depth.push_back(static_cast<double>(l) + 1);
    curve.error.push_back(mean);
    curve.uncertainty.push_back(std::sqrt(square / count));
  }
  return curve;
}

report::Plot panel(const std::string& title, const std::vector<Curve>& curves) {
  report::Plot plot{title, "layers", "relative equivariance error"};
  plot.log_y = true;
  for (const auto& curve : curves)
    plot.series.push_back({"L_alpha = " + std::to_string(curve.taps), curve.depth, curve.error});
  return plot;
}

std::string last_errors(const std::vector<Curve>& curves) {
  return joined(curves, ", ", [](const Curve& curve) {
    return format("%.3f +- %.3f", curve.error.back(), curve.uncertainty.back());
  });
}

/// Whether no curve lies below one of fewer taps at the last layer, up to a tenth.
bool grows_with_taps(const std::vector<Curve>& curves) {
  for (size_t i = 1; i < curves.size(); ++i)
    if (curves[i].error.back() < 0.9 * curves[i - 1].error.back()) return false;
  return true;
}

}  // namespace

Reproduction reproduce_depth(const FigureOptions& options) {
  train::TrainOptions where;
  where.device = options.device;
  const auto device = train::device_of(where);
  const int layers = options.quick ? 6 : 10, side = options.quick ? 40 : 56;
  const int64_t draws = options.quick ? 2 : 48, canvas = options.quick ? 96 : 144;
  const auto images = centred_digits(options, draws, side, canvas).to(device);

  std::vector<Curve> zero, replicate;
  for (const int taps : {1, 2, 3, 5}) {
    zero.push_back(mean_curve(images, layers, taps, nn::ScalePadding::zero));
    replicate.push_back(mean_curve(images, layers, taps, nn::ScalePadding::replicate));
    options.note("L_alpha = " + std::to_string(taps) + ": done");
  }

  Reproduction found;
  std::vector<std::string> columns = {"layers"};
  for (const char* padding : {"zero", "replicate"})
    for (const auto& curve : zero) columns.push_back(std::string(padding) + " L=" + std::to_string(curve.taps));
  found.table = report::Table(columns);
  for (size_t l = 0; l < static_cast<size_t>(layers); ++l) {
    std::vector<report::Table::Cell> row = {static_cast<double>(l + 1)};
    for (const auto* curves : {&zero, &replicate})
      for (const auto& curve : *curves) row.emplace_back(curve.error[l]);
    found.table.add(row);
  }
  const auto folder = options.folder("depth");
  found.missing_picture = report::write_panels({panel("(a) zero padding of the scale axis", zero),
                                                panel("(b) one-sided replicate padding of the scale axis", replicate)},
                                               folder, "depth");
  if (found.missing_picture.empty()) found.pictures = {folder / "depth.png", folder / "depth.svg"};
  found.setting =
      std::to_string(draws) + " digits of " + digit_source(options) + ", " + std::to_string(side) +
      " pixels on a canvas of " + std::to_string(canvas) +
      ", each with its own random coefficients, enlarged by 2^0.25; K = 8, K_alpha = L_alpha, ReLU, nine "
      "scales a quarter octave apart, widths 5 to 20 pixels; error at the middle scale, mean over the draws";

  for (const auto* curves : {&zero, &replicate})
    for (const auto& curve : *curves)
      found.details["standard error of the mean"][curves == &zero ? "zero" : "replicate"]
                   ["L=" + std::to_string(curve.taps)] = curve.uncertainty;
  double deepest_gain = 1e9;  // zero over replicate at the last layer, least over L_alpha > 1
  for (size_t i = 1; i < zero.size(); ++i)
    deepest_gain = std::min(deepest_gain, zero[i].error.back() / replicate[i].error.back());
  found.statements.push_back({"the error grows with depth and is smaller for fewer taps in scale",
                              "after " + std::to_string(layers) + " layers, L_alpha = 1, 2, 3, 5: " +
                                  last_errors(zero) + " (zero), " + last_errors(replicate) + " (replicate)",
                              grows_with_taps(zero) && grows_with_taps(replicate) &&
                                  zero.back().error.back() > 2 * zero.back().error.front()});
  found.statements.push_back(
      {"one-sided replicate padding alleviates the error against zero padding",
       format("with more than one tap the error of replicate is at least %.1f times smaller", deepest_gain),
       deepest_gain > 1.5});
  return found;
}

}  // namespace scdcf::figures
