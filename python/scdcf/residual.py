"""A pre-activation residual block of joint convolutions."""
from typing import Any

from torch import Tensor, nn
from torch.nn import functional as F

from .convolutions import JointConv, PointwiseConv, ScaleGrid


class ResidualBlock(nn.Module):
    """Batch-norm, ReLU, JointConv, batch-norm, ReLU, dropout, JointConv, plus the input: [N, C, S, H, W] to [N, O, S, H', W'].

    Where channels or stride change, the input goes through a PointwiseConv after the first ReLU. Options are those of
    JointConv; the second convolution keeps the channels.
    """

    def __init__(self, in_channels: int, out_channels: int, grid: ScaleGrid, stride: int = 1, dropout: float = 0.0,
                 bias: bool = True, **conv: Any) -> None:
        super().__init__()
        if conv.get("padding", "zero") == "none":
            raise ValueError("ResidualBlock: padding: got none, expected zero or replicate: the shortcut keeps the size "
                             "of the map")
        self.norm1 = nn.BatchNorm3d(in_channels)
        self.conv1 = JointConv(in_channels, out_channels, grid, stride=stride, bias=bias, **conv)
        self.norm2 = nn.BatchNorm3d(out_channels)
        self.dropout = nn.Dropout(dropout)
        self.conv2 = JointConv(out_channels, out_channels, grid, bias=bias, **conv)
        self.shortcut = (PointwiseConv(in_channels, out_channels, stride=stride, bias=bias)
                         if in_channels != out_channels or stride != 1 else None)

    def forward(self, input: Tensor) -> Tensor:
        active = F.relu(self.norm1(input))
        hidden = F.relu(self.norm2(self.conv1(active)))
        return self.conv2(self.dropout(hidden)) + (input if self.shortcut is None else self.shortcut(active))
