#include "scdcf/nn/kernel_rescaling.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "support/device.h"
#include "support/expect_error.h"
#include "support/gradcheck.h"
#include "support/layers.h"

namespace scdcf::nn {
namespace {

TEST(KernelRescaling, a_rescaled_kernel_is_the_canonical_one_stretched_with_its_sum_kept) {
  const auto kernel = testing::random_tensor({2, 3, 7, 7});
  const KernelRescaling rescaling(7, {0.5, 1, 2, 3});
  EXPECT_TRUE(torch::equal(rescaling(kernel, 1), kernel));
  for (const size_t whole : {2u, 3u}) {
    const int64_t factor = static_cast<int64_t>(whole), radius = rescaling.size(whole) / 2;
    EXPECT_EQ(radius, 4 * factor - 1);
    const auto samples =
        rescaling(kernel, whole).slice(2, radius % factor, {}, factor).slice(3, radius % factor, {}, factor);
    const int64_t border = samples.size(2) / 2 - 3;
    const auto inner = samples.narrow(2, border, 7).narrow(3, border, 7);
    EXPECT_LT(testing::relative_error(inner * static_cast<double>(factor * factor), kernel), 1e-12);
  }
  for (size_t i = 0; i < rescaling.count(); ++i)
    EXPECT_LT(testing::relative_error(rescaling(kernel, i).sum({2, 3}), kernel.sum({2, 3})), 1e-12) << i;
}

TEST(KernelRescaling, has_the_gradients_of_central_differences) {
  const KernelRescaling rescaling(3, {0.6, 1.7});
  testing::expect_gradients([&](const auto& in) { return rescaling(in[0], 0).sum() * rescaling(in[0], 1); },
                            {testing::random_tensor({2, 1, 3, 3})});
}

TEST(KernelRescaling, refuses_a_factor_of_zero) {
  testing::expect_error([] { KernelRescaling(3, {0.0}); }, "factor", "got 0");
}

}  // namespace
}  // namespace scdcf::nn
