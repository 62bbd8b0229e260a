"""The networks: those of the program, weight by weight and score by score."""
import copy
import json
import os
import pickle
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

import torch
from torch import nn

import scdcf

PROGRAM = os.environ.get("SCDCF_PROGRAM", str(Path(__file__).resolve().parents[2] / "build" / "bin" / "scdcf"))
SMALL = {"scdcfnet": "--channels 4,5,6 --scales 3 --hidden 16 --size 12",
         "cnn": "--channels 4,5,6 --hidden 16 --size 12 --pooling average",
         "scdcfnet, relu first": "--model scdcfnet --channels 4,5,6 --scales 3 --hidden 16 --size 12 --block relu-pool-norm "
                                 "--sampling point",
         "cnn, norm first": "--model cnn --channels 4,5,6 --hidden 16 --size 12 --pooling max --block norm-relu-pool",
         "scdcfnet-full": "--channels 3,4,5,4 --hidden 16 --size 20 --smallest-factor 0.8 --smaller 1.5 --planes-per-level 2",
         "pyramid-cnn": "--channels 3,4,5,4 --hidden 16 --size 20 --smallest-factor 0.8 --smaller 1.5",
         "resnet16-full": "--channels 3,3,4,5 --hidden 16 --size 20 --smallest-factor 0.9 --smaller 1.2"}


def program(*arguments):
    done = subprocess.run([PROGRAM, "--threads", "1", *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def write_png(path, image):
    """A grey picture [H, W] of uint8."""
    height, width = image.shape
    rows = b"".join(b"\0" + bytes(row) for row in image.tolist())

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) +
                           chunk(b"IEND", b""))


