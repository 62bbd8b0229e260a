"""What stands between convolutions and behind them: norm and pooling, enlarged images, read-outs."""
from typing import Any, NamedTuple, Optional, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ._constants import Table, WithConstants

_ops = torch.ops.scdcf


def _check_features(layer: nn.Module, input: Tensor) -> None:
    if input.dim() != 5:
        raise RuntimeError(f"{type(layer).__name__}: input: got shape {list(input.shape)}, expected features [N, C, S, H, W]")


class NormReluPool(nn.Module):
    """Batch-norm, ReLU and average pooling in one pass: [N, C, S, H, W] to [N, C, S, H', W'], or without S.

    One mean and variance per channel over (N, S, H, W). The state has the names of torch's batch-norm, so a state saved
    from one loads into the other.

    Args:
        channels: C.
        window, stride, padding: of the pooling, square; stride None for the window. Window 1 leaves the pooling out.
        eps: added to the variance.
        momentum: share of the batch in the running statistics.
        keeps_zero: takes off what is made of zero, so that maps of a black picture stay zero as zeros beyond the border do.
    """

    def __init__(self, channels: int, window: int = 2, stride: Optional[int] = None, padding: int = 0,
                 eps: float = 1e-5, momentum: float = 0.1, keeps_zero: bool = False, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        self.channels, self.window, self.stride, self.padding = channels, window, stride, padding
        self.eps, self.momentum, self.keeps_zero = eps, momentum, keeps_zero
        self._stride = _ops.norm_relu_pool_stride(channels, window, stride or 0, padding, eps, momentum)
        self.weight = nn.Parameter(torch.ones(channels, device=device, dtype=dtype))
        self.bias = nn.Parameter(torch.zeros(channels, device=device, dtype=dtype))
        self.register_buffer("running_mean", torch.zeros(channels, device=device, dtype=dtype))
        self.register_buffer("running_var", torch.ones(channels, device=device, dtype=dtype))
        self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long, device=device))

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() < 2 or input.shape[1] != self.channels:
            raise RuntimeError(f"NormReluPool: input: got shape {list(input.shape)}, expected {self.channels} channels "
                               "(dimension 1)")
        if self.training:
            self.num_batches_tracked.add_(1)
        return _ops.norm_relu_pool(input, self.weight, self.bias, self.running_mean, self.running_var, self.training,
                                   self.momentum, self.eps, self.window, self._stride, self.padding,
                                   self.keeps_zero)[0]

    def extra_repr(self) -> str:
        text = f"{self.channels}, window={self.window}"
        if self.stride not in (None, self.window):
            text += f", stride={self.stride}"
        return text + (f", padding={self.padding}" if self.padding else "") + (
            ", keeps_zero=True" if self.keeps_zero else "")


class Enlarge(WithConstants):
    """Images [N, C, H, W] enlarged, or reduced, about their centre.

    Bicubic, without aliasing where the image shrinks. To compile it, call `prepare` with the sides of the images before.

    Args:
        factor: 1/64 to 64.
        frame: pixels a side that are kept, about the centre; 0 for the whole image.
        padding: beyond the image: "zero" or "replicate".
    """

    def __init__(self, factor: float, frame: int = 0, padding: str = "zero") -> None:
        super().__init__()
        self.factor, self.frame, self.padding = factor, frame, padding
        _ops.enlarge_matrix(factor, frame, padding, 1)  # refuses what makes no sense
        self.register_buffer("_where", torch.empty(0), persistent=False)

    def _like(self) -> Tensor:
        return self._where

    def _table(self, name: str) -> Table:
        size, = self._sizes_of(name)
        rows, numbers = _ops.enlarge_matrix(self.factor, self.frame, self.padding, size)
        return numbers, (rows, size)

    def prepare(self, size: int) -> None:
        """Makes the matrix that resamples an axis of `size` pixels."""
        self._add_constants(f"matrix_{size}")

    def forward(self, images: Tensor) -> Tensor:
        rows = self._made("matrix", self.prepare, images.shape[-2])
        columns = self._made("matrix", self.prepare, images.shape[-1])
        return _ops.enlarge(images, rows, columns)

    def extra_repr(self) -> str:
        return f"{self.factor:g}" + (f", frame={self.frame}" if self.frame else "") + (
            f", padding={self.padding!r}" if self.padding != "zero" else "")


