"""The runs of the atlas, from the runs.csv of a report or from the shorter one that is kept here."""

import csv
import re
from dataclasses import dataclass, field

BIN = re.compile(r"test-(\d+)-(\d+)_accuracy$")
NEEDED = ("language", "architecture", "variant", "trial", "state", "left_out")
KEPT = ("language", "variant", "architecture", "trial", "state", "left_out", "seed", "readout",
        "positions", "mask", "eigenvalues", "parameters", "hidden", "learning_rate", "batch_tokens", "epochs",
        "stop_reason", "cpu_seconds", "format_only", "best_validation_accuracy", "train_accuracy",
        "test_examples", "test_accuracy", "model_sha256")
EXTRACTED = ("language", "variant", "trial", "model_sha256", "sentence")
OPTIONS = ("positions", "mask", "eigenvalues")
NAMES = {"rnn": "Simple RNN", "lstm": "LSTM", "gru": "GRU", "slstm": "sLSTM", "mlstm": "mLSTM",
         "transformer": "Transformer", "mamba": "Mamba", "deltanet": "DeltaNet"}
# The order of the map's panels.
ORDER = {name: i for i, name in enumerate(("rnn", "lstm", "gru", "transformer", "mamba", "deltanet", "mlstm",
                                           "slstm"))}
POSITIONS = ("", "sinusoidal", "none", "rope")
TRAINED_TO = 40  # the longest training strings of the atlas's grid
GUESSING = 0.5  # the accuracy of a run that diverged before anything could be tested


@dataclass
class Variant:
    key: str
    architecture: str
    readout: str
    options: dict
    title: str = ""


@dataclass
class Run:
    trial: int
    accuracies: list  # of the bins, shortest strings first
    diverged: bool = False
    about: dict = field(default_factory=dict)

    @property
    def success(self):
        return all(x == 1 for x in self.accuracies)

    @property
    def perfect_bins(self):
        """Up to how many bins, from the shortest strings on, every answer is right."""
        return next((i for i, x in enumerate(self.accuracies) if x != 1), len(self.accuracies))


@dataclass
class Runs:
    variants: list
    languages: list
    bins: list
    trials: list
    by_cell: dict  # (language, variant): [Run, ...]
    rows: list  # every row that is done, also of seeds that are not whole
    examples: dict  # of the language and bin
    partial: list  # seeds that are left out, as they are not whole

    def of(self, language, variant):
        return self.by_cell.get((language, variant), [])


def place_of(variant):
    positions = variant.options["positions"]
    return (ORDER.get(variant.architecture, len(ORDER)), variant.architecture, variant.readout == "eos",
            variant.options["mask"] == "strict",
            POSITIONS.index(positions) if positions in POSITIONS else len(POSITIONS),
            variant.options["eigenvalues"], variant.key)


def title_of(variant):
    details = []
    if variant.architecture == "transformer":
        positions = variant.options["positions"] or "sinusoidal"
        details.append({"none": "no positions", "rope": "RoPE"}.get(positions, positions))
        if variant.options["mask"] == "strict":
            details.append("strict mask")
    elif variant.options["eigenvalues"]:
        details.append(variant.options["eigenvalues"])
    if variant.readout == "eos":
        details.append("end symbol")
    return ", ".join([NAMES.get(variant.architecture, variant.architecture), *details])


def read(path):
    """Raises ValueError that names what is wrong."""
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file, strict=True)
        columns = reader.fieldnames or []
        missing = [name for name in NEEDED if name not in columns]
        if missing:
            raise ValueError(f"{path}: no column {', '.join(missing)}; expected the runs.csv of a report")
        bins = sorted(tuple(map(int, match.groups())) for match in map(BIN.match, columns) if match)
        if not bins:
            raise ValueError(f"{path}: no column test-LOW-HIGH_accuracy; the data needs splits.test.bins")
        rows = [row for row in reader if row["state"] in ("finished", "diverged")]
    if not rows:
        raise ValueError(f"{path}: no run is done")
    variants, languages, by_cell, examples = {}, {}, {}, {}
    for row in rows:
        if row["left_out"]:
            continue
        languages.setdefault(row["language"])
        options = {name: row.get(name) or "" for name in OPTIONS}
        variants.setdefault(row["variant"], Variant(row["variant"], row["architecture"],
                                                    row.get("readout") or "last", options))
        values = [row[f"test-{low}-{high}_accuracy"] for low, high in bins]
        if row["state"] == "finished" and not all(values):
            raise ValueError(f"{path}: {row['language']}/{row['variant']}/{row['trial']} is finished "
                             "and has no accuracy in some bin")
        for (low, high), value in zip(bins, values):
            if value:
                examples[row["language"], low] = int(row[f"test-{low}-{high}_examples"])
        cell = by_cell.setdefault((row["language"], row["variant"]), [])
        if any(run.trial == int(row["trial"]) for run in cell):
            raise ValueError(f"{path}: {row['language']}/{row['variant']}/{row['trial']} is there twice")
        cell.append(Run(int(row["trial"]), [float(x) if x else GUESSING for x in values],
                        row["state"] == "diverged",
                        {name: row.get(name, "") for name in KEPT}))
    for cell in by_cell.values():
        cell.sort(key=lambda run: run.trial)
    variants = sorted(variants.values(), key=place_of)
    titles = [title_of(variant) for variant in variants]
    for variant, title in zip(variants, titles):
        variant.title = title if titles.count(title) == 1 else f"{title} ({variant.key})"
    counted = {run.trial for cell in by_cell.values() for run in cell}
    partial = sorted({int(row["trial"]) for row in rows if row["left_out"]} - counted)
    return Runs(variants, list(languages), bins, sorted(counted), by_cell, rows, examples, partial)


def write_kept(runs, path):
    """What the atlas needs of a runs.csv, every run that is done."""
    columns = [name for name in KEPT if name in runs.rows[0]]
    columns += [f"test-{low}-{high}_{what}" for low, high in runs.bins
                for what in ("examples", "accuracy")]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(runs.rows)


def read_extracted(path):
    """What networks do, by the hash of the model; nothing if nobody has looked."""
    if not path.exists():
        return {}
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file, strict=True)
        if tuple(reader.fieldnames or ()) != EXTRACTED:
            raise ValueError(f"{path}: columns are not {', '.join(EXTRACTED)}")
        return {row["model_sha256"]: row for row in reader}


def write_extracted(rows, path):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, EXTRACTED, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows.values(), key=lambda row: (row["language"], row["variant"],
                                                                int(row["trial"]))))
