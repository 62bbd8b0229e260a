"""The layers: shapes, gradients, defaults, and what PyTorch users do with modules."""
import copy
import inspect
import pickle
import unittest

import torch
from torch import nn

import scdcf
from scdcf._texts import text_of

GRID = scdcf.ScaleGrid(3, 0.5, 3.0)


def layers():
    """One of each kind, with an input for it."""
    torch.manual_seed(0)
    features = torch.randn(2, 3, 3, 9, 8)
    return [(scdcf.LiftingConv(2, 3, GRID), torch.randn(2, 2, 9, 8)),
            (scdcf.LiftingConv(2, 3, GRID, stride=2, padding="replicate", modes=6, basis="hermite-gauss", bias=False),
             torch.randn(2, 2, 9, 8)),
            (scdcf.JointConv(3, 4, GRID), features),
            (scdcf.JointConv(3, 4, GRID, algorithm="composed", support="centred", scale_padding="zero"), features),
            (scdcf.JointConv(3, 4, GRID, padding="none", scale_taps=2, scale_modes=1), features),
            (scdcf.JointConv(3, 2, GRID, basis="log-radial", modes=6, scale_taps=1), features),
            (scdcf.PointwiseConv(3, 4), features),
            (scdcf.PointwiseConv(3, 4, stride=2, scale_taps=3, support="centred", bias=False), features),
            (scdcf.PointwiseConv(3, 4, scale_taps=3, scale_padding="zero"), features),
            (scdcf.NormReluPool(3), features),
            (scdcf.NormReluPool(3, window=3, stride=2, padding=1), torch.randn(2, 3, 9, 8)),
            (scdcf.Enlarge(1.7, frame=11), torch.randn(2, 2, 9, 8)),
            (scdcf.ResidualBlock(3, 4, GRID, stride=2), features),
            (scdcf.SpatialAvgPool(2), features), (scdcf.SpatialMaxPool(3, 2, 1), features),
            (scdcf.SpatialUpsample(2), features), (scdcf.SpatialUpsample(3, mode="nearest"), features),
            (scdcf.ScaleMaxProjection(), features), (scdcf.ScaleMeanProjection(), features)]


def every_layer(check):
    def test(self):
        for layer, input in layers():
            with self.subTest(layer=repr(layer)):
                check(self, layer, input)

    return test


class EveryLayer(unittest.TestCase):
    @every_layer
    def test_gradients_are_right(self, layer, input):
        layer, input = layer.double(), input.double()[..., :6, :5].contiguous().requires_grad_(True)
        if "none" in repr(layer):
            input = torch.randn(1, 3, 3, 9, 7, dtype=torch.float64, requires_grad=True)
        self.assertTrue(torch.autograd.gradcheck(lambda x, *_: layer(x), (input, *layer.parameters())))
        self.assertTrue(torch.autograd.gradgradcheck(lambda x, *_: layer(x), (input, *layer.parameters()), fast_mode=True))

    @every_layer
    def test_a_copy_is_the_same_and_independent(self, layer, input):
        layer.eval()
        for other in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
            self.assertTrue(torch.equal(other(input), layer(input)))
            self.assertEqual(repr(other), repr(layer))
            for parameter in other.parameters():
                parameter.data.add_(1)
            if list(layer.parameters()):
                self.assertFalse(torch.equal(other(input), layer(input)))

    @every_layer
    def test_state_travels_and_holds_no_constants(self, layer, input):
        names = {name for name, _ in layer.named_parameters()}
        state = layer.state_dict()
        self.assertLessEqual({name for name in state if "running" not in name and "num_batches" not in name}, names)
        torch.manual_seed(1)
        other = copy.deepcopy(layer)
        for parameter in other.parameters():
            nn.init.normal_(parameter)
        other.load_state_dict(state)
        self.assertTrue(torch.equal(other.eval()(input), layer.eval()(input)))

    @every_layer
    def test_double_is_double(self, layer, input):
        layer.eval()
        single = layer(input)
        double = layer.double()(input.double())
        self.assertEqual(double.dtype, torch.float64)
        self.assertLess((double - single).abs().max(), 1e-5)
        self.assertTrue(torch.equal(layer.float()(input), single), "and back")

    @every_layer
    def test_shapes_without_data(self, layer, input):
        if isinstance(layer, scdcf.SpatialMaxPool):  # torch 1.13 has no such form of its own max_pool3d
            return
        expected = layer.eval()(input).shape
        self.assertEqual(layer.to("meta")(input.to("meta")).shape, expected)


