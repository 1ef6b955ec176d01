"""Datasets, records and models as directories that the Hugging Face hub and its libraries read.

    python -m flarelang.huggingface --to HUB --datasets data/* --records results/*/records --models sweep

writes HUB/datasets, HUB/records and HUB/models, each a repository ready to upload: a card, the licence,
the files, and SHA256SUMS of all of them (`sha256sum -c SHA256SUMS`). Nothing is uploaded.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any, Iterator, Sequence

if TYPE_CHECKING:
    from .dataset import Dataset, Split
    from .run import Run

PAPER = """Butoi et al., "Training Neural Networks as Recognizers of Formal Languages" (ICLR 2025)"""

LICENCE = """MIT License

Copyright (c) 2026 The FLaRe++ authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
"""

COLUMNS = """| column | |
|---|---|
| `input_ids` | the symbols, as indices into the alphabet |
| `tokens` | the symbols |
| `label` | 1 for members, else 0 |
| `next_symbols` | of a member: for every prefix, what can follow; `null` is the end of the string |
"""

CARD = """---
configs:
- config_name: default
  data_files:
{files}
---

# {name}

Strings labelled by whether they belong to the formal language `{name}`, over the alphabet
{alphabet}. Made by FLaRe++ after {paper}.

{columns}"""

DATASETS_CARD = """---
license: mit
pretty_name: FLaRe++ datasets
tags:
- formal-languages
- length-generalization
- synthetic
task_categories:
- text-classification
configs:
{configs}
---

# Formal languages, labelled exactly

{count}, made by FLaRe++ {version} after {paper}: strings, and whether they
belong to the language. Every label, next-symbol set and recorded hash was verified again when this
directory was written. Labels of the published data were found wrong in places; these are not copies of
it, but made anew, with exact labels.

```python
from datasets import load_dataset
load_dataset("PATH_OF_THIS_REPOSITORY", "{example}", split="train")
```

{columns}
| language | alphabet | splits (examples) |
|---|---|---|
{rows}

`recipes/LANGUAGE.json` determines each dataset: `flare generate` makes the same bytes of it again.
`SHA256SUMS` has the hash of every file. MIT licence.
"""

RECORDS_CARD = """---
license: mit
pretty_name: FLaRe++ records of runs
tags:
- formal-languages
- length-generalization
- training-curves
---

# Records of training runs

Each line of each file is a finished run of FLaRe++ {version}: every setting with the seed, how it
ended, its metrics on every split, its training curve, and the SHA-256 of the model that it gave.

| sweep | runs | languages |
|---|---:|---:|
{rows}

`flare report SWEEP` makes the tables, figures and page of them, and `flarelang.runs(SWEEP)` a table of
pandas. `SHA256SUMS` has the hash of every file. MIT licence.
"""

MODELS_CARD = """---
license: mit
library_name: flare
tags:
- formal-languages
- recognizers
---

# Recognizers of formal languages

{count}, trained by FLaRe++ {version}. Each directory is a run: `flare predict DIR` asks it about strings, and
`flarelang.torch.load(DIR)` is the same network in PyTorch.

| run | language | architecture | loss | parameters | test accuracy |
|---|---|---|---|---:|---:|
{rows}

