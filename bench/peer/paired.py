"""Follows ours and PyTorch step by step, from the same weights, until they part.

Simple RNNs, on the same minibatches and under the same dropout masks: ours,
computed here from the keys that our program tells, by a Philox of this file.
PyTorch trains in double precision, which is what the others are held against,
and in single precision from our initial weights and from several copies of
them whose every weight is moved by one unit in the last place, up or down. A
run parts at the first step, counted from 1, whose loss is 1 % off that of the
double run. Rounding makes all of them part; arithmetic that is good enough
parts no earlier than PyTorch's single runs do.

The learning rate is kept. Several programs of ours may be given, each with a
name. Prints a line per seed and program and writes the table
seed, implementation, perturbation, parting_step; perturbation 0 is our initial
weights, an empty step means together until the last.
"""

import argparse
import csv
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

# Sets OPENBLAS_NUM_THREADS before it loads PyTorch.
import learning
import torch_golden
import torch_peer

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

DROPOUT = 0.1
MOST_DIFFERENCE = 0.01
# Of the first loss, before training magnifies anything; one site's masks changed do more.
MOST_FIRST_DIFFERENCE = 1e-6

PHILOX_FACTORS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
PHILOX_INCREMENTS = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
PHILOX_ROUNDS = 10
LOW_WORD = np.uint64(0xFFFFFFFF)
WORD = np.uint64(32)


def philox(counter, key):
    """Philox4x32-10 (Salmon et al. 2011): four words of 32 bits, in arrays of 64."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(PHILOX_ROUNDS):
        first, second = c0 * PHILOX_FACTORS[0], c2 * PHILOX_FACTORS[1]
        c0, c1, c2, c3 = (
            (second >> WORD) ^ c1 ^ k0,
            second & LOW_WORD,
            (first >> WORD) ^ c3 ^ k1,
            first & LOW_WORD,
        )
        k0, k1 = (k0 + PHILOX_INCREMENTS[0]) & LOW_WORD, (k1 + PHILOX_INCREMENTS[1]) & LOW_WORD
    return c0, c1, c2, c3


def keep_masks(key, threshold, sites, positions, strings, units):
    """Our masks: True for what is kept, (sites, positions, strings, units).

    A block of Philox, named (unit / 8, position, string, site), decides for
    eight units, 16 bits each, the lower half of a word first.
    """
    blocks = math.ceil(units / 8)
    axes = [np.arange(n, dtype=np.uint64) for n in (sites, positions, strings, blocks)]
    site, position, string, block = np.meshgrid(*axes, indexing="ij", sparse=True)
    shape = (sites, positions, strings, blocks)
    counter = [np.broadcast_to(c, shape) for c in (block, position, string, site)]
    words = np.stack(philox(counter, [np.uint64(k) for k in key]), axis=-1).astype("<u4")
    halves = words.view("<u2").reshape(sites, positions, strings, 8 * blocks)
    return halves[..., :units] >= threshold


def layer_of(model, l):
    """A layer of the model's nn.RNN as a module of its own, with the same parameters."""
    hidden = model.rnn.hidden_size
    layer = nn.RNN(hidden, hidden)
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        setattr(layer, f"{name}_l0", getattr(model.rnn, f"{name}_l{l}"))
    return layer


class Run:
    """One training with given masks, one step at a time."""

    def __init__(self, tensors, metadata, dtype):
        self.model = torch_golden.build_model(tensors, metadata).to(dtype)
        self.layers = [layer_of(self.model, l) for l in range(self.model.rnn.num_layers)]
        self.dtype = dtype
        self.parameters = list(torch_golden.parameters_of(self.model).values())
        self.optimizer = torch.optim.Adam(self.parameters, lr=float(metadata["learning_rate"]))

    def loss(self, tokens, lengths, labels, masks, scale):
        """Before the step; masks (sites, T + 1, N, d), position 0 that of the initial states."""
        factors = scale * masks.to(self.dtype)
        vectors = self.model.embedding(tokens.T) * factors[0, 1:]
        for l, layer in enumerate(self.layers):
            initial = torch.tanh(getattr(self.model, f"initial_hidden_l{l}"))
            h_0 = initial.expand(1, tokens.shape[0], -1).contiguous()
            outputs, _ = layer(vectors, h_0)
            vectors = outputs * factors[l + 1, 1:]
        hidden = torch.cat([h_0 * factors[-1, :1], vectors]).transpose(0, 1)
        logits = learning.recognition_logits(self.model, hidden, lengths)
        return F.binary_cross_entropy_with_logits(logits, labels.to(self.dtype))

    def step(self, *batch):
        loss = self.loss(*batch)
        learning.descend(self.optimizer, self.parameters, loss)
        return loss.item()


def perturbed(tensors, seed):
    """Every weight one unit in the last place up or down."""
    generator = np.random.default_rng(seed)
    directions = (np.float32(-np.inf), np.float32(np.inf))
    return {
        name: np.nextafter(values, generator.choice(directions, values.shape))
        for name, values in tensors.items()
    }


