"""PyTorch: our minibatches as tensors, and our models as modules."""

from __future__ import annotations

import hashlib
import json
import math
import os
import struct
from dataclasses import dataclass
from typing import Any, Iterator, Mapping

import numpy as np
import torch
from torch import Tensor, nn

from . import _flarelang
from ._flarelang import NextSymbols, StateTracker, Strings
from .dataset import Dataset, Path, Split
from .engine import setting_texts
from .modules import Recognizer, module_of, parameters_of
from .run import Run


@dataclass
class Batch:
    """A minibatch; strings are padded with 0 on the right."""

    tokens: Tensor  # int64, (N, T)
    lengths: Tensor  # int64, (N,)
    labels: Tensor  # float32, (N,)
    examples: Tensor  # int64, (N,): which ones of the split they are
    next_symbols: Tensor | None = None  # float32, (N, T + 1, |alphabet| + 1); zeros for negatives
    states: Tensor | None = None  # int64, (N, T + 1): of the minimal DFA; zeros after the end

    def __len__(self) -> int:
        return len(self.lengths)

    def __repr__(self) -> str:
        return f"<Batch of {len(self)} strings, padded to {self.tokens.shape[1]} symbols>"

    def _repr_html_(self) -> str:
        from .display import of_batch

        return of_batch(self)

    def to(self, device: torch.device, dtype: torch.dtype) -> Batch:
        """The same on a device; what is a number there, not an index, has the type."""
        sets, states = self.next_symbols, self.states
        return Batch(
            self.tokens.to(device),
            self.lengths.to(device),
            self.labels.to(device, dtype),
            self.examples.to(device),
            None if sets is None else sets.to(device, dtype),
            None if states is None else states.to(device),
        )


def place_of(module: nn.Module) -> tuple[torch.device, torch.dtype]:
    """Where a module computes, and with which numbers: those of its first parameter of such."""
    for parameter in module.parameters():
        if parameter.is_floating_point():
            return parameter.device, parameter.dtype
    return torch.device("cpu"), torch.float32


def pad(strings: Strings) -> tuple[Tensor, Tensor]:
    """Tokens, (N, T) with zeros on the right, and lengths; T is at least 1, as modules require."""
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


def prefix_offsets(strings: Strings) -> np.ndarray[Any, Any]:
    """Where each string's values begin, if there is one for every prefix; last, where they end."""
    return strings.offsets + np.arange(len(strings) + 1)


def _padded_states(
    split: Split, tracker: StateTracker, examples: np.ndarray[Any, Any], length: int
) -> Tensor:
    strings = split.strings[examples]
    states, offsets = tracker.states(strings), prefix_offsets(strings)
    padded = np.zeros((len(examples), length + 1), np.int64)
    for row, begin, end in zip(padded, offsets, offsets[1:]):
        row[: end - begin] = states[begin:end]
    return torch.from_numpy(padded)


def batch_of(
    split: Split,
    examples: np.ndarray[Any, Any],
    next_symbols: bool = False,
    tracker: StateTracker | None = None,
) -> Batch:
    """Some examples of a split; with the states of a tracker, if there is one."""
    tokens, lengths = pad(split.strings[examples])
    sets = None
    if next_symbols:
        if split.next_symbols is None:
            raise ValueError(f"the split {split.name} has no next-symbol sets")
        sets = _padded_sets(split.next_symbols, examples, tokens.shape[1])
    labels = torch.from_numpy(split.labels[examples].astype(np.float32))
    batch = Batch(tokens, lengths, labels, torch.from_numpy(examples), sets)
    if tracker is not None:
        batch.states = _padded_states(split, tracker, examples, tokens.shape[1])
    return batch


def batches(
    split: Split,
    tokens: int,
    *,
    seed: int = 0,
    epoch: int = 1,
    extra_symbols: int = 0,
    next_symbols: bool = False,
    tracker: StateTracker | None = None,
) -> Iterator[Batch]:
    """The minibatches of our own training in an epoch, from 1: at most this many tokens each.

    `extra_symbols` are those that a model adds to a string, which count: one for BOS, one for EOS.
    """
    order, begins = _flarelang.plan_epoch(
        split.strings.lengths, tokens, extra_symbols, seed, epoch
    )
    for begin, end in zip(begins, begins[1:]):
        yield batch_of(split, order[begin:end], next_symbols, tracker)


