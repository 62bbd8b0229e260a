"""Builds libscdcf.so with CMake against the torch that the package will run with, in build-pip/, and puts it into the package.

    CMAKE_ARGS           further arguments for CMake
    SCDCF_TORCH_PYTHON   another Python whose torch is used
    SCDCF_LIBRARY        a library that is packaged as it is; nothing is built
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
VERSION = re.search(r"project\(scdcf VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
BUILDS = "build-pip"


class TorchPython:
    """The Python whose torch the library is for: its path, the release of torch, the folder of TorchConfig.cmake."""

    def __init__(self):
        self.path = os.environ.get("SCDCF_TORCH_PYTHON", sys.executable)
        shown = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONNOUSERSITE")}
        for self.environment in (dict(os.environ), shown):  # pip hides an environment's packages from a build by PYTHONPATH
            run = self.run("import torch, torch.utils; print(torch.__version__, torch.utils.cmake_prefix_path, sep='\\n')")
            if run.returncode == 0:
                self.torch, folder = run.stdout.split("\n")[:2]
                self.config = Path(folder) / "Torch"
                return
        fail(f"got no torch in {self.path} ({last_line(run)}), expected the torch that scdcf will run with: `pip install torch` "
             "first; where it is installed, use `pip install --no-build-isolation` or name its Python by SCDCF_TORCH_PYTHON")

    def run(self, code, *arguments):
        return subprocess.run([self.path, "-c", code, *arguments], env=self.environment, capture_output=True, text=True)


@lru_cache(None)
def torch_python():
    return TorchPython()


def last_line(run):
    return (run.stderr.strip().splitlines() or [f"exit code {run.returncode}"])[-1]


def fail(message):
    raise SystemExit("scdcf: " + message)


def program(name):
    return shutil.which(name) or fail(f"got no {name} on the PATH, expected one: `pip install {name}`")


def build_library(python):
    build = ROOT / BUILDS / f"torch-{python.torch}"
    cmake = program("cmake")
    options = [f"-DSCDCF_BUILD_{part}=OFF" for part in ("PROGRAM", "TESTS", "BENCHMARKS", "EXAMPLES")]
    options.append("-DCCACHE=OFF")  # its launcher names pip's CMake, which is another each time: all would be compiled again
    if python.config.exists():  # Debian's python3-torch has none: its libraries are the system's
        options.append(f"-DTorch_DIR={python.config}")
    for command in (["-S", ROOT, "-B", build, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={program('ninja')}", *options,
                     "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_INSTALL_RPATH_USE_LINK_PATH=OFF",
                     *shlex.split(os.environ.get("CMAKE_ARGS", ""))],
                    ["--build", build, "--target", "scdcf"]):
        if subprocess.run([cmake, *command]).returncode != 0:
            fail(f"cmake failed for torch {python.torch} of {python.path}; its messages are above")
    return build / "lib" / "libscdcf.so"


class BuildLibrary(build_ext):
    def build_extension(self, extension):
        python = torch_python()
        library = Path(os.environ.get("SCDCF_LIBRARY") or build_library(python)).resolve()
        loaded = python.run("import sys, torch; torch.ops.load_library(sys.argv[1])", str(library))
        if loaded.returncode != 0:
            fail(f"{library} does not load into torch {python.torch} of {python.path}: {last_line(loaded)}")
        target = Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(library, target)

    def get_ext_filename(self, name):
        return os.path.join(*name.split(".")) + ".so"  # loaded by torch, not by Python


# The library serves one release of torch. A source archive is for all of them.
wheel = {"dist_info", "bdist_wheel", "editable_wheel"} & set(sys.argv)
setup(version=VERSION, install_requires=["torch" + (f"=={torch_python().torch.split('+')[0]}" if wheel else ">=1.13")],
      ext_modules=[Extension("scdcf.libscdcf", [])], cmdclass={"build_ext": BuildLibrary},
      options={"build": {"build_base": BUILDS}}, zip_safe=False)
