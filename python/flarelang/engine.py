"""The program's own training and sweeps, called from Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import warnings
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence

from . import _flarelang
from .dataset import Dataset, Path
from .progress import duration, open_progress, show_training
from .run import Run, runs

if TYPE_CHECKING:
    import pandas


def setting_texts(settings: Mapping[str, object]) -> dict[str, str]:
    """Settings as files and flags write them."""
    return {
        key: str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in settings.items()
        if value is not None
    }


def train(
    dataset: Dataset | Path,
    run: Path,
    *,
    architecture: str,
    loss: str = "rec",
    validation: str = "short",
    seed: int = 0,
    time_limit: float | None = None,
    progress: bool = True,
    **settings: object,
) -> Run:
    """Trains a recognizer as `flare train` does: the same settings, the same bits.

    What is not given is drawn, as there. An unfinished run continues, and a finished one is returned.
    Ctrl-C raises KeyboardInterrupt after the run has saved its state: the same call then continues it,
    to the same bits. `time_limit`, in seconds, stops it in the same way, without an exception.

    >>> run = fl.train("data/parity", "runs/lstm", architecture="lstm", seed=1, hidden=8, layers=1,
    ...                max_epochs=2, progress=False)
    >>> run.state, run.config["learning_rate"] > 0
    ('finished', True)
    """
    given = setting_texts(
        {
            "architecture": architecture,
            "loss": loss,
            "validation": validation,
            "seed": seed,
            **settings,
        }
    )
    path = dataset.path if isinstance(dataset, Dataset) else os.fspath(dataset)
    limit = float("inf") if time_limit is None else float(time_limit)
    with open_progress(progress) as bar:
        finished, reason = _flarelang.train(
            run, path, given, limit, 10.0, lambda report: show_training(bar, report)
        )
        if not finished:
            bar.say(f"{os.fspath(run)}: stopped ({reason}); the same call continues it")
    return Run(run)


class Sweep:
    """The directory of a grid's runs, finished or not.

    >>> sweep = fl.sweep({"languages": ["parity"], "architectures": ["rnn"], "losses": ["rec"],
    ...                   "validations": ["short"], "trials": 2,
    ...                   "settings": {"hidden": 4, "layers": 1, "max_epochs": 1},
    ...                   "data": {"splits.train.size": 200}},
    ...                  "data-small", "sweep", progress=False)
    >>> sweep
    <Sweep sweep, 2 of 2 runs finished>
    >>> sweep.runs()[["architecture", "trial", "state"]].values.tolist()
    [['rnn', 1, 'finished'], ['rnn', 2, 'finished']]
    """

    def __init__(self, path: Path) -> None:
        self.path = os.fspath(path)
        _flarelang.read_sweep(self.path)  # or it is not a sweep

    @property
    def states(self) -> dict[str, int]:
        """How many of the grid's runs are finished, failed, running, left, …"""
        counts: dict[str, int] = {}
        for _, _, (state, _, _, _) in _flarelang.read_sweep(self.path):
            counts[state] = counts.get(state, 0) + 1
        return counts

    def runs(self) -> pandas.DataFrame:
        """A row per run that is begun: `fl.runs` of this directory.

        >>> fl.Sweep("sweep-1").runs()["state"].tolist()
        ['finished']
        """
        return runs(self.path)

    def __iter__(self) -> Iterator[Run]:
        """The runs that are begun, in the order of the grid."""
        for path, _, (_, _, config, _) in _flarelang.read_sweep(self.path):
            if config is not None:
                yield Run(path)

    def __len__(self) -> int:
        return len(_flarelang.read_sweep(self.path))

    def __repr__(self) -> str:
        states = self.states
        done = states.pop("finished", 0)
        rest = "".join(f", {count} {state}" for state, count in states.items() if state != "planned")
        return f"<Sweep {self.path}, {done} of {len(self)} runs finished{rest}>"


