"""What is known about languages, networks and sweeps: classes, extracted automata, reports."""

from __future__ import annotations

import json
import os
from functools import cached_property
from typing import TYPE_CHECKING, Any, Sequence

from . import _flarelang
from ._flarelang import Dfa, Language
from .dataset import Path
from .engine import Sweep
from .run import Run

if TYPE_CHECKING:
    import pandas


class Classification:
    """Where a regular language stands, and what theory predicts of it; as text, all of it.

    >>> parity = fl.classify("parity")
    >>> parity.classes
    ['group', 'commutative']
    >>> parity.holds("star_free"), parity.circuit_class
    (False, 'ACC0')
    """

    def __init__(self, text: str, brief: str, json: dict[str, Any]) -> None:
        self.json = json
        self.brief = brief
        self._text = text

    @property
    def name(self) -> str:
        """The language's."""
        return str(self.json["name"])

    @property
    def classes(self) -> list[str]:
        """The smallest classes that it belongs to."""
        return list(self.json["classes"])

    @property
    def circuit_class(self) -> str | None:
        """AC0, ACC0 or NC1-complete; None if that is not known."""
        return self.json["circuit_class"]

    def holds(self, property: str) -> bool | None:
        """Does it have a property, a key of `json["properties"]`? None if that was not decided.

        >>> fl.classify("parity").holds("star_free")
        False
        """
        properties = self.json["properties"]
        if property not in properties:
            raise KeyError(f"no property {property!r}; there are {', '.join(properties)}")
        return properties[property]["holds"]

    @property
    def predictions(self) -> list[dict[str, Any]]:
        """What theorems say of architectures on it, each with its source and all that it assumes."""
        return list(self.json["predictions"])

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Classification of {self.name}: {'; '.join(self.classes) or 'none'}>"


class Extraction:
    """The automaton that a network has learned, and what separates it from the target; as text, all
    of it.

    >>> run = fl.train("data/parity", "runs/lstm", architecture="lstm", seed=1, hidden=8, layers=1,
    ...                max_epochs=2, progress=False)
    >>> learned = fl.extract(run, max_states=20, queries=2000)
    >>> len(learned.dfa) == learned.json["states"]
    True
    """

    def __init__(self, run: Path, json: dict[str, Any], text: str, dfa: Dfa) -> None:
        self.path = os.fspath(run)
        self.json = json
        self.dfa = dfa
        self._text = text

    @property
    def language(self) -> Language:
        """What the automaton accepts. Raises ValueError if that is nothing."""
        file = os.path.join(self.path, "extract", "automaton.att")
        return Language(f"att:{file}", alphabet=self.json["alphabet"])

    @property
    def fidelity(self) -> pandas.DataFrame:
        """How often the automaton answers as the network does, by law, kind and lengths."""
        import pandas

        return pandas.DataFrame(self.json["fidelity"])

    @property
    def sentence(self) -> str:
        """The finding."""
        return self._text.split("\n", 1)[0].rstrip(".")

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Extraction of {self.path}: {self.sentence}>"


class Report:
    """A report that was written: its page, its tables and what became of the runs.

    >>> grid = {"languages": ["parity"], "architectures": ["rnn"], "losses": ["rec"],
    ...         "validations": ["short"], "settings": {"hidden": 4, "layers": 1, "max_epochs": 1},
    ...         "data": {"splits.train.size": 200}}
    >>> report = fl.report(fl.sweep(grid, "data-small", "sweep-1", jobs=1, progress=False), "report")
    >>> report
    <Report report: 1 of 1 run finished>
    >>> report.page
    'report/index.html'
    """

    def __init__(self, folder: Path, summary: dict[str, Any]) -> None:
        self.folder = os.fspath(folder)
        self.summary = summary

    @property
    def page(self) -> str:
        """The file to open in a browser."""
        return os.path.join(self.folder, "index.html")

    @cached_property
    def tables(self) -> list[str]:
        """The names of its tables."""
        names = os.listdir(os.path.join(self.folder, "tables"))
        return sorted(name.removesuffix(".json") for name in names if name.endswith(".json"))

    def table_json(self, name: str) -> dict[str, Any]:
        """A table with its caption, columns, rows and notes.

        >>> fl.report("sweep-1", "report").table_json("main")["rows"][0]["language"]["text"]
        'Parity'
        """
        if name not in self.tables:
            raise KeyError(f"no table {name!r}; there are {', '.join(self.tables)}")
        with open(os.path.join(self.folder, "tables", f"{name}.json"), encoding="utf-8") as file:
            read: dict[str, Any] = json.load(file)
        return read

    def table(self, name: str) -> pandas.DataFrame:
        """A table with every digit.

        >>> len(fl.report("sweep-1", "report").table("main"))  # in pandas
        1
        """
        import pandas

        self.table_json(name)
        return pandas.read_csv(os.path.join(self.folder, "tables", f"{name}.csv"))

    def __str__(self) -> str:
        return str(self.summary["text"])

    def __repr__(self) -> str:
        return f"<Report {self.folder}: {self.summary['text']}>"


