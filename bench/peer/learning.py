"""Compares what our trainer learns with what PyTorch learns.

For each dataset, architecture and loss, our program trains for a few epochs
without dropout and tells its initial weights and its batches; PyTorch's
modules, Adam and gradient clipping then train on the same batches from the
same weights. Both compute in single precision and round differently, and
training magnifies that, so the curves stay together but are not the same; how
far apart rounding alone takes them is seen by PyTorch in double precision
(--double). Prints both curves, with relative differences. The exit status is 1
if the mean loss of an epoch differs by more than 1 %.

With --dropout each side draws its own masks. The curves then agree as two
trainings with different seeds do, and are only shown: does PyTorch learn
what we learn, and fail where we fail?
"""

import argparse
import json
import math
import os
import subprocess
import sys

PEER = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(PEER, os.pardir, os.pardir, "tools"))

# These set OPENBLAS_NUM_THREADS before they load PyTorch.
import torch_golden
import torch_peer

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

ARCHITECTURES = ("rnn", "lstm", "transformer")
LOSSES = ("rec", "rec+lm+ns")
# At 0.001, three epochs of dyck-2-3 magnify the rounding of PyTorch alone to more than 1 %.
LEARNING_RATE = 0.0001
LM_COEFFICIENT = 0.5
NS_COEFFICIENT = 1.0

MOST_DIFFERENCE = 0.01
# Of the same losses on one batch, padded or string by string; both in single precision.
MOST_PADDING_DIFFERENCE = 1e-5
TERMS = ("recognition_loss", "lm_loss", "next_symbol_loss")


class Trace:
    """What our program did, and what it printed about it."""

    def __init__(self, directory, printed):
        path = os.path.join(directory, "initial.safetensors")
        self.tensors, self.metadata = torch_golden.read_safetensors(path)
        with open(os.path.join(directory, "batches.jsonl"), encoding="utf-8") as file:
            steps = [json.loads(line) for line in file]
        events = [json.loads(line) for line in printed.splitlines()]
        self.epochs = [event for event in events if event["event"] == "epoch"]
        self.batches = [
            [step["examples"] for step in steps if step["epoch"] == epoch["epoch"]]
            for epoch in self.epochs
        ]
        for epoch, checkpoint in zip(
            self.epochs, (event for event in events if event["event"] == "checkpoint")
        ):
            epoch["validation"] = checkpoint["validation"]["recognition_cross_entropy"]


class Examples:
    """A split, read with no help from our program but the order of the alphabet."""

    def __init__(self, directory, metadata, with_next_symbols):
        names = json.loads(metadata["alphabet"])
        self.alphabet = {name: i for i, name in enumerate(names)}
        self.strings = torch_peer.encode(torch_peer.read_strings(directory), self.alphabet)
        self.labels = torch_peer.read_labels(directory)
        self.next_symbols = self.read_next_symbols(directory) if with_next_symbols else None

    def read_next_symbols(self, directory):
        """One 0/1 matrix per string, (|w| + 1, |alphabet| + 1); None for negatives."""
        lines = iter(torch_peer.read_lines(directory, "next-symbols.jsonl"))
        return [self.parse_sets(next(lines)) if label else None for label in self.labels]

    def parse_sets(self, line):
        sets = json.loads(line)
        rows = np.zeros((len(sets), len(self.alphabet) + 1), dtype=np.uint8)
        for row, entry in zip(rows, sets):
            row[[self.alphabet[name] for name in entry["s"].split()]] = 1
            row[-1] = entry["e"]
        return rows

    def unpadded(self, batch):
        """The batch as torch_golden takes it."""
        strings = [self.strings[i] for i in batch]
        tensors = {
            "batch.tokens": np.concatenate(strings),
            "batch.offsets": np.cumsum([0, *map(len, strings)]),
            "batch.labels": np.array([self.labels[i] for i in batch]),
        }
        if self.next_symbols:
            sets = [self.next_symbols[i] for i in batch if self.labels[i]]
            empty = np.zeros((0, len(self.alphabet) + 1), dtype=np.uint8)
            tensors["batch.next_symbols"] = np.concatenate([empty, *sets])
        return torch_golden.Batch(tensors, self.next_symbols is not None)


def set_dropout(model, probability):
    """Wherever our modules drop, or PyTorch's."""
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = probability
        elif hasattr(module, "dropout") and isinstance(module.dropout, float):
            module.dropout = probability


def recognition_logits(model, hidden, lengths):
    last = hidden[torch.arange(len(lengths)), lengths]
    return model.recognition_head(last).squeeze(1)


