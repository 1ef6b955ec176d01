"""Runs on disk: what was set, what happened, what came out (docs/reference/runs.md)."""

from __future__ import annotations

import json
import os
from functools import cached_property
from typing import TYPE_CHECKING, Any, Sequence, Union

import numpy as np

from . import _flarelang
from ._flarelang import Strings

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray

Path = Union[str, "os.PathLike[str]"]


class Run:
    """The directory of a run, finished or not.

    >>> run = fl.train("data/parity", "runs/lstm", architecture="lstm", seed=1, hidden=8, layers=1,
    ...                max_epochs=2, progress=False)
    >>> run
    <Run runs/lstm, finished>
    >>> run.predict(["0 1", "1 1"]).shape, 0 < run.result["splits"]["test"]["accuracy"] < 1
    ((2,), True)
    """

    def __init__(self, path: Path) -> None:
        self.path = os.fspath(path)
        _flarelang.read_run(self.path)  # or it is not a run

    def __repr__(self) -> str:
        return f"<Run {self.path}, {self.state}>"

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path}

    def _read(self) -> tuple[str, str | None]:
        """config.json and result.json."""
        state, reason, config, result = _flarelang.read_run(self.path)
        if config is None:
            raise ValueError(f"{self.path}: the run is {state}: {reason}")
        return config, result

    @cached_property
    def config(self) -> dict[str, Any]:
        """Everything that decides the result. Raises ValueError, as all that follows does, if the
        run is damaged: if a file is not as the run left it, or the run is not that of its place in a
        sweep."""
        return json.loads(self._read()[0])

    @property
    def result(self) -> dict[str, Any] | None:
        """How it ended; None while it has not."""
        result = self._read()[1]
        return None if result is None else json.loads(result)

    @property
    def failure(self) -> dict[str, Any] | None:
        """Why it failed, with the end of its log; None if it has not."""
        text = _flarelang.read_failure(self.path)
        return None if text is None else json.loads(text)

    @property
    def state(self) -> str:
        """As `flare sweep list` shows it: finished, diverged, failed, running, left or damaged."""
        return _flarelang.read_run(self.path)[0]

    @property
    def events(self) -> list[dict[str, Any]]:
        """What happened, in order."""
        lines = _flarelang.read_events(self.path).split("\n")
        return [json.loads(line) for line in lines if line]

    def evaluation(self, split: str) -> dict[str, Any]:
        """All metrics of a split, with the tables by length.

        >>> run = next(iter(fl.Sweep("sweep-1")))
        >>> sorted(run.evaluation("test")["by_length"][0])
        ['ce_squared_sum', 'ce_sum', 'correct', 'examples', 'length']
        """
        text = _flarelang.read_evaluation(self.path, split)
        if text is None:
            raise KeyError(f"{self.path} has no evaluation of {split!r}")
        return json.loads(text)

    @cached_property
    def model(self) -> _flarelang.Model:
        """The trained model, which computes as the program does. For runs of our architectures."""
        self._read()
        return _flarelang.Model(self.path)

    def logits(self, strings: Strings | Sequence[str] | Sequence[Sequence[str]]) -> NDArray[np.float32]:
        """What the network says of each string: it accepts those with 0 or more.

        >>> next(iter(fl.Sweep("sweep-1"))).logits(["0 1", "1 1 0"]).shape
        (2,)
        """
        return self.model.logits(strings)

    def predict(
        self, strings: Strings | Sequence[str] | Sequence[Sequence[str]]
    ) -> NDArray[np.float64]:
        """The probability that each string is accepted.

        >>> probabilities = next(iter(fl.Sweep("sweep-1"))).predict(["0 1", "1 1 0"])
        >>> ((0 < probabilities) & (probabilities < 1)).tolist()
        [True, True]
        """
        logits = self.logits(strings).astype(np.float64)
        small = np.exp(-np.abs(logits))
        return np.where(logits >= 0, 1.0, small) / (1.0 + small)

    def prefix_logits(
        self, strings: Strings | Sequence[str] | Sequence[Sequence[str]]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The logits of all prefixes, from the empty one, and where those of each string begin.

        >>> logits, begins = next(iter(fl.Sweep("sweep-1"))).prefix_logits(["0 1", "1 1 0"])
        >>> len(logits), begins.tolist()
        (7, [0, 3, 7])
        """
        return self.model.prefix_logits(strings)

    def states(
        self, strings: Strings | Sequence[str] | Sequence[Sequence[str]]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The last hidden vectors after all prefixes, from the empty one, a row each, and the rows
        with which each string begins. As `flare states` writes them.

        >>> vectors, begins = next(iter(fl.Sweep("sweep-1"))).states(["0 1", "1 1 0"])
        >>> vectors.shape, begins.tolist()
        ((7, 4), [0, 3, 7])
        """
        return self.model.states(strings)

    def head_logits(
        self, term: str, strings: Strings | Sequence[str] | Sequence[Sequence[str]]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """What the head of an auxiliary term of the loss says after all prefixes, a row each, and
        the rows with which each string begins. For "lm" and "ns" a column per symbol, then EOS; for
        "st" a column per state.

        >>> run = fl.train("data/parity", "heads", architecture="lstm", loss="rec+st", seed=1,
        ...                hidden=8, layers=1, max_epochs=1, progress=False)
        >>> run.head_logits("st", ["0 1"])[0].shape
        (3, 2)
        """
        return self.model.head_logits(term, strings)


def _flattened(prefix: str, value: Any, row: dict[str, Any]) -> None:
    if isinstance(value, dict):
        for key, part in value.items():
            _flattened(f"{prefix}_{key}", part, row)
    else:
        row[prefix] = value


def _row(
    path: str, coordinates: dict[str, Any], read: tuple[str, str, str | None, str | None]
) -> dict[str, Any]:
    state, reason, config_text, result_text = read
    row: dict[str, Any] = {"run": path}
    if config_text is not None:
        config = json.loads(config_text)
        data = config.pop("data")
        external = config.pop("external", None)
        for key in ("format", "drawn"):
            config.pop(key, None)
        row["language"] = data["language"]
        row.update(config)
        row["validation_split"] = config["validation"]
        row["external"] = external is not None
        row["data_sha256"] = data["sha256"]
    # The grid's names last: its `validation` is short where the setting is validation-short.
    row.update(coordinates)
    row["state"] = state
    result = json.loads(result_text) if result_text else {}
    splits = result.pop("splits", {})
    for key, value in result.items():
        _flattened(key, value, row)
    for split, metrics in splits.items():
        _flattened(split, metrics or {}, row)
    row["failure"] = reason or None
    return row


def runs(out: Path) -> pandas.DataFrame:
    """A row per run that is begun below a directory, with the columns of the report's runs.csv.

    Rows of a sweep, or of its records, have the coordinates of its grid. Of a run that is damaged
    there is its state, and what is wrong as its failure.

    >>> run = fl.train("data/parity", "runs/lstm", architecture="lstm", seed=1, hidden=8, layers=1,
    ...                max_epochs=2, progress=False)
    >>> fl.runs("runs")[["architecture", "language", "state"]].values.tolist()
    [['lstm', 'parity', 'finished']]
    """
    import pandas

    out = os.fspath(out)
    if not os.path.isdir(out):
        raise ValueError(f"{out}: no such directory")
    rows = []
    for folder, folders, files in os.walk(out):
        folders.sort()
        if "sweep.json" in files:
            for path, coordinates, read in _flarelang.read_sweep(folder):
                if read[2] is not None or read[0] == "damaged":
                    rows.append(_row(path, coordinates, read))
        elif "config.json" in files:
            rows.append(_row(folder, {}, _flarelang.read_run(folder)))
        else:
            continue
        folders.clear()
    return pandas.DataFrame(rows)
