"""FLaRe++ in Python: formal languages as arrays, datasets, and runs of neural recognizers.

    import flarelang as fl
    language = fl.Language("regex:(0|10)*1?")
    strings = language.sample(10_000, max_length=40, seed=0)

docs/python.md is a tour.
"""

from __future__ import annotations

from ._flarelang import Dfa, Language, NextSymbols, Strings, __version__, languages
from .custom import CustomLanguage
from .dataset import Baselines, Dataset, Split, Verification, generate

__all__ = [
    "Baselines",
    "CustomLanguage",
    "Dataset",
    "Dfa",
    "Language",
    "NextSymbols",
    "Split",
    "Strings",
    "Verification",
    "__version__",
    "generate",
    "languages",
]
