"""Datasets in the FLaRe layout: making, reading and verifying them."""

from __future__ import annotations

import json
import os
from functools import cached_property
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Union

import numpy as np

from . import _flarelang
from ._flarelang import Language, NextSymbols, StateTracker, Strings
from .catalogue import catalogue
from .custom import CustomLanguage

if TYPE_CHECKING:
    from numpy.typing import NDArray

Path = Union[str, "os.PathLike[str]"]
OF_CODE = (
    "give fl.Dataset its language to have it: fl.Dataset(path, MyLanguage()); what needs an automaton, "
    "or checks every claim, works for languages that are defined by text"
)


class Split:
    """One split of a dataset. A column is read when it is first asked for.

    >>> test = fl.Dataset("data/parity")["test"]
    >>> test
    <Split test, 80 examples>
    >>> fl.Language("parity").contains(test.strings).tolist() == test.labels.tolist()
    True
    """

    def __init__(self, dataset: Path, name: str) -> None:
        self.name = name
        self._dataset = os.fspath(dataset)
        self.strings: Strings
        self.labels: NDArray[np.bool_]
        self.strings, self.labels = _flarelang.read_strings(self._dataset, name)

    def __len__(self) -> int:
        return len(self.strings)

    def __repr__(self) -> str:
        return f"<Split {self.name}, {len(self)} examples>"

    def _column(self, name: str) -> Any:
        return _flarelang.read_column(self._dataset, self.name, name)

    @cached_property
    def next_symbols(self) -> NextSymbols | None:
        """What can follow each prefix of each member. None if the dataset does not say."""
        return self._column("next_symbols")

    @cached_property
    def log_probabilities(self) -> NDArray[np.float64] | None:
        """Natural logarithms, NaN for strings that are not members."""
        return self._column("log_probabilities")

    @cached_property
    def num_edits(self) -> NDArray[np.int64] | None:
        """By how many edits a negative was made from a member; -1 for all others."""
        return self._column("num_edits")

    @cached_property
    def edit_distances(self) -> NDArray[np.int64] | None:
        """The distance of a negative to the language; -1 for members."""
        return self._column("edit_distances")


class DrawnSplit(Split):
    """Strings that no file has: those of an epoch of training."""

    def __init__(
        self,
        name: str,
        strings: Strings,
        labels: NDArray[np.bool_],
        next_symbols: NextSymbols | None,
    ) -> None:
        self.name = name
        self.strings = strings
        self.labels = labels
        self.__dict__["next_symbols"] = next_symbols

    def _column(self, name: str) -> Any:
        return None


class Verification:
    """What `Dataset.verify` found: true if nothing differs; as text, a table.

    >>> found = fl.Dataset("data/parity").verify()
    >>> bool(found), found
    (True, <Verification, nothing differs>)
    """

    def __init__(self, table: str, rows: list[dict[str, Any]], ok: bool) -> None:
        self.rows = rows
        self.ok = ok
        self._table = table

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self._table

    def __repr__(self) -> str:
        return f"<Verification, {'nothing differs' if self.ok else 'something differs'}>"


class Baselines:
    """How far trivial recognizers get on each split; as text, a table.

    >>> baselines = fl.Dataset("data/parity").baselines()
    >>> baselines
    <Baselines of 5 splits>
    >>> 0.4 < baselines.splits["test"]["majority"] < 0.7
    True
    """

    def __init__(self, table: str, splits: dict[str, dict[str, Any]]) -> None:
        self.splits = splits
        self._table = table

    def __str__(self) -> str:
        return self._table

    def __repr__(self) -> str:
        return f"<Baselines of {len(self.splits)} splits>"