def classify(
    language: str | Language | Run | Extraction,
    *,
    readout: str | None = None,
    max_elements: int | None = None,
) -> Classification:
    """Where a regular language stands, and what theory predicts of it, as `flare classify`.

    Of a run or an extraction, the language that its network has learned. `readout` is "last" (networks
    answer at the last symbol) or "eos" (after the string); by default last, or a run's own.
    `max_elements` bounds the syntactic monoid.

    >>> fl.classify("regex:(ab)*")
    <Classification of regex:(ab)*: strictly local (k = 2)>
    """
    if isinstance(language, Run):
        readout = readout or str(language.config.get("readout", "last"))
        language = extract(language)
    if isinstance(language, Extraction):
        language = language.language
    if not isinstance(language, Language):
        language = Language(language)
    if max_elements is None:
        max_elements = _flarelang.default_max_elements()
    text, full, brief = _flarelang.classify(language, readout or "last", max_elements)
    return Classification(full, brief, json.loads(text))


def extract(
    run: Run | Path,
    *,
    max_length: int | None = None,
    max_states: int | None = None,
    queries: int | None = None,
) -> Extraction:
    """The automaton that the network of a finished run has learned, as `flare extract`, which leaves
    the same files in the run's directory.

    >>> run = fl.train("data/parity", "runs/lstm", architecture="lstm", seed=1, hidden=8, layers=1,
    ...                max_epochs=2, progress=False)
    >>> fl.extract(run, max_states=20, queries=2000).json["alphabet"]
    ['0', '1']
    """
    path = run.path if isinstance(run, Run) else os.fspath(run)
    states, most = _flarelang.default_extraction()
    text, full, dfa = _flarelang.extract(
        path,
        max_length,
        states if max_states is None else max_states,
        most if queries is None else queries,
    )
    return Extraction(path, json.loads(text), full, dfa)


def report(
    sweeps: Path | Run | Sweep | Sequence[Path | Run | Sweep],
    to: Path,
    *,
    published: bool = True,
    whole_trials: bool = False,
    metric: str = "",
    tables: Path = "",
) -> Report:
    """Writes tables, figures and a page about sweeps, finished or not, as `flare report`.

    `published` shows published values where ours can be compared with them, `whole_trials` leaves out
    trials that are not done at every point of the grid, `metric` is what tables show instead of what the
    grid says, and `tables` is a folder of further tables.

    >>> grid = {"languages": ["parity"], "architectures": ["rnn"], "losses": ["rec"],
    ...         "validations": ["short"], "settings": {"hidden": 4, "layers": 1, "max_epochs": 1},
    ...         "data": {"splits.train.size": 200}}
    >>> sweep = fl.sweep(grid, "data-small", "sweep-1", jobs=1, progress=False)
    >>> "main" in fl.report(sweep, "report").tables
    True
    """
    given = [sweeps] if isinstance(sweeps, (str, os.PathLike, Run, Sweep)) else list(sweeps)
    paths = [one.path if isinstance(one, (Run, Sweep)) else os.fspath(one) for one in given]
    summary = _flarelang.report(paths, to, published, whole_trials, metric, tables)
    return Report(to, json.loads(summary))


def papers() -> pandas.DataFrame:
    """The experiments that are part of the program: a row per grid, which `fl.sweep` takes by name.

    `core_hours` are those of all its runs, NaN where nobody has measured them; `shows` says what for.

    >>> fl.papers().set_index("name").loc["paper", "runs"]
    4320
    """
    import pandas

    return pandas.DataFrame(_flarelang.presets())
