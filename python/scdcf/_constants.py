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
        new = tuple(name for name in names if name not in self._buffers)
        for name in new:
            self.register_buffer(name, None, persistent=False)
        self._constants += new
        self._make_constants(new)

    @staticmethod
    def _sizes_of(name: str) -> Tuple[int, ...]:
        """Of a constant that depends on sizes: kind_7x8."""
        return tuple(int(size) for size in name.rsplit("_", 1)[1].split("x"))

    def _made(self, kind: str, make: Callable[..., None], *sizes: int) -> Tensor:
        """The constant of this kind for these sizes; made where there is none yet."""
        for name in self._constants:  # compared, not spelt out: where they are symbolic, a compiler can take note of it
            if name.startswith(kind + "_") and all(a == b for a, b in zip(self._sizes_of(name), sizes)):
                return self._buffers[name]
        make(*(int(size) for size in sizes))
        return self._buffers[self._constants[-1]]

    def _make_constants(self, names: Sequence[str]) -> None:
        like = self._like()
        for name in names:
            numbers, shape = self._table(name)
            self._buffers[name] = torch.tensor(numbers, dtype=like.dtype, device=like.device).view(shape)

    def _apply(self, fn: Callable[[Tensor], Tensor], *more: Any) -> "WithConstants":
        super()._apply(fn, *more)
        self._make_constants(self._constants)
        return self