def pad_language_model_targets(tokens, lengths, eos):
    targets = F.pad(tokens, (0, 1))
    return targets.scatter(1, lengths.unsqueeze(1), eos)


def pad_next_symbols(batch, examples, targets):
    for row, i in zip(targets, batch):
        if examples.labels[i]:
            row[: len(examples.next_symbols[i])] = torch.from_numpy(examples.next_symbols[i])
    return targets


def evaluate(model, batch, examples, metadata):
    """The four losses of a batch, as torch_golden.evaluate computes them string by string."""
    tokens, lengths = torch_peer.pad(batch, examples.strings)
    hidden = model.hidden_vectors(tokens)
    labels = torch.tensor([examples.labels[i] for i in batch], dtype=hidden.dtype)
    logits = recognition_logits(model, hidden, lengths)
    recognition = F.binary_cross_entropy_with_logits(logits, labels)
    # The mean over a positive's positions, then over all strings.
    inside = torch.arange(hidden.shape[1]) <= lengths.unsqueeze(1)
    weights = inside * (labels / (lengths + 1) / len(batch)).unsqueeze(1)
    lm = ns = recognition.new_zeros(())
    if metadata["lm_head"] == "1":
        targets = pad_language_model_targets(tokens, lengths, model.vocabulary)
        lm_logits = model.language_model_logits(hidden).transpose(1, 2)
        lm = (F.cross_entropy(lm_logits, targets, reduction="none") * weights).sum()
    if metadata["ns_head"] == "1":
        ns_logits = model.next_symbols_head(hidden)
        targets = pad_next_symbols(batch, examples, torch.zeros_like(ns_logits))
        each = F.binary_cross_entropy_with_logits(ns_logits, targets, reduction="none")
        ns = (each.mean(2) * weights).sum()
    total = (
        recognition
        + float(metadata["lm_coefficient"]) * lm
        + float(metadata["ns_coefficient"]) * ns
    )
    return torch.stack([recognition, lm, ns, total])


def check_padding(model, batch, examples, metadata):
    """Padding must change nothing: torch_golden has none."""
    with torch.no_grad():
        padded = evaluate(model, batch, examples, metadata)
        _, expected = torch_golden.evaluate(model, examples.unpadded(batch), metadata)
    if not torch.allclose(padded, expected, rtol=MOST_PADDING_DIFFERENCE, atol=0):
        sys.exit(f"padding changes the losses: {padded.tolist()}, not {expected.tolist()}")


class Validator:
    """The validation split, in batches of similar length."""

    def __init__(self, data, metadata):
        path = os.path.join(data, "datasets", metadata["validation"])
        self.examples = Examples(path, metadata, False)
        strings = self.examples.strings
        order = sorted(range(len(strings)), key=lambda i: len(strings[i]))
        self.batches = torch_peer.cut(order, strings, 1, torch_peer.EVALUATION_BATCH_TOKENS)

    def validate(self, model):
        """The mean cross-entropy of recognition."""
        total = 0.0
        model.eval()
        with torch.no_grad():
            for batch in self.batches:
                tokens, lengths = torch_peer.pad(batch, self.examples.strings)
                logits = recognition_logits(model, hidden_vectors(model, tokens), lengths)
                labels = torch.tensor([self.examples.labels[i] for i in batch], dtype=logits.dtype)
                each = F.binary_cross_entropy_with_logits(logits, labels, reduction="sum")
                total += each.item()
        return total / len(self.examples.labels)


def descend(optimizer, parameters, loss):
    """A step of ours: gradient, clipping, Adam."""
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(parameters, torch_golden.CLIP)
    optimizer.step()


def train_epoch(model, optimizer, batches, examples, metadata):
    """The mean losses over the examples, each measured before the step it leads to."""
    parameters = list(torch_golden.parameters_of(model).values())
    sums = np.zeros(4)
    model.train()
    for batch in batches:
        losses = evaluate(model, batch, examples, metadata)
        descend(optimizer, parameters, losses[-1])
        sums += len(batch) * losses.detach().numpy().astype(np.float64)
    return sums / len(examples.labels)


