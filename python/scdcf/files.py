"""Networks on the disk, in the program's own format: those that it has trained, and those that it is to read."""
import hashlib
import io
import json
import pickle
from os import PathLike
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Dict, Optional, Sequence, Union

import torch

from . import models

_FORMAT = "scdcf 1"
_MARK = b"scdcf SHA-256 "
_ALLOWED = {("collections", "OrderedDict"), ("torch._utils", "_rebuild_tensor_v2"),
            ("torch.jit._pickle", "restore_type_tag")}
Place = Union[str, "PathLike[str]"]


class _Unpickler(pickle.Unpickler):
    """Calls nothing but what rebuilds tensors: a file of a stranger runs no code."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"calls {module}.{name}, which no model does")
        return super().find_class(module, name)


def _check_sum(path: Path, data: bytes) -> None:
    front, carried = data[:-64], data[-64:]
    if not front.endswith(_MARK):  # files of earlier versions have it beside them
        beside = Path(f"{path}.sha256")
        if not beside.exists():
            raise ValueError(f"{path}: is no model of scdcf, or one that was cut off")
        front, carried = data, beside.read_bytes().split()[0]
    if hashlib.sha256(front).hexdigest().encode() != carried:
        raise ValueError(f"{path}: is damaged: its SHA-256 differs from the one it carries")


def _read(path: Path) -> Dict[str, Any]:
    data = path.read_bytes()
    _check_sum(path, data)
    reader = SimpleNamespace(Unpickler=_Unpickler, load=None, __name__="scdcf")
    try:
        content = torch.load(io.BytesIO(data), map_location="cpu", pickle_module=reader, weights_only=False)
    except (pickle.UnpicklingError, RuntimeError, EOFError) as error:
        raise ValueError(f"{path}: is no model of scdcf: {error}") from None
    if content.get("format") != _FORMAT:
        raise ValueError(f'{path}: is no model of scdcf: expected format "{_FORMAT}"')
    return content


def _file_of(place: Path) -> Path:
    """The model of a run's folder, or its newest checkpoint where the run is not finished."""
    if place.is_file():
        return place
    if not place.is_dir():
        raise FileNotFoundError(f"{place}: is missing, expected the folder of a run or a model file")
    if (place / "model.pt").exists():
        return place / "model.pt"
    saved = sorted((place / "checkpoints").glob("step-*.pt"))
    if not saved:
        raise FileNotFoundError(f"{place}: has no weights yet, expected model.pt or a checkpoint of a whole epoch")
    return saved[-1]


def load(run: Place, **changed: Any) -> models.Network:
    """A network that `scdcf train` has trained, from a run's folder or a model file; in eval mode, on the CPU.

    `changed` are options that differ from those it was trained with and that its weights serve: smaller, larger.

    >>> network = scdcf.load("runs/a")                                    # doctest: +SKIP
    >>> network(network.normalise(pictures)).argmax(1)                    # pictures [N, C, H, W], uint8
    """
    file = _file_of(Path(run))
    content = _read(file)
    about = json.loads(content["about"])
    given = dict(about["config"]["model"])
    name = given.pop("name")
    try:
        network = models.make(name, **{**given, **changed})
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    weights = content["weights"] if file.name == "model.pt" or not content.get("best_weights") else (
        content["best_weights"])
    network.load_state_dict(weights)
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
        about = json.loads(_read(_file_of(Path(like)))["about"])
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
    weights = {name: tensor.detach().cpu().clone() for name, tensor in network.state_dict().items()}
    archive = io.BytesIO()
    torch.save({"format": _FORMAT, "about": json.dumps(about), "weights": weights}, archive)
    # The sum of all other bytes is the comment of the zip archive, behind everything else.
    data = archive.getvalue()[:-2] + (len(_MARK) + 64).to_bytes(2, "little") + _MARK
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(data + hashlib.sha256(data).hexdigest().encode())
