"""Finds and loads libscdcf.so, which registers torch.ops.scdcf.*."""
import os
from pathlib import Path
from typing import List

import torch

NAME = "libscdcf.so"


def candidates() -> List[Path]:
    """Where the library is looked for, in this order."""
    named = os.environ.get("SCDCF_LIBRARY")
    if named:
        return [Path(named)]
    package = Path(__file__).resolve().parent
    return [package / NAME, package.parent.parent / "build" / "lib" / NAME]


def load() -> Path:
    for path in candidates():
        if path.exists():
            try:
                torch.ops.load_library(str(path))
            except OSError as error:
                raise ImportError(f"scdcf: {path} does not load into torch {torch.__version__}: {error}; expected a "
                                  "library built against this very release") from None
            return path
    looked = " or ".join(str(path) for path in candidates())
    raise ImportError(f"scdcf: got no {looked}, expected the library there: `make build` builds it, "
                      "SCDCF_LIBRARY names it elsewhere")


PATH = load()
