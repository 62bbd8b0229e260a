"""A wheel holds the library and works wherever it is unpacked."""
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import scdcf

SOURCE = Path(__file__).resolve().parents[2]


@unittest.skipUnless(all(importlib.util.find_spec(name) for name in ("pip", "setuptools", "wheel")),
                     "no pip, setuptools or wheel: make deps installs them")
class Package(unittest.TestCase):
    def test_a_wheel_works_elsewhere(self):
        with tempfile.TemporaryDirectory() as folder:
            copy, site = Path(folder) / "copy", Path(folder) / "site"
            shutil.copytree(SOURCE / "python", copy / "python",
                            ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
            shutil.copy(SOURCE / "CMakeLists.txt", copy)
            built = subprocess.run([sys.executable, "-m", "pip", "wheel", "./python", "--no-build-isolation", "--no-deps",
                                    "-w", folder], cwd=copy, env={**os.environ, "SCDCF_LIBRARY": scdcf.library},
                                   capture_output=True, text=True)
            self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
            wheel, = Path(folder).glob("scdcf-*.whl")
            self.assertIn("linux", wheel.name, "it is of one kind of machine")
            zipfile.ZipFile(wheel).extractall(site)
            environment = {name: value for name, value in os.environ.items() if name != "SCDCF_LIBRARY"}
            run = subprocess.run([sys.executable, "-c", "import scdcf; print(scdcf.library, scdcf.__version__)"],
                                 env={**environment, "PYTHONPATH": str(site)}, capture_output=True, text=True)
            self.assertEqual(run.stdout.split(), [str(site / "scdcf" / "libscdcf.so"), scdcf.__version__], run.stderr)

    def test_a_missing_library_is_told_in_one_line(self):
        run = subprocess.run([sys.executable, "-c", "import scdcf"], capture_output=True, text=True,
                             env={**os.environ, "PYTHONPATH": str(SOURCE / "python"), "SCDCF_LIBRARY": "/none/lib.so"})
        self.assertIn("ImportError: scdcf: got no /none/lib.so, expected the library there", run.stderr.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
