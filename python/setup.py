"""`pip install ./python --no-build-isolation --no-deps`: builds libscdcf.so with CMake and puts it beside the package.

A library that is built already is taken instead: the one that SCDCF_LIBRARY names, or that of ../build.
"""
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.search(r"project\(scdcf VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def library() -> Path:
    for built in (os.environ.get("SCDCF_LIBRARY"), ROOT / "build" / "lib" / "libscdcf.so"):
        if built and Path(built).exists():
            return Path(built)
    import torch  # the library is for this very release
    build = Path(tempfile.mkdtemp(prefix="scdcf-"))
    subprocess.run(["cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DSCDCF_BUILD_PROGRAM=OFF",
                    "-DSCDCF_BUILD_TESTS=OFF", "-DSCDCF_BUILD_BENCHMARKS=OFF", "-DSCDCF_BUILD_EXAMPLES=OFF",
                    f"-DCMAKE_PREFIX_PATH={getattr(torch.utils, 'cmake_prefix_path', '')}"], check=True)
    subprocess.run(["cmake", "--build", build, "--parallel", "--target", "scdcf"], check=True)
    return build / "lib" / "libscdcf.so"


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        shutil.copyfile(library().resolve(), Path(self.build_lib) / "scdcf" / "libscdcf.so")


class PlatformDistribution(Distribution):
    """The wheel is of this machine: it holds a library, if no extension module."""

    def has_ext_modules(self):
        return True


setup(name="scdcf", version=VERSION, description="Neural networks that know about scale", python_requires=">=3.8",
      packages=["scdcf", "scdcf.models"], package_data={"scdcf": ["py.typed"]},
      cmdclass={"build_py": BuildWithLibrary}, distclass=PlatformDistribution, zip_safe=False)
