// The auto-encoders of Section 6.5, Table 5: two convolutional blocks make the code, a decoder that has no scale axis
// makes the image.
#pragma once

#include <torch/nn/modules/container/sequential.h>

#include <memory>
#include <string>

namespace scdcf::models {

struct AutoEncoderOptions {
  std::string name = "scdcf-autoencoder";  ///< or cnn-autoencoder
  int modes = 8;                           ///< K, of scdcf-autoencoder
  int64_t image_size = 56;                 ///< a multiple of 4
};

/// Images [N, 1, H, W] to a code and back. The code is the output of the second block: [N, 16, H/4, W/4] of
/// cnn-autoencoder, [N, 8, 15, H/4, W/4] of scdcf-autoencoder, whose scales lie scale_step() octaves apart.
class AutoEncoder : public torch::nn::Module {
 public:
  explicit AutoEncoder(const AutoEncoderOptions& options);
  torch::Tensor encode(const torch::Tensor& images) { return encoder_->forward(images); }
  torch::Tensor decode(const torch::Tensor& code) { return decoder_->forward(code); }
  torch::Tensor forward(const torch::Tensor& images) { return decode(encode(images)); }
  /// 0 where the code has no scale axis.
  double scale_step() const { return scale_step_; }

 private:
  torch::nn::Sequential encoder_, decoder_;
  double scale_step_ = 0;
};

}  // namespace scdcf::models
