"""A pre-activation residual block of joint convolutions."""
from typing import Any

from torch import Tensor, nn

from .convolutions import JointConv, PointwiseConv, ScaleGrid
from .pooling import NormReluPool


class ResidualBlock(nn.Module):
    """Batch-norm, ReLU, JointConv, batch-norm, ReLU, dropout, JointConv, plus the input: [N, C, S, H, W] to [N, O, S, H', W'].

    Where channels or stride change, the input goes through a PointwiseConv after the first ReLU. Options are those of
    JointConv; the second convolution keeps the channels. With keeps_zero and no biases maps that are zero stay so.
    """

    def __init__(self, in_channels: int, out_channels: int, grid: ScaleGrid, stride: int = 1, dropout: float = 0.0,
                 bias: bool = True, keeps_zero: bool = False, **conv: Any) -> None:
        super().__init__()
        if conv.get("padding", "zero") == "none":
            raise ValueError("ResidualBlock: padding: got none, expected zero or replicate: the shortcut keeps the size "
                             "of the map")
        self.norm1 = NormReluPool(in_channels, window=1, keeps_zero=keeps_zero)
        self.conv1 = JointConv(in_channels, out_channels, grid, stride=stride, bias=bias, **conv)
        self.norm2 = NormReluPool(out_channels, window=1, keeps_zero=keeps_zero)
        self.dropout = nn.Dropout(dropout)
        self.conv2 = JointConv(out_channels, out_channels, grid, bias=bias, **conv)
        self.shortcut = (PointwiseConv(in_channels, out_channels, stride=stride, bias=bias)
                         if in_channels != out_channels or stride != 1 else None)

    def forward(self, input: Tensor) -> Tensor:
        active = self.norm1(input)
        return self.conv2(self.dropout(self.norm2(self.conv1(active)))) + (input if self.shortcut is None else self.shortcut(active))