class SpatialAvgPool(nn.Module):
    """Average over a square window in space, each scale by itself; padding is left out of the average."""

    def __init__(self, window: int = 2, stride: Optional[int] = None, padding: int = 0) -> None:
        super().__init__()
        self.window, self.stride, self.padding = window, stride, padding

    def forward(self, input: Tensor) -> Tensor:
        _check_features(self, input)
        w, s, p = self.window, self.stride or self.window, self.padding
        return F.avg_pool3d(input, (1, w, w), (1, s, s), (0, p, p), count_include_pad=False)

    def extra_repr(self) -> str:
        return f"window={self.window}, stride={self.stride or self.window}, padding={self.padding}"


class SpatialMaxPool(SpatialAvgPool):
    """Maximum over a square window in space, each scale by itself."""

    def forward(self, input: Tensor) -> Tensor:
        _check_features(self, input)
        w, s, p = self.window, self.stride or self.window, self.padding
        return F.max_pool3d(input, (1, w, w), (1, s, s), (0, p, p))


class SpatialUpsample(nn.Module):
    """Maps enlarged by a whole factor in space, each scale by itself, for decoders: SpatialUpsample, then JointConv.

    Output pixels lie where the pixels of maps from before a pooling by `factor` lie. `forward` takes the size (H', W') of
    those maps where it is no multiple of the factor.

    Args:
        factor: at least 1.
        mode: "bilinear" or "nearest".

    >>> SpatialUpsample(2)(torch.zeros(2, 8, 5, 14, 14), (29, 28)).shape
    torch.Size([2, 8, 5, 29, 28])
    """

    def __init__(self, factor: int = 2, mode: str = "bilinear") -> None:
        super().__init__()
        self.factor, self.mode = factor, mode
        self(torch.empty(0, 1, 1, 1, 1))  # refuses invalid options

    def forward(self, input: Tensor, output_size: Sequence[int] = ()) -> Tensor:
        return _ops.spatial_upsample(input, self.factor, self.mode, output_size)

    def extra_repr(self) -> str:
        return f"factor={self.factor}, mode={self.mode!r}"


class ScaleMaxProjection(nn.Module):
    """Maximum along scale, [N, C, S, H, W] to [N, C, H, W]: features that do not change with the size of the object."""

    def forward(self, input: Tensor) -> Tensor:
        _check_features(self, input)
        return input.amax(2)


class ScaleMeanProjection(nn.Module):
    """Mean along scale, [N, C, S, H, W] to [N, C, H, W]."""

    def forward(self, input: Tensor) -> Tensor:
        _check_features(self, input)
        return input.mean(2)


class ReadOut(NamedTuple):
    """What was read off scores at every size and place."""

    scores: Tensor  # [N, classes]: the maximum over planes and places
    plane: Tensor  # [N, classes]: where it is attained
    y: Optional[Tensor] = None  # [N, classes], in pixels of the maps; None where there are no places
    x: Optional[Tensor] = None


def read_out(scores: Tensor, first: int = 0, last: int = -1) -> ReadOut:
    """The maximum of scores [N, classes, S, H, W] or [N, classes, S] over planes first to last and over every place."""
    return ReadOut(*_ops.read_out(scores, first, last))


def centre_of(maps: Tensor) -> Tensor:
    """Mean over the one, two or four pixels about the centre of maps [..., H, W]."""
    return _ops.centre_of(maps)


def interpolated_plane(scores: Tensor, plane: Tensor) -> Tensor:
    """The place of the maximum between planes [N, S] around `plane` [N], by a parabola."""
    return _ops.interpolated_plane(scores, plane)
