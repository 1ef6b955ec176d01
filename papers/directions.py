#!/usr/bin/env python3
"""Compares our runs with directions that a paper states, where its numbers could not be had.

    directions.py published.json REPORT/runs.csv --to DIR

reads the member `directions` of a paper's published.json and the runs.csv of a report, and writes
DIR/directions.json, which `flare report ... --tables DIR` shows. A direction is

    {"statement": "two Householder steps suffice for S3, one does not",
     "source": "where it stands, and where it was read",
     "languages": ["group:S3"],                 # one row each; missing: all languages together
     "metric": "test_state_accuracy_strings",   # a column of runs.csv
     "first": {"householder": "2"},             # columns of runs.csv and their value, or a list of them
     "of": "best setting",                      # which of them count; missing: all
     "relation": "above",                       # or "below", "at least", "at most"
     "second": {"householder": "1"}}            # other runs, or a number

`of` says which of the chosen runs are compared: "all"; those of the "best setting", the variant with the
highest mean, for a statement about the best of several learning rates; or the "highest run" alone, for one
about every run. Runs that are left out of tables are left out here. The verdict is about means: it says nothing about
chance. Beside it stands how often a run of the first beats one of the second, ties counting half.
"""

import argparse
import csv
import json
import math
import pathlib
import sys

RELATIONS = {"above": lambda a, b: a > b, "below": lambda a, b: a < b,
             "at least": lambda a, b: a >= b, "at most": lambda a, b: a <= b}
MEMBERS = {"statement", "source", "languages", "metric", "first", "relation", "second", "of"}
OPTIONAL = {"languages", "of"}
KINDS = ("all", "best setting", "highest run")
ROUNDING = 1e-12


def check(direction, where):
    """Raises ValueError naming what is wrong with a direction."""
    missing = MEMBERS - OPTIONAL - direction.keys()
    unknown = direction.keys() - MEMBERS
    if missing or unknown:
        raise ValueError(f"{where}: " + "; ".join(
            [f"lacks {name}" for name in sorted(missing)] +
            [f"has {name}, which is no member of a direction" for name in sorted(unknown)]))
    if direction["relation"] not in RELATIONS:
        raise ValueError(f"{where}: relation {direction['relation']!r}; expected one of "
                         f"{', '.join(RELATIONS)}")
    if direction.get("of", "all") not in KINDS:
        raise ValueError(f"{where}: of {direction['of']!r}; expected one of {', '.join(KINDS)}")
    for name in ("first", "second"):
        is_number = isinstance(direction[name], (int, float)) and name == "second"
        if not is_number and not isinstance(direction[name], dict):
            raise ValueError(f"{where}: {name} is {direction[name]!r}; expected columns of runs.csv "
                             "and their values")
    if not direction["source"] or not direction["statement"]:
        raise ValueError(f"{where}: an empty source or statement")


def chosen(rows, selector, language, direction, where):
    """The metric of the runs that have these values, and count."""
    values, metric = {}, direction["metric"]
    for column in [metric, *selector]:
        if rows and column not in rows[0]:
            raise ValueError(f"{where}: runs.csv has no column {column}")
    for row in rows:
        wanted = {column: value if isinstance(value, list) else [value]
                  for column, value in selector.items()}
        if language and row["language"] != language:
            continue
        if all(row[column] in map(str, several) for column, several in wanted.items()):
            if row["state"] in ("finished", "diverged") and not row["left_out"] and row[metric]:
                values.setdefault(row.get("variant"), []).append(float(row[metric]))
    everything = [value for some in values.values() for value in some]
    if everything and direction.get("of") == "best setting":
        return max(values.values(), key=mean)
    if everything and direction.get("of") == "highest run":
        return [max(everything)]
    return everything


def mean(values):
    return math.fsum(values) / len(values) if values else None


def superiority(first, second):
    """How often a value of the first is above one of the second, ties counting half."""
    wins = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a in first for b in second)
    return wins / (len(first) * len(second))


def judge(first, relation, second):
    """Of two lists, or a list and a number."""
    if not first or second == []:
        return "no runs yet"
    other = mean(second) if isinstance(second, list) else second
    difference = mean(first) - other
    if abs(difference) <= ROUNDING:
        return "agrees" if relation.startswith("at ") else "equal"
    return "agrees" if RELATIONS[relation](difference, 0) else "contradicts"


def number(value, decimals=3):
    return {} if value is None else {"value": value, "decimals": decimals}


def table_of(directions, rows, where):
    out, verdicts = [], []
    for i, direction in enumerate(directions):
        place = f"{where}: directions[{i}]"
        check(direction, place)
        for k, language in enumerate(direction.get("languages") or [None]):
            first = chosen(rows, direction["first"], language, direction, place)
            second = direction["second"]
            if isinstance(second, dict):
                second = chosen(rows, second, language, direction, place)
            verdicts.append(judge(first, direction["relation"], second))
            is_runs = isinstance(second, list)
            out.append({
                "statement": {"text": "" if k else direction["statement"]},
                "language": {"text": language or "all"},
                "metric": {"text": direction["metric"] + (
                    ", " + direction["of"] if direction.get("of", "all") != "all" else "")},
                "first": number(mean(first)), "first_n": number(len(first), 0),
                "relation": {"text": direction["relation"]},
                "second": number(mean(second) if is_runs else float(second)),
                "second_n": number(len(second), 0) if is_runs else {},
                "beats": number(superiority(first, second)) if is_runs and first and second else {},
                "verdict": {"text": verdicts[-1]},
                "source": {"text": "" if k else direction["source"]},
                "rule_above": bool(out) and k == 0})
    counts = "; ".join(f"{v}: {verdicts.count(v)}" for v in
                       ("agrees", "equal", "contradicts", "no runs yet") if v in verdicts)

    def column(key, title, group="", left=False):
        return {"key": key, "title": title, "group": group, "left": left}

    return {
        "table": "directions",
        "caption": "Directions that the paper states, beside our means.",
        "columns": [column("statement", "Statement", left=True), column("language", "Language", left=True),
                    column("metric", "Metric", left=True), column("first", "Mean", "First"),
                    column("first_n", "n", "First"), column("relation", "Is", left=True),
                    column("second", "Mean", "Second"), column("second_n", "n", "Second"),
                    column("beats", "First beats second"), column("verdict", "Verdict", left=True),
                    column("source", "Source", left=True)],
        "rows": out,
        "notes": [f"Of {len(verdicts)} comparisons: {counts}.",
                  "A verdict is about means, and says nothing about chance. First beats second: in "
                  "what share of all pairs of a run of each, ties counting half."]}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("published", metavar="published.json", type=pathlib.Path)
    parser.add_argument("runs", metavar="runs.csv", type=pathlib.Path)
    parser.add_argument("--to", metavar="DIR", type=pathlib.Path, required=True)
    options = parser.parse_args(arguments)
    try:
        directions = json.loads(options.published.read_text(encoding="utf-8")).get("directions")
        if not directions:
            raise ValueError(f"{options.published}: it states no directions")
        with open(options.runs, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file, strict=True))
        table = table_of(directions, rows, options.published)
        options.to.mkdir(parents=True, exist_ok=True)
        text = json.dumps(table, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
        (options.to / "directions.json").write_text(text, encoding="utf-8")
    except (OSError, ValueError, KeyError) as error:
        print(f"directions.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
