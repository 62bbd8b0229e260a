"""Layers and networks that know about scale: enlarge the picture, and the features move predictably.

    import torch, scdcf
    net = torch.nn.Sequential(scdcf.LiftingConv(1, 8, (5, 0.25, 5.0)), torch.nn.ReLU(), scdcf.JointConv(8, 16, (5, 0.25, 5.0)))
    features = net(torch.randn(4, 1, 28, 28))    # [N, C, S, H, W]

Everything that is computed is computed by libscdcf.so, the C++ library, through torch.ops.scdcf.
"""
from . import _library
from . import models
from .convolutions import JointConv, LiftingConv, PointwiseConv, ScaleGrid
from .files import load, save
from .images import read_image
from .pooling import (Enlarge, NormReluPool, ReadOut, ScaleMaxProjection, ScaleMeanProjection, SpatialAvgPool,
                      SpatialMaxPool, SpatialUpsample, centre_of, interpolated_plane, read_out)
from .residual import ResidualBlock

import torch as _torch

__version__: str = _torch.ops.scdcf.version()
library = str(_library.PATH)

__all__ = ["Enlarge", "JointConv", "LiftingConv", "NormReluPool", "PointwiseConv", "ReadOut", "ResidualBlock",
           "ScaleGrid", "ScaleMaxProjection", "ScaleMeanProjection", "SpatialAvgPool", "SpatialMaxPool",
           "SpatialUpsample", "centre_of", "interpolated_plane", "library", "load", "models", "read_image", "read_out",
           "save"]
