"""Tables of values that a layer needs beside its parameters."""
from typing import Any, Callable, Dict, Optional

import torch
from torch import Tensor, nn


class WithConstants(nn.Module):
    """Keeps constants as buffers that are neither trained nor saved, and of which none depends on an input.

    They are made in `__init__` and, from values in double, wherever the module goes, so that `module.double()` has them
    in full. Nothing is made in `forward`: threads, traces and refused inputs leave them alone.
    """

    def _tables(self) -> Dict[str, Optional[Tensor]]:
        """The constants by name, in double."""
        raise NotImplementedError

    def _like(self) -> Tensor:
        """A tensor of the type and on the device that constants are to have."""
        raise NotImplementedError

    def _make_constants(self) -> None:
        with torch.inference_mode(False), torch.no_grad():
            like = self._like()
            for name, table in self._tables().items():
                self.register_buffer(name, None if table is None else table.to(like.device, like.dtype), persistent=False)

    def _apply(self, fn: Callable[[Tensor], Tensor], *more: Any) -> "WithConstants":
        super()._apply(fn, *more)
        self._make_constants()
        return self
