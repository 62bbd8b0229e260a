"""A wheel holds the library and works wherever it is unpacked."""
import importlib.machinery
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import scdcf

SOURCE = Path(__file__).resolve().parents[2]


# PathFinder: to look for pip by importlib.util.find_spec tells setuptools that pip runs, and torch.compile then fails in this process.
@unittest.skipUnless(all(importlib.machinery.PathFinder.find_spec(name) for name in ("pip", "setuptools", "wheel")),
                     "no pip, setuptools or wheel: make deps installs them")
class Package(unittest.TestCase):
    def test_a_wheel_works_elsewhere(self):
        with tempfile.TemporaryDirectory() as folder:
            copy, site = Path(folder) / "copy", Path(folder) / "site"
            shutil.copytree(SOURCE / "python", copy / "python", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
            for name in ("CMakeLists.txt", "README.md", "LICENSE", "CITATION.cff", "pyproject.toml", "setup.py"):
                shutil.copy(SOURCE / name, copy)
            built = subprocess.run([sys.executable, "-m", "pip", "wheel", ".", "--no-build-isolation", "--no-deps",
                                    "-w", folder], cwd=copy, env={**os.environ, "SCDCF_LIBRARY": scdcf.library},
                                   capture_output=True, text=True)
            self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
            wheel, = Path(folder).glob("scdcf-*.whl")
            self.assertIn("linux", wheel.name, "it is of one kind of machine")
            zipfile.ZipFile(wheel).extractall(site)
            environment = {name: value for name, value in os.environ.items() if name != "SCDCF_LIBRARY"}
            run = subprocess.run([sys.executable, "-c", "import scdcf; print(scdcf.library, scdcf.__version__)"],
                                 env={**environment, "PYTHONPATH": str(site)}, capture_output=True, text=True)
            library = site / "scdcf" / "libscdcf.so"
            self.assertEqual(run.stdout.split(), [str(library), scdcf.__version__], run.stderr)
            dynamic = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
            folders = re.search(r"RUNPATH.*\[(.*)\]", dynamic).group(1).split(":")
            self.assertEqual(folders[0], "$ORIGIN/../torch/lib")
            for path in folders:  # an empty entry is the current folder
                self.assertTrue(path.startswith(("/", "$ORIGIN/")), dynamic)
            metadata, = site.glob("*.dist-info/METADATA")
            self.assertIn("License: BSD-3-Clause", metadata.read_text())
            for name in ("LICENSE", "CITATION.cff"):
                self.assertTrue(list(metadata.parent.rglob(name)), name)

    def test_a_missing_library_is_told_in_one_line(self):
        run = subprocess.run([sys.executable, "-c", "import scdcf"], capture_output=True, text=True,
                             env={**os.environ, "PYTHONPATH": str(SOURCE / "python"), "SCDCF_LIBRARY": "/none/lib.so"})
        self.assertIn("ImportError: scdcf: got no /none/lib.so, expected the library there", run.stderr.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
