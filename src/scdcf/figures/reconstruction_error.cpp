// Figure 5: the error of images decoded from rescaled codes against the scale, eq. (error_recon).
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "scdcf/core/format.h"
#include "scdcf/core/joined.h"
#include "scdcf/figures/autoencoder_training.h"
#include "scdcf/figures/rescaled_codes.h"
#include "scdcf/report/plot.h"
#include "scdcf/train/device_images.h"

namespace scdcf::figures {
namespace {

/// Errors of one auto-encoder by scale, each a mean over the test images.
struct ErrorCurve {
  std::string name;
  double training_error = 0;
  std::vector<double> thresholded_error, raw_error, code_error;
};

double mean_off_centre(const std::vector<double>& errors, const std::vector<double>& betas) {
  double sum = 0;
  for (size_t b = 0; b < betas.size(); ++b)
    if (betas[b] != 0) sum += errors[b];
  return sum / static_cast<double>(betas.size() - 1);
}

double at_centre(const ErrorCurve& curve, const std::vector<double>& betas) {
  const auto centre = std::find(betas.begin(), betas.end(), 0.0) - betas.begin();
  return curve.thresholded_error[static_cast<size_t>(centre)];
}

std::vector<double> thirteen_scales() {
  std::vector<double> betas;
  for (int i = -6; i <= 6; ++i) betas.push_back(i / 10.0);
  return betas;
}

struct MeanErrors {
  double thresholded = 0, raw = 0, code = 0;
};

MeanErrors mean_errors(models::AutoEncoder& network, const train::DeviceImages& test, double beta) {
  constexpr int64_t kBatch = 200;
  const torch::NoGradGuard no_grad;
  const auto on_device = torch::TensorOptions(test.device()).dtype(torch::kDouble);
  auto sums = torch::zeros({2}, on_device), distances = torch::zeros({2}, on_device);
  for (const auto& indices : test.range(0, test.count()).split(kBatch)) {
    const auto images = test.images(indices), expected = rescaled_images(images, beta);
    const auto decoded = network.decode(rescaled_code(network, images, beta));
    sums += torch::stack(
        {relative_errors(thresholded(decoded), thresholded(expected)).sum(), relative_errors(decoded, expected).sum()});
    distances += code_distances(network, images, beta);
  }
  const auto means = (sums / static_cast<double>(test.count())).cpu();
  return {means[0].item<double>(), means[1].item<double>(), (distances[0] / distances[1]).sqrt().item<double>()};
}

/// "CNN: 0.81, K = 5: 0.52, ...".
std::string listed(const std::vector<ErrorCurve>& curves, const std::function<double(const ErrorCurve&)>& value) {
  return joined(curves, ", ", [&](const auto& curve) { return format("%s: %.3f", curve.name.c_str(), value(curve)); });
}

/// Whether the value grows from each ScDCFNet, in the order of K, to the next.
bool grows_with_modes(const std::vector<ErrorCurve>& curves, const std::function<double(const ErrorCurve&)>& value) {
  for (size_t i = 2; i < curves.size(); ++i)
    if (value(curves[i]) < value(curves[i - 1])) return false;
  return true;
}

std::vector<ErrorCurve> measured_curves(const std::vector<int>& modes, const std::vector<double>& betas,
                                        const AutoEncoderStudy& study, const data::Splits& splits,
                                        const FigureOptions& options) {
  std::vector<AutoEncoderRun> kinds = {{"cnn-autoencoder"}};
  for (const int k : modes) kinds.push_back({"scdcf-autoencoder", k});
  const auto best = best_autoencoders(kinds, study, splits, options);
  const train::DeviceImages test(splits.test, {0.0}, {1.0}, best.front().network->parameters().front().device());
  std::vector<ErrorCurve> curves;
  for (size_t i = 0; i < kinds.size(); ++i) {
    ErrorCurve curve;
    curve.name = i == 0 ? "CNN" : "ScDCFNet K=" + std::to_string(kinds[i].modes);
    curve.training_error = best[i].training_error;
    for (const double beta : betas) {
      const auto errors = mean_errors(*best[i].network, test, beta);
      curve.thresholded_error.push_back(errors.thresholded);
      curve.raw_error.push_back(errors.raw);
      curve.code_error.push_back(errors.code);
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace

Reproduction reproduce_reconstruction_error(const FigureOptions& options) {
  const auto study = autoencoder_study(options);
  const auto splits = autoencoder_data(study, options);
  const auto betas = thirteen_scales();
  const std::vector<int> modes = options.quick ? std::vector<int>{8} : std::vector<int>{5, 8, 12, 15};
  const auto curves = measured_curves(modes, betas, study, splits, options);

  Reproduction found;
  report::Plot plot{"Images decoded from rescaled codes", "beta (images rescaled by 2^beta)",
                    "relative error of thresholded images"};
  std::vector<std::string> columns = {"beta"};
  for (const auto& curve : curves) {
    columns.push_back(curve.name);
    plot.series.push_back({curve.name, betas, curve.thresholded_error});
    if (curve.name == "CNN") plot.series.back().colour = report::Series::kDark;
    found.details["error without thresholding"][curve.name] = curve.raw_error;
    found.details["error of the code"][curve.name] = curve.code_error;
    found.details["mean squared error in training"][curve.name] = curve.training_error;
  }
  found.details["beta"] = betas;
  found.table = report::Table(columns);
  for (size_t b = 0; b < betas.size(); ++b) {
    std::vector<report::Table::Cell> row = {betas[b]};
    for (const auto& curve : curves) row.emplace_back(curve.thresholded_error[b]);
    found.table.add(row);
  }
  const auto folder = options.folder("reconstruction-error");
  found.missing_picture = report::write_plot(plot, folder, "reconstruction-error");
  if (found.missing_picture.empty())
    found.pictures = {folder / "reconstruction-error.png", folder / "reconstruction-error.svg"};
  found.setting = training_text(study, splits) + "; mean over " + std::to_string(splits.test.count()) +
                  " test images of the relative L2 error, images thresholded at half of their maximum";
  const auto mean_code_error = [&](const ErrorCurve& curve) { return mean_off_centre(curve.code_error, betas); };
  bool nearer = true;
  for (size_t i = 1; i < curves.size(); ++i) nearer = nearer && mean_code_error(curves[i]) < mean_code_error(curves[0]);
  found.statements.push_back(
      {"the code of ScDCFNet holds the scale of the input: acting on it is like rescaling the image",
       "distance of T C(x) from C(D x), mean over beta != 0: " + listed(curves, mean_code_error), nearer});
  if (options.quick) return found;  // so little training leaves nothing to compare in the images

  const auto off_centre = [&](const ErrorCurve& curve) { return mean_off_centre(curve.thresholded_error, betas); };
  bool all_below = true;
  for (size_t i = 1; i < curves.size(); ++i) all_below = all_below && off_centre(curves[i]) < off_centre(curves[0]);
  const auto means = "mean over beta != 0: " + listed(curves, off_centre);
  found.statements.push_back(
      {"ScDCFNet auto-encoders have a smaller error than the CNN at beta != 0", means, all_below});
  // A smaller K also reconstructs the input itself less well; the ratio shows what rescaling adds to that.
  const auto over_own = [&](const ErrorCurve& curve) { return off_centre(curve) / at_centre(curve, betas); };
  found.statements.push_back({"the error becomes smaller as K is reduced",
                              means + "; divided by the own error at beta = 0: " + listed(curves, over_own),
                              grows_with_modes(curves, off_centre)});
  return found;
}

}  // namespace scdcf::figures
