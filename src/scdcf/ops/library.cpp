// Every operator that the library registers: the table of contents.
#include <torch/library.h>

TORCH_LIBRARY(scdcf, m) {
  // input [N, C, P, H, W], mixing [G, K, C, O], factors packed: [N, O, S, H', W']. ops/separable.h says what the
  // numbers mean.
  m.def(
      "separable_joint_conv(Tensor input, Tensor mixing, Tensor factors, int[] modes, int[] radii, int[] sources, "
      "int column_modes, int row_modes, int stride, int padding) -> Tensor");
  // Its adjoint: the gradients of input and mixing that the mask asks for, the other undefined.
  m.def(
      "separable_joint_conv_backward(Tensor grad, Tensor input, Tensor mixing, Tensor factors, int[] modes, int[] "
      "radii, "
      "int[] sources, int column_modes, int row_modes, int stride, int padding, bool input_grad, bool mixing_grad) -> "
      "(Tensor, Tensor)");
  // Batch-norm, ReLU and average pooling of [N, C, S, H, W] or [N, C, H, W]; also the mean and 1 / sqrt(variance + eps)
  // that were used, [C] in double. Training updates the running statistics. ops/norm_relu_pool.h says what it computes.
  m.def(
      "norm_relu_pool(Tensor input, Tensor weight, Tensor bias, Tensor(a!) running_mean, Tensor(b!) running_var, "
      "bool training, float momentum, float eps, int window, int stride, int padding, bool keeps_zero=False) -> "
      "(Tensor, "
      "Tensor, Tensor)");
  // The gradients of input (undefined unless asked for), weight and bias.
  m.def(
      "norm_relu_pool_backward(Tensor grad, Tensor input, Tensor weight, Tensor bias, Tensor mean, Tensor invstd, "
      "bool training, int window, int stride, int padding, bool input_grad, bool keeps_zero=False) -> (Tensor, Tensor, "
      "Tensor)");
}
