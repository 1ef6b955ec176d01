"""Applies the rule of PILOT.md: python3 results/atlas/pilot.py PILOT.csv [FRESH.csv]

The arguments are the runs.csv of reports of pilot/records and fresh/records. Prints a row for each variant: the
mean validation accuracy of every learning rate over the six languages, its mean cross-entropy, and the rate that is
taken; then, of the fresh strings, the mean gain over the pairs and the p-value of a sign-flip test.
"""

import collections
import csv
import sys

import numpy as np

DRAWS = 100_000


def rows(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def variant_and_rate(row):
    parts = row["variant"].split(",")
    rates = [part[14:] for part in parts if part.startswith("learning_rate=")]
    return ",".join(part for part in parts if not part.startswith("learning_rate=")), rates[0] if rates else "0.003"


def figures(row):
    return (float(row["best_validation_accuracy"]),
            float(row["best_validation_recognition_cross_entropy"]))


def chosen(by_rate):
    """The best mean accuracy; of rates less than 0.001 below it, the least mean cross-entropy."""
    best = max(accuracy for accuracy, _ in by_rate.values())
    near = {rate: loss for rate, (accuracy, loss) in by_rate.items() if best - accuracy < 0.001}
    return min(near, key=near.get)


def main(pilot, fresh=None):
    runs = collections.defaultdict(lambda: collections.defaultdict(list))
    fixed = {}
    for row in rows(pilot):
        variant, rate = variant_and_rate(row)
        runs[variant][rate].append(figures(row))
        if rate == "0.003":
            fixed[variant, row["language"]] = figures(row)[0]
    rates = sorted({rate for by_rate in runs.values() for rate in by_rate}, key=float)
    print("| variant | " + " | ".join(rates) + " | taken |\n|---|" + "---:|" * (len(rates) + 1))
    for variant, by_rate in runs.items():
        means = {rate: tuple(np.mean(by_rate[rate], axis=0)) for rate in rates}
        cells = " | ".join(f"{means[rate][0]:.4f} ({means[rate][1]:.4f})" for rate in rates)
        print(f"| {variant} | {cells} | {chosen(means)} |")
    if fresh:
        gains = []
        for row in rows(fresh):
            variant, _ = variant_and_rate(row)
            variant = ",".join(part for part in variant.split(",") if part != "train_data=fresh")
            gains.append(figures(row)[0] - fixed[variant, row["language"]])
        gains = np.array(gains)
        signs = np.random.default_rng(0).choice([-1, 1], size=(DRAWS, len(gains)))
        means = np.abs((signs * gains).mean(axis=1))
        p = (1 + np.sum(means >= abs(gains.mean()) - 1e-12)) / (1 + DRAWS)
        print(f"\nFresh strings: mean gain {gains.mean():+.4f} over {len(gains)} pairs, p = {p:.4f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
