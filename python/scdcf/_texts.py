"""Options as the words that the library takes and gives (core/named_texts.h)."""
from typing import Any, Dict, List, Union

Option = Union[int, float, str, List[int]]

_READ = {"whole": int, "real": float, "word": str,
         "list": lambda text: [] if text == "none" else [int(part) for part in text.split(",")]}


def text_of(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (list, tuple)):
        return ",".join(str(int(number)) for number in value) or "none"
    return repr(value) if isinstance(value, float) else str(value)


def texts_of(options: Dict[str, Any]) -> Dict[str, str]:
    return {name: text_of(value) for name, value in options.items()}


def value_of(text: str, kind: str) -> Option:
    return _READ[kind](text)
