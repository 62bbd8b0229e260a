"""The examples run, in a quick form."""
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

import scdcf

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"
CLOTHES = Path("/usr/share/datasets/fashion-mnist")


class Examples(unittest.TestCase):
    def run_example(self, name, *arguments):
        environment = {**os.environ, "PYTHONPATH": str(Path(scdcf.__file__).parents[1]), "SCDCF_LIBRARY": scdcf.library}
        done = subprocess.run([sys.executable, EXAMPLES / name, *arguments], capture_output=True, text=True,
                              env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    @unittest.skipUnless(CLOTHES.exists(), "no Fashion-MNIST: make deps installs it")
    def test_train_stir(self):
        lines = self.run_example("train_stir.py", "32", "1")
        self.assertRegex(lines[0], r"epoch 1: loss \d+\.\d+")
        self.assertEqual(len(lines), 4)

    def test_swap_first_layers(self):
        plain, ours, blobs = self.run_example("swap_first_layers.py")
        self.assertIn("plain: 82,602 parameters", plain)
        moved, still = (float(number) for number in re.findall(r"\d\.\d+", blobs))
        self.assertLess(moved, 0.4 * still, "enlarging moves the answers along the scale axis")


if __name__ == "__main__":
    unittest.main()
