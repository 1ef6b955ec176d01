"""Measures how fast PyTorch trains, or runs, the recognizers of our benchmark.

The same models and batches as ours, written with PyTorch's own modules on
padded batches; packed sequences measured slower. PyTorch leaves matrix
products to the BLAS library it is linked to, so the result names that library.
Prints one line of JSON.
"""

import argparse
import json
import math
import os
import random
import resource
import sys
import time

# torch.set_num_threads does not reach OpenBLAS, which reads this when it is loaded.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

PEER = os.path.dirname(os.path.abspath(__file__))

HIDDEN = {"rnn": 79, "lstm": 40, "transformer": 32}
HEADS = 8
DROPOUT = 0.1
CLIP = 5.0
LEARNING_RATE = 0.001
SEED = 1
WARM_UP_BATCHES = 3
EVALUATION_BATCH_TOKENS = 16384


class Recurrent(nn.Module):
    reserved = 0  # No BOS.

    def __init__(self, kind, vocabulary, hidden, layers):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, hidden)
        between_layers = DROPOUT if layers > 1 else 0.0
        self.rnn = kind(hidden, hidden, layers, batch_first=True, dropout=between_layers)
        self.initial_hidden = nn.Parameter(torch.empty(layers, 1, hidden))
        self.dropout = nn.Dropout(DROPOUT)
        self.recognition_head = nn.Linear(hidden, 1)

    def forward(self, tokens, lengths):
        h_0 = torch.tanh(self.initial_hidden).expand(-1, len(tokens), -1).contiguous()
        state = (h_0, torch.zeros_like(h_0)) if isinstance(self.rnn, nn.LSTM) else h_0
        outputs, _ = self.rnn(self.dropout(self.embedding(tokens)), state)
        last = outputs[torch.arange(len(tokens)), (lengths - 1).clamp(min=0)]
        last = torch.where((lengths > 0).unsqueeze(1), last, h_0[-1])
        # The head reads no other position, so no other needs its dropout.
        return self.recognition_head(self.dropout(last)).squeeze(1)


class Transformer(nn.Module):
    reserved = 1  # BOS, the last row of the embedding.

    def __init__(self, vocabulary, hidden, layers, longest):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary + 1, hidden)
        layer = nn.TransformerEncoderLayer(
            hidden, HEADS, 4 * hidden, dropout=DROPOUT, norm_first=True, batch_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, layers, norm=nn.LayerNorm(hidden))
        self.dropout = nn.Dropout(DROPOUT)
        self.recognition_head = nn.Linear(hidden, 1)
        self.register_buffer("encoding", sinusoidal_encoding(longest + 1, hidden))
        causal = nn.Transformer.generate_square_subsequent_mask(longest + 1)
        self.register_buffer("causal", causal)

    def forward(self, tokens, lengths):
        bos = tokens.new_full((len(tokens), 1), self.embedding.num_embeddings - 1)
        inputs = torch.cat([bos, tokens], dim=1)
        length = inputs.shape[1]
        embedded = self.embedding(inputs) * math.sqrt(self.embedding.embedding_dim)
        embedded = self.dropout(embedded + self.encoding[:length])
        # Causal attention never looks right, so padding there needs no mask.
        outputs = self.encoder(embedded, self.causal[:length, :length])
        last = outputs[torch.arange(len(tokens)), lengths]
        return self.recognition_head(last).squeeze(1)


def sinusoidal_encoding(length, hidden):
    position = torch.arange(length).unsqueeze(1)
    angle = position / 10000 ** (torch.arange(0, hidden, 2) / hidden)
    return torch.stack([angle.sin(), angle.cos()], dim=2).reshape(length, hidden)


def initialize(model):
    """Starts from the weights of a usual training run: the range matters for
    how soon gradients vanish into numbers that are slow to compute with."""
    for name, parameter in model.named_parameters():
        if "norm" not in name:
            nn.init.uniform_(parameter, -0.1, 0.1)
    nn.init.xavier_uniform_(model.recognition_head.weight)
    nn.init.zeros_(model.recognition_head.bias)
    for module in model.modules():
        if isinstance(module, nn.LayerNorm):
            module.reset_parameters()


def freeze_second_bias(model):
    """The models have one bias per recurrent layer where PyTorch has two."""
    for name, parameter in model.named_parameters():
        if "bias_hh" in name:
            nn.init.zeros_(parameter)
            parameter.requires_grad_(False)


def build_model(arguments, vocabulary, longest):
    torch.manual_seed(SEED)
    hidden = arguments.hidden or HIDDEN[arguments.architecture]
    if arguments.architecture not in HIDDEN:
        # Our module, compiled for one Python, is not needed for the others.
        sys.path.append(os.path.join(PEER, os.pardir, os.pardir, "tools"))
        import torch_golden

        metadata = {"architecture": arguments.architecture, "vocabulary": str(vocabulary)}
        metadata |= {"layers": str(arguments.layers), "hidden": str(hidden)}
        model = torch_golden.modules.module_of(metadata, DROPOUT)
        model.reserved = model.extra_symbols
    elif arguments.architecture == "transformer":
        model = Transformer(vocabulary, hidden, arguments.layers, longest)
    else:
        kind = {"rnn": nn.RNN, "lstm": nn.LSTM}[arguments.architecture]
        model = Recurrent(kind, vocabulary, hidden, arguments.layers)
    initialize(model)
    freeze_second_bias(model)
    return model


def read_lines(directory, name):
    with open(os.path.join(directory, name), encoding="utf-8") as file:
        return file.read().removesuffix("\n").split("\n")


