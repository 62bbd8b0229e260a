"""Files of `scdcf.save` and of the program, as other tools see them."""
import hashlib
import importlib.util
import json
import tempfile
import unittest
from pathlib import Path

import torch

import scdcf
from scdcf import files
from test_models import PROGRAM, program


@unittest.skipUnless(Path(PROGRAM).exists(), f"no program at {PROGRAM}: SCDCF_PROGRAM names it")
class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        code, _, error = program("train", "--model", "cnn", "--channels", "2,2,2", "--hidden", 3, "--size", 12, "--data",
                                 "sglyphs", "--train-size", 64, "--validation-size", 16, "--test-size", 20, "--epochs", 1,
                                 "--out", cls.folder)
        assert code == 0, error
        cls.model, cls.checkpoint = cls.folder / "model.safetensors", max((cls.folder / "checkpoints").iterdir())

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_the_sum_is_that_of_the_file_with_zeros_in_its_place(self):
        again = self.folder / "again.safetensors"
        scdcf.save(scdcf.load(self.model), again)
        for file in (self.model, self.checkpoint, again):
            data = file.read_bytes()
            header = json.loads(data[8:8 + int.from_bytes(data[:8], "little")])
            carried = header["__metadata__"]["sha256"].encode()
            self.assertEqual(hashlib.sha256(data.replace(carried, b"0" * 64)).hexdigest().encode(), carried)

    def test_a_folder_gives_the_best_weights_and_a_checkpoint_its_own(self):
        tensors, about = files._read(self.checkpoint)
        name = "head.4.weight"
        tensors["best_weights/" + name] = torch.zeros_like(tensors[name])
        unfinished = self.folder / "unfinished" / "checkpoints" / self.checkpoint.name
        files._write(unfinished, tensors, about)
        self.assertEqual(scdcf.load(self.folder / "unfinished").state_dict()[name].abs().max(), 0)
        self.assertTrue(torch.equal(scdcf.load(unfinished).state_dict()[name], tensors[name]))
        self.assertGreater(tensors[name].abs().max(), 0)

    @unittest.skipUnless(importlib.util.find_spec("safetensors"), "needs the package safetensors of PyPI")
    def test_the_package_safetensors_reads_every_file(self):
        from safetensors import safe_open
        from safetensors.torch import load_file
        network, again = scdcf.load(self.folder), self.folder / "again.safetensors"
        scdcf.save(network, again)
        for file in (self.model, again):
            weights = load_file(file)
            self.assertEqual(weights.keys(), network.state_dict().keys())
            for name, tensor in network.state_dict().items():
                self.assertTrue(torch.equal(weights[name], tensor), name)
            with safe_open(file, "pt") as opened:
                self.assertEqual(json.loads(opened.metadata()["about"])["class_names"], network.about["class_names"])
        self.assertEqual({name.split("/")[0] for name in load_file(self.checkpoint) if "/" in name},
                         {"best_weights", "optimizer"})


if __name__ == "__main__":
    unittest.main()
