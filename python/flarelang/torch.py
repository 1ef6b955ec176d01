"""PyTorch: our minibatches as tensors, and our models as modules."""

from __future__ import annotations

import json
import math
import os
import struct
from dataclasses import dataclass
from typing import Any, Iterator, Mapping

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from . import _flarelang
from ._flarelang import NextSymbols, Strings
from .dataset import Dataset, Path, Split
from .run import Run

RECURRENT = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}
HEADS = 8


@dataclass
class Batch:
    """A minibatch; strings are padded with 0 on the right."""

    tokens: Tensor  # int64, (N, T)
    lengths: Tensor  # int64, (N,)
    labels: Tensor  # float32, (N,)
    examples: Tensor  # int64, (N,): which ones of the split they are
    next_symbols: Tensor | None = None  # float32, (N, T + 1, |alphabet| + 1); zeros for negatives

    def __len__(self) -> int:
        return len(self.lengths)


def pad(strings: Strings) -> tuple[Tensor, Tensor]:
    """Tokens, (N, T) with zeros on the right, and lengths; T is at least 1, as modules want it."""
    padded = strings.padded(0)
    if padded.shape[1] == 0:
        padded = np.zeros((len(strings), 1), np.int32)
    return torch.from_numpy(padded.astype(np.int64)), torch.from_numpy(strings.lengths.copy())


def _padded_sets(sets: NextSymbols, examples: np.ndarray[Any, Any], length: int) -> Tensor:
    padded = np.zeros((len(examples), length + 1, sets.values.shape[1]), np.float32)
    for row, i in zip(padded, examples):
        rows = sets[int(i)]
        row[: len(rows)] = rows
    return torch.from_numpy(padded)


def batch_of(split: Split, examples: np.ndarray[Any, Any], next_symbols: bool = False) -> Batch:
    """Some examples of a split."""
    tokens, lengths = pad(split.strings[examples])
    sets = None
    if next_symbols:
        if split.next_symbols is None:
            raise ValueError(f"the split {split.name} has no next-symbol sets")
        sets = _padded_sets(split.next_symbols, examples, tokens.shape[1])
    labels = torch.from_numpy(split.labels[examples].astype(np.float32))
    return Batch(tokens, lengths, labels, torch.from_numpy(examples), sets)


def batches(
    split: Split,
    tokens: int,
    *,
    seed: int = 0,
    epoch: int = 1,
    extra_symbols: int = 0,
    next_symbols: bool = False,
) -> Iterator[Batch]:
    """The minibatches of our own training in an epoch, from 1: at most so many tokens each.

    `extra_symbols` are those that a model adds to a string, which count: one for BOS, one for EOS.
    """
    order, begins = _flarelang.plan_epoch(
        split.strings.lengths, tokens, extra_symbols, seed, epoch
    )
    for begin, end in zip(begins, begins[1:]):
        yield batch_of(split, order[begin:end], next_symbols)


def in_order(split: Split, tokens: int = 16_384) -> Iterator[Batch]:
    """All examples in batches of similar length, without chance: for evaluation."""
    lengths = split.strings.lengths
    order = np.argsort(lengths, kind="stable")
    begin = 0
    for end in range(1, len(order) + 1):
        if end == len(order) or (end + 1 - begin) * (lengths[order[end]] + 1) > tokens:
            yield batch_of(split, order[begin:end])
            begin = end


class Recognizer(nn.Module):
    """What our architectures share: the embedding and the heads.

    Called with tokens and lengths it returns the recognition logits, (N,); with auxiliary terms, a
    dictionary of `rec`, (N,), and of `lm` and `ns`, both (N, T + 1, |alphabet| + 1).
    """

    def __init__(
        self, vocabulary: int, hidden: int, extra_rows: int, terms: tuple[str, ...], dropout: float
    ) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self.terms = terms
        self.dropout = dropout
        # A row for EOS only where it is predicted; what else an architecture reads comes after it.
        self.embedding = nn.Embedding(vocabulary + ("lm" in terms) + extra_rows, hidden)
        self.recognition_head = nn.Linear(hidden, 1)
        if "ns" in terms:
            self.next_symbols_head = nn.Linear(hidden, vocabulary + 1)

    def _drop(self, vectors: Tensor) -> Tensor:
        return F.dropout(vectors, self.dropout, self.training)

    def hidden_vectors(self, tokens: Tensor) -> Tensor:
        """(N, T + 1, d): of every prefix, from the empty one."""
        raise NotImplementedError

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor | dict[str, Tensor]:
        hidden = self.hidden_vectors(tokens)
        index = lengths.reshape(-1, 1, 1).expand(-1, 1, hidden.shape[2])
        last = hidden.gather(1, index).squeeze(1)
        logits = self.recognition_head(last).squeeze(1)
        if not self.terms:
            return logits
        outputs = {"rec": logits}
        if "lm" in self.terms:
            outputs["lm"] = hidden @ self.embedding.weight[: self.vocabulary + 1].T
        if "ns" in self.terms:
            outputs["ns"] = self.next_symbols_head(hidden)
        return outputs


