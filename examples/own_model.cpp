// A network of your own with the whole command line: training, resuming, evaluation, prediction, completion.
//
//   own_model models
//   own_model train --model tiny --data sglyphs --train-size 2000 --epochs 5 --out runs/tiny
//   own_model predict runs/tiny picture.png
#include <torch/torch.h>

#include "program.h"
#include "scdcf/core/error.h"
#include "scdcf/models/registry.h"
#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"
#include "scdcf/nn/norm_relu_pool.h"

namespace {

using scdcf::models::LayerOutput;
using scdcf::models::ModelOptions;

/// Lifting, one joint convolution, the mean over space, the maximum over scale, class scores.
class Tiny : public scdcf::models::Network {
 public:
  explicit Tiny(const ModelOptions& options) : grid_(options.scales, 0.5, 5.0) {
    const int64_t width = options.channels.front();
    using namespace scdcf::nn;
    lifting_ = register_module("lifting", LiftingConv(LiftingConvOptions(options.in_channels, width, grid_)));
    norm1_ = register_module("norm1", NormReluPool(NormReluPoolOptions(width).window(2)));
    joint_ = register_module("joint", JointConv(JointConvOptions(width, 2 * width, grid_)));
    norm2_ = register_module("norm2", NormReluPool(NormReluPoolOptions(2 * width).window(2)));
    scores_ = register_module("scores", torch::nn::Linear(2 * width, options.classes));
  }

  torch::Tensor forward(const torch::Tensor& images) override {
    return scores_(features(images).back().maps.mean({3, 4}).amax(2));
  }

  std::vector<LayerOutput> features(const torch::Tensor& images) override {
    const auto first = norm1_(lifting_(images)), second = norm2_(joint_(first));
    return {{"lifting", first}, {"joint", second}};
  }

  double scale_step() const override { return grid_.step(); }

 private:
  scdcf::basis::ScaleGrid grid_;
  scdcf::nn::LiftingConv lifting_{nullptr};
  scdcf::nn::JointConv joint_{nullptr};
  scdcf::nn::NormReluPool norm1_{nullptr}, norm2_{nullptr};
  torch::nn::Linear scores_{nullptr};
};

/// Defaults for what the command line leaves open, and a clear refusal of what this network has no use for.
ModelOptions resolve(ModelOptions options) {
  scdcf::models::refuse_unknown_options(options, {"scales"});
  if (options.channels.empty()) options.channels = {16};
  if (options.scales == 0) options.scales = 5;
  scdcf::require(options.channels.size() == 1, "tiny: channels: got ", options.channels.size(), " numbers, expected 1");
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  scdcf::models::register_model({"tiny", "this example", "scalings and translations, jointly", resolve,
                                 [](const ModelOptions& options) { return std::make_shared<Tiny>(options); }});
  return scdcf::app::run_program(argc, argv);
}
