"""Tables of numbers that a layer needs beside its parameters."""
from typing import Any, Callable, Sequence, Tuple

import torch
from torch import Tensor, nn

Table = Tuple[Sequence[float], Tuple[int, ...]]


class WithConstants(nn.Module):
    """Keeps constants as buffers that are neither trained nor saved.

    They are made anew from numbers in double wherever the module goes, so that `module.double()` has them in full.
    """

    _constants: Tuple[str, ...] = ()

    def _table(self, name: str) -> Table:
        """Numbers and shape of a constant."""
        raise NotImplementedError

    def _like(self) -> Tensor:
        """A tensor of the type and on the device that constants are to have."""
        raise NotImplementedError

    def _add_constants(self, *names: str) -> None:
        for name in names:
            self.register_buffer(name, None, persistent=False)
        self._constants += names
        self._make_constants(names)

    def _make_constants(self, names: Sequence[str]) -> None:
        like = self._like()
        for name in names:
            numbers, shape = self._table(name)
            self._buffers[name] = torch.tensor(numbers, dtype=like.dtype, device=like.device).view(shape)

    def _apply(self, fn: Callable[[Tensor], Tensor], *more: Any) -> "WithConstants":
        super()._apply(fn, *more)
        self._make_constants(self._constants)
        return self
