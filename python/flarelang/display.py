"""How objects look in notebooks: `_repr_html_` of every class, automata drawn and tables as tables."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Sequence

from . import _flarelang
from ._flarelang import Dfa, Language, NextSymbols, StateTracker, Strings
from .analysis import Classification, Extraction, Report
from .custom import CustomLanguage
from .dataset import Baselines, Dataset, Split, Verification
from .engine import Sweep
from .run import Run

if TYPE_CHECKING:
    from .torch import Batch

# Larger automata are no pictures any more, and take long to lay out.
_MOST_STATES, _MOST_TRANSITIONS = 60, 240
_FEW_STRINGS = 10


def _escaped(value: object) -> str:
    return html.escape(str(value))


def _number(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, float):
        return _escaped("" if value is None else value)
    return f"{value:.4g}"


def table(columns: Sequence[object], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """An HTML table."""
    head = "".join(f"<th>{_escaped(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{_number(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    title = f"<caption>{_escaped(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _facts(title: str, facts: Mapping[str, object]) -> str:
    return table([title, ""], [(key, value) for key, value in facts.items() if value not in ("", None)])


def _automaton(dfa: Dfa, title: str) -> str:
    count = int((dfa.transitions >= 0).sum())
    if len(dfa) > _MOST_STATES or count > _MOST_TRANSITIONS:
        return f"<p>{_escaped(repr(dfa))}: too many to draw</p>"
    # Graphviz draws in black.
    return f'<div style="background: white; overflow: auto">{_flarelang.automaton_svg(dfa, title)}</div>'


def _of_dfa(dfa: Dfa) -> str:
    return _automaton(dfa, "automaton")


def _of_language(language: Language) -> str:
    facts = {
        "definition": language.definition,
        "class": language.language_class,
        "alphabet": " ".join(language.alphabet),
        "format": language.envelope,
    }
    dfa = language.dfa
    picture = "" if dfa is None else _automaton(dfa, language.name)
    return _facts(language.name, facts) + picture


def _of_strings(strings: Strings) -> str:
    shown = [(i, " ".join(strings[i]) or "ε") for i in range(min(len(strings), _FEW_STRINGS))]
    caption = f"{len(strings)} strings over {' '.join(strings.alphabet)}"
    return table(["", "string"], shown, caption)


def _of_next_symbols(sets: NextSymbols) -> str:
    return f"<code>{_escaped(repr(sets))}</code>"


def _of_tracker(tracker: StateTracker) -> str:
    return f"<code>{_escaped(repr(tracker))}</code>"


def _of_custom(language: CustomLanguage) -> str:
    return _facts(type(language).__qualname__, {"alphabet": " ".join(language.alphabet)})


def _of_split(split: Split) -> str:
    few = range(min(len(split), _FEW_STRINGS))
    rows = [(i, " ".join(split.strings[i]) or "ε", bool(split.labels[i])) for i in few]
    return table(["", "string", "member"], rows, f"{split.name}: {len(split)} examples")


def _of_dataset(dataset: Dataset) -> str:
    rows = []
    for name in dataset:
        split = dataset[name]
        lengths = split.strings.lengths
        span = f"{lengths.min()} to {lengths.max()}" if len(split) else ""
        rows.append((name, len(split), int(split.labels.sum()), span))
    return table(["split", "examples", "members", "lengths"], rows, dataset.path)


def of_batch(batch: Batch) -> str:
    few = range(min(len(batch), _FEW_STRINGS))
    rows = []
    for i in few:
        length = int(batch.lengths[i])
        tokens = " ".join(str(int(token)) for token in batch.tokens[i, :length])
        rows.append((int(batch.examples[i]), tokens or "ε", bool(batch.labels[i])))
    return table(["example", "tokens", "member"], rows, repr(batch)[1:-1])


def _of_verification(found: Verification) -> str:
    return f"<pre>{_escaped(found)}</pre>"


def _of_baselines(baselines: Baselines) -> str:
    return f"<pre>{_escaped(baselines)}</pre>"


def _of_run(run: Run) -> str:
    config = run.config if run.state != "damaged" else {}
    facts: dict[str, object] = {"state": run.state}
    for key in ("architecture", "loss", "validation", "seed", "layers", "hidden", "learning_rate"):
        facts[key] = config.get(key)
    head = _facts(run.path, facts)
    result = run.result if config else None
    if result is None:
        return head
    splits = {name: metrics for name, metrics in result["splits"].items() if metrics}
    names: dict[str, None] = {}
    for metrics in splits.values():
        for name, value in metrics.items():
            if "accuracy" in name or "cross_entropy" in name:
                if isinstance(value, (int, float)):
                    names[name] = None
    rows = [(split, *(metrics.get(name) for name in names)) for split, metrics in splits.items()]
    return head + table(["split", *(name.replace("_", " ") for name in names)], rows)


def _of_sweep(sweep: Sweep) -> str:
    return table(["state", "runs"], sweep.states.items(), sweep.path)


def _of_classification(found: Classification) -> str:
    facts = {
        "classes": "; ".join(found.classes),
        "circuits": found.circuit_class,
        "monoid": found.json["monoid"]["size"],
    }
    return _facts(found.name, facts) + f"<pre>{_escaped(found.brief)}</pre>"


def _of_extraction(found: Extraction) -> str:
    return f"<pre>{_escaped(found)}</pre>" + _automaton(found.dfa, "what the network has learned")


def _cell(cell: Any) -> object:
    return cell.get("text", cell.get("value")) if isinstance(cell, dict) else cell


def _of_report(report: Report) -> str:
    link = f'<p><a href="{_escaped(report.page)}">{_escaped(report.page)}</a>: {_escaped(report)}</p>'
    if "main" not in report.tables:
        return link
    main = report.table_json("main")
    titles = [f"{column['group']} {column['title']}".strip() for column in main["columns"]]
    rows = [[_cell(row.get(column["key"])) for column in main["columns"]] for row in main["rows"]]
    return link + table(titles, rows, main["caption"])


_HTML: dict[type, Callable[[Any], str]] = {
    Baselines: _of_baselines,
    Classification: _of_classification,
    CustomLanguage: _of_custom,
    Dataset: _of_dataset,
    Dfa: _of_dfa,
    Extraction: _of_extraction,
    Language: _of_language,
    NextSymbols: _of_next_symbols,
    Report: _of_report,
    Run: _of_run,
    Split: _of_split,
    StateTracker: _of_tracker,
    Strings: _of_strings,
    Sweep: _of_sweep,
    Verification: _of_verification,
}


def install() -> None:
    """Gives every class its `_repr_html_`."""
    for kind, of in _HTML.items():
        setattr(kind, "_repr_html_", of)
