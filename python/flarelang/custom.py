"""Languages that are defined in Python."""

from __future__ import annotations

import hashlib
import random
from typing import AbstractSet, Sequence

from . import _flarelang
from ._flarelang import Language
from ._definition import Undefined, definition_sha256


class CustomLanguage:
    """A language of your own: derive, name the alphabet, and say what belongs to it.

    >>> class AnBnCn(fl.CustomLanguage):
    ...     alphabet = "abc"
    ...     version = "1"
    ...
    ...     def contains(self, string):
    ...         n = len(string) // 3
    ...         return string == ["a"] * n + ["b"] * n + ["c"] * n
    ...
    ...     def sample(self, random, min_length, max_length):
    ...         n = random.randint(-(-min_length // 3), max_length // 3)
    ...         return ["a"] * n + ["b"] * n + ["c"] * n
    >>> fl.generate(AnBnCn(), "data", name="anbncn", settings={"splits.train.size": 50})
    <Dataset data/anbncn>

    Datasets depend only on the seed and on this code, if `sample` draws only from `random`. Their
    recipe names a hash of the code, of what it uses and of the object's attributes. Where that cannot
    be computed, as of code that is typed at a prompt, name a `version`, and change it whenever the
    language changes.
    """

    alphabet: Sequence[str] = ()
    version: str = ""

    def contains(self, string: list[str]) -> bool:
        """Does the string, a list of symbols, belong to the language?"""
        raise NotImplementedError(
            f"{type(self).__name__} does not say what belongs to it\n"
            "define contains(self, string), which is True for a list of symbols that is a member"
        )

    def sample(self, random: random.Random, min_length: int, max_length: int) -> Sequence[str]:
        """A member with a length in the range."""
        raise NotImplementedError(
            f"{type(self).__name__} does not say how to draw its members\n"
            "define sample(self, random, min_length, max_length), which returns a member, a list of "
            "min_length to max_length symbols, and draws only from `random`, a random.Random"
        )

    def next_symbols(self, string: list[str]) -> Sequence[AbstractSet[str | None]]:
        """What can follow each prefix of a member, from the empty one; None is the end.

        A language that does not define this has datasets without next-symbol sets.
        """
        raise NotImplementedError

    def language(self) -> Language:
        """The same as a Language, whose methods take many strings."""
        name = type(self).__name__
        if self.version:
            what = f"{type(self).__qualname__} of version {self.version}"
            code = hashlib.sha256(what.encode()).hexdigest()
        else:
            try:
                code = definition_sha256(self, name)
            except Undefined as fault:
                raise ValueError(
                    f"{name}: nobody could tell this language from others of its name: {fault}\n"
                    'name its version, as version = "1", and change that whenever the language changes'
                ) from None
        return _flarelang.custom_language(self, name, list(self.alphabet), code)

    def __repr__(self) -> str:
        return f"<CustomLanguage {type(self).__qualname__}>"

    def _has_next_symbols(self) -> bool:
        return type(self).next_symbols is not CustomLanguage.next_symbols
