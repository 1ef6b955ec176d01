"""PyTorch's arm of the trial in results/saturation.

Trains a recognizer of PyTorch's modules as `flare train` trains ours, once per
seed: from our initial weights of that seed, on our minibatches of every epoch,
with our clipping, Adam, learning-rate schedule and stopping rule, in single
precision on one thread. Dropout has our rate and places, but PyTorch draws its
masks, from the same seed.

Prints a row per seed, with no header, in the columns of the trial's table:
implementation, learning_rate, batch_tokens, seed,
best_validation_cross_entropy, epochs.
"""

import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

# Sets OPENBLAS_NUM_THREADS before it loads PyTorch.
import learning
import torch_golden

import torch

# The defaults of `flare train`, as in src/flare/runs/run_settings.h.
DROPOUT = 0.1
MAX_EPOCHS = 1000
CHECKPOINT_EXAMPLES = 10_000
LEARNING_RATE_FACTOR = 0.5
LEARNING_RATE_PATIENCE = 5
STOPPING_PATIENCE = 10


class Schedule:
    """What happens at a checkpoint; a tie is not a decrease."""

    def __init__(self, learning_rate):
        self.learning_rate = learning_rate
        self.lowest = math.inf
        self.since_lowest = 0
        self.since_reduction = 0

    def observe(self, cross_entropy):
        if cross_entropy < self.lowest:
            self.lowest = cross_entropy
            self.since_lowest = self.since_reduction = 0
            return
        self.since_lowest += 1
        self.since_reduction += 1
        if self.since_reduction == LEARNING_RATE_PATIENCE:
            self.learning_rate *= LEARNING_RATE_FACTOR
            self.since_reduction = 0

    def exhausted(self):
        return self.since_lowest >= STOPPING_PATIENCE


def trace_command(arguments, seed, directory):
    command = [arguments.learning_trace, "--batches-only", "--data", arguments.data]
    command += ["--out", directory, "--architecture", "rnn", "--loss", "rec"]
    command += ["--validation", "short", "--seed", str(seed), "--dropout", str(DROPOUT)]
    command += ["--learning-rate", repr(arguments.learning_rate)]
    command += ["--batch-tokens", str(arguments.batch_tokens)]
    return command + ["--max-epochs", str(MAX_EPOCHS)]


def train(data, directory, steps, seed):
    """Trains until the schedule, the last epoch or a loss that is not finite ends it.

    `steps` are read as they are needed. Returns the lowest cross-entropy and
    the number of epochs.
    """
    step = next(steps)  # Once there is one, the weights have been written.
    weights = os.path.join(directory, "initial.safetensors")
    tensors, metadata = torch_golden.read_safetensors(weights)
    torch.manual_seed(seed)
    model = torch_golden.build_model(tensors, metadata)
    learning.set_dropout(model, DROPOUT)
    parameters = list(torch_golden.parameters_of(model).values())
    schedule = Schedule(float(metadata["learning_rate"]))
    optimizer = torch.optim.Adam(parameters, lr=schedule.learning_rate)
    examples = learning.Examples(data, metadata, False)
    validator = learning.Validator(data, metadata)
    since_checkpoint = 0
    while True:
        model.train()
        loss = learning.evaluate(model, step["examples"], examples, metadata)[-1]
        learning.descend(optimizer, parameters, loss)
        since_checkpoint += len(step["examples"])
        following = next(steps, None)
        finite = math.isfinite(loss.item())
        if finite and (since_checkpoint >= CHECKPOINT_EXAMPLES or following is None):
            since_checkpoint = 0
            cross_entropy = validator.validate(model)
            finite = math.isfinite(cross_entropy)
            if finite:
                schedule.observe(cross_entropy)
                optimizer.param_groups[0]["lr"] = schedule.learning_rate
        if not finite or schedule.exhausted() or following is None:
            return schedule.lowest, step["epoch"]
        step = following


def run(arguments, seed):
    """The row of a seed."""
    with tempfile.TemporaryDirectory() as directory:
        command = trace_command(arguments, seed, directory)
        # Closing the pipe, as leaving the block does, ends the program.
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
            steps = map(json.loads, program.stdout)
            lowest, epochs = train(arguments.data, directory, steps, seed)
    return ["pytorch", arguments.learning_rate, arguments.batch_tokens, seed, lowest, epochs]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--learning-trace", required=True, help="our program")
    parser.add_argument("--data", required=True, help="dataset")
    parser.add_argument("--learning-rate", type=float, required=True)
    parser.add_argument("--batch-tokens", type=int, required=True)
    parser.add_argument("--seed", type=int, nargs="+", required=True)
    return parser.parse_args()


def main():
    torch.set_num_threads(1)
    # As every training step of ours does.
    torch.set_flush_denormal(True)
    arguments = parse_arguments()
    rows = csv.writer(sys.stdout, lineterminator="\n")
    for seed in arguments.seed:
        rows.writerow(run(arguments, seed))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
