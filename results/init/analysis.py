"""Judges the trial by RULE.md: python3 results/init/analysis.py results/init/runs.csv

Prints a row for each architecture: what `init = reference` adds to test accuracy over its 24 pairs, the
p-value of a sign-flip test (100,000 draws), its correction by Holm, the means by language, and the verdict.
"""

import collections
import csv
import sys

import numpy as np

DRAWS = 100_000


def pairs(rows):
    """Differences reference - paper, by architecture and language."""
    runs = collections.defaultdict(dict)
    for row in rows:
        architecture, _, settings = row["variant"].partition(",")
        usual = "reference" if architecture == "mamba" else "paper"
        named = [text[5:] for text in settings.split(",") if text.startswith("init=")]
        place = architecture, row["language"], row["trial"]
        runs[place][named[0] if named else usual] = float(row["test_accuracy"])
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for (architecture, language, _), pair in sorted(runs.items()):
        found[architecture][language].append(pair["reference"] - pair["paper"])
    return found


def sign_flip(differences, rng):
    """The two-sided p-value of their mean under random signs."""
    differences = np.asarray(differences)
    means = (rng.choice([-1, 1], size=(DRAWS, len(differences))) * differences).mean(axis=1)
    return (1 + np.sum(np.abs(means) >= abs(differences.mean()) - 1e-12)) / (1 + DRAWS)


def holm(values):
    """Corrected p-values, in the order of the given ones."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    corrected, so_far = [0.0] * len(values), 0.0
    for rank, i in enumerate(order):
        so_far = max(so_far, min(1.0, (len(values) - rank) * values[i]))
        corrected[i] = so_far
    return corrected


def main(path):
    with open(path, encoding="utf-8") as file:
        found = pairs(csv.DictReader(file))
    rng = np.random.default_rng(0)
    names = sorted(found)
    everything = {name: [d for of in found[name].values() for d in of] for name in names}
    p = [sign_flip(everything[name], rng) for name in names]
    print("| architecture | pairs | gain | p | corrected | by language | usual from now on |")
    print("|---|---:|---:|---:|---:|---|---|")
    for name, one, corrected in zip(names, p, holm(p)):
        gain = np.mean(everything[name])
        of = {language: np.mean(d) for language, d in found[name].items()}
        takes = corrected < 0.05 and gain > 0 and min(of.values()) >= -0.02
        print(
            f"| {name} | {len(everything[name])} | {gain:+.3f} | {one:.3f} | {corrected:.3f} | "
            + ", ".join(f"{language} {value:+.3f}" for language, value in of.items())
            + f" | {'reference' if takes else 'paper'} |"
        )


if __name__ == "__main__":
    main(sys.argv[1])