class Dataset:
    """A directory in the FLaRe layout. `language` is its language, if it does not say: a name, a
    definition, or an object of yours.

    What is read must have the hash that manifest.json records, if there is one.

    >>> data = fl.Dataset("data/parity")
    >>> data.alphabet, data.language
    (('0', '1'), <Language parity>)
    >>> data["train"].strings[0][:0], len(data["train"])
    ([], 300)
    """

    def __init__(self, path: Path, language: str | Language | CustomLanguage = "") -> None:
        self.path = os.fspath(path)
        if not os.path.isdir(self.path):
            raise ValueError(f"{self.path}: no such directory\nfl.generate makes datasets")
        self.alphabet: tuple[str, ...] = tuple(_flarelang.read_alphabet(self.path))
        self.splits: list[str] = _flarelang.splits_in(self.path)
        self._language = language if isinstance(language, str) else ""
        self._object = None if isinstance(language, str) else language
        self._read: dict[str, Split] = {}

    def __getstate__(self) -> dict[str, Any]:
        # The tracker is made again where it is needed. Code of yours need not be picklable.
        state = {name: value for name, value in self.__dict__.items() if name != "tracker"}
        if self._object is not None:
            state["_object"] = None
            state.pop("language", None)
        return state

    @property
    def name(self) -> str:
        """That of its directory."""
        return os.path.basename(os.path.realpath(self.path))

    @cached_property
    def language(self) -> Language:
        """The language that its manifest keeps, or the one that was given."""
        if isinstance(self._object, Language):
            return self._object
        if self._object is not None:
            return self._object.language()
        return self._with_help(_flarelang.dataset_language, self.path, self._language)

    def _with_help(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls it; what it says of a language that only code knows, in the words of Python."""
        try:
            return function(*arguments)
        except ValueError as fault:
            if "no code is run because a file names it" not in str(fault):
                raise
            raise ValueError(f"{str(fault).splitlines()[0]}\n{OF_CODE}") from None

    @cached_property
    def tracker(self) -> StateTracker:
        """The minimal complete DFA of the language, whose states the loss term st predicts."""
        return self._with_help(StateTracker, self.path)

    def columns(self, term: str) -> int:
        """How many logits the head of an auxiliary term of the loss has at each position.

        >>> data = fl.Dataset("data/parity")
        >>> data.columns("ns"), data.columns("st")  # two symbols and the end; two states
        (3, 2)
        """
        terms = catalogue()["terms"]
        if term not in terms:
            raise ValueError(f"there is no term {term!r}; there are {', '.join(terms)}")
        return (
            self.tracker.num_states if terms[term]["needs_states"] else len(self.alphabet) + 1
        )

    def __getitem__(self, split: str) -> Split:
        if split not in self.splits:
            raise KeyError(f"{self.path} has no split {split!r}; it has {', '.join(self.splits)}")
        if split not in self._read:
            self._read[split] = Split(self.path, split)
        return self._read[split]

    def __iter__(self) -> Iterator[str]:
        return iter(self.splits)

    def __len__(self) -> int:
        return len(self.splits)

    def __repr__(self) -> str:
        return f"<Dataset {self.path}>"

    def verify(self, examples: int = 3) -> Verification:
        """Recomputes what the dataset claims, and keeps this many differing examples per check.

        >>> fl.Dataset("data/parity").verify().ok
        True
        """
        table, rows, ok = self._with_help(_flarelang.verify, self.path, self._language, examples)
        return Verification(table, json.loads(rows), ok)

    def baselines(self) -> Baselines:
        """How far majority, counts, n-grams, the format and state merging get.

        >>> sorted(fl.Dataset("data/parity").baselines().splits)[:2]
        ['test', 'test-edit-distance']
        """
        table, text = self._with_help(_flarelang.baselines, self.path, self._language)
        return Baselines(table, json.loads(text)["splits"])

    def to_huggingface(self, directory: Path) -> None:
        """Writes it for the Hugging Face hub: Parquet where pyarrow is installed, else JSONL.

        >>> fl.Dataset("data/parity").to_huggingface("hub")
        """
        from . import huggingface

        huggingface.write(self, os.fspath(directory))


def generate(
    language: str | Language | CustomLanguage,
    out: Path,
    *,
    name: str | None = None,
    seed: int = 0,
    preset: str = "flare",
    settings: Mapping[str, object] | None = None,
) -> Dataset:
    """Makes the dataset OUT/NAME, as `flare generate` does; an existing one is kept.

    `settings` are those of --set: {"splits.train.size": 500}. A language that you define needs a
    name.

    >>> sizes = {"splits.train.size": 100, "splits.test.size": 50}
    >>> fl.generate("regex:(ab)*", "data", name="ab", seed=1, settings=sizes)
    <Dataset data/ab>
    """
    chosen: dict[str, object] = dict(settings or {})
    given: str | CustomLanguage = language if isinstance(language, CustomLanguage) else ""
    if isinstance(language, str):
        language = Language(language)
    elif isinstance(language, CustomLanguage):
        if not language._has_next_symbols():
            chosen.setdefault("files.next_symbols", False)
        language = language.language()
    if name is None:
        if language.name not in _flarelang.languages():
            raise ValueError(f"{language.name}: needs a directory name; give one with name=")
        name = language.name
    _flarelang.generate(language, name, os.fspath(out), seed, preset, chosen)
    return Dataset(os.path.join(os.fspath(out), name), given)
