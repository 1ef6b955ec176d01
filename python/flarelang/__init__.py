"""FLaRe++ in Python: formal languages as arrays, datasets, and runs of neural recognizers.

    import flarelang as fl
    language = fl.Language("regex:(0|10)*1?")
    strings = language.sample(10_000, max_length=40, seed=0)

docs/reference/python.md is a tour.
"""

from __future__ import annotations

from typing import Any

from ._flarelang import Dfa, Language, NextSymbols, StateTracker, Strings, __version__, languages
from .custom import CustomLanguage
from .dataset import Baselines, Dataset, Split, Verification, generate
from .run import Run, runs
from .training import fit, score

__all__ = [
    "Baselines",
    "CustomLanguage",
    "Dataset",
    "Dfa",
    "Language",
    "NextSymbols",
    "Run",
    "Split",
    "StateTracker",
    "Strings",
    "Verification",
    "__version__",
    "fit",
    "generate",
    "languages",
    "runs",
    "score",
]


def __getattr__(name: str) -> Any:
    # PyTorch takes a second to load: only where it is used.
    if name == "torch":
        import importlib

        return importlib.import_module(".torch", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
