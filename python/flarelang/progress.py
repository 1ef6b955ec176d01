"""How far long work is: a bar at a terminal and in a notebook, a line per event in a log."""

from __future__ import annotations

import html
import math
import shutil
import sys
from typing import Any, Mapping

_ERASE = "\r\x1b[K"


class Progress:
    """Shows nothing; what the others have in common. To be used in a `with`."""

    def show(self, share: float | None, text: str, *, is_event: bool = False) -> None:
        """`share` of the work is done, if that is known. An event is worth a line of its own."""

    def say(self, line: str) -> None:
        """Something that stays."""

    def close(self) -> None:
        """The work is done, or failed."""

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Log(Progress):
    def show(self, share: float | None, text: str, *, is_event: bool = False) -> None:
        if is_event:
            self.say(text)

    def say(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)


class _Terminal(Progress):
    _WIDTH = 20

    def show(self, share: float | None, text: str, *, is_event: bool = False) -> None:
        bar = ""
        if share is not None:
            bar = f"[{'=' * int(share * self._WIDTH):<{self._WIDTH}}] "
        columns = shutil.get_terminal_size().columns
        sys.stderr.write(_ERASE + (bar + text)[: columns - 1])
        sys.stderr.flush()

    def say(self, line: str) -> None:
        sys.stderr.write(f"{_ERASE}{line}\n")
        sys.stderr.flush()

    def close(self) -> None:
        sys.stderr.write(_ERASE)
        sys.stderr.flush()


class _Notebook(Progress):
    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, share: float | None, text: str, *, is_event: bool = False) -> None:
        from IPython.display import HTML, display

        value = "" if share is None else f" value={share:.4f}"
        picture = HTML(f"<progress max=1{value}></progress> <code>{html.escape(text)}</code>")
        if self._handle is None:
            self._handle = display(picture, display_id=True)
        else:
            self._handle.update(picture)

    def say(self, line: str) -> None:
        print(line, flush=True)

    def close(self) -> None:
        from IPython.display import HTML

        if self._handle is not None:
            self._handle.update(HTML(""))


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    interactive = shell.get_ipython() if shell is not None else None
    return interactive is not None and hasattr(interactive, "kernel")


def open_progress(is_shown: bool) -> Progress:
    """What suits the place that Python runs in."""
    if not is_shown:
        return Progress()
    if _in_notebook():
        return _Notebook()
    return _Terminal() if sys.stderr.isatty() else _Log()


def duration(seconds: float) -> str:
    """As the program writes it: 1 h 05 min, 2 min 03 s, 4 s."""
    if not math.isfinite(seconds):
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def show_training(progress: Progress, report: Mapping[str, Any]) -> None:
    """Where the training of a run is: what a CheckpointReport of the program has."""
    share = None
    if report["max_epochs"]:
        share = report["epoch"] / report["max_epochs"]
    if report["max_steps"]:
        share = max(share or 0.0, report["step"] / report["max_steps"])
    pieces = [f"epoch {report['epoch']}", f"step {report['step']}"]
    if report["loss"]:
        pieces.append(f"loss {report['loss']:.4f}")
    validation = report["validation"]
    if validation is not None:
        figure = report["select"]
        text = f"validation {figure} {validation.get(figure, math.nan):.4f}"
        if "accuracy" in validation and figure != "accuracy":
            text += f", accuracy {validation['accuracy']:.4f}"
        pieces.append(text + (" *" if report["is_best"] else ""))
    if report["examples_per_second"]:
        pieces.append(f"{report['examples_per_second']:.0f} examples/s")
    progress.show(
        None if share is None else min(share, 1.0), "  ".join(pieces), is_event=report["is_checkpoint"]
    )
