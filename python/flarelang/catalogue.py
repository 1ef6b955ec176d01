"""What the program's catalogues say, read from the program itself."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from . import _flarelang


@lru_cache(maxsize=None)
def catalogue() -> dict[str, Any]:
    """Architectures with the defaults of their options, terms of the loss, optimizers, schedules."""
    read: dict[str, Any] = json.loads(_flarelang.catalogue())
    return read


def terms_of(loss: str) -> list[str]:
    """The terms of a loss besides recognition."""
    return [term for term in loss.split("+") if term != "rec"]


def recognizes(loss: str) -> bool:
    """Is recognition a term of the loss?"""
    return "rec" in loss.split("+")
