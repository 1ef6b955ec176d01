"""FLaRe++ in Python: formal languages as arrays, datasets, and neural recognizers of them.

    import flarelang as fl

    language = fl.Language("regex:(0|10)*1?")                   # no two 1s in a row
    data = fl.generate(language, "data", name="no-11")
    run = fl.train(data, "run", architecture="lstm", max_epochs=10)
    print(fl.extract(run))                                      # what it has learned

docs/reference/python.md is a tour.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import display as _display
from ._flarelang import Dfa, Language, NextSymbols, StateTracker, Strings, __version__, languages
from .analysis import Classification, Extraction, Report, classify, extract, papers, report
from .custom import CustomLanguage
from .dataset import Baselines, Dataset, Split, Verification, generate
from .engine import Sweep, sweep, train
from .run import Run, runs
from .training import fit, score

if TYPE_CHECKING:
    from . import torch

__all__ = [
    "Baselines",
    "Classification",
    "CustomLanguage",
    "Dataset",
    "Dfa",
    "Extraction",
    "Language",
    "NextSymbols",
    "Report",
    "Run",
    "Split",
    "StateTracker",
    "Strings",
    "Sweep",
    "Verification",
    "__version__",
    "classify",
    "extract",
    "fit",
    "generate",
    "languages",
    "papers",
    "report",
    "runs",
    "score",
    "sweep",
    "torch",
    "train",
]

_display.install()


def __getattr__(name: str) -> Any:
    # PyTorch takes a second to load: only where it is used.
    if name == "torch":
        import importlib

        return importlib.import_module(".torch", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
