"""Every operator, forward and backward, traced with symbolic sizes: one trace serves inputs of other sizes.

    symbolic_shapes_test.py LIBRARY
"""
import sys
import unittest

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

MODES, RADII, SOURCES = [0, 0, 0, 1], [1, 2], [0, 0, 0, 1, 0, 1, 1, 1, 0]


def joint_conv(stride, padding):
    """Output and gradients of the separable joint convolution, as a function of its tensors."""

    def run(x, mixing, factors, grad):
        x, mixing = x.detach().requires_grad_(True), mixing.detach().requires_grad_(True)
        out = torch.ops.scdcf.separable_joint_conv(x, mixing, factors, MODES, RADII, SOURCES, 1, 2, stride, padding)
        return (out, *torch.autograd.grad(out, [x, mixing], grad))

    return run


def joint_conv_arguments(stride, padding, batch, channels, height, width):
    inset = 2 * max(RADII) if padding == 2 else 0
    out = [(size - inset - 1) // stride + 1 for size in (height, width)]
    return [torch.randn(batch, channels, 2, height, width), torch.randn(2, 2, channels, channels + 1),
            torch.randn(3 * (3 + 5)), torch.randn(batch, channels + 1, 2, *out)]


def norm_relu_pool(training, keeps_zero):
    def run(x, weight, bias, mean, variance, grad):
        x, weight, bias = (t.detach().requires_grad_(True) for t in (x, weight, bias))
        out = torch.ops.scdcf.norm_relu_pool(x, weight, bias, mean, variance, training, 0.1, 1e-5, 4, 2, 1, keeps_zero)
        return (*out, *torch.autograd.grad(out[0], [x, weight, bias], grad))

    return run


def norm_arguments(maps, batch, channels, height, width):
    out = [(size + 2 - 4) // 2 + 1 for size in (height, width)]
    return [torch.randn(batch, channels, *maps, height, width), *(torch.rand(channels) + 0.5 for _ in range(4)),
            torch.randn(batch, channels, *maps, *out)]


class SymbolicShapes(unittest.TestCase):
    SIZES = [(2, 3, 9, 8), (5, 4, 12, 17), (3, 6, 31, 7)]

    def check(self, function, arguments):
        traced = make_fx(function, tracing_mode="symbolic")(*arguments(*self.SIZES[0]))
        results = next(node for node in traced.graph.nodes if node.op == "output").args[0]
        for result in results:
            self.assertFalse(all(isinstance(size, int) for size in result.meta["val"].shape))
        for sizes in self.SIZES:
            given = arguments(*sizes)
            got, expected = traced(*(t.clone() for t in given)), function(*(t.clone() for t in given))
            self.assertEqual(len(got), len(expected))
            for a, b in zip(got, expected):
                self.assertEqual(a.shape, b.shape)
                self.assertTrue(torch.equal(a, b))

    def test_joint_conv(self):
        for stride in (1, 2):
            for padding in (0, 1, 2):
                with self.subTest(stride=stride, padding=padding):
                    self.check(joint_conv(stride, padding), lambda *s: joint_conv_arguments(stride, padding, *s))

    def test_norm_relu_pool(self):
        for training in (False, True):
            for maps in ([], [2]):
                with self.subTest(training=training, maps=maps):
                    self.check(norm_relu_pool(training, keeps_zero=training), lambda *s: norm_arguments(maps, *s))


def trust_the_kernels():
    """torch 1.13 keeps a list of the C++ Meta kernels that take symbolic sizes; later releases find out by calling."""
    listed = getattr(FakeTensorMode, "functions_with_cpp_meta_impl_that_support_symint", None)
    if listed is not None:
        ops = [getattr(torch.ops.scdcf, name).default for name in
               ("separable_joint_conv", "separable_joint_conv_backward", "norm_relu_pool", "norm_relu_pool_backward")]
        FakeTensorMode.functions_with_cpp_meta_impl_that_support_symint = property(
            lambda mode: listed.fget(mode) + ops)


if __name__ == "__main__":
    torch.ops.load_library(sys.argv.pop())
    trust_the_kernels()
    unittest.main()
