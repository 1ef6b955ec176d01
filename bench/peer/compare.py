"""Compares the speed of our neural engine with PyTorch's.

Runs our benchmark and torch_peer.py on the same data, alternating, so that
both see the same disturbances of the machine, and takes the best run of each.
Prints a table and whether the project's bars are met. It reports, it does not
judge: the exit status is always 0.
"""

import argparse
import json
import math
import os
import subprocess
import sys

ARCHITECTURES = ("rnn", "lstm", "transformer")
BATCH_TOKENS = (128, 1024, 4096)
PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_peer.py")

LEAST_MEAN_RATIO = 8.0
LEAST_RATIO = 2.2
LEAST_EVALUATION_RATIO = 3.0
LEAST_SHARE = {"rnn": 0.60, "lstm": 0.60, "transformer": 0.50}
SHARE_BATCH_TOKENS = (1024, 4096)


def run(command):
    """Returns the result that a benchmark prints on its last line, or None if it failed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return json.loads(done.stdout.strip().splitlines()[-1])
    except subprocess.CalledProcessError as error:
        reason = error.stderr.strip()
    except (OSError, ValueError, IndexError) as error:
        reason = repr(error)
    print(f"failed: {' '.join(command)}\n{reason}", file=sys.stderr)
    return None


class Runs:
    """The runs of one program in one setting."""

    def __init__(self):
        self.results = []

    def add(self, result):
        if result is not None:
            self.results.append(result)

    def best(self):
        return max(self.results, key=lambda r: r["examples_per_second"], default=None)

    def spread(self):
        speeds = [r["examples_per_second"] for r in self.results]
        return (max(speeds) - min(speeds)) / max(speeds) if speeds else None


class Comparison:
    def __init__(self, flare_bench, setting, repeat):
        self.ours, self.theirs = Runs(), Runs()
        for _ in range(repeat):
            self.ours.add(run([flare_bench, *setting]))
            self.theirs.add(run([sys.executable, PEER, *setting]))

    def ratio(self):
        ours, theirs = self.ours.best(), self.theirs.best()
        if ours is None or theirs is None:
            return None
        return ours["examples_per_second"] / theirs["examples_per_second"]

    def share(self):
        ours = self.ours.best()
        return ours["gflops"] / ours["peak_gflops"] if ours else None


def compare_training(arguments):
    comparisons = {}
    for architecture in ARCHITECTURES:
        for tokens in BATCH_TOKENS:
            setting = ["--data", arguments.data, "--architecture", architecture]
            setting += ["--batch-tokens", str(tokens)]
            comparisons[architecture, tokens] = Comparison(
                arguments.flare_bench, setting, arguments.repeat
            )
    return comparisons


def compare_evaluation(arguments):
    comparisons = {}
    for architecture in ARCHITECTURES:
        setting = ["--data", arguments.data, "--architecture", architecture]
        setting += ["--evaluate", arguments.test_split]
        comparisons[architecture] = Comparison(arguments.flare_bench, setting, arguments.repeat)
    return comparisons


def shown(value, form):
    return "-" if value is None else format(value, form)


def print_table(header, rows):
    """Names to the left, numbers to the right."""
    table = [header, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(header))]
    for row in table:
        numbers = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print("  ".join([row[0].ljust(widths[0]), *numbers]))


def speed_cells(comparison):
    cells = []
    for runs in (comparison.ours, comparison.theirs):
        best = runs.best()
        cells.append(shown(best and best["examples_per_second"], ",.0f"))
        cells.append(shown(runs.spread(), ".0%"))
    return [*cells, shown(comparison.ratio(), ".2f")]


SPEED_HEADER = ["ours ex/s", "spread", "PyTorch ex/s", "spread", "ratio"]


def print_training(comparisons):
    rows = []
    for (architecture, tokens), comparison in comparisons.items():
        ours = comparison.ours.best()
        row = [architecture, str(tokens), *speed_cells(comparison)]
        row += [shown(ours and ours["gflops"], ".1f"), shown(comparison.share(), ".0%")]
        rows.append(row)
    print("Training")
    print_table(["architecture", "B", *SPEED_HEADER, "our GFLOP/s", "of peak"], rows)


def print_evaluation(comparisons):
    rows = [[name, *speed_cells(comparison)] for name, comparison in comparisons.items()]
    print("\nEvaluation")
    print_table(["architecture", *SPEED_HEADER], rows)


def print_blas(comparisons):
    """How fast PyTorch multiplies matrices depends on it, and so do the ratios."""
    bests = [comparison.theirs.best() for comparison in comparisons.values()]
    libraries = sorted({best["blas"] for best in bests if best})
    print(f"\nPyTorch's BLAS: {', '.join(libraries) or '-'}")


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def print_bar(name, value, bar, form):
    verdict = "missed" if value is None or value < bar else "met"
    print(f"{name}: {shown(value, form)}, bar {format(bar, form)}: {verdict}")


def print_bars(training, evaluation):
    ratios = [comparison.ratio() for comparison in training.values()]
    complete = None not in ratios
    print()
    mean = geometric_mean(ratios) if complete else None
    print_bar("geometric mean of the ratios", mean, LEAST_MEAN_RATIO, ".2f")
    print_bar("least ratio", min(ratios) if complete else None, LEAST_RATIO, ".2f")
    for architecture in ARCHITECTURES:
        for tokens in SHARE_BATCH_TOKENS:
            share = training[architecture, tokens].share()
            name = f"share of peak, {architecture}, B={tokens}"
            print_bar(name, share, LEAST_SHARE[architecture], ".1%")
    for architecture, comparison in evaluation.items():
        name = f"evaluation ratio, {architecture}"
        print_bar(name, comparison.ratio(), LEAST_EVALUATION_RATIO, ".2f")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--flare-bench", required=True, help="our benchmark program")
    parser.add_argument("--data", required=True, help="directory with main.tok and labels.txt")
    parser.add_argument("--test-split", help="compare evaluation on this split, too")
    parser.add_argument("--repeat", type=int, default=3)
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    training = compare_training(arguments)
    print_training(training)
    evaluation = compare_evaluation(arguments) if arguments.test_split else {}
    if evaluation:
        print_evaluation(evaluation)
    print_blas(training)
    print_bars(training, evaluation)


if __name__ == "__main__":
    main()
