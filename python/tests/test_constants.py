"""Constants and signatures: whatever a module met first, it is right and stays usable; weights stay with their grid."""
import copy
import gc
import pickle
import sys
import threading
import unittest

import torch
from torch import nn

import scdcf
from test_layers import GRID, layers


class AtCentre(scdcf.JointConv):
    def forward(self, input):
        return self.at_centre(input)


def at_centre(**options):
    return AtCentre(1, 2, GRID, scale_taps=1, **options)


def every_kind():
    """One of each kind that nothing has used yet, and an input for it."""
    small, images = dict(hidden=8, dropout=0.0, image_size=20), torch.randn(2, 1, 20, 20)
    networks = [scdcf.models.scdcfnet, scdcf.models.cnn, scdcf.models.scdcfnet_full, scdcf.models.pyramid_cnn]
    return [*layers(), (at_centre(), torch.randn(2, 1, 3, 9, 8)),
            (at_centre(algorithm="composed", padding="replicate"), torch.randn(2, 1, 3, 4, 5)),
            (scdcf.models.resnet16_full(channels=[4, 4, 5, 6], **small), images),
            *((make(channels=[4, 5, 6], **small), images) for make in networks)]


class Cold(unittest.TestCase):
    """Modules that nothing has used yet."""

    def test_a_trace_computes_the_same_when_its_module_is_gone(self):
        for module, input in every_kind():
            twin = copy.deepcopy(module).eval()
            with self.subTest(module=repr(module)[:60]), torch.no_grad():
                traced = torch.jit.trace(module.eval(), input, check_trace=False)
                del module
                gc.collect()
                self.assertLess((traced(input) - twin(input)).abs().max(), 1e-5)

    def test_a_traced_layer_serves_images_of_other_sizes(self):
        for layer, shape in ((scdcf.Enlarge(1.7, frame=11), (2, 2)), (at_centre(), (2, 1, 3))):
            traced = torch.jit.trace(layer, torch.randn(*shape, 9, 8))
            for size in ((9, 8), (4, 5), (21, 30)):
                input = torch.randn(*shape, *size)
                self.assertLess((traced(input) - layer(input)).abs().max(), 1e-6)

    def test_modules_learn_after_a_first_forward_in_inference_mode(self):
        for module, input in every_kind():
            with self.subTest(module=repr(module)[:60]):
                with torch.inference_mode():
                    module.eval()(input)
                input.requires_grad_(True)
                module(input).sum().backward()
                self.assertTrue(input.grad.isfinite().all())
        with torch.inference_mode():
            moved = scdcf.JointConv(1, 2, GRID).double()
        self.assertFalse(any(table.is_inference() for table in (moved.taps, moved.table, moved.phi)))

    def test_six_threads_get_900_right_results(self):
        sizes = [(4, 6), (6, 4), (3, 8), (8, 3), (2, 12), (12, 2)]
        interval, wrong, done = sys.getswitchinterval(), [], []

        def work(layer, twin, barrier, first):
            barrier.wait()
            for size in sizes[first:] + sizes[:first]:
                input = torch.randn(1, 1, 3, *size)
                try:
                    done.append((input, layer(input), twin))
                except RuntimeError as error:
                    wrong.append(error)

        sys.setswitchinterval(1e-6)
        try:
            for _ in range(25):
                layer, barrier = at_centre(), threading.Barrier(6)
                given = layer, scdcf.JointConv.forward.__get__(copy.deepcopy(layer)), barrier
                threads = [threading.Thread(target=work, args=(*given, first)) for first in range(6)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
        finally:
            sys.setswitchinterval(interval)
        self.assertEqual((len(done), wrong), (900, []))
        for input, output, convolved in done:
            self.assertLess((output - scdcf.centre_of(convolved(input))).abs().max(), 1e-5)


class Inputs(unittest.TestCase):
    def test_that_are_refused_leave_the_module_as_it_was(self):
        network = scdcf.models.scdcfnet_full(channels=[3, 4, 5], hidden=8, image_size=20).eval()
        for module, refused, message, input in [
                (scdcf.Enlarge(1.5), (1, 1, 0, 8), "Enlarge: input: got 0 pixels", torch.randn(1, 1, 6, 8)),
                (at_centre(), (1, 1, 2, 6, 8), "got 2 scales", torch.randn(1, 1, 3, 6, 8)),
                (network, (2, 1, 24, 24), r"images: got shape \[2, 1, 24, 24\]",
                 torch.randn(2, 1, 20, 20))]:
            output = copy.deepcopy(module)(input)
            for attempt in (module, lambda images, module=module: torch.jit.trace(module, images)):
                with self.assertRaisesRegex((RuntimeError, ValueError), message):
                    attempt(torch.zeros(refused))
            self.assertLess((module.double()(input.double()) - output).abs().max(), 1e-5)
            self.assertTrue(torch.equal(module.to("cpu").float()(input), output))
        layer = scdcf.JointConv(1, 2, GRID, scale_taps=3)
        with self.assertRaisesRegex(RuntimeError, "at_centre: got 3 scale taps"):
            layer.at_centre(torch.zeros(1, 1, 3, 6, 8))
        layer.double()(torch.zeros(1, 1, 3, 6, 8, dtype=torch.float64))

    def test_of_many_sizes_leave_nothing_behind(self):
        for layer, shape in ((scdcf.Enlarge(1.7), (1, 1)), (at_centre(padding="replicate"), (1, 1, 3))):
            held = len(pickle.dumps(layer))
            for size in range(5, 25):
                layer(torch.randn(*shape, size, 30 - size))
            self.assertEqual(len(pickle.dumps(layer)), held)


class Grids(unittest.TestCase):
    def test_weights_for_another_one_or_another_basis_are_refused_and_change_nothing(self):
        state = nn.Sequential(scdcf.JointConv(1, 2, GRID)).state_dict()
        for other in (scdcf.JointConv(1, 2, (3, 0.5, 4.0)), scdcf.JointConv(1, 2, (3, 0.25, 3.0)),
                      scdcf.JointConv(1, 2, GRID, basis="hermite-gauss"), scdcf.JointConv(1, 2, GRID, support="centred")):
            before = other.coefficients.clone()
            with self.assertRaisesRegex(RuntimeError, '0.signature: got coefficients for "finest width 3, step 0.5; sine'):
                nn.Sequential(other).load_state_dict(state, strict=False)
            self.assertTrue(torch.equal(other.coefficients, before))

    def test_weights_serve_a_longer_one_and_every_type(self):
        short, long = scdcf.LiftingConv(1, 2, GRID), scdcf.LiftingConv(1, 2, (5, 0.5, 3.0))
        average = torch.optim.swa_utils.AveragedModel(short, use_buffers=True)
        for _ in range(3):
            average.update_parameters(short)
        for convert in (short.half, short.bfloat16, short.double, short.float):
            self.assertEqual(bytes(convert().state_dict()["signature"].tolist()).decode(),
                             "finest width 3, step 0.5; sine 15 area")
        short.load_state_dict(average.module.state_dict())
        long.load_state_dict({name: value.double() for name, value in short.state_dict().items()})  # as C++ converts it
        input = torch.randn(1, 1, 20, 20)
        self.assertLess((long(input)[:, :, :3] - short(input)).abs().max(), 1e-5)

    def test_features_of_another_step_are_refused(self):
        lifting, other = scdcf.LiftingConv(1, 2, GRID), scdcf.JointConv(2, 2, (3, 0.25, 3.0), scale_taps=1)
        for between in ([], [nn.ReLU(), nn.BatchNorm3d(2)], [scdcf.NormReluPool(2), scdcf.ResidualBlock(2, 2, GRID)]):
            with self.assertRaisesRegex(RuntimeError, "JointConv: input: got features with scales 0.5 octaves apart, expected"):
                nn.Sequential(lifting, *between, other)(torch.randn(1, 1, 12, 12))
        with self.assertRaisesRegex(RuntimeError, "0.5 octaves apart"):
            other.at_centre(lifting(torch.randn(1, 1, 12, 12)))


if __name__ == "__main__":
    unittest.main()