class Recurrent(Recognizer):
    """rnn, lstm or gru: layers of PyTorch's module, from initial states that are learned.

    The first hidden vector of layer l is tanh(initial_hidden_l{l}), an LSTM's first cell is 0.
    There is one bias per layer: bias_ih; bias_hh is 0 and is not trained.
    """

    extra_symbols = 0

    def __init__(
        self,
        architecture: str,
        vocabulary: int,
        layers: int,
        hidden: int,
        terms: tuple[str, ...] = (),
        dropout: float = 0.0,
    ) -> None:
        super().__init__(vocabulary, hidden, 0, terms, dropout)
        between = dropout if layers > 1 else 0.0
        self.rnn = RECURRENT[architecture](
            hidden, hidden, layers, dropout=between, batch_first=True
        )
        for layer in range(layers):
            initial = nn.Parameter(torch.zeros(hidden))
            self.register_parameter(f"initial_hidden_l{layer}", initial)
            bias = getattr(self.rnn, f"bias_hh_l{layer}")
            nn.init.zeros_(bias)
            bias.requires_grad_(False)

    def hidden_vectors(self, tokens: Tensor) -> Tensor:
        layers = range(self.rnn.num_layers)
        initial = torch.stack([getattr(self, f"initial_hidden_l{layer}") for layer in layers])
        h_0 = torch.tanh(initial).unsqueeze(1).repeat(1, tokens.shape[0], 1)
        state = (h_0, torch.zeros_like(h_0)) if isinstance(self.rnn, nn.LSTM) else h_0
        outputs, _ = self.rnn(self._drop(self.embedding(tokens)), state)
        return self._drop(torch.cat([h_0[-1:].transpose(0, 1), outputs], dim=1))


def sinusoidal_encoding(length: int, hidden: int) -> Tensor:
    position = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    even = torch.arange(0, hidden, 2, dtype=torch.float64)
    angle = position / 10000 ** (even / hidden)
    return torch.stack([angle.sin(), angle.cos()], dim=2).reshape(length, hidden).float()


class Transformer(Recognizer):
    """A causal encoder with layer norm first, sinusoidal positions and BOS before the string."""

    extra_symbols = 1

    def __init__(
        self,
        vocabulary: int,
        layers: int,
        hidden: int,
        terms: tuple[str, ...] = (),
        dropout: float = 0.0,
    ) -> None:
        super().__init__(vocabulary, hidden, 1, terms, dropout)
        layer = nn.TransformerEncoderLayer(
            hidden, HEADS, 4 * hidden, dropout=dropout, norm_first=True, batch_first=True
        )
        self.encoder = nn.TransformerEncoder(
            layer, layers, norm=nn.LayerNorm(hidden), enable_nested_tensor=False
        )

    def hidden_vectors(self, tokens: Tensor) -> Tensor:
        rows, hidden = self.embedding.weight.shape
        inputs = F.pad(tokens, (1, 0), value=rows - 1)  # BOS is the last row.
        embedded = self.embedding(inputs) * math.sqrt(hidden)
        length = inputs.shape[1]
        encoding = sinusoidal_encoding(length, hidden).to(embedded.device)
        mask = torch.ones(length, length, dtype=torch.bool, device=embedded.device).triu(1)
        return self.encoder(self._drop(embedded + encoding), mask)


# What a model's file calls a tensor, and the module's name of it.
_RENAMED = (("rnn.bias_l", "rnn.bias_ih_l"),)


def parameters_of(module: nn.Module) -> dict[str, nn.Parameter]:
    """The parameters that are trained, by the names that our model files give them."""
    named = {}
    for name, parameter in module.named_parameters():
        if parameter.requires_grad:
            for ours, theirs in _RENAMED:
                name = name.replace(theirs, ours)
            named[name] = parameter
    return named


def parse_safetensors(
    content: bytes, path: Path
) -> tuple[dict[str, np.ndarray[Any, Any]], dict[str, str]]:
    """The tensors of a file and its metadata; those of floats, as a model's are."""
    try:
        (length,) = struct.unpack_from("<Q", content)
        header = json.loads(content[8 : 8 + length])
    except (struct.error, ValueError) as error:
        raise ValueError(f"{path}: is not a safetensors file: {error}") from None
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        if entry["dtype"] != "F32":
            raise ValueError(f"{path}: tensor {name!r} is {entry['dtype']}; expected F32")
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        values = np.frombuffer(content[begin:end], dtype="<f4")
        tensors[name] = values.reshape(entry["shape"]).copy()
    return tensors, metadata