class Options(unittest.TestCase):
    def test_are_left_open_as_in_the_library(self):
        for kind in (scdcf.LiftingConv, scdcf.JointConv, scdcf.PointwiseConv, scdcf.NormReluPool, scdcf.Enlarge,
                     scdcf.SpatialUpsample):
            signature = inspect.signature(kind.__init__).parameters
            for name, text in torch.ops.scdcf.layer_defaults(kind.__name__).items():
                default = signature[name].default
                if isinstance(default, float):
                    self.assertEqual(default, float(text), f"{kind.__name__} {name}")
                else:
                    self.assertEqual(text_of(0 if default is None else default), text, f"{kind.__name__} {name}")

    def test_wrong_ones_are_refused_in_one_line(self):
        for text, make in [("stride: got 3, expected 1 or 2", lambda: scdcf.JointConv(1, 1, GRID, stride=3)),
                           ('padding: got "same", expected one of zero, replicate, none',
                            lambda: scdcf.LiftingConv(1, 1, GRID, padding="same")),
                           ('basis: got "cosine", expected one of', lambda: scdcf.JointConv(1, 1, GRID, basis="cosine")),
                           ("in_channels: got 0", lambda: scdcf.PointwiseConv(0, 1)),
                           ('modes: got "1.5", expected a whole number', lambda: scdcf.JointConv(1, 1, GRID, modes=1.5)),
                           ("NormReluPool: window: got 0", lambda: scdcf.NormReluPool(1, window=0)),
                           ("Enlarge: factor: got 100", lambda: scdcf.Enlarge(100.0)),
                           ("SpatialUpsample: factor: got 0", lambda: scdcf.SpatialUpsample(0)),
                           ('mode: got "cubic", expected one of bilinear', lambda: scdcf.SpatialUpsample(mode="cubic")),
                           ("JointConv: scale_taps: got 2", lambda: scdcf.JointConv(1, 1, GRID, scale_taps=2, support="centred")),
                           ("algorithm: got separable", lambda: scdcf.JointConv(1, 1, GRID, basis="log-radial", modes=6,
                                                                                algorithm="separable"))]:
            with self.assertRaises(RuntimeError) as caught:
                make()
            self.assertIn(text, str(caught.exception).splitlines()[0])

    def test_a_layer_prints_what_makes_it(self):
        layer = scdcf.JointConv(3, 4, GRID, stride=2, bias=False)
        self.assertEqual(repr(layer), "JointConv(3, 4, ScaleGrid(3, 0.5, 3), stride=2, bias=False)")
        self.assertEqual(repr(eval(repr(layer), vars(scdcf))), repr(layer))


class Inputs(unittest.TestCase):
    def test_of_another_shape_are_refused_in_one_line(self):
        for text, layer, shape in [
                ("LiftingConv: input: got shape [1, 1, 5], expected an image batch [N, C, H, W]",
                 scdcf.LiftingConv(1, 1, GRID), (1, 1, 5)),
                ("JointConv: input: got shape [1, 1, 5, 5], expected features [N, C, S, H, W]",
                 scdcf.JointConv(1, 1, GRID), (1, 1, 5, 5)),
                ("JointConv: input: got 2 scales", scdcf.JointConv(1, 1, GRID), (1, 1, 2, 5, 5)),
                ("JointConv: input: got 2 channels (dimension 1 of [1, 2, 3, 5, 5]), expected 1",
                 scdcf.JointConv(1, 1, GRID), (1, 2, 3, 5, 5)),
                ("LiftingConv: input: got 3 channels (dimension 1 of [1, 3, 9, 8]), expected 1",
                 scdcf.LiftingConv(1, 1, GRID), (1, 3, 9, 8)),
                ("PointwiseConv: input: got 2 channels (dimension 1 of [1, 2, 3, 5, 5]), expected 1",
                 scdcf.PointwiseConv(1, 1), (1, 2, 3, 5, 5)),
                ("NormReluPool: input: got shape [1, 5, 9, 9], expected 4 channels", scdcf.NormReluPool(4), (1, 5, 9, 9)),
                ("ScaleMaxProjection: input: got shape [1, 2, 5, 5], expected features [N, C, S, H, W]",
                 scdcf.ScaleMaxProjection(), (1, 2, 5, 5)),
                ("SpatialAvgPool: input: got shape [1, 2, 5, 5]", scdcf.SpatialAvgPool(), (1, 2, 5, 5)),
                ("SpatialUpsample: input: got shape [1, 2, 5, 5]", scdcf.SpatialUpsample(), (1, 2, 5, 5))]:
            with self.assertRaises(RuntimeError) as caught:
                layer(torch.zeros(shape))
            self.assertIn(text, str(caught.exception).splitlines()[0])

    def test_of_another_type_are_refused_in_one_line(self):
        with self.assertRaises(RuntimeError) as caught:
            scdcf.LiftingConv(1, 1, GRID)(torch.zeros(1, 1, 5, 5, dtype=torch.float64))
        self.assertIn("LiftingConv: input: got type Double, expected the coefficients' type Float",
                      str(caught.exception).splitlines()[0])

    def test_of_whole_numbers_are_refused_with_what_to_do(self):
        with self.assertRaisesRegex(RuntimeError, "Enlarge: input: got type Byte, .*convert the images first"):
            scdcf.Enlarge(2.0)(torch.full((1, 1, 4, 4), 200, dtype=torch.uint8))

    def test_autocast_on_a_cpu_runs_in_float(self):
        layer, input = scdcf.JointConv(2, 3, GRID), torch.randn(1, 2, 3, 8, 8)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            output = scdcf.NormReluPool(3)(layer(input))
        self.assertEqual(output.dtype, torch.float32)