def in_order(
    split: Split,
    tokens: int = 16_384,
    *,
    next_symbols: bool = False,
    tracker: StateTracker | None = None,
) -> Iterator[Batch]:
    """All examples in batches of similar length, without randomness: for evaluation."""
    lengths = split.strings.lengths
    order = np.argsort(lengths, kind="stable")
    begin = 0
    for end in range(1, len(order) + 1):
        if end == len(order) or (end + 1 - begin) * (lengths[order[end]] + 1) > tokens:
            yield batch_of(split, order[begin:end], next_symbols, tracker)
            begin = end


def parse_safetensors(
    content: bytes, path: Path
) -> tuple[dict[str, np.ndarray[Any, Any]], dict[str, str]]:
    """The tensors of a file that are floats, as a model's are, and its metadata."""
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


def _module_with(content: bytes, path: Path, dropout: float = 0.0) -> Recognizer:
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
    states: int = 0,
    dropout: float = 0.0,
    seed: int = 0,
    init: str | None = None,
    readout: str = "last",
    **options: object,
) -> Recognizer:
    """A module with the weights from which our own training of that seed begins. If the loss has
    st, `states` is how many there are. Without `init` they are drawn as `flare train` draws them, for
    Mamba as its source has them. Further arguments are options of the architecture, such as
    activation="swiglu"."""
    if readout not in ("last", "eos"):
        raise ValueError(f"readout: {readout!r} is not one of last, eos")
    content = _flarelang.initial_model(
        architecture,
        vocabulary,
        layers,
        hidden,
        loss,
        states,
        seed,
        init or "",
        readout == "eos",
        setting_texts(options),
    )
    return _module_with(content, "initial weights", dropout)


def load_file(path: Path) -> Recognizer:
    """The model of a file as a module, in evaluation mode."""
    with open(path, "rb") as file:
        return _module_with(file.read(), path).eval()


def load(run: Path | Run) -> Recognizer:
    """The trained model of a run as a module, in evaluation mode. Its logits are the run's."""
    run = run if isinstance(run, Run) else Run(run)
    path = os.path.join(run.path, "model.safetensors")
    result = run.result
    if result is None or not os.path.exists(path):
        raise ValueError(f"{run.path}: has no model: the run is {run.state}")
    with open(path, "rb") as file:
        content = file.read()
    if hashlib.sha256(content).hexdigest() != result["model_sha256"]:
        raise ValueError(f"{path}: is not the file that the run wrote: its SHA-256 differs")
    return _module_with(content, path).eval()


def outputs_of(
    module: nn.Module, batch: Batch, columns: Mapping[str, int], recognition: bool = True
) -> dict[str, Tensor]:
    """What a model says about a batch: `rec` unless the loss has no recognition, and the terms in
    `columns`, with that many each."""
    said = module(batch.tokens, batch.lengths)
    outputs: Mapping[str, Tensor] = said if isinstance(said, Mapping) else {"rec": said}
    positions = (len(batch), batch.tokens.shape[1] + 1)
    expected: dict[str, tuple[int, ...]] = {"rec": (len(batch),)} if recognition else {}
    expected |= {term: (*positions, n) for term, n in columns.items()}
    for name, shape in expected.items():
        if name not in outputs:
            raise ValueError(
                f"the model has no output {name!r}, which the loss needs: it returns "
                f"{', '.join(map(repr, outputs))}"
            )
        if tuple(outputs[name].shape) != shape:
            raise ValueError(
                f"the model's output {name!r} has the shape {tuple(outputs[name].shape)}; "
                f"expected {shape}: "
                + ("a logit per string" if name == "rec" else "logits for every prefix, padded")
            )
    return {name: outputs[name] for name in expected}


def answers(
    module: nn.Module,
    split: Split,
    columns: Mapping[str, int],
    recognition: bool = True,
    *,
    next_symbols: bool = False,
    tracker: StateTracker | None = None,
) -> Iterator[tuple[Batch, dict[str, Tensor]]]:
    """What a model says about all examples of a split, batch by batch, as by `outputs_of`: 32-bit
    floats of the CPU, wherever the model computes."""
    was_training = module.training
    place = place_of(module)
    module.eval()
    with torch.no_grad():
        for batch in in_order(split, next_symbols=next_symbols, tracker=tracker):
            said = outputs_of(module, batch.to(*place), columns, recognition)
            yield batch, {name: values.float().cpu() for name, values in said.items()}
    module.train(was_training)


def logits(module: nn.Module, split: Split) -> np.ndarray[Any, Any]:
    """The recognition logits of all examples, in the split's order."""
    values = np.empty(len(split), np.float32)
    for batch, outputs in answers(module, split, {}):
        values[batch.examples.numpy()] = outputs["rec"].numpy()
    return values


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
    "answers",
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
    "outputs_of",
    "pad",
    "parameters_of",
    "parse_safetensors",
    "place_of",
    "prefix_offsets",
]