def format_safetensors(tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> bytes:
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    offset = 0
    parts = []
    for name, tensor in sorted(tensors.items()):
        values = tensor.detach().cpu().numpy().astype("<f4")
        header[name] = {
            "dtype": "F32",
            "shape": list(values.shape),
            "data_offsets": [offset, offset + values.nbytes],
        }
        offset += values.nbytes
        parts.append(values.tobytes())
    encoded = json.dumps(header).encode()
    encoded += b" " * (-len(encoded) % 8)
    return struct.pack("<Q", len(encoded)) + encoded + b"".join(parts)


def module_of(metadata: Mapping[str, str], dropout: float = 0.0) -> Recurrent | Transformer:
    """A module for the architecture and the sizes that a model's file names; not its weights."""
    known = {"architecture", "vocabulary", "layers", "hidden"}
    terms = tuple(term for term in ("lm", "ns") if metadata.get(f"{term}_head") == "1")
    unknown = {
        key for key, value in metadata.items() if key not in known and value != "0"
    } - {f"{term}_head" for term in terms}
    architecture = metadata["architecture"]
    if unknown:
        raise ValueError(f"there is no module for the {architecture} with {', '.join(unknown)}")
    sizes = {key: int(metadata[key]) for key in ("vocabulary", "layers", "hidden")}
    if architecture == "transformer":
        return Transformer(**sizes, terms=terms, dropout=dropout)
    if architecture not in RECURRENT:
        raise ValueError(f"there is no module for the architecture {architecture!r}")
    return Recurrent(architecture, **sizes, terms=terms, dropout=dropout)


def _module_with(content: bytes, path: Path, dropout: float = 0.0) -> Recurrent | Transformer:
    tensors, metadata = parse_safetensors(content, path)
    module = module_of(metadata, dropout)
    parameters = parameters_of(module)
    if set(parameters) != set(tensors):
        different = ", ".join(sorted(set(parameters) ^ set(tensors)))
        raise ValueError(f"{path}: its tensors are not those of the module: {different}")
    with torch.no_grad():
        for name, parameter in parameters.items():
            if tensors[name].shape != tuple(parameter.shape):
                raise ValueError(f"{path}: tensor {name!r} has the shape {tensors[name].shape}")
            parameter.copy_(torch.from_numpy(tensors[name]))
    return module


def initial(
    architecture: str,
    *,
    vocabulary: int,
    hidden: int,
    layers: int = 5,
    loss: str = "rec",
    dropout: float = 0.0,
    seed: int = 0,
) -> Recurrent | Transformer:
    """A module with the weights from which our own training of that seed begins."""
    content = _flarelang.initial_model(architecture, vocabulary, layers, hidden, loss, seed)
    return _module_with(content, "initial weights", dropout)


def load_file(path: Path) -> Recurrent | Transformer:
    """The model of a file as a module, in evaluation mode."""
    with open(path, "rb") as file:
        return _module_with(file.read(), path).eval()


def load(run: Path | Run) -> Recurrent | Transformer:
    """The trained model of a run as a module, in evaluation mode. Its logits are the run's."""
    run = run if isinstance(run, Run) else Run(run)
    path = os.path.join(run.path, "model.safetensors")
    if run.result is None or not os.path.exists(path):
        raise ValueError(f"{run.path}: has no model: the run is {run.state}")
    return load_file(path)


def logits(module: nn.Module, split: Split) -> np.ndarray[Any, Any]:
    """The recognition logits of all examples, in the split's order."""
    answers = np.empty(len(split), np.float32)
    was_training = module.training
    module.eval()
    with torch.no_grad():
        for batch in in_order(split):
            outputs = module(batch.tokens, batch.lengths)
            answer = outputs["rec"] if isinstance(outputs, dict) else outputs
            if tuple(answer.shape) != (len(batch),):
                raise ValueError(
                    f"the model's recognition logits have the shape {tuple(answer.shape)}; "
                    f"expected ({len(batch)},), one per string"
                )
            answers[batch.examples.numpy()] = answer.numpy()
    module.train(was_training)
    return answers


class _Recognition(nn.Module):
    """The recognition logits alone, of tensors that ONNX knows."""

    def __init__(self, module: Recognizer) -> None:
        super().__init__()
        self.module = module

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        outputs = self.module(tokens, lengths)
        return outputs["rec"] if isinstance(outputs, dict) else outputs


def export_onnx(run: Path | Run, path: Path) -> None:
    """The model of a run as ONNX: inputs `tokens`, (N, T) padded with 0, and `lengths`, (N,), both
    int64 of any N and T from 1; output `logits`, (N,).
    """
    module = load(run)
    # In training mode without dropout the layers compute the same, by operations that ONNX has.
    module.train()
    tokens = torch.zeros(2, 3, dtype=torch.int64)
    lengths = torch.tensor([3, 1])
    torch.onnx.export(
        _Recognition(module),
        (tokens, lengths),
        os.fspath(path),
        input_names=["tokens", "lengths"],
        output_names=["logits"],
        dynamic_axes={
            "tokens": {0: "strings", 1: "length"},
            "lengths": {0: "strings"},
            "logits": {0: "strings"},
        },
        opset_version=14,
        training=torch.onnx.TrainingMode.PRESERVE,
        do_constant_folding=False,
    )


__all__ = [
    "Batch",
    "Dataset",
    "Recognizer",
    "Recurrent",
    "Transformer",
    "batch_of",
    "batches",
    "export_onnx",
    "format_safetensors",
    "in_order",
    "initial",
    "load",
    "load_file",
    "logits",
    "module_of",
    "pad",
    "parameters_of",
    "parse_safetensors",
]