@unittest.skipUnless(Path(PROGRAM).exists(), f"no program at {PROGRAM}: SCDCF_PROGRAM names it")
class TrainedByTheProgram(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        for name, options in SMALL.items():
            model = [] if options.startswith("--model") else ["--model", name]
            code, _, error = program("train", *model, *options.split(), "--data", "sglyphs", "--train-size", 64,
                                     "--validation-size", 16, "--test-size", 60, "--batch", 32, "--epochs", 1, "--out",
                                     cls.folder / name)
            assert code == 0, error
        torch.manual_seed(0)
        cls.pictures = {}
        for side in (12, 20):
            cls.pictures[side] = torch.randint(0, 256, (6, 1, side, side), dtype=torch.uint8)
            (cls.folder / f"pictures{side}").mkdir()
            for i, picture in enumerate(cls.pictures[side]):
                write_png(cls.folder / f"pictures{side}" / f"{i}.png", picture[0])

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def predictions(self, model, side, *more):
        code, output, error = program("predict", model, self.folder / f"pictures{side}", "--json", *more)
        self.assertEqual(code, 0, error)
        return json.loads(output)

    def same(self, network, model, *more):
        """What Python says of the pictures is what the program says."""
        side = network.options["image_size"]
        with torch.no_grad():
            images = network.normalise(self.pictures[side])
            confidence, label = network(images).softmax(1).max(1)
            reading = network.read(images)
        answers = self.predictions(model, side, *more)
        for i, answer in enumerate(answers):
            self.assertEqual(answer["label"], network.about["class_names"][label[i]])
            self.assertLess(abs(answer["confidence"] - confidence[i].item()), 1e-5 * answer["confidence"])
            if reading is not None:  # the program's is calibrated: one factor for all
                factor = answers[0]["size"] / reading.size[0].item()
                self.assertLess(abs(factor * reading.size[i].item() / answer["size"] - 1), 1e-4)

    def test_same_weights_give_same_scores(self):
        for name in SMALL:
            with self.subTest(model=name):
                self.same(scdcf.load(self.folder / name), self.folder / name)

    def test_another_range_of_sizes(self):
        network = scdcf.load(self.folder / "scdcfnet-full", larger=1.4)
        self.assertGreater(network.planes(torch.zeros(1, 1, 20, 20)).shape[2],
                           scdcf.load(self.folder / "scdcfnet-full").planes(torch.zeros(1, 1, 20, 20)).shape[2])
        self.same(network, self.folder / "scdcfnet-full", "--larger", "1.4")

    def test_saved_again_it_is_read_by_the_program(self):
        for name in ("scdcfnet", "scdcfnet-full"):
            with self.subTest(model=name):
                network, file = scdcf.load(self.folder / name), self.folder / f"{name}-again.safetensors"
                scdcf.save(network, file)
                accuracy = []
                for model in (self.folder / name, file):
                    code, output, error = program("eval", model, "--json")
                    self.assertEqual(code, 0, error)
                    accuracy.append({k: json.loads(output)[k] for k in ("accuracy", "loss", "images")})
                self.assertEqual(*accuracy)

    def test_trained_in_python_it_is_read_by_the_program(self):
        torch.manual_seed(1)
        network = scdcf.models.scdcfnet(channels=[4, 5, 6], scales=3, hidden=16, image_size=12)
        images, labels = torch.randn(32, 1, 12, 12), torch.randint(0, 10, (32,))
        optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
        losses = []
        for _ in range(15):
            optimizer.zero_grad()
            losses.append(torch.nn.functional.cross_entropy(network.training_scores(images, labels), labels))
            losses[-1].backward()
            optimizer.step()
        self.assertLess(losses[-1], 0.8 * losses[0])
        file = self.folder / "python.safetensors"
        scdcf.save(network.eval(), file, class_names=[f"class {i}" for i in range(10)], mean=[0.3], deviation=[0.2])
        loaded = scdcf.load(file)
        self.same(loaded, file)
        self.assertTrue(torch.equal(loaded(images), network(images)))
        code, _, error = program("eval", file)
        self.assertEqual((code, "does not say what it was trained on, expected --data" in error), (2, True), error)
        scdcf.save(network, file, like=self.folder / "scdcfnet")
        code, _, error = program("eval", file)
        self.assertEqual(code, 0, error)
        about = scdcf.load(file).about
        self.assertIn("mean", about)
        self.assertNotIn("scale_calibration", about, "how another network reads sizes")
        with self.assertRaisesRegex(ValueError, "mean: got it and like"):
            scdcf.save(network, file, like=self.folder / "scdcfnet", mean=[0.3])

    def test_what_is_missing_or_has_no_form_here_is_refused(self):
        with self.assertRaisesRegex(FileNotFoundError, "is missing"):
            scdcf.load(self.folder / "none")
        code, _, error = program("train", "--model", "lsi-cnn", "--channels", "3,3,3", "--data", "sglyphs", "--size", 12,
                                 "--train-size", 32, "--validation-size", 16, "--test-size", 16, "--epochs", 1, "--out",
                                 self.folder / "lsi-cnn")
        self.assertEqual(code, 0, error)
        with self.assertRaisesRegex(ValueError, 'got "lsi-cnn", expected one of those that Python has: scdcfnet, cnn'):
            scdcf.load(self.folder / "lsi-cnn")


class Networks(unittest.TestCase):
    def test_options_are_those_of_the_library(self):
        self.assertEqual(scdcf.models.scdcfnet().options["channels"], [32, 64, 96])
        self.assertEqual(sum(p.numel() for p in scdcf.models.cnn().parameters()), 494549)
        self.assertIn("hidden=256: Units of the hidden layer", scdcf.models.describe("scdcfnet"))
        for text, make in [("moodes: no network has such an option", lambda: scdcf.models.scdcfnet(moodes=3)),
                           ("smaller: model scdcfnet has no such option", lambda: scdcf.models.scdcfnet(smaller=3)),
                           ("modes: got 100000, expected 0 to 1000", lambda: scdcf.models.scdcfnet(modes=100000))]:
            with self.assertRaises(RuntimeError) as caught:
                make()
            self.assertIn(text, str(caught.exception).splitlines()[0])

    def test_blocks_have_the_order_asked_for(self):
        names = {nn.ReLU: "relu", nn.BatchNorm2d: "norm", nn.BatchNorm3d: "norm", scdcf.NormReluPool: "norm relu"}
        for make in (scdcf.models.scdcfnet, scdcf.models.cnn):
            for pooling in ("average", "max"):
                for block in ("norm-relu-pool", "relu-pool-norm"):
                    end = make(pooling=pooling, block=block).block1[1:]
                    found = " ".join(names.get(type(module), "pool") for module in end)
                    self.assertEqual(found + " pool" * (len(end) == 1), block.replace("-", " "))  # one module pools, too
        self.assertEqual(scdcf.models.scdcfnet(sampling="point").block1[0].sampling, "point")

    def test_images_of_another_shape_are_refused_in_one_line(self):
        for name in ("cnn", "scdcfnet", "scdcfnet-full"):
            network = scdcf.models.make(name).eval()
            for images in (torch.zeros(1, 1, 40, 40), torch.zeros(1, 3, 28, 28), torch.zeros(1, 28, 28),
                           torch.zeros(1, 1, 28, 28, dtype=torch.uint8)):
                with self.assertRaises(ValueError) as caught:
                    network(images)
                self.assertIn(f"{name}: images: got shape {list(images.shape)}", str(caught.exception))
                self.assertIn("expected [N, 1, 28, 28] in floating point", str(caught.exception))
        network = scdcf.models.cnn(in_channels=3)
        network.about = {"mean": [0.1, 0.2, 0.3], "deviation": [1.0, 1.0, 1.0]}
        self.assertEqual(network.normalise(torch.zeros(2, 3, 28, 28)).shape, (2, 3, 28, 28))
        for shape in ((1, 1, 64, 64), (3, 64, 64)):
            with self.assertRaisesRegex(ValueError, "normalise: got shape .*expected images .N, 3, H, W"):
                network.normalise(torch.zeros(shape))

    def test_copies_and_states(self):
        torch.manual_seed(2)
        network = scdcf.models.scdcfnet_full(channels=[3, 4, 5], hidden=8, image_size=20)
        images = torch.randn(2, 1, 20, 20)
        expected = network.eval()(images)
        for other in (copy.deepcopy(network), pickle.loads(pickle.dumps(network))):
            self.assertTrue(torch.equal(other(images), expected))
        other = scdcf.models.scdcfnet_full(channels=[3, 4, 5], hidden=8, image_size=20).eval()
        self.assertFalse(torch.equal(other(images), expected))
        other.load_state_dict(network.state_dict())
        self.assertTrue(torch.equal(other(images), expected))

    def test_scores_of_a_full_network_move_with_the_size(self):
        torch.manual_seed(3)
        network = scdcf.models.scdcfnet_full(channels=[3, 4, 5], hidden=8, image_size=28, smaller=2, larger=2,
                                             smallest_object=0.5, largest_object=0.5).eval()
        line = torch.exp(-torch.linspace(-6, 6, 28).square())
        image = line.outer(line)[None, None]
        planes, enlarged = network.planes(image), network.planes(scdcf.Enlarge(2**0.5, frame=28)(image))
        moved = (enlarged[..., 2:] - planes[..., :-2]).abs().max() / planes.abs().max()  # two planes of 1/4 octave
        self.assertLess(moved, 0.05)
        self.assertGreater((enlarged - planes).abs().max() / planes.abs().max(), 2 * moved)

    def test_training_scores_teach(self):
        torch.manual_seed(4)
        network = scdcf.models.scdcfnet_full(channels=[3, 4, 5], hidden=8, image_size=20, dropout=0)
        images, labels = torch.randn(8, 1, 20, 20), torch.arange(8)
        scores = network.training_scores(images, labels)
        self.assertEqual(scores.shape, (8, 10))
        scores.sum().backward()
        self.assertTrue(all(p.grad is not None and p.grad.isfinite().all() for p in network.parameters()))


if __name__ == "__main__":
    unittest.main()
