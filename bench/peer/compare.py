"""Compares the speed of our neural engine with PyTorch's.

Runs our benchmark and torch_peer.py on the same data, alternating, so that
both see the same disturbances of the machine, and takes the best run of each.
PyTorch leaves matrix products to a BLAS, and Debian offers it two: the
reference one, which it installs by default, and OpenBLAS, which is several
times faster; the bars were set against that one. Prints tables for each and
whether the bars are met. It reports, it does not judge: the exit status is 0,
unless PyTorch did not use the BLAS it was told to.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import sysconfig

ARCHITECTURES = ("rnn", "lstm", "transformer")
BATCH_TOKENS = (128, 1024, 4096)
PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_peer.py")

# Where Debian keeps each BLAS, with the LAPACK that does not load another one.
LIBRARIES = os.path.join("/usr/lib", sysconfig.get_config_var("MULTIARCH") or "")
BLAS_DIRECTORIES = {
    "openblas": [os.path.join(LIBRARIES, "openblas-pthread")],
    "reference": [os.path.join(LIBRARIES, "blas"), os.path.join(LIBRARIES, "lapack")],
}

LEAST_MEAN_RATIO = 8.0
LEAST_RATIO = 2.2
LEAST_EVALUATION_RATIO = 3.0
LEAST_SHARE = {"rnn": 0.60, "lstm": 0.60, "transformer": 0.50}
SHARE_BATCH_TOKENS = (1024, 4096)


def run(command, environment=None):
    """Returns the result that a benchmark prints on its last line, or None if it failed."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, env=environment
        )
        return json.loads(done.stdout.strip().splitlines()[-1])
    except subprocess.CalledProcessError as error:
        reason = error.stderr.strip()
    except (OSError, ValueError, IndexError) as error:
        reason = repr(error)
    print(f"failed: {' '.join(command)}\n{reason}", file=sys.stderr)
    return None


def run_peer(setting, blas):
    directories = BLAS_DIRECTORIES[blas]
    environment = {**os.environ, "LD_LIBRARY_PATH": os.pathsep.join(directories)}
    result = run([sys.executable, PEER, *setting], environment)
    if result:
        used = {os.path.dirname(path) for path in result["blas"]}
        if not used or not used <= set(directories):
            sys.exit(f"PyTorch was to use {blas} BLAS, but loaded {result['blas']}")
    return result


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
    """Our runs of a setting, and PyTorch's with each BLAS."""

    def __init__(self, arguments, setting):
        self.ours, self.theirs = Runs(), {blas: Runs() for blas in arguments.blas}
        print("measuring", *setting[2:], file=sys.stderr)
        for _ in range(arguments.repeat):
            self.ours.add(run([arguments.flare_bench, *setting]))
            for blas, runs in self.theirs.items():
                runs.add(run_peer(setting, blas))

    def ratio(self, blas):
        ours, theirs = self.ours.best(), self.theirs[blas].best()
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
            comparisons[architecture, tokens] = Comparison(arguments, setting)
    return comparisons


def compare_evaluation(arguments):
    comparisons = {}
    for architecture in ARCHITECTURES:
        setting = ["--data", arguments.data, "--architecture", architecture]
        setting += ["--evaluate", arguments.test_split]
        comparisons[architecture] = Comparison(arguments, setting)
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


def speed_cells(comparison, blas):
    cells = []
    for runs in (comparison.ours, comparison.theirs[blas]):
        best = runs.best()
        cells.append(shown(best and best["examples_per_second"], ",.0f"))
        cells.append(shown(runs.spread(), ".0%"))
    return [*cells, shown(comparison.ratio(blas), ".2f")]


SPEED_HEADER = ["ours ex/s", "spread", "PyTorch ex/s", "spread", "ratio"]


def print_training(comparisons, blas):
    rows = []
    for (architecture, tokens), comparison in comparisons.items():
        ours = comparison.ours.best()
        row = [architecture, str(tokens), *speed_cells(comparison, blas)]
        row += [shown(ours and ours["gflops"], ".1f"), shown(comparison.share(), ".0%")]
        rows.append(row)
    print(f"Training, PyTorch with {blas} BLAS")
    print_table(["architecture", "B", *SPEED_HEADER, "our GFLOP/s", "of peak"], rows)


def print_evaluation(comparisons, blas):
    rows = [[name, *speed_cells(comparison, blas)] for name, comparison in comparisons.items()]
    print(f"\nEvaluation, PyTorch with {blas} BLAS")
    print_table(["architecture", *SPEED_HEADER], rows)


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def print_bar(name, value, bar, form):
    verdict = "missed" if value is None or value < bar else "met"
    print(f"{name}: {shown(value, form)}, bar {format(bar, form)}: {verdict}")


def print_ratio_bars(training, evaluation, blas):
    ratios = [comparison.ratio(blas) for comparison in training.values()]
    complete = None not in ratios
    mean = geometric_mean(ratios) if complete else None
    print()
    print_bar("geometric mean of the ratios", mean, LEAST_MEAN_RATIO, ".2f")
    print_bar("least ratio", min(ratios) if complete else None, LEAST_RATIO, ".2f")
    for architecture, comparison in evaluation.items():
        name = f"evaluation ratio, {architecture}"
        print_bar(name, comparison.ratio(blas), LEAST_EVALUATION_RATIO, ".2f")


def print_share_bars(training):
    for architecture in ARCHITECTURES:
        for tokens in SHARE_BATCH_TOKENS:
            share = training[architecture, tokens].share()
            name = f"share of peak, {architecture}, B={tokens}"
            print_bar(name, share, LEAST_SHARE[architecture], ".1%")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--flare-bench", required=True, help="our benchmark program")
    parser.add_argument("--data", required=True, help="directory with main.tok and labels.txt")
    parser.add_argument("--test-split", help="compare evaluation on this split, too")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument(
        "--blas", nargs="+", choices=BLAS_DIRECTORIES, default=list(BLAS_DIRECTORIES)
    )
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    training = compare_training(arguments)
    evaluation = compare_evaluation(arguments) if arguments.test_split else {}
    for blas in arguments.blas:
        print_training(training, blas)
        if evaluation:
            print_evaluation(evaluation, blas)
        print_ratio_bars(training, evaluation, blas)
        print()
    print_share_bars(training)


if __name__ == "__main__":
    main()
