"""The networks for scaled digits: three blocks that end at 2x2 pixels, a hidden layer, class scores."""
from typing import Any, Dict, List

import torch
from torch import Tensor, nn

from .._texts import Option
from ..convolutions import JointConv, LiftingConv, ScaleGrid
from ..pooling import NormReluPool, SpatialAvgPool, SpatialMaxPool
from .network import Network, options


class Skeleton(Network):
    """scdcfnet and cnn, told apart by their options."""

    def __init__(self, resolved: Dict[str, Option]) -> None:
        super().__init__(resolved)
        o: Dict[str, Any] = resolved
        self.has_scales = o["model"] == "scdcfnet"
        channels = [o["in_channels"], *o["channels"]]
        for i in range(3):
            layers = [self._convolution(o, i, channels[i], channels[i + 1]),
                      *self._block_end(o, channels[i + 1], *torch.ops.scdcf.pooling_of_block(o["image_size"], i))]
            self.add_module(f"block{i + 1}", nn.Sequential(*layers))
        self.head = nn.Sequential(nn.Linear(4 * channels[-1], o["hidden"], bias=False), nn.BatchNorm1d(o["hidden"]),
                                  nn.ReLU(), nn.Dropout(o["dropout"]), nn.Linear(o["hidden"], o["classes"]))

    def _convolution(self, o: Dict[str, Any], block: int, inputs: int, outputs: int) -> nn.Module:
        if not self.has_scales:
            return nn.Conv2d(inputs, outputs, 7, padding=3)
        grid = ScaleGrid(o["scales"], o["scale_step"], o["finest_width"])
        filters = dict(bias=False, modes=o["modes"], basis=o["basis"], sampling=o["sampling"],
                       algorithm=o["algorithm"])
        if block == 0:
            return LiftingConv(inputs, outputs, grid, **filters)
        return JointConv(inputs, outputs, grid, scale_taps=o["scale_taps"], scale_modes=o["scale_modes"],
                         scale_padding=o["scale_padding"], **filters)

    def _block_end(self, o: Dict[str, Any], channels: int, window: int, padding: int) -> List[nn.Module]:
        average, norm_first = o["pooling"] == "average", o["block"] == "norm-relu-pool"
        if norm_first and average:
            return [NormReluPool(channels, window, padding=padding)]
        if self.has_scales:
            pool: nn.Module = (SpatialAvgPool if average else SpatialMaxPool)(window, padding=padding)
        else:
            pool = (nn.AvgPool2d(window, padding=padding, count_include_pad=False) if average
                    else nn.MaxPool2d(window, padding=padding))
        if norm_first:
            return [NormReluPool(channels, 1), pool]
        return [nn.ReLU(), pool, (nn.BatchNorm3d if self.has_scales else nn.BatchNorm2d)(channels)]

    def forward(self, images: Tensor) -> Tensor:
        self._check(images)
        maps = self.block3(self.block2(self.block1(images)))
        if self.has_scales:
            maps = maps.amax(2)
        return self.head(maps.flatten(1))


def scdcfnet(**given: Any) -> Skeleton:
    """ScDCFNet for digits: equivariant to scalings and translations, then invariant to size by a maximum over scale.

    Options are those of `scdcf train --model scdcfnet`, such as classes, in_channels, image_size, channels, modes, scales,
    scale_step, finest_width, scale_taps, hidden, dropout; print(scdcf.models.describe("scdcfnet")) lists them.
    """
    return Skeleton(options("scdcfnet", **given))


def cnn(**given: Any) -> Skeleton:
    """The plain network that the others are compared with: 7x7 convolutions. Options: classes, channels, hidden, ..."""
    return Skeleton(options("cnn", **given))
