"""A dataset as a directory that the Hugging Face hub and its `datasets` library read."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Iterator

if TYPE_CHECKING:
    from .dataset import Dataset, Split

CARD = """---
configs:
- config_name: default
  data_files:
{files}
---

# {name}

Strings labelled by whether they belong to the formal language `{name}`, over the alphabet
{alphabet}. Made by FLaRe++ after Butoi et al., "Training Neural Networks as Recognizers of Formal
Languages" (ICLR 2025).

| column | |
|---|---|
| `input_ids` | the symbols, as indices into the alphabet |
| `tokens` | the symbols |
| `label` | 1 for members, else 0 |
| `next_symbols` | of a member: for every prefix, what can follow; `null` is the end of the string |
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


def write(dataset: Dataset, directory: str) -> None:
    """data/SPLIT-00000-of-00001.parquet, or .jsonl where there is no pyarrow, and the card."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        pyarrow = None
    ending = "jsonl" if pyarrow is None else "parquet"
    for split in dataset:
        dataset[split].next_symbols  # what cannot be read is known before anything is written
    os.makedirs(os.path.join(directory, "data"), exist_ok=True)
    files = []
    for split in dataset:
        name = hub_name(split)
        file = f"data/{name}-00000-of-00001.{ending}"
        rows = rows_of(dataset[split])
        if pyarrow is None:
            with open(os.path.join(directory, file), "w", encoding="utf-8") as out:
                for row in rows:
                    out.write(json.dumps(row, ensure_ascii=False) + "\n")
        else:
            table = pyarrow.Table.from_pylist(list(rows))
            pyarrow.parquet.write_table(table, os.path.join(directory, file))
        files.append(f"  - split: {name}\n    path: data/{name}-*")
    alphabet = ", ".join(f"`{symbol}`" for symbol in dataset.alphabet)
    card = CARD.format(files="\n".join(files), name=dataset.name, alphabet=alphabet)
    with open(os.path.join(directory, "README.md"), "w", encoding="utf-8") as out:
        out.write(card)
