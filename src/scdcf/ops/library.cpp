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
}
