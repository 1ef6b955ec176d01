"""Compares the speed of every architecture with the same model in PyTorch.

The models are those of flarelang.modules: PyTorch's own modules where it has them, else plain
operations and a loop over time, compiled by TorchScript. Sizes are those of a budget of 64k
parameters, batches have 1,024 tokens. Ours, our transformer and PyTorch alternate, and the best run
of each counts. It reports, it does not judge.
"""

import argparse

import compare

ARCHITECTURES = ("mamba", "deltanet", "mlstm", "slstm", "stack-rnn", "stack-lstm")
BATCH_TOKENS = "1024"
# Of our transformer's speed; and times PyTorch's.
LEAST_OF_TRANSFORMER = {"stack-rnn": 0.25, "stack-lstm": 0.25}
LEAST_OF_OTHERS = 0.5
LEAST_RATIO = 6.0
LEAST_EVALUATION_RATIO = 5.0


class Case:
    """An architecture, in training or, given a split, in evaluation."""

    def __init__(self, arguments, architecture, split):
        self.ours, self.transformer, self.theirs = (compare.Runs() for _ in range(3))
        how = ["--evaluate", split] if split else ["--batch-tokens", BATCH_TOKENS]
        for _ in range(arguments.repeat):
            ours = self.bench(arguments, architecture, how)
            self.ours.add(ours)
            self.transformer.add(self.bench(arguments, "transformer", how))
            setting = ["--data", arguments.data, "--architecture", architecture, *how]
            setting += ["--hidden", str(ours["hidden"])]
            self.theirs.add(compare.run_peer(setting, "openblas"))

    @staticmethod
    def bench(arguments, architecture, how):
        setting = ["--data", arguments.data, "--architecture", architecture, *how]
        return compare.run([arguments.flare_bench, *setting])

    def speed(self, runs):
        return runs.best()["examples_per_second"]

    def of_transformer(self):
        return self.speed(self.ours) / self.speed(self.transformer)

    def ratio(self):
        return self.speed(self.ours) / self.speed(self.theirs)

    def cells(self):
        speeds = [f"{self.speed(runs):,.0f}" for runs in (self.ours, self.theirs)]
        spreads = [f"{runs.spread():.0%}" for runs in (self.ours, self.theirs)]
        return [speeds[0], spreads[0], speeds[1], spreads[1], f"{self.ratio():.1f}"]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--flare-bench", required=True, help="our benchmark program")
    parser.add_argument("--data", required=True, help="directory with main.tok and labels.txt")
    parser.add_argument("--test-split", help="compare evaluation on this split, too")
    parser.add_argument("--architecture", nargs="+", default=ARCHITECTURES)
    parser.add_argument("--repeat", type=int, default=3)
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    training = {name: Case(arguments, name, None) for name in arguments.architecture}
    print("Training")
    rows = [[name, *case.cells(), f"{case.of_transformer():.2f}"] for name, case in training.items()]
    compare.print_table(["architecture", *compare.SPEED_HEADER, "of our transformer"], rows)
    for name, case in training.items():
        bar = LEAST_OF_TRANSFORMER.get(name, LEAST_OF_OTHERS)
        compare.print_bar(f"{name} compared with our transformer", case.of_transformer(), bar, ".2f")
        compare.print_bar(f"{name} compared with PyTorch", case.ratio(), LEAST_RATIO, ".1f")
    if not arguments.test_split:
        return
    evaluation = {n: Case(arguments, n, arguments.test_split) for n in arguments.architecture}
    print("\nEvaluation")
    rows = [[name, *case.cells()] for name, case in evaluation.items()]
    compare.print_table(["architecture", *compare.SPEED_HEADER], rows)
    for name, case in evaluation.items():
        compare.print_bar(f"{name} compared with PyTorch", case.ratio(), LEAST_EVALUATION_RATIO, ".1f")


if __name__ == "__main__":
    main()
