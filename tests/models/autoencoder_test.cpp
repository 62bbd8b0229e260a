#include "scdcf/models/autoencoder.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "support/expect_error.h"

namespace scdcf::models {
namespace {

TEST(AutoEncoderTest, codes_and_images_have_the_shapes_of_table_5) {
  const torch::NoGradGuard no_grad;
  AutoEncoder plain({"cnn-autoencoder"}), equivariant({"scdcf-autoencoder"});
  const auto images = torch::rand({2, 1, 56, 56});
  EXPECT_EQ(plain.encode(images).sizes(), (std::vector<int64_t>{2, 16, 14, 14}));
  EXPECT_EQ(equivariant.encode(images).sizes(), (std::vector<int64_t>{2, 8, 15, 14, 14}));
  EXPECT_EQ(plain.forward(images).sizes(), images.sizes());
  EXPECT_EQ(equivariant.forward(images).sizes(), images.sizes());
  bool has_4096 = false;
  for (const auto& parameter : plain.parameters())
    has_4096 = has_4096 || (parameter.dim() == 2 && parameter.size(0) == 4096 && parameter.size(1) == 128);
  EXPECT_TRUE(has_4096);
}

TEST(AutoEncoderTest, the_code_of_a_black_image_is_the_same_everywhere) {
  const torch::NoGradGuard no_grad;
  for (const char* name : {"cnn-autoencoder", "scdcf-autoencoder"}) {
    AutoEncoder network({name});
    network.forward(torch::rand({4, 1, 56, 56}));  // gives batch-norm something to subtract
    network.eval();
    const auto code = network.encode(torch::zeros({1, 1, 56, 56})).flatten(2);
    EXPECT_LT((code - code.narrow(2, 0, 1)).abs().max().item<double>(), 1e-5) << name;
  }
}

TEST(AutoEncoderTest, refuses_what_it_does_not_know) {
  testing::expect_error([] { AutoEncoder({"vae"}); }, "vae", "cnn-autoencoder");
  testing::expect_error([] { AutoEncoder({"cnn-autoencoder", 8, 30}); }, "image_size", "30");
}

}  // namespace
}  // namespace scdcf::models
