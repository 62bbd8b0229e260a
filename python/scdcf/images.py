"""Image files as networks expect them."""
from os import PathLike, fspath
from pathlib import Path
from typing import Union

import torch
from torch import Tensor

ImageFile = Union[str, "PathLike[str]", bytes]


def read_image(file: ImageFile, size: int = 0, channels: int = 0, fit: str = "crop", background: int = 255) -> Tensor:
    """The pixels [channels, size, size], uint8, that the program makes of a PNG or JPEG file, or of its bytes.

    fit: crop (the shorter side is resized to the size, the centre is kept), pad (between black bars) or stretch.
    size and channels: 0 keeps what the file has. background: grey value behind transparent pixels.
    """
    try:
        decode = torch.ops.scdcf.network_input
    except (AttributeError, RuntimeError):
        raise ImportError("read_image: this libscdcf.so cannot decode images; expected one that was built with the "
                          "program (SCDCF_BUILD_PROGRAM=ON), which links libpng and libjpeg") from None
    name = "the bytes" if isinstance(file, bytes) else fspath(file)
    data = bytearray(file if isinstance(file, bytes) else Path(name).read_bytes())
    try:
        return decode(torch.frombuffer(data or bytearray(1), dtype=torch.uint8), name, size, channels, fit, background)
    except RuntimeError as error:
        raise ValueError(str(error).splitlines()[0]) from None