def trace(program, arguments, seed, directory):
    """Our run: its initial weights, their metadata, its steps."""
    command = [program, "--data", arguments.data, "--out", directory]
    command += ["--architecture", "rnn", "--loss", "rec", "--seed", str(seed)]
    command += ["--dropout", str(DROPOUT), "--max-epochs", str(arguments.epochs)]
    command += ["--learning-rate", repr(arguments.learning_rate)]
    command += ["--batch-tokens", str(arguments.batch_tokens)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    with open(os.path.join(directory, "batches.jsonl"), encoding="utf-8") as file:
        steps = [json.loads(line) for line in file]
    path = os.path.join(directory, "initial.safetensors")
    return *torch_golden.read_safetensors(path), steps


def batch_of(step, examples, metadata):
    """What Run.step takes."""
    indices = step["examples"]
    tokens, lengths = torch_peer.pad(indices, examples.strings)
    labels = torch.tensor([examples.labels[i] for i in indices])
    threshold = round(float(metadata["dropout"]) * 65536)
    sites, units = int(metadata["layers"]) + 1, int(metadata["hidden"])
    sizes = sites, tokens.shape[1] + 1, len(indices), units
    masks = torch.from_numpy(keep_masks(step["dropout_key"], threshold, *sizes))
    scale = np.float32(65536) / np.float32(65536 - threshold)
    return tokens, lengths, labels, masks, float(scale)


def check_first(losses, expected, seed):
    """A run that starts elsewhere, or with other masks, cannot be compared."""
    for (name, _), loss in losses.items():
        if not learning.difference(loss, expected) <= MOST_FIRST_DIFFERENCE:
            sys.exit(f"seed {seed}: the first loss of {name} is {loss}, expected {expected}")


def parted(loss, reference):
    # NaN counts as having parted, too.
    return not learning.difference(loss, reference) <= MOST_DIFFERENCE


def follow(tensors, metadata, steps, ours, arguments, seed):
    """The step at which each run parts, None for never; by implementation and perturbation.

    `ours` has the losses of our runs, by name.
    """
    examples = learning.Examples(arguments.data, metadata, False)
    reference = Run(tensors, metadata, torch.float64)
    weights = [tensors, *(perturbed(tensors, [seed, i]) for i in range(arguments.perturbations))]
    peers = {("pytorch", i): Run(w, metadata, torch.float32) for i, w in enumerate(weights)}
    parting = {(name, 0): None for name in ours} | {run: None for run in peers}
    for t, step in enumerate(steps):
        batch = batch_of(step, examples, metadata)
        expected = reference.step(*batch)
        losses = {(name, 0): ours[name][t] for name in ours if t < len(ours[name])}
        losses |= {run: peer.step(*batch) for run, peer in peers.items() if parting[run] is None}
        if t == 0:
            check_first(losses, expected, seed)
        for run, loss in losses.items():
            if parting[run] is None and parted(loss, expected):
                parting[run] = t + 1
        if None not in parting.values():
            break
    return parting


def compare(arguments, seed):
    """follow() for all of our programs, which must have the same weights, batches and keys."""
    told, losses = None, {}
    for name, program in arguments.ours:
        with tempfile.TemporaryDirectory() as directory:
            tensors, metadata, steps = trace(program, arguments, seed, directory)
        losses[name] = [step.pop("loss") for step in steps]
        told = told or (tensors, metadata, steps)
        if steps != told[2] or any((tensors[k] != told[0][k]).any() for k in told[0]):
            sys.exit(f"seed {seed}: {name} trained on other weights or batches")
    return follow(*told, losses, arguments, seed)


HEADER = ["seed", "ours", "parts at", "PyTorch", "perturbed, min", "median", "max"]


def print_row(cells):
    widths = [max(13, len(title)) for title in HEADER]
    print("  ".join(str(c).rjust(w) for c, w in zip(cells, widths)), flush=True)


def print_seed(arguments, seed, parting):
    never = math.inf
    times = {run: never if step is None else step for run, step in parting.items()}
    spread = [step for (name, i), step in times.items() if name == "pytorch" and i > 0]
    summary = [min(spread), statistics.median(spread), max(spread)] if spread else [""] * 3
    for name, _ in arguments.ours:
        print_row([seed, name, times[name, 0], times["pytorch", 0], *summary])


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "--ours",
        nargs=2,
        action="append",
        required=True,
        metavar=("NAME", "LEARNING_TRACE"),
        help="our program, and what the table calls it; may be given again",
    )
    parser.add_argument("--data", required=True, help="dataset")
    parser.add_argument("--learning-rate", type=float, required=True)
    parser.add_argument("--batch-tokens", type=int, required=True)
    parser.add_argument("--seed", type=int, nargs="+", required=True)
    parser.add_argument("--epochs", type=int, default=3, help="to follow at most")
    parser.add_argument("--perturbations", type=int, default=8)
    parser.add_argument("--out", required=True, help="the table, as CSV")
    return parser.parse_args()


def main():
    torch.set_num_threads(1)
    # As every training step of ours does.
    torch.set_flush_denormal(True)
    arguments = parse_arguments()
    with open(arguments.out, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["seed", "implementation", "perturbation", "parting_step"])
        print_row(HEADER)
        for seed in arguments.seed:
            parting = compare(arguments, seed)
            table.writerows([seed, *run, step] for run, step in parting.items())
            file.flush()
            print_seed(arguments, seed, parting)


if __name__ == "__main__":
    main()