def read_strings(directory):
    return [line.split() for line in read_lines(directory, "main.tok")]


def read_labels(directory):
    return [int(line) for line in read_lines(directory, "labels.txt")]


def alphabet_of(strings):
    return {token: i for i, token in enumerate(sorted({t for s in strings for t in s}))}


def encode(strings, alphabet):
    return [np.array([alphabet[t] for t in s], dtype=np.int64) for s in strings]


def cut(order, strings, reserved, limit):
    """Cuts strings in order of length into batches of at most limit tokens with padding."""
    batches, batch = [], []
    for i in order:
        if batch and (len(batch) + 1) * (len(strings[i]) + reserved) > limit:
            batches.append(batch)
            batch = []
        batch.append(i)
    return batches + [batch]


def pad(batch, strings):
    # At least one column: the recurrent modules refuse sequences of length 0.
    tokens = np.zeros((len(batch), max(1, max(len(strings[i]) for i in batch))), dtype=np.int64)
    for row, i in zip(tokens, batch):
        row[: len(strings[i])] = strings[i]
    lengths = torch.tensor([len(strings[i]) for i in batch])
    return torch.from_numpy(tokens), lengths


def training_batches(strings, reserved, limit, generator):
    order = list(range(len(strings)))
    generator.shuffle(order)
    order.sort(key=lambda i: len(strings[i]))
    batches = cut(order, strings, reserved, limit)
    generator.shuffle(batches)
    return batches


def train_step(model, optimizer, parameters, tokens, lengths, labels):
    optimizer.zero_grad(set_to_none=True)
    loss = F.binary_cross_entropy_with_logits(model(tokens, lengths), labels)
    loss.backward()
    nn.utils.clip_grad_norm_(parameters, CLIP)
    optimizer.step()


def measure_training(model, strings, labels, limit, epochs):
    """Returns the seconds of the epochs, batching included, and those of the processor."""
    model.train()
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(parameters, lr=LEARNING_RATE)
    generator = random.Random(SEED)

    def run(batches):
        for batch in batches:
            batch_labels = torch.tensor([labels[i] for i in batch], dtype=torch.float32)
            train_step(model, optimizer, parameters, *pad(batch, strings), batch_labels)

    run(training_batches(strings, model.reserved, limit, generator)[:WARM_UP_BATCHES])
    start, cpu = time.perf_counter(), time.process_time()
    for _ in range(epochs):
        run(training_batches(strings, model.reserved, limit, generator))
    return time.perf_counter() - start, time.process_time() - cpu


def measure_evaluation(model, strings):
    """Returns the seconds that recognizing all strings takes, batching included."""
    model.eval()

    def batches():
        order = sorted(range(len(strings)), key=lambda i: len(strings[i]))
        return cut(order, strings, model.reserved, EVALUATION_BATCH_TOKENS)

    with torch.no_grad():
        for batch in batches()[:WARM_UP_BATCHES]:
            model(*pad(batch, strings))
        start = time.perf_counter()
        for batch in batches():
            model(*pad(batch, strings))
        return time.perf_counter() - start


def blas_libraries():
    """The files of the BLAS that this process has loaded."""
    with open("/proc/self/maps", encoding="utf-8") as file:
        paths = {line.split()[-1] for line in file if "/" in line}
    known = ("blas", "mkl", "blis")
    found = {path for path in paths if any(name in os.path.basename(path) for name in known)}
    return sorted(found)


def peak_memory_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", required=True, help="directory with main.tok and labels.txt")
    parser.add_argument("--architecture", required=True)
    parser.add_argument("--batch-tokens", type=int, help="limit per batch, with padding")
    parser.add_argument("--hidden", type=int)
    parser.add_argument("--layers", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--compile", action="store_true", help="by torch.compile, for any lengths")
    parser.add_argument("--evaluate", metavar="SPLIT_DIR", help="time recognition of this split")
    arguments = parser.parse_args()
    if arguments.architecture not in HIDDEN and not arguments.hidden:
        parser.error(f"{arguments.architecture} needs --hidden")
    if not arguments.evaluate and not arguments.batch_tokens:
        parser.error("training needs --batch-tokens")
    return arguments


def measure(arguments):
    read = read_strings(arguments.data)
    timed = read_strings(arguments.evaluate) if arguments.evaluate else read
    alphabet = alphabet_of(read + timed)
    strings = encode(timed, alphabet)
    model = build_model(arguments, len(alphabet), max(map(len, strings)))
    result = {"architecture": arguments.architecture}
    if arguments.evaluate:
        result["evaluate"] = True
        result["examples_per_second"] = len(strings) / measure_evaluation(model, strings)
    else:
        limit, epochs = arguments.batch_tokens, arguments.epochs
        if arguments.compile:
            reserved, model = model.reserved, torch.compile(model, dynamic=True)
            model.reserved = reserved
        labels = read_labels(arguments.data)
        seconds, cpu_seconds = measure_training(model, strings, labels, limit, epochs)
        result["batch_tokens"] = limit
        result["examples_per_second"] = len(strings) * epochs / seconds
        result["seconds"] = seconds
        result["examples_per_cpu_second"] = len(strings) * epochs / cpu_seconds
    result["peak_memory_mb"] = peak_memory_mb()
    result["blas"] = blas_libraries()
    result["pytorch"] = torch.__version__
    return result


def main():
    torch.set_num_threads(1)
    # Vanished gradients of long strings must not slow PyTorch down.
    torch.set_flush_denormal(True)
    print(json.dumps(measure(parse_arguments())))


if __name__ == "__main__":
    main()
