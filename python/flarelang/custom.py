"""Languages that are defined in Python."""

from __future__ import annotations

import hashlib
import inspect
import random
from typing import AbstractSet, Sequence

from . import _flarelang
from ._flarelang import Language


class CustomLanguage:
    """A language of your own: derive, name the alphabet, and say what belongs to it.

    class AnBnCn(fl.CustomLanguage):
        alphabet = "abc"

        def contains(self, string):
            n = len(string) // 3
            return string == ["a"] * n + ["b"] * n + ["c"] * n

        def sample(self, random, min_length, max_length):
            n = random.randint(-(-min_length // 3), max_length // 3)
            return ["a"] * n + ["b"] * n + ["c"] * n

    fl.generate(AnBnCn(), "data", name="anbncn")

    Datasets depend only on the seed and on this code, if `sample` draws only from `random`.
    """

    alphabet: Sequence[str] = ()

    def contains(self, string: list[str]) -> bool:
        raise NotImplementedError

    def sample(self, random: random.Random, min_length: int, max_length: int) -> Sequence[str]:
        """A member with a length in the range."""
        raise NotImplementedError

    def next_symbols(self, string: list[str]) -> Sequence[AbstractSet[str | None]]:
        """What can follow each prefix of a member, from the empty one; None is the end.

        A language that does not define this has datasets without next-symbol sets.
        """
        raise NotImplementedError

    def language(self) -> Language:
        """The same as a Language, whose methods take many strings."""
        kind = type(self)
        try:
            code = inspect.getsource(kind)
        except (OSError, TypeError):
            code = kind.__qualname__  # typed at a prompt
        digest = hashlib.sha256(code.encode()).hexdigest()
        return _flarelang.custom_language(self, kind.__name__, list(self.alphabet), digest)

    def _has_next_symbols(self) -> bool:
        return type(self).next_symbols is not CustomLanguage.next_symbols
