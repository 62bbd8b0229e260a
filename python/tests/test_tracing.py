"""One trace of a network with symbolic sizes serves batches of other sizes."""
import sys
import unittest
from pathlib import Path

import torch
from torch.fx.experimental.proxy_tensor import make_fx

try:
    from torch.func import functional_call
except ImportError:  # before torch 2
    from torch.nn.utils.stateless import functional_call

import scdcf

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "ops"))
from symbolic_shapes_test import trust_the_kernels  # noqa: E402

trust_the_kernels()
GRID = scdcf.ScaleGrid(3, 0.5, 3.0)


class Symbolic(unittest.TestCase):
    """Parameters and constants are arguments of the trace, as a compiler makes them."""

    def check(self, layer, *inputs, gradient=True):
        held = {**dict(layer.named_parameters()), **dict(layer.named_buffers())}
        names, values = list(held), [value.detach().clone() for value in held.values()]

        def output_and_gradient(input, *values):
            input = input.detach().requires_grad_(True)
            output = functional_call(layer, dict(zip(names, values)), (input,))
            return [output, *(torch.autograd.grad(output, input, torch.ones_like(output)) if gradient else ())]

        traced = make_fx(output_and_gradient, tracing_mode="symbolic")(inputs[0], *values)
        for input in inputs:
            for got, expected in zip(traced(input, *values), output_and_gradient(input, *values)):
                self.assertEqual(got.shape, expected.shape)
                self.assertLess((got - expected).abs().max(), 1e-5)
        for result in next(node for node in traced.graph.nodes if node.op == "output").args[0]:
            self.assertFalse(all(isinstance(size, int) for size in result.meta["val"].shape))

    def test_layers(self):
        torch.manual_seed(0)
        for layer in (scdcf.JointConv(2, 3, GRID), scdcf.JointConv(2, 3, GRID, stride=2, padding="replicate", bias=False),
                      scdcf.NormReluPool(2).eval()):
            with self.subTest(layer=layer):
                self.check(layer, torch.randn(2, 2, 3, 9, 8), torch.randn(5, 2, 3, 12, 17))
        self.check(scdcf.LiftingConv(2, 3, GRID), torch.randn(2, 2, 9, 8), torch.randn(5, 2, 12, 17))

    def test_a_network(self):  # torch 1.13 cannot trace the gradients of its own layers with symbolic sizes
        torch.manual_seed(1)
        network = scdcf.models.scdcfnet(channels=[3, 4, 5], scales=3, hidden=8, image_size=12).eval()
        self.check(network, torch.randn(2, 1, 12, 12), torch.randn(5, 1, 12, 12), gradient=False)


if __name__ == "__main__":
    unittest.main()