def train_peer(data, trace, dtype, dropout):
    """PyTorch's epochs, as dictionaries like our events."""
    metadata = trace.metadata
    model = torch_golden.build_model(trace.tensors, metadata).to(dtype)
    parameters = list(torch_golden.parameters_of(model).values())
    optimizer = torch.optim.Adam(parameters, lr=float(metadata["learning_rate"]))
    examples = Examples(data, metadata, metadata["ns_head"] == "1")
    validator = Validator(data, metadata)
    set_dropout(model, 0)
    check_padding(model, trace.batches[0][0], examples, metadata)
    set_dropout(model, dropout)
    epochs = []
    for batches in trace.batches:
        recognition, lm, ns, total = train_epoch(model, optimizer, batches, examples, metadata)
        epochs.append(
            {
                "loss": total,
                "recognition_loss": recognition,
                "lm_loss": lm,
                "next_symbol_loss": ns,
                "validation": validator.validate(model),
            }
        )
    return epochs


def difference(ours, theirs):
    return abs(ours - theirs) / theirs


def shown(value):
    return f"{value:.1e}"


def shown_loss(value):
    return f"{value:.5f}"


def worst_term(ours, theirs):
    """The largest difference of the loss's terms."""
    return max(difference(ours[term], theirs[term]) for term in TERMS if ours[term] is not None)


HEADER = ["epoch", "ours", "PyTorch", "differ by", "worst term"]
HEADER += ["ours, valid.", "PyTorch", "differ by", "ours-double", "PyTorch-double"]


def print_row(name, cells):
    widths = [max(9, len(title)) for title in HEADER]
    print("  ".join([name.ljust(31), *(c.rjust(w) for c, w in zip(cells, widths))]), flush=True)


def print_epochs(name, ours, theirs, double):
    for i, (our, their) in enumerate(zip(ours, theirs)):
        cells = [str(i + 1), shown_loss(our["loss"]), shown_loss(their["loss"])]
        cells.append(shown(difference(our["loss"], their["loss"])))
        cells.append(shown(worst_term(our, their)))
        cells += [shown_loss(our["validation"]), shown_loss(their["validation"])]
        cells.append(shown(difference(our["validation"], their["validation"])))
        if double:
            cells += [shown(difference(e["loss"], double[i]["loss"])) for e in (our, their)]
        print_row(name if i == 0 else "", cells)


def compare(arguments, data, architecture, loss):
    """How much the loss of each epoch differs."""
    name = f"{os.path.basename(os.path.normpath(data))} {architecture} {loss}"
    directory = os.path.join(arguments.out, name.replace(" ", "-"))
    command = [arguments.learning_trace, "--data", data, "--out", directory]
    command += ["--architecture", architecture, "--loss", loss, "--seed", str(arguments.seed)]
    command += ["--batch-tokens", str(arguments.batch_tokens)]
    command += ["--learning-rate", str(arguments.learning_rate)]
    command += ["--max-epochs", str(arguments.epochs), "--dropout", str(arguments.dropout)]
    if "+lm" in loss:
        command += ["--lm-coefficient", str(LM_COEFFICIENT)]
    if "+ns" in loss:
        command += ["--ns-coefficient", str(NS_COEFFICIENT)]
    printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    trace = Trace(directory, printed)
    if len(trace.epochs) != arguments.epochs:
        sys.exit(f"{name}: our training ended after {len(trace.epochs)} epochs")
    theirs = train_peer(data, trace, torch.float32, arguments.dropout)
    double = train_peer(data, trace, torch.float64, arguments.dropout) if arguments.double else None
    print_epochs(name, trace.epochs, theirs, double)
    return [difference(o["loss"], t["loss"]) for o, t in zip(trace.epochs, theirs)]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--learning-trace", required=True, help="our program")
    parser.add_argument("--data", required=True, nargs="+", help="datasets")
    parser.add_argument("--out", required=True, help="directory for weights and batches")
    known = list(torch_golden.modules.DEFAULTS)
    parser.add_argument("--architecture", nargs="+", choices=known, default=ARCHITECTURES)
    parser.add_argument("--loss", nargs="+", default=LOSSES)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-tokens", type=int, default=1024)
    parser.add_argument("--learning-rate", type=float, default=LEARNING_RATE)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--double", action="store_true", help="PyTorch in double precision, too")
    return parser.parse_args()


def main():
    torch.set_num_threads(1)
    # As every training step of ours does.
    torch.set_flush_denormal(True)
    arguments = parse_arguments()
    print_row("", HEADER if arguments.double else HEADER[:-2])
    differences = [
        epoch
        for data in arguments.data
        for architecture in arguments.architecture
        for loss in arguments.loss
        for epoch in compare(arguments, data, architecture, loss)
    ]
    if arguments.dropout > 0:
        return 0
    met = all(d <= MOST_DIFFERENCE for d in differences)  # Not if one is not a number.
    verdict = "met" if met else "missed"
    print(f"largest difference: {max(differences):.1e}, bar {MOST_DIFFERENCE}: {verdict}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
