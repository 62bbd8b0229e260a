"""What all networks of this package are."""
from typing import Any, Dict, NamedTuple, Optional

import torch
from torch import Tensor, nn

from ..images import ImageFile, read_image
from .._texts import Option, texts_of, value_of


def options(name: str, **given: Any) -> Dict[str, Option]:
    """All options of a network, those that were left open filled in by the library.

    >>> options("scdcfnet")["channels"]
    [32, 64, 96]
    """
    values, kinds, _ = torch.ops.scdcf.network_options(texts_of({"model": name, **given}))
    return {option: value_of(text, kinds[option]) for option, text in values.items()}


def describe(name: str = "scdcfnet") -> str:
    """The options of a network, one a line: name, value where it is left open, what it is."""
    values, _, texts = torch.ops.scdcf.network_options({"model": name})
    return "\n".join(f"{option}={values[option] or repr('')}: {texts[option]}" for option in values if texts[option])


class Reading(NamedTuple):
    """What a network says of each image beside its scores."""

    scores: Tensor  # [N, classes]
    size: Tensor  # [N]: of the object, as share of the side of the image
    beyond: Tensor  # [N]: -1, 1 where the object may be smaller, larger than what the network looks for; else 0


class Network(nn.Module):
    """A classifier: images [N, C, H, W] to class scores [N, classes].

    Attributes:
        options: all its options, by the names of `scdcf train` (image_size, channels, ...); "model" is its name.
        about: what its file says beside the weights, of networks that were loaded: class_names, mean, deviation, ...
    """

    def __init__(self, resolved: Dict[str, Option]) -> None:
        super().__init__()
        self.options = resolved
        self.about: Optional[Dict[str, Any]] = None

    def training_scores(self, images: Tensor, labels: Tensor) -> Tensor:
        """The scores that a loss compares with the labels [N] while training; those of forward in most networks."""
        return self(images)

    def _check(self, images: Tensor) -> None:
        o = self.options
        expected = [o["in_channels"], o["image_size"], o["image_size"]]
        if images.dim() != 4 or list(images.shape[1:]) != expected or not images.is_floating_point():
            raise ValueError(f"{o['model']}: images: got shape {[int(n) for n in images.shape]} of {images.dtype}, expected "
                             f"{['N', *expected]} in floating point".replace("'", ""))

    def read(self, images: Tensor) -> Optional[Reading]:
        """Scores, and the size of the object, in networks that read it off their scores."""
        return None

    def read_images(self, *files: ImageFile) -> Tensor:
        """PNG or JPEG files as images [N, C, H, W] of 0 to 255, cropped or otherwise fitted as in training."""
        about = self.about or {}
        fit = about.get("config", {}).get("data", {}).get("fit", "crop")
        o = self.options
        return torch.stack([read_image(file, o["image_size"], o["in_channels"], fit, about.get("background", 255))
                            for file in files])

    def normalise(self, images: Tensor) -> Tensor:
        """Images of 0 to 255, or of 0 to 1 where they are not whole numbers, as a loaded network wants them."""
        if self.about is None:
            raise ValueError("normalise: got a network that was not loaded, expected one that knows mean and deviation")
        if images.dim() != 4 or images.shape[1] != self.options["in_channels"]:
            raise ValueError(f"normalise: got shape {list(images.shape)}, expected images [N, "
                             f"{self.options['in_channels']}, H, W]")
        mean, deviation = (torch.tensor(self.about[key], dtype=torch.get_default_dtype(), device=images.device)
                           .view(1, -1, 1, 1) for key in ("mean", "deviation"))
        unit = images if images.is_floating_point() else images / 255
        return (unit - mean) / deviation