class Forms(unittest.TestCase):
    def test_algorithms_agree(self):
        torch.manual_seed(2)
        fast = scdcf.JointConv(3, 4, GRID, algorithm="separable")
        slow = scdcf.JointConv(3, 4, GRID, algorithm="composed")
        slow.load_state_dict(fast.state_dict())
        x = torch.randn(2, 3, 3, 12, 12)
        self.assertLess((fast(x) - slow(x)).abs().max(), 1e-5)

    def test_the_answer_at_the_centre_is_that_of_the_convolution(self):
        torch.manual_seed(3)
        for size in (7, 8):
            layer, x = scdcf.JointConv(3, 4, GRID, scale_taps=1), torch.randn(2, 3, 3, size, size)
            self.assertLess((layer.at_centre(x) - scdcf.centre_of(layer(x))).abs().max(), 1e-5)
        with self.assertRaisesRegex(RuntimeError, "at_centre: got 3 scale taps"):
            scdcf.JointConv(3, 4, GRID).at_centre(x)

    def test_upsampled_maps_take_the_size_of_those_from_before_the_pooling(self):
        up, x = scdcf.SpatialUpsample(2), torch.rand(1, 2, 3, 31, 9)
        self.assertEqual(up(scdcf.SpatialAvgPool(2)(x), x.shape[3:]).shape, x.shape)
        with self.assertRaisesRegex(RuntimeError, "output_size: got .*61 to 63 for 31 pixels"):
            up(x, (64, 18))

    def test_norm_relu_pool_is_the_three_layers_of_torch(self):
        torch.manual_seed(4)
        ours, x = scdcf.NormReluPool(3, window=2), torch.randn(4, 3, 5, 8, 8)
        torchs = nn.Sequential(nn.BatchNorm3d(3), nn.ReLU(), nn.AvgPool3d((1, 2, 2)))
        torchs[0].load_state_dict(ours.state_dict())
        for _ in range(3):
            self.assertLess((ours(x) - torchs(x)).abs().max(), 1e-5)
        for name, value in torchs[0].state_dict().items():
            self.assertLess((ours.state_dict()[name] - value).abs().max(), 1e-6, name)

    def test_read_out_finds_the_place_of_the_maximum(self):
        scores = torch.zeros(1, 2, 3, 4, 5)
        scores[0, 0, 2, 1, 3], scores[0, 1, 0, 3, 0] = 7, 2
        found = scdcf.read_out(scores)
        self.assertEqual([t.tolist() for t in found], [[[7.0, 2.0]], [[2, 0]], [[1, 3]], [[3, 0]]])
        self.assertIsNone(scdcf.read_out(scores.amax((3, 4))).x)
        self.assertAlmostEqual(scdcf.interpolated_plane(torch.tensor([[1.0, 3.0, 2.0]]), torch.tensor([1])).item(),
                               1 + 1 / 6, places=5)


if __name__ == "__main__":
    unittest.main()
