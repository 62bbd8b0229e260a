"""Networks by name, put together from the layers of this package; names of parameters are those of the program's."""
from typing import Any, Callable, Dict

from .network import Network, Reading, describe, options
from .pyramid import Pyramid, pyramid_cnn, resnet16_full, scdcfnet_full
from .skeleton import Skeleton, cnn, scdcfnet

_MAKERS: Dict[str, Callable[..., Network]] = {
    "scdcfnet": scdcfnet, "cnn": cnn, "scdcfnet-full": scdcfnet_full, "pyramid-cnn": pyramid_cnn,
    "resnet16-full": resnet16_full}


def make(name: str, **given: Any) -> Network:
    """The network that the program knows by this name."""
    if name not in _MAKERS:
        raise ValueError(f'model: got "{name}", expected one of those that Python has: {", ".join(_MAKERS)}')
    return _MAKERS[name](**given)


__all__ = ["Network", "Pyramid", "Reading", "Skeleton", "cnn", "describe", "make", "options", "pyramid_cnn",
           "resnet16_full", "scdcfnet", "scdcfnet_full"]
