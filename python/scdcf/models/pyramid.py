"""Networks whose scores move with the size of the object: the same weights look at the image at many sizes."""
import math
from typing import Any, Dict, List, Optional, Sequence

import torch
from torch import Tensor, nn

from .._texts import Option, texts_of
from ..convolutions import JointConv, LiftingConv, PointwiseConv, ScaleGrid
from ..pooling import Enlarge, NormReluPool, SpatialAvgPool, centre_of
from ..residual import ResidualBlock
from .network import Network, Reading, options


def _beyond_the_border(o: Dict[str, Any]) -> str:
    """The layers' padding: black is zero."""
    return "zero" if o["padding"] == "black" else "replicate"


class _JointLevel(nn.Module):
    """What looks at one level with joint convolutions of one scale tap: planes do not meet."""

    def __init__(self, o: Dict[str, Any], planes: int) -> None:
        super().__init__()
        self.grid = ScaleGrid(planes, o["scale_step"], o["finest_width"])
        self.filters = dict(bias=False, padding=_beyond_the_border(o), modes=o["modes"], basis=o["basis"])
        whole_object = ScaleGrid(planes, o["scale_step"], o["class_width"])
        self.class_layer = JointConv(o["channels"][-1], o["hidden"], whole_object, scale_taps=1,
                                     **{**self.filters, "modes": o["class_modes"]})
        self.norm = NormReluPool(o["hidden"], window=1)
        self.dropout = nn.Dropout(o["dropout"])
        self.scores = PointwiseConv(o["hidden"], o["classes"])

    def maps(self, frames: Tensor) -> Tensor:
        raise NotImplementedError

    def prepare(self, frame: int) -> None:
        """For frames of this size: two poolings halve them."""
        self.class_layer.prepare_centre(frame // 4, frame // 4)

    def forward(self, frames: Tensor, at_centre: bool) -> Tensor:
        maps = self.maps(frames)
        hidden = self.class_layer.at_centre(maps)[..., None, None] if at_centre else self.class_layer(maps)
        scores = self.scores(self.dropout(self.norm(hidden)))
        return scores[..., 0, 0] if at_centre else scores.amax((3, 4))


class _PlainBlocks(_JointLevel):
    def __init__(self, o: Dict[str, Any], planes: int) -> None:
        super().__init__(o, planes)
        inputs = o["in_channels"]
        for i, channels in enumerate(o["channels"]):
            conv: nn.Module = LiftingConv(inputs, channels, self.grid, **self.filters) if i == 0 else JointConv(
                inputs, channels, self.grid, scale_taps=1, **self.filters)
            end = NormReluPool(channels, window=2 if i < 2 else 1, keeps_zero=o["padding"] == "black")
            self.add_module(f"block{i + 1}", nn.Sequential(conv, end))
            inputs = channels
        self._blocks = len(o["channels"])

    def maps(self, frames: Tensor) -> Tensor:
        maps = frames
        for i in range(self._blocks):
            maps = getattr(self, f"block{i + 1}")(maps)
        return maps


class _ResidualBlocks(_JointLevel):
    def __init__(self, o: Dict[str, Any], planes: int) -> None:
        super().__init__(o, planes)
        c, black = o["channels"], o["padding"] == "black"
        self.first = LiftingConv(o["in_channels"], c[0], self.grid, **self.filters)
        for group in range(1, len(c)):
            blocks: List[nn.Module] = [SpatialAvgPool(2)] if group > 1 else []
            for inputs in (c[group - 1], c[group]):
                blocks.append(ResidualBlock(inputs, c[group], self.grid, scale_taps=1, keeps_zero=black, **self.filters))
            self.add_module(f"group{group}", nn.Sequential(*blocks))
        self.last = NormReluPool(c[-1], window=1, keeps_zero=black)

    def maps(self, frames: Tensor) -> Tensor:
        return self.last(self.group3(self.group2(self.group1(self.first(frames)))))


class _PlainLevel(nn.Module):
    """Plain convolutions; one plane a level."""

    def __init__(self, o: Dict[str, Any], planes: int) -> None:
        super().__init__()
        mode = "zeros" if o["padding"] == "black" else "replicate"
        kernel, class_kernel = int(o["finest_width"]), int(o["class_width"])
        channels = [o["in_channels"], *o["channels"]]
        self._blocks = len(o["channels"])
        for i in range(self._blocks):
            self.add_module(f"conv{i + 1}", nn.Conv2d(channels[i], channels[i + 1], kernel, padding=kernel // 2,
                                                      bias=False, padding_mode=mode))
            self.add_module(f"norm{i + 1}", NormReluPool(channels[i + 1], window=2 if i < 2 else 1,
                                                         keeps_zero=o["padding"] == "black"))
        self.class_layer = nn.Conv2d(channels[-1], o["hidden"], class_kernel, padding=class_kernel // 2, bias=False,
                                     padding_mode=mode)
        self.norm = NormReluPool(o["hidden"], window=1)
        self.dropout = nn.Dropout(o["dropout"])
        self.scores = nn.Conv2d(o["hidden"], o["classes"], 1)

    def prepare(self, frame: int) -> None:
        pass

    def _around_centre(self, maps: Tensor) -> Tensor:
        """What the class layer says about the centre: only what its filters see there is convolved."""
        around = self.class_layer.kernel_size[0] // 2
        top, left = ((side - 1) // 2 - around for side in maps.shape[2:])
        bottom, right = (side // 2 + around for side in maps.shape[2:])
        if top < 0 or left < 0 or bottom >= maps.shape[2] or right >= maps.shape[3]:
            return centre_of(self.class_layer(maps))[..., None, None]
        seen = maps[:, :, top:bottom + 1, left:right + 1]
        return nn.functional.conv2d(seen, self.class_layer.weight).mean((2, 3), keepdim=True)

    def forward(self, frames: Tensor, at_centre: bool) -> Tensor:
        maps = frames
        for i in range(1, self._blocks + 1):
            maps = getattr(self, f"norm{i}")(getattr(self, f"conv{i}")(maps))
        hidden = self._around_centre(maps) if at_centre else self.class_layer(maps)
        scores = self.scores(self.dropout(self.norm(hidden)))
        return (scores[..., 0, 0] if at_centre else scores.amax((2, 3))).unsqueeze(2)


class Pyramid(Network):
    """scdcfnet-full, resnet16-full and pyramid-cnn, told apart by what looks at a level."""

    _LEVELS = {"scdcfnet-full": _PlainBlocks, "resnet16-full": _ResidualBlocks, "pyramid-cnn": _PlainLevel}

    def __init__(self, resolved: Dict[str, Option]) -> None:
        super().__init__(resolved)
        enlargements, frames, home, self._home_planes, self.step, self.first_size, self.plan = (
            torch.ops.scdcf.scale_plan(texts_of(resolved)))
        self.home = [bool(level) for level in home]
        self.level = self._LEVELS[resolved["model"]](resolved, self._home_planes[0])
        self.centred = resolved["read_out"] == "centre"
        self.enlarge = nn.ModuleList(Enlarge(factor, frame, _beyond_the_border(resolved))
                                     for factor, frame in zip(enlargements, frames))
        for layer in self.enlarge:
            layer.prepare(resolved["image_size"])
        if self.centred:
            for frame in set(frames):
                self.level.prepare(frame)

    def _levels(self, images: Tensor, counts: Sequence[int]) -> List[Optional[Tensor]]:
        """Scores [n, classes, P] of the first n = counts[level] images at each level; None where that is none."""
        self._check(images)
        shown = [i for i, count in enumerate(counts) if count > 0]
        frames = [self.enlarge[i](images[:counts[i]]) for i in shown]
        if all(frame.shape[2] == frames[0].shape[2] for frame in frames):
            # One batch: faster, and in training one set of statistics.
            scores = list(self.level(torch.cat(frames), self.centred).split([counts[i] for i in shown]))
        else:
            scores = [self._of_level(i, frame) for i, frame in zip(shown, frames)]
        found = dict(zip(shown, scores))
        return [found.get(i) for i in range(len(counts))]

    def _of_level(self, level: int, frames: Tensor) -> Tensor:
        """Scores of a level of its own size: only those of home have a part in the statistics of batch-norm."""
        as_in_use = self.training and not (level < len(self.home) and self.home[level])
        if not as_in_use:
            return self.level(frames, self.centred)
        self.level.eval()
        try:
            return self.level(frames, self.centred)
        finally:
            self.level.train()

    def planes(self, images: Tensor) -> Tensor:
        """Scores [N, classes, S] of every plane, from the finest to the coarsest: scaling an image moves them along."""
        return torch.cat(self._levels(images, [images.shape[0]] * len(self.home)), 2)

    def forward(self, images: Tensor) -> Tensor:
        return self.planes(images).amax(2)

    def training_scores(self, images: Tensor, labels: Tensor) -> Tensor:
        """What an image shows must be said on planes where it is at home, what it does not show nowhere.

        Nor at the levels that are there in training alone: they show it as small and as large as other sizes will appear.
        """
        count = images.shape[0]
        others = math.ceil(self.options["others_share"] * count)
        counts = [count if home else others for home in self.home]
        levels = self._levels(images, counts + [(others + 1) // 2] * (len(self.enlarge) - len(counts)))
        return torch.ops.scdcf.pyramid_training_scores(levels, labels, *self._home_planes)

    def read(self, images: Tensor) -> Reading:
        return Reading(*torch.ops.scdcf.pyramid_reading(self.planes(images), self.step, self.first_size))

    def extra_repr(self) -> str:
        return self.plan


def scdcfnet_full(**given: Any) -> Pyramid:
    """Equivariant up to the class scores: recognises sizes never seen, and reads the size off.

    Train it on `training_scores(images, labels)`; `forward` gives the scores of a trained one, `read` the size too.
    Options are those of `scdcf train --model scdcfnet-full`, such as smaller=3, larger=2, channels, hidden, and
    smallest_object, largest_object: sizes trained on, as shares of the side of the image.
    """
    return Pyramid(options("scdcfnet-full", **given))


def resnet16_full(**given: Any) -> Pyramid:
    """As scdcfnet_full, as deep as ResNet-16, for natural images."""
    return Pyramid(options("resnet16-full", **given))


def pyramid_cnn(**given: Any) -> Pyramid:
    """The rival of scdcfnet_full: one plain CNN on an image pyramid."""
    return Pyramid(options("pyramid-cnn", **given))
