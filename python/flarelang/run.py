"""Runs on disk: what was set, what happened, what came out; docs/runs.md describes the files."""

from __future__ import annotations

import json
import os
from functools import cached_property
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _flarelang
from ._flarelang import Strings

if TYPE_CHECKING:
    import pandas

Path = str | os.PathLike[str]

# The folders from OUT/runs down to a run.
COORDINATES = ("language", "variant", "loss", "validation", "budget", "trial")


class Run:
    """The directory of a run, finished or not."""

    def __init__(self, path: Path) -> None:
        self.path = os.fspath(path)
        if not os.path.exists(self._file("config.json")):
            raise ValueError(f"{self.path}: is not a run: it has no config.json")

    def __repr__(self) -> str:
        return f"<Run {self.path}, {self.state}>"

    def _file(self, *names: str) -> str:
        return os.path.join(self.path, *names)

    def _json(self, *names: str) -> Any:
        if not os.path.exists(self._file(*names)):
            return None
        with open(self._file(*names), encoding="utf-8") as file:
            return json.load(file)

    @cached_property
    def config(self) -> dict[str, Any]:
        """Everything that decides the result."""
        return self._json("config.json")

    @property
    def result(self) -> dict[str, Any] | None:
        """How it ended; None while it has not."""
        return self._json("result.json")

    @property
    def failure(self) -> dict[str, Any] | None:
        return self._json("failure.json")

    @property
    def state(self) -> str:
        """As `flare sweep list` shows it: finished, diverged, failed, running or left."""
        result = self.result
        if result is not None:
            return str(result["outcome"])
        if self.failure is not None:
            return "failed"
        return "running" if os.path.exists(self._file("lock")) else "left"

    @property
    def events(self) -> list[dict[str, Any]]:
        """What happened, in order."""
        if not os.path.exists(self._file("events.jsonl")):
            return []
        with open(self._file("events.jsonl"), encoding="utf-8") as file:
            # A last line without a newline is still being written.
            return [json.loads(line) for line in file if line.endswith("\n")]

    def evaluation(self, split: str) -> dict[str, Any]:
        """All metrics of a split, with the tables by length."""
        metrics = self._json("eval", f"{split}.json")
        if metrics is None:
            raise KeyError(f"{self.path} has no evaluation of {split!r}")
        return metrics

    @cached_property
    def model(self) -> _flarelang.Model:
        """The trained model, which computes as the program does. For runs of our architectures."""
        return _flarelang.Model(self.path)

    def logits(self, strings: Strings | Sequence[str] | Sequence[Sequence[str]]) -> NDArray[np.float32]:
        return self.model.logits(strings)

    def predict(
        self, strings: Strings | Sequence[str] | Sequence[Sequence[str]]
    ) -> NDArray[np.float64]:
        """The probability that each string is accepted."""
        logits = self.logits(strings).astype(np.float64)
        small = np.exp(-np.abs(logits))
        return np.where(logits >= 0, 1.0, small) / (1.0 + small)

    def prefix_logits(
        self, strings: Strings | Sequence[str] | Sequence[Sequence[str]]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The logits of all prefixes, from the empty one, and where those of each string begin."""
        return self.model.prefix_logits(strings)

    def states(
        self, strings: Strings | Sequence[str] | Sequence[Sequence[str]]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The last hidden vectors after all prefixes, from the empty one, a row each, and the rows
        with which each string begins. As `flare states` writes them."""
        return self.model.states(strings)

    def head_logits(
        self, term: str, strings: Strings | Sequence[str] | Sequence[Sequence[str]]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """What the head of an auxiliary term of the loss says after all prefixes, a row each, and
        the rows with which each string begins. For "lm" and "ns" a column per symbol, then EOS; for
        "st" a column per state."""
        return self.model.head_logits(term, strings)


def _flattened(prefix: str, value: Any, row: dict[str, Any]) -> None:
    if isinstance(value, dict):
        for key, part in value.items():
            _flattened(f"{prefix}_{key}", part, row)
    else:
        row[prefix] = value


def _row(run: Run, coordinates: dict[str, Any]) -> dict[str, Any]:
    config = dict(run.config)
    data = config.pop("data")
    external = config.pop("external", None)
    for key in ("format", "drawn"):
        config.pop(key, None)
    row: dict[str, Any] = {"run": run.path, "language": data["language"]}
    row.update(config)
    row["validation_split"] = config["validation"]
    row["external"] = external is not None
    row["data_sha256"] = data["sha256"]
    # The grid's names last: its `validation` is short where the setting is validation-short.
    row.update(coordinates)
    row["state"] = run.state
    result = run.result or {}
    splits = result.pop("splits", {})
    for key, value in result.items():
        _flattened(key, value, row)
    for split, metrics in splits.items():
        _flattened(split, metrics or {}, row)
    failure = run.failure
    row["failure"] = failure["reason"] if failure else None
    return row


def runs(out: Path) -> pandas.DataFrame:
    """A row per run that is begun below a directory, with the columns of the report's runs.csv.

    For a sweep directory, rows have the coordinates of its grid.
    """
    import pandas

    out = os.fspath(out)
    if not os.path.isdir(out):
        raise ValueError(f"{out}: no such directory")
    sweep = os.path.join(out, "runs") if os.path.exists(os.path.join(out, "sweep.json")) else None
    rows = []
    for folder, folders, files in os.walk(sweep or out):
        folders.sort()
        if "config.json" not in files:
            continue
        folders.clear()
        names = os.path.relpath(folder, sweep).split(os.sep) if sweep else []
        coordinates: dict[str, Any] = dict(zip(COORDINATES, names))
        for number in ("budget", "trial"):
            if number in coordinates:
                coordinates[number] = int(coordinates[number])
        rows.append(_row(Run(folder), coordinates))
    return pandas.DataFrame(rows)
