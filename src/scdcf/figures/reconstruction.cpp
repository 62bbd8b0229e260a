// Figure 4: rescaled images from a rescaled code (Section 6.5).
#include <torch/torch.h>

#include "scdcf/core/format.h"
#include "scdcf/figures/autoencoder_training.h"
#include "scdcf/figures/digits.h"
#include "scdcf/figures/rescaled_codes.h"
#include "scdcf/train/device_images.h"

namespace scdcf::figures {
namespace {

/// Test images whose digit neither vanishes when shrunk nor leaves the canvas when enlarged: [count] indices.
std::vector<int64_t> digits_of_middle_size(const data::ImageSet& set, size_t count) {
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < set.count() && indices.size() < count; ++i) {
    const double factor = set.scales.at(static_cast<size_t>(i));
    const bool new_class =
        indices.empty() || set.labels[static_cast<size_t>(i)] != set.labels[static_cast<size_t>(indices.back())];
    if (factor > 0.6 && factor < 0.72 && new_class) indices.push_back(i);
  }
  return indices;
}

std::string caption(const torch::Tensor& image, const torch::Tensor& expected) {
  return format("error %.2f", relative_errors(thresholded(image), thresholded(expected)).item<double>());
}

}  // namespace

Reproduction reproduce_reconstruction(const FigureOptions& options) {
  const auto study = autoencoder_study(options);
  const auto splits = autoencoder_data(study, options);
  const auto best = best_autoencoders({{"cnn-autoencoder"}, {"scdcf-autoencoder", 8}}, study, splits, options);
  auto &cnn = *best[0].network, &scdcf = *best[1].network;
  const torch::NoGradGuard no_grad;
  const auto device = cnn.parameters().front().device();
  const train::DeviceImages test(splits.test, {0.0}, {1.0}, device);
  const std::vector<double> betas = {-0.6, -0.3, 0, 0.3, 0.6};

  report::ImageGrid grid;
  grid.title = "Images decoded from a rescaled code";
  for (const double beta : betas) grid.columns.push_back(beta == 0 ? "beta = 0" : format("beta = %+.1f", beta));
  grid.colours = pixels::ColourMap::grey;
  grid.range = report::ValueRange{0, 1};
  grid.map_pixels = 168;
  grid.footnote =
      "C: the code of the input x, which is D x at beta = 0.  D rescales by 2^beta in space,\n"
      "T also moves along scale.  Error: relative L2 distance to D x, both images thresholded\n"
      "at half of their maximum.  Grey: 0 to 1.";
  for (const int64_t index : digits_of_middle_size(splits.test, 2)) {
    const auto image = test.images(test.range(index, 1));
    report::GridRow truth{"D x", {}, {}, {}}, plain{"CNN\nDecoder(D C)", {}, {}, {}},
        equivariant{"ScDCFNet\nDecoder(T C)", {}, {}, {}};
    for (const double beta : betas) {
      const auto expected = rescaled_images(image, beta);
      const auto from_cnn = cnn.decode(rescaled_code(cnn, image, beta)),
                 from_scdcf = scdcf.decode(rescaled_code(scdcf, image, beta));
      truth.maps.push_back(map_of(expected[0][0]));
      plain.maps.push_back(map_of(from_cnn[0][0]));
      plain.captions.push_back(caption(from_cnn, expected));
      equivariant.maps.push_back(map_of(from_scdcf[0][0]));
      equivariant.captions.push_back(caption(from_scdcf, expected));
    }
    for (auto& row : {truth, plain, equivariant}) grid.rows.push_back(row);
  }

  Reproduction found;
  found.pictures = report::write_grid(grid, options.folder("reconstruction"), "reconstruction");
  found.table = report::Table({"beta", "CNN", "ScDCFNet"});
  const auto all = test.images(test.range(0, 200));
  double cnn_sum = 0, scdcf_sum = 0;
  for (const double beta : betas) {
    const auto expected = thresholded(rescaled_images(all, beta));
    const auto error = [&](models::AutoEncoder& network) {
      return relative_errors(thresholded(network.decode(rescaled_code(network, all, beta))), expected)
          .mean()
          .item<double>();
    };
    const double of_cnn = error(cnn), of_scdcf = error(scdcf);
    found.table.add({beta, of_cnn, of_scdcf});
    if (beta == 0) continue;
    cnn_sum += of_cnn / 4;
    scdcf_sum += of_scdcf / 4;
  }
  found.setting = training_text(study, splits) +
                  "; the table gives the relative error of thresholded images, mean over " +
                  std::to_string(all.size(0)) + " test images";
  if (options.quick) return found;  // so little training leaves nothing to compare in the images
  found.statements.push_back(
      {"the ScDCFNet auto-encoder generates rescaled versions of the input from T C, the CNN from D C does not",
       format("mean error at the four scales beta != 0: ScDCFNet %.3f, CNN %.3f", scdcf_sum, cnn_sum),
       scdcf_sum < 0.8 * cnn_sum});
  return found;
}

}  // namespace scdcf::figures