`config.json` has every setting and the seed, `result.json` every metric. `SHA256SUMS` has the hash of
every file. MIT licence.
"""


def hub_name(split: str) -> str:
    """Splits there have names of letters, digits and underscores."""
    return "".join(c if c.isalnum() else "_" for c in split)


def rows_of(split: Split) -> Iterator[dict[str, Any]]:
    names = [*split.strings.alphabet, None]
    sets = split.next_symbols
    for i, (tokens, label) in enumerate(zip(split.strings, split.labels)):
        begin, end = split.strings.offsets[i : i + 2]
        following = None
        if sets is not None and label:
            following = [[names[a] for a in row.nonzero()[0]] for row in sets[i]]
        yield {
            "input_ids": split.strings.values[begin:end].tolist(),
            "tokens": tokens,
            "label": int(label),
            "next_symbols": following,
        }


def _write_splits(dataset: Dataset, directory: str, folder: str, ending: str) -> dict[str, str]:
    """FOLDER/SPLIT-00000-of-00001.ENDING for each split; the pattern that finds it, by its hub name."""
    for split in dataset:
        dataset[split].next_symbols  # what cannot be read is known before anything is written
    os.makedirs(os.path.join(directory, folder), exist_ok=True)
    found = {}
    for split in dataset:
        name = hub_name(split)
        file = os.path.join(directory, folder, f"{name}-00000-of-00001.{ending}")
        rows = rows_of(dataset[split])
        if ending == "parquet":
            import pyarrow
            import pyarrow.parquet

            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows)), file)
        else:
            # The same rows give the same bytes.
            packed = ending.endswith(".gz")
            with open(file, "wb") as raw:
                out = gzip.GzipFile("", "wb", 9, raw, 0) if packed else raw
                for row in rows:
                    out.write((json.dumps(row, ensure_ascii=False) + "\n").encode())
                if packed:
                    out.close()
        found[name] = f"{folder}/{name}-*"
    return found


def _has_pyarrow() -> bool:
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        return False
    return True


def _alphabet_of(dataset: Dataset) -> str:
    return ", ".join(f"`{symbol}`" for symbol in dataset.alphabet)


def write(dataset: Dataset, directory: str) -> None:
    """data/SPLIT-00000-of-00001.parquet, or .jsonl where there is no pyarrow, and the card."""
    found = _write_splits(dataset, directory, "data", "parquet" if _has_pyarrow() else "jsonl")
    card = CARD.format(
        files="\n".join(f"  - split: {name}\n    path: {path}" for name, path in found.items()),
        name=dataset.name,
        alphabet=_alphabet_of(dataset),
        paper=PAPER,
        columns=COLUMNS,
    )
    with open(os.path.join(directory, "README.md"), "w", encoding="utf-8") as out:
        out.write(card)


def _version() -> str:
    from ._flarelang import __version__

    return __version__


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _begin(directory: str) -> None:
    if os.path.lexists(directory) and (not os.path.isdir(directory) or os.listdir(directory)):
        raise ValueError(f"{directory}: is there already; an export goes into a new directory")
    os.makedirs(directory, exist_ok=True)


def _finish(directory: str, card: str) -> None:
    for name, text in (("README.md", card), ("LICENSE", LICENCE)):
        with open(os.path.join(directory, name), "w", encoding="utf-8") as out:
            out.write(text)
    lines = []
    for folder, folders, files in os.walk(directory):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                digest = hashlib.sha256(file.read()).hexdigest()
            lines.append(f"{digest}  {os.path.relpath(path, directory)}\n")
    with open(os.path.join(directory, "SHA256SUMS"), "w", encoding="utf-8") as out:
        out.writelines(sorted(lines, key=lambda line: line[66:]))


def _distinct(names: Sequence[str], what: str) -> None:
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"two {what} are called {sorted(twice)[0]}")


def export_datasets(datasets: Sequence[Dataset], directory: str) -> None:
    """One repository with a configuration for each dataset. Refuses what does not verify."""
    _distinct([dataset.name for dataset in datasets], "datasets")
    for dataset in datasets:
        verification = dataset.verify()
        if not verification:
            raise ValueError(f"{dataset.path}: its labels are not all right\n{verification}")
    _begin(directory)
    os.makedirs(os.path.join(directory, "recipes"))
    ending = "parquet" if _has_pyarrow() else "jsonl.gz"
    configs, rows = [], []
    for dataset in datasets:
        found = _write_splits(dataset, directory, f"data/{dataset.name}", ending)
        configs.append(f"- config_name: {dataset.name}\n  data_files:")
        configs += [f"  - split: {name}\n    path: {path}" for name, path in found.items()]
        sizes = ", ".join(f"{hub_name(split)} ({len(dataset[split]):,})" for split in dataset)
        rows.append(f"| `{dataset.name}` | {_alphabet_of(dataset)} | {sizes} |")
        recipe = os.path.join(dataset.path, "manifest.json")
        if os.path.exists(recipe):
            shutil.copyfile(recipe, os.path.join(directory, "recipes", f"{dataset.name}.json"))
    _finish(
        directory,
        DATASETS_CARD.format(
            configs="\n".join(configs),
            count=_counted(len(datasets), "dataset"),
            example=datasets[0].name,
            version=_version(),
            paper=PAPER,
            columns=COLUMNS,
            rows="\n".join(rows),
        ),
    )


def export_records(records: Sequence[str], directory: str) -> None:
    """Directories of records, as `flare sweep collect` writes them."""
    from . import _flarelang

    sweeps = {}
    for path in records:
        if not os.path.isfile(os.path.join(path, "sweep.json")):
            raise ValueError(f"{path}: has no sweep.json; flare sweep collect writes records")
        runs = _flarelang.read_sweep(path)  # every line is checked
        with open(os.path.join(path, "sweep.json"), encoding="utf-8") as file:
            name = json.load(file)["name"]
        if name in sweeps:
            raise ValueError(f"two directories of records are called {name}")
        damaged = [where for where, _, read in runs if read[0] == "damaged"]
        if damaged:
            raise ValueError(f"{damaged[0]}: the record is damaged")
        finished = [run for _, run, read in runs if read[2] is not None]
        if not finished:
            raise ValueError(f"{path}: has no finished run")
        sweeps[name] = (path, finished)
    _begin(directory)
    rows = []
    for name, (path, finished) in sweeps.items():
        shutil.copytree(path, os.path.join(directory, name))
        languages = {coordinates.get("language") for coordinates in finished}
        rows.append(f"| `{name}` | {len(finished):,} | {len(languages)} |")
    _finish(directory, RECORDS_CARD.format(version=_version(), rows="\n".join(rows)))


def export_models(runs: Sequence[Run], names: Sequence[str], directory: str) -> None:
    """Finished runs with their models, in directories of these names."""
    _distinct(list(names), "runs")
    results = []
    for run in runs:
        result = run.result
        if result is None or not os.path.isfile(os.path.join(run.path, "model.safetensors")):
            raise ValueError(f"{run.path}: the run is {run.state}; only finished ones have a model")
        results.append(result)
    _begin(directory)
    rows = []
    for name, run, result in zip(names, runs, results):
        to = os.path.join(directory, name)
        os.makedirs(to)
        for file in ("model.safetensors", "config.json", "result.json"):
            shutil.copyfile(os.path.join(run.path, file), os.path.join(to, file))
        config = run.config
        test = (result.get("splits") or {}).get("test") or {}
        accuracy = test.get("accuracy") if isinstance(test, dict) else None
        rows.append(
            f"| `{name}` | {config['data'].get('language') or '–'} | {config['architecture']} "
            f"| {config['loss']} | {result['parameters']:,} "
            f"| {'–' if accuracy is None else format(accuracy, '.4f')} |"
        )
    _finish(
        directory,
        MODELS_CARD.format(count=_counted(len(runs), "model"), version=_version(), rows="\n".join(rows)),
    )


def _runs_below(folder: str) -> Iterator[str]:
    for path, folders, files in os.walk(folder):
        folders.sort()
        if "config.json" in files and "model.safetensors" in files:
            folders.clear()
            yield path


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m flarelang.huggingface",
        description="Write repositories for the Hugging Face hub; nothing is uploaded.",
    )
    parser.add_argument("--to", required=True, metavar="HUB", help="a directory for them")
    parser.add_argument("--datasets", nargs="+", default=[], metavar="DIR", help="datasets")
    parser.add_argument("--records", nargs="+", default=[], metavar="DIR", help="flare sweep collect's")
    parser.add_argument("--models", nargs="+", default=[], metavar="DIR", help="runs, or sweeps of them")
    given = parser.parse_args(arguments)
    if not (given.datasets or given.records or given.models):
        parser.error("name --datasets, --records or --models")
    from .dataset import Dataset
    from .run import Run

    try:
        if given.datasets:
            # Every label is computed again first.
            print(f"huggingface: verifying and writing {_counted(len(given.datasets), 'dataset')}, "
                  "some seconds each", file=sys.stderr)  # fmt: skip
            export_datasets([Dataset(path) for path in given.datasets], os.path.join(given.to, "datasets"))
        if given.records:
            export_records(given.records, os.path.join(given.to, "records"))
        if given.models:
            paths, names = [], []
            for folder in given.models:
                below = list(_runs_below(folder))
                if not below:
                    raise ValueError(f"{folder}: has no finished run")
                base = os.path.basename(os.path.realpath(folder))
                for path in below:
                    inside = os.path.relpath(path, folder)
                    paths.append(path)
                    names.append(base if inside == "." else os.path.join(base, inside))
            export_models([Run(path) for path in paths], names, os.path.join(given.to, "models"))
    except (ValueError, OSError) as error:
        sys.exit(f"huggingface: {error}")


if __name__ == "__main__":
    main()
