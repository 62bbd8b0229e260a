// Coefficients stay with the grid and the basis that they are for, features with the scales that they have.
#include "scdcf/nn/signature.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <sstream>

#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"
#include "scdcf/nn/pooling.h"
#include "support/device.h"
#include "support/expect_error.h"

namespace scdcf::nn {
namespace {

using testing::expect_error;

JointConvOptions joint(const basis::ScaleGrid& grid) { return JointConvOptions(2, 3, grid).modes(5); }

template <class Layer>
std::string saved(const Layer& layer) {
  std::ostringstream stream;
  torch::save(layer, stream);
  return stream.str();
}

template <class Layer>
void load(Layer& layer, const std::string& bytes) {
  std::istringstream stream(bytes);
  torch::load(layer, stream);
}

TEST(Signature, says_what_coefficients_are_for) {
  const JointConv layer(joint({5, 0.25, 5.0}).scale_taps(2));
  EXPECT_EQ(layer->expansion().signature(), "finest width 5, step 0.25; sine 5 area; taps 2 one-sided replicate");
  EXPECT_EQ(LiftingConv(LiftingConvOptions(1, 1, {1, 0.5, 7}).max_kernel_size(5))->expansion().signature(),
            "finest width 7, step 0.5; sine 15 area, at most 5 px");
}

TEST(Signature, refuses_coefficients_for_another_grid_or_basis_and_leaves_the_layer_as_it_is) {
  const basis::ScaleGrid grid(3, 0.5, 3.0);
  const auto bytes = saved(JointConv(joint(grid)));
  for (const auto& [options, named] :
       std::vector<std::pair<JointConvOptions, const char*>>{{joint({3, 0.5, 4.0}), "finest width 4"},
                                                             {joint({3, 0.25, 3.0}), "step 0.25"},
                                                             {joint(grid).basis("hermite-gauss"), "hermite-gauss 5"},
                                                             {joint(grid).sampling(basis::Sampling::point), "point"},
                                                             {joint(grid).support(ScaleSupport::centred), "centred"},
                                                             {joint(grid).scale_taps(4).scale_modes(3), "taps 4"}}) {
    JointConv other(options);
    const auto before = other->coefficients.clone();
    expect_error([&] { load(other, bytes); }, "JointConv(2 -> 3, 3 scales", "got coefficients for",
                 "finest width 3, step 0.5", "expected", named);
    EXPECT_TRUE(torch::equal(other->coefficients, before)) << named;
  }
  LiftingConv lifting(LiftingConvOptions(2, 3, grid).modes(5));
  JointConv one_tap(joint(grid).scale_taps(1));
  expect_error([&] { load(one_tap, saved(lifting)); }, "got coefficients for");
  torch::nn::Sequential whole(one_tap), other(JointConv(joint({3, 0.5, 4.0}).scale_taps(1)));
  expect_error([&] { load(whole, saved(other)); }, "got coefficients for");
  expect_error([&] { load(one_tap, saved(torch::nn::Linear(1, 1))); }, "has no \"coefficients\" and \"signature\"");
}

TEST(Signature, lets_coefficients_serve_a_longer_axis_another_algorithm_and_another_type) {
  const JointConv layer(joint({3, 0.5, 3.0}));
  JointConv longer(joint({5, 0.5, 3.0}).algorithm(Algorithm::composed).padding(SpatialPadding::none));
  load(longer, saved(layer));
  EXPECT_TRUE(torch::equal(longer->coefficients, layer->coefficients));
  for (const auto type : {torch::kHalf, torch::kBFloat16, torch::kDouble}) {
    JointConv other(joint({3, 0.5, 3.0}));
    other->to(type);  // which takes the buffer along
    JointConv again(joint({3, 0.5, 3.0})), different(joint({3, 0.5, 4.0}));
    expect_error([&] { load(again, saved(other)); }, "got coefficients of type", "expected Float");
    for (auto* layer : {&again, &different}) (*layer)->to(type);
    load(again, saved(other));
    EXPECT_TRUE(torch::equal(again->coefficients, other->coefficients)) << type;
    expect_error([&] { load(different, saved(other)); }, "got coefficients for");
  }
}

TEST(Signature, of_a_hostile_file_is_printed_as_one_plain_line) {
  const auto own = signature_buffer("sine"), hostile = signature_buffer("\x1b[31m\nred");
  expect_error([&] { check_signature(hostile, own, "x"); }, "x: got coefficients for \"?[31m?red\", expected \"sine\"");
}

class Steps : public ::testing::Test {
 protected:
  LiftingConv lifting_{LiftingConvOptions(1, 2, {3, 0.5, 3.0}).modes(3)};
  JointConv same_{JointConvOptions(2, 2, {3, 0.5, 9.0}).modes(3).scale_taps(1)};  // only the step must be the same
  JointConv other_{JointConvOptions(2, 2, {3, 0.25, 3.0}).modes(3).scale_taps(1)};
  torch::Tensor images_ = torch::randn({1, 1, 8, 8});
};

TEST_F(Steps, of_a_layer_are_those_of_the_features_that_it_is_given) {
  const auto features = lifting_(images_);
  EXPECT_NO_THROW(same_(features));
  for (const auto& refused : {torch::Tensor(features), torch::relu(features), SpatialAvgPool()(torch::relu(features)),
                              features + torch::relu(same_(features))}) {
    expect_error([&] { other_(refused); }, "JointConv: input", "scales 0.5 octaves apart", "expected 0.25");
    expect_error([&] { other_->at_centre(refused); }, "0.5 octaves apart");
  }
  torch::nn::Sequential network(lifting_, torch::nn::ReLU(), SpatialMaxPool(), other_);
  expect_error([&] { network->forward(images_); }, "0.5 octaves apart");
}

TEST_F(Steps, are_known_of_outputs_alone_without_gradients_and_not_of_other_tensors) {
  const torch::NoGradGuard no_grad;
  const auto features = lifting_(images_);
  expect_error([&] { other_(features); }, "0.5 octaves apart");
  EXPECT_NO_THROW(other_(features.clone()));
}

TEST_F(Steps, of_other_planes_than_the_layer_returned_are_the_users_own) {
  LiftingConv fine(LiftingConvOptions(1, 2, {6, 0.25, 3.0}).modes(3));
  EXPECT_NO_THROW(same_(fine(images_).slice(2, 0, 6, 2)));  // every second plane: half an octave apart
}

}  // namespace
}  // namespace scdcf::nn
