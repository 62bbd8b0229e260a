"""Networks on the disk, in the program's own format (safetensors): those that it has trained, and those for it to read."""
import json
import os
from os import PathLike
from pathlib import Path
from typing import Any, Dict, Optional, Sequence, Tuple, Union

import torch
from torch import Tensor

from . import models

Place = Union[str, "PathLike[str]"]
_MODEL = "model.safetensors"
_LARGEST = 2 << 30  # bytes, as in the program


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def _read(path: Path) -> Tuple[Dict[str, Tensor], Dict[str, Any]]:
    """Tensors and description. The library checks every byte of the file (io/model_file.h), which holds no code."""
    if path.stat().st_size > _LARGEST:
        raise ValueError(f"{path}: got {path.stat().st_size} bytes, expected at most {_LARGEST}")
    data = bytearray(path.read_bytes())
    try:
        content = torch.frombuffer(data, dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)
        tensors, metadata = torch.ops.scdcf.read_model_file(content, str(path))
    except RuntimeError as error:
        raise ValueError(_line(error)) from None
    try:
        about = json.loads(metadata["about"])
        about["config"]["model"]["name"], about["class_names"]
        for key in ("mean", "deviation"):
            about[key] = [float(number) for number in about[key]]
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{path}: its description is incomplete: {_line(error)}") from None
    return tensors, about


def _write(path: Path, tensors: Dict[str, Tensor], about: Dict[str, Any]) -> None:
    """The file is there whole or not at all."""
    content = torch.ops.scdcf.model_file(tensors, {"about": json.dumps(about)})
    data = bytearray(content.numel())
    torch.frombuffer(data, dtype=torch.uint8).copy_(content)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_bytes(data)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _file_of(place: Path) -> Path:
    """The model of a run's folder, or its newest checkpoint where the run is not finished."""
    if place.is_file():
        return place
    if not place.is_dir():
        raise FileNotFoundError(f"{place}: is missing, expected the folder of a run or a model file")
    if (place / _MODEL).exists():
        return place / _MODEL
    saved = sorted((place / "checkpoints").glob("step-*.safetensors"))
    if not saved:
        raise FileNotFoundError(f"{place}: has no weights yet, expected {_MODEL} or a checkpoint of a whole epoch")
    return saved[-1]


def load(run: Place, **changed: Any) -> models.Network:
    """A network that `scdcf train` has trained, from a run's folder or a model file; in eval mode, on the CPU.

    `changed` are options that differ from those it was trained with and that its weights serve: smaller, larger.

    >>> network = scdcf.load("runs/a")                                    # doctest: +SKIP
    >>> network(network.normalise(pictures)).argmax(1)                    # pictures [N, C, H, W], uint8
    """
    file = _file_of(Path(run))
    tensors, about = _read(file)
    given = dict(about["config"]["model"])
    name = given.pop("name")
    best = "best_weights/"  # of a checkpoint, so far
    weights = {key[len(best):]: tensor for key, tensor in tensors.items() if key.startswith(best)}
    if not weights or Path(run).is_file():
        weights = {key: tensor for key, tensor in tensors.items() if "/" not in key}
    try:
        network = models.make(name, **{**given, **changed})
        network.load_state_dict(weights)
    except (RuntimeError, TypeError, ValueError) as error:
        raise ValueError(f"{file}: {_line(error)}") from None
    network.about = about
    return network.eval()


def save(network: models.Network, path: Place, like: Optional[Place] = None,
         class_names: Optional[Sequence[str]] = None, mean: Sequence[float] = (),
         deviation: Sequence[float] = ()) -> None:
    """Writes a network where `scdcf eval`, `scdcf predict` and `scdcf.load` read it.

    One that was loaded keeps what its file said. Of one made in Python say which pictures it expects: `like` is a run, or
    a model, that was trained on the same; or give the names of the classes in order, and mean and deviation of the
    pixels, of 0 to 1, that were taken away and divided by (one number for each channel; left out, 0 and 1).
    """
    about = dict(network.about or {})
    given = [("class_names", class_names is not None), ("mean", len(mean) > 0), ("deviation", len(deviation) > 0)]
    for name, is_given in given:
        if like is not None and is_given:
            raise ValueError(f"{name}: got it and like, expected one of them: like says it already")
    if like is not None:
        _, about = _read(_file_of(Path(like)))
        for of_that_network in ("scale_calibration", "best_epoch", "best_validation"):
            about.pop(of_that_network, None)
    o = network.options
    if class_names is not None or not about:
        about = {"config": {}, "class_names": [str(c) for c in class_names or range(o["classes"])],
                 "mean": [float(m) for m in mean or [0.0] * o["in_channels"]],
                 "deviation": [float(d) for d in deviation or [1.0] * o["in_channels"]], "data_checksum": ""}
    if len(about["class_names"]) != o["classes"]:
        raise ValueError(f"class_names: got {len(about['class_names'])}, expected one for each of {o['classes']} classes")
    model = {("name" if option == "model" else option): value for option, value in o.items()}
    about["config"] = {**about["config"], "model": model}
    about["torch"] = torch.__version__
    _write(Path(path), {name: tensor.detach() for name, tensor in network.state_dict().items()}, about)