def _toml(value: object, where: str) -> str:
    """A value of a grid as TOML, on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value), ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, Mapping):
        items = (f"{_toml(str(key), where)} = {_toml(item, where)}" for key, item in value.items())
        return "{" + ", ".join(items) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(_toml(item, where) for item in value) + "]"
    raise TypeError(f"{where}: {value!r} is nothing that a grid can have")


def _grid_text(grid: Mapping[str, object]) -> str:
    # Tables last, as TOML wants them; their lines are then numbered as the keys are written.
    plain = {key: value for key, value in grid.items() if not isinstance(value, Mapping)}
    tables = {key: value for key, value in grid.items() if isinstance(value, Mapping)}
    lines = [f"{key} = {_toml(value, key)}" for key, value in plain.items()]
    for name, table in tables.items():
        lines.append(f"[{name}]")
        for key, value in table.items():
            # "splits.train.size" is a path in TOML as it is in settings.
            lines.append(f"{key} = {_toml(value, f'{name}.{key}')}")
    return "\n".join(lines) + "\n"


def _grid_options(grid: str | Path | Mapping[str, object]) -> dict[str, str]:
    if isinstance(grid, Mapping):
        return {"grid": _grid_text(grid), "where": "grid", "preset": ""}
    path = os.fspath(grid)
    if isinstance(grid, str) and not os.path.exists(grid):
        names = [preset["name"] for preset in _flarelang.presets()]
        if grid in names or not grid.endswith(".toml"):
            return {"grid": "", "where": "", "preset": grid}
    with open(path, encoding="utf-8") as file:
        return {"grid": file.read(), "where": path, "preset": ""}


class _Worker:
    """The process that works on the sweep, and what it says."""

    def __init__(self, options: Mapping[str, object], stderr: Any) -> None:
        package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
        # A session of its own: Ctrl-C is for us, and we tell it to stop, once.
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}._sweep"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
            start_new_session=True,
        )
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(options).encode())
        self._process.stdin.close()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            yield json.loads(line)

    def stop(self) -> None:
        """Its runs save their states."""
        if self._process.poll() is None:
            self._process.terminate()
        self._process.wait()

    def wait(self) -> int:
        return self._process.wait()


def _cores() -> int:
    """Those that we may use; only Linux says which of a machine's they are."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _follow(worker: _Worker, bar: Any) -> dict[str, Any] | None:
    """Shows what happens, until the worker says that it is done; None if it never does."""
    done: dict[str, Any] | None = None
    total, steps, unit = 0, 0, ""
    for event in worker:
        if "say" in event:
            bar.say(event["say"])
        elif "begin" in event:
            total, steps, unit = event["begin"], 0, event["unit"]
        elif "step" in event:
            steps += 1
            text = f"{steps}/{total} {unit} {event['step']}"
            bar.show(steps / max(total, 1), text, is_event=bool(event["step"]))
        elif "show" in event:
            view = event["show"]
            failed = f", {view['failed']} failed" if view["failed"] else ""
            text = f"{view['finished']} of {view['runs']} runs finished{failed}"
            left = duration(view["seconds_left"])
            bar.show(view["finished"] / max(view["runs"], 1), f"{text}; about {left} left")
        elif "done" in event:
            done = event["done"]
        elif event.get("error") == "OSError":
            raise OSError(event["errno"], event["message"])
        elif event.get("error") == "MemoryError":
            raise MemoryError(event["message"])
        elif "error" in event:
            raise ValueError(event["message"])
    return done


def sweep(
    grid: str | Path | Mapping[str, object],
    data: Path,
    out: Path,
    *,
    jobs: int | None = None,
    only: Sequence[str] = (),
    extend: bool = False,
    repair: bool = False,
    retry_failed: bool = False,
    known: Path | None = None,
    time_limit: float | None = None,
    progress: bool = True,
) -> Sweep:
    """Trains a whole grid as `flare sweep run` does, each run in a process of its own.

    `grid` is a TOML file, a preset, or a dictionary with the contents of such a file; datasets that are
    missing are made in `data`, and the runs are in `out`. The other arguments are the flags of the
    command. Ctrl-C raises KeyboardInterrupt after all runs have saved their states: the same call
    continues. Runs that fail do not stop the others; a warning says how many did.

    >>> grid = {"languages": ["parity"], "architectures": ["rnn"], "losses": ["rec"],
    ...         "validations": ["short"], "settings": {"hidden": 4, "layers": 1, "max_epochs": 1},
    ...         "data": {"splits.train.size": 200}}
    >>> fl.sweep(grid, "data-small", "sweep-1", jobs=1, progress=False).states
    {'finished': 1}
    """
    options = {
        **_grid_options(grid),
        "data": os.fspath(data),
        "out": os.fspath(out),
        "jobs": _cores() if jobs is None else jobs,
        "only": list(only),
        "extend": extend,
        "repair": repair,
        "retry_failed": retry_failed,
        "known": "" if known is None else os.fspath(known),
        "time_limit": 1e300 if time_limit is None else float(time_limit),
    }
    with open_progress(progress) as bar, tempfile.TemporaryFile() as errors:
        worker = _Worker(options, errors)
        try:
            done = _follow(worker, bar)
        except BaseException:
            worker.stop()
            raise
        code = worker.wait()
        if done is None or done.get("machine_failed"):
            errors.seek(0)
            text = errors.read().decode(errors="replace").strip()
            raise RuntimeError(f"{options['out']}: the sweep ended with exit code {code}\n{text}")
        if done["stopped"]:
            bar.say(f"{options['out']}: stopped ({done['stopped']}); the same call continues it")
    bad = done.get("failed", 0) + done.get("damaged", 0)
    if bad:
        warnings.warn(
            f"{options['out']}: {bad} of its runs failed; fl.runs has the reasons in its column failure",
            stacklevel=2,
        )
    return Sweep(out)
