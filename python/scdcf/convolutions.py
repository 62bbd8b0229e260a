"""Lifting, joint and pointwise convolutions: their parameters are coefficients of filters on fixed bases."""
import inspect
from typing import Any, Dict, NamedTuple, Optional, Sequence

import torch
from torch import Tensor, nn

from ._constants import WithConstants
from ._texts import texts_of

_ops = torch.ops.scdcf


class ScaleGrid(NamedTuple):
    """The scale axis: filters at scale index s are `finest_width * 2**(s * step)` pixels wide."""

    count: int
    step: float
    finest_width: float


def _changed(layer: nn.Module, names: Sequence[str]) -> str:
    """", stride=2" and so on: options that are not what they are when left open."""
    defaults = inspect.signature(type(layer).__init__).parameters
    values = {name: getattr(layer, name) for name in names}
    values["bias"] = getattr(layer, "bias", None) is not None
    return "".join(f", {name}={value!r}" for name, value in values.items() if value != defaults[name].default)


class _Coefficients(WithConstants):
    """A layer with coefficients and, if `bias`, a learned number for each channel."""

    def _make_parameters(self, coefficients: Sequence[int], bias: bool, deviation: float, device: Any,
                         dtype: Any) -> None:
        self._deviation = deviation
        self.coefficients = nn.Parameter(torch.empty(*coefficients, device=device, dtype=dtype))
        self.register_parameter(
            "bias", nn.Parameter(torch.empty(coefficients[0], device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws coefficients that keep the mean square of ReLU features about constant with depth."""
        nn.init.normal_(self.coefficients, 0, self._deviation)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def _like(self) -> Tensor:
        return self.coefficients


class _ExpandedConv(_Coefficients):
    """Parameters: coefficients [O, C, K_alpha, K] and, with bias, bias [O].

    The buffer `signature` names their grid and basis; a state for another grid or basis is refused.
    """

    _lifting: bool

    def __init__(self, in_channels: int, out_channels: int, grid: ScaleGrid, options: Dict[str, Any], bias: bool,
                 device: Any, dtype: Any) -> None:
        super().__init__()
        self.in_channels, self.out_channels, self.grid = in_channels, out_channels, ScaleGrid(*grid)
        for name, value in options.items():
            setattr(self, name, value)
        self._options = texts_of({
            "in_channels": in_channels, "out_channels": out_channels, "scales": self.grid.count,
            "step": float(self.grid.step), "finest_width": float(self.grid.finest_width), "bias": bias, **options})
        _, phi, *_, self._signature, modes, _, _, _, _, deviation = _ops.conv_tables(self._lifting, self._options)
        self._make_parameters((out_channels, in_channels, phi.shape[0], len(modes) // 2), bias, deviation, device, dtype)
        self._make_constants()

    def _tables(self) -> Dict[str, Optional[Tensor]]:
        taps, phi, factors, filters, _, modes, radii, sources, sizes, separable, _ = _ops.conv_tables(
            self._lifting, self._options)
        where = self.coefficients  # on a CPU, on a GPU, on a GPU in double
        self._separable = bool(separable[0 if where.device.type != "cuda" else 2 if where.dtype == torch.float64 else 1])
        # Plain numbers, for forward to hand on.
        stride, (columns, rows, padding), step = int(self._options["stride"]), sizes, float(self.grid.step)
        self._plan = (modes, radii, sources, columns, rows, stride, padding, self._lifting, self._separable, step)
        self._centre_plan = (radii, stride, padding, step)
        return {"taps": taps, "phi": phi, "table": factors if self._separable else filters,
                "filters": filters if self._separable and phi.shape[1] == 1 and not self._lifting else None}

    def _make_constants(self) -> None:
        super()._make_constants()
        text = torch.tensor(list(self._signature.encode()), dtype=torch.uint8, device=self.coefficients.device)
        self.register_buffer("signature", text)

    def forward(self, input: Tensor) -> Tensor:
        return _ops.expanded_conv(input, self.coefficients, self.bias, self.taps, self.table, *self._plan)

    def _load_from_state_dict(self, state_dict: Dict[str, Any], prefix: str, *more: Any) -> None:
        saved = state_dict.get(prefix + "signature")  # the C++ library's goes to another type with its layer
        got = self._signature if saved is None else bytes(saved.flatten().to("cpu", torch.uint8).tolist()).decode(errors="replace")
        if got != self._signature:
            more[-1].append(f'{prefix}signature: got coefficients for "{got}", expected "{self._signature}"')
        else:
            super()._load_from_state_dict(state_dict, prefix, *more)

    def extra_repr(self) -> str:
        grid = f"ScaleGrid({self.grid.count}, {self.grid.step:g}, {self.grid.finest_width:g})"
        names = [name for name in inspect.signature(type(self).__init__).parameters
                 if name not in ("self", "in_channels", "out_channels", "grid", "bias", "device", "dtype")]
        return f"{self.in_channels}, {self.out_channels}, {grid}" + _changed(self, names)


class LiftingConv(_ExpandedConv):
    """The first layer: images [N, C, H, W] to features [N, O, S, H', W'].

    Scale s of the result is the response to filters `grid.finest_width * 2**(s * grid.step)` pixels wide.

    Args:
        in_channels, out_channels: channels of images and features.
        grid: the scale axis, a ScaleGrid or a tuple (count, step in octaves, finest width in pixels).
        stride: 1 or 2.
        padding: beyond the border: "zero", "replicate" or "none".
        bias: adds a learned number to each channel.
        modes: K, basis functions in space.
        basis: their family: "sine", "hermite-gauss", "bspline", "fourier-bessel", ...
        sampling: "area" (integrals over pixels) or "point".
        max_kernel_size: odd; larger filters are cropped; 0 for no limit.
        algorithm: "automatic", "separable" or "composed".

    Parameters: coefficients [O, C, 1, K], bias [O].

    >>> LiftingConv(1, 8, ScaleGrid(5, 0.25, 5.0))(torch.zeros(2, 1, 28, 28)).shape
    torch.Size([2, 8, 5, 28, 28])
    """

    _lifting = True

    def __init__(self, in_channels: int, out_channels: int, grid: ScaleGrid, stride: int = 1, padding: str = "zero",
                 bias: bool = True, modes: int = 15, basis: str = "sine", sampling: str = "area",
                 max_kernel_size: int = 0, algorithm: str = "automatic", device: Any = None, dtype: Any = None) -> None:
        super().__init__(in_channels, out_channels, grid,
                         dict(stride=stride, padding=padding, modes=modes, basis=basis, sampling=sampling,
                              max_kernel_size=max_kernel_size, algorithm=algorithm), bias, device, dtype)


class JointConv(_ExpandedConv):
    """The joint convolution over space and scale: [N, C, S, H, W] to [N, O, S, H', W'].

    Args:
        scale_taps: L_alpha, taps along scale; 1 keeps the planes apart; may exceed the number of scales; odd if centred.
        scale_modes: K_alpha, basis functions in scale; 0 for as many as there are taps.
        support: "one-sided" (an output scale reads itself and finer ones) or "centred".
        scale_padding: beyond the finest scale: "replicate" or "zero".
        The others are those of LiftingConv.

    Parameters: coefficients [O, C, K_alpha, K], bias [O].

    >>> JointConv(8, 16, ScaleGrid(5, 0.25, 5.0))(torch.zeros(2, 8, 5, 28, 28)).shape
    torch.Size([2, 16, 5, 28, 28])
    """

    _lifting = False

    def __init__(self, in_channels: int, out_channels: int, grid: ScaleGrid, stride: int = 1, padding: str = "zero",
                 bias: bool = True, scale_taps: int = 3, scale_modes: int = 0, support: str = "one-sided",
                 scale_padding: str = "replicate", modes: int = 15, basis: str = "sine", sampling: str = "area",
                 max_kernel_size: int = 0, algorithm: str = "automatic", device: Any = None, dtype: Any = None) -> None:
        super().__init__(in_channels, out_channels, grid,
                         dict(stride=stride, padding=padding, scale_taps=scale_taps, scale_modes=scale_modes,
                              support=support, scale_padding=scale_padding, modes=modes, basis=basis,
                              sampling=sampling, max_kernel_size=max_kernel_size, algorithm=algorithm),
                         bias, device, dtype)

    def at_centre(self, input: Tensor) -> Tensor:
        """`centre_of(self(input))`, [N, C, S, H, W] to [N, O, S], without convolving everywhere.

        With one scale tap and stride 1.
        """
        return _ops.joint_conv_at_centre(input, self.coefficients, self.bias, self.phi,
                                         self.filters if self._separable else self.table, *self._centre_plan)


class PointwiseConv(_Coefficients):
    """A joint convolution of one pixel: mixes channels, and scales where it has more than one tap.

    [N, C, S, H, W] to [N, O, S, H', W'], any number of scales; options as in JointConv.

    Parameters: coefficients [O, C, K_alpha], bias [O].
    """

    def __init__(self, in_channels: int, out_channels: int, stride: int = 1, bias: bool = True, scale_taps: int = 1,
                 scale_modes: int = 0, support: str = "one-sided", scale_padding: str = "replicate",
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.in_channels, self.out_channels, self.stride = in_channels, out_channels, stride
        self.scale_taps, self.scale_modes = scale_taps, scale_modes
        self.support, self.scale_padding = support, scale_padding
        self._options = texts_of(dict(in_channels=in_channels, out_channels=out_channels, stride=stride, bias=bias,
                                      scale_taps=scale_taps, scale_modes=scale_modes, support=support,
                                      scale_padding=scale_padding))
        phi, deviation = _ops.pointwise_tables(self._options)
        self._make_parameters((out_channels, in_channels, phi.shape[0]), bias, deviation, device, dtype)
        self._make_constants()

    def _tables(self) -> Dict[str, Optional[Tensor]]:
        return {"phi": _ops.pointwise_tables(self._options)[0]}

    def forward(self, input: Tensor) -> Tensor:
        return _ops.pointwise_conv(input, self.coefficients, self.bias, self.phi, self.stride, self.support,
                                   self.scale_padding)

    def extra_repr(self) -> str:
        return f"{self.in_channels}, {self.out_channels}" + _changed(
            self, ["stride", "scale_taps", "scale_modes", "support", "scale_padding"])
