"""Computes reference results of the neural engine with PyTorch.

Reads a safetensors file with a model, its hyperparameters and one batch of
strings, and writes it back with PyTorch's logits, losses, gradients (before
clipping) and the parameters after a few steps of Adam. The models
(torch_models.py) are PyTorch's modules and plain tensor operations, so that
the engine's tests compare it with an implementation that shares no code with
it.

Usage: torch_golden.py INPUT.safetensors OUTPUT.safetensors
"""

import argparse
import glob
import importlib.util
import json
import os
import struct

# torch.set_num_threads does not reach OpenBLAS, which reads this when it is loaded.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F



def load_modules():
    """flarelang.modules alone, with the catalogue of the module that `make` builds."""
    tools = os.path.dirname(os.path.abspath(__file__))
    built = os.path.join(tools, os.pardir, "build", "release", "python", "**", "_flarelang*.so")
    compiled = sorted(glob.glob(built, recursive=True))
    if not compiled:
        raise SystemExit("build/release has no Python module: run make")
    native = importlib.util.spec_from_file_location("_flarelang", compiled[0])
    engine = importlib.util.module_from_spec(native)
    native.loader.exec_module(engine)
    path = os.path.join(tools, os.pardir, "python", "flarelang", "modules.py")
    spec = importlib.util.spec_from_file_location("modules", path)
    loaded = importlib.util.module_from_spec(spec)
    loaded.CATALOGUE = engine.catalogue()
    spec.loader.exec_module(loaded)
    return loaded


modules = load_modules()
parameters_of = modules.parameters_of

DTYPES = {"F32": np.dtype("<f4"), "I32": np.dtype("<i4"), "U8": np.dtype("u1")}
CLIP = 5.0


def read_safetensors(path):
    """Returns the tensors, as numpy arrays by name, and the metadata."""
    with open(path, "rb") as file:
        content = file.read()
    (header_length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8 : 8 + header_length])
    data = content[8 + header_length :]
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        values = np.frombuffer(data[begin:end], dtype=DTYPES[entry["dtype"]])
        tensors[name] = values.reshape(entry["shape"])
    return tensors, metadata


def write_safetensors(path, tensors, metadata):
    names = {dtype: name for name, dtype in DTYPES.items()}
    # Wider types first, so that every tensor is aligned to its element size.
    ordered = sorted(tensors.items(), key=lambda item: (-item[1].itemsize, item[0]))
    header = {"__metadata__": metadata}
    offset = 0
    for name, tensor in ordered:
        header[name] = {
            "dtype": names[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [offset, offset + tensor.nbytes],
        }
        offset += tensor.nbytes
    encoded = json.dumps(header).encode()
    encoded += b" " * (-len(encoded) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(encoded)))
        file.write(encoded)
        for _, tensor in ordered:
            file.write(tensor.tobytes())


class Batch:
    def __init__(self, tensors, ns_head):
        tokens = torch.from_numpy(tensors["batch.tokens"].astype(np.int64))
        offsets = tensors["batch.offsets"].tolist()
        self.strings = [tokens[begin:end] for begin, end in zip(offsets, offsets[1:])]
        self.labels = tensors["batch.labels"].tolist()
        self.next_symbols = self.split_next_symbols(tensors) if ns_head else None
        self.states = self.split_states(tensors) if "batch.states" in tensors else None

    def split_states(self, tensors):
        states = torch.from_numpy(tensors["batch.states"].astype(np.int64))
        return states.split([len(s) + 1 for s in self.strings])

    def split_next_symbols(self, tensors):
        """One 0/1 matrix per string, None for the negatives, which have no rows."""
        rows = torch.from_numpy(tensors["batch.next_symbols"].astype(np.float32))
        lengths = [len(s) + 1 if label else 0 for s, label in zip(self.strings, self.labels)]
        parts = rows.split(lengths)
        return [part if label else None for part, label in zip(parts, self.labels)]


def build_model(tensors, metadata):
    known = modules.known_metadata(metadata["architecture"])
    model = modules.module_of({key: metadata[key] for key in known & set(metadata)})
    load_parameters(model, tensors)
    if hasattr(model, "at"):
        model.at.drawn = False
    # Evaluation mode may take the encoder's fused path; there is no dropout to turn off.
    return model.train()


def load_parameters(model, tensors):
    parameters = parameters_of(model)
    given = {name for name in tensors if not name.startswith("batch.")}
    if given != set(parameters):
        raise SystemExit(f"parameters that do not match: {sorted(given ^ set(parameters))}")
    with torch.no_grad():
        for name, parameter in parameters.items():
            if tensors[name].shape != tuple(parameter.shape):
                raise SystemExit(
                    f"{name}: shape {tensors[name].shape}, expected {tuple(parameter.shape)}"
                )
            parameter.copy_(torch.from_numpy(tensors[name].copy()))


def language_model_loss(model, hidden_vectors, tokens):
    targets = torch.cat([tokens, torch.tensor([model.vocabulary])])
    return F.cross_entropy(model.language_model_logits(hidden_vectors), targets)


def next_symbols_loss(model, hidden_vectors, next_symbols):
    logits = model.next_symbols_head(hidden_vectors)
    return F.binary_cross_entropy_with_logits(logits, next_symbols.to(logits.dtype))


def evaluate(model, batch, metadata):
    """Returns the logits and the losses, the last of which is to be minimized."""
    zero = model.recognition_head.bias.new_zeros(())
    logits, lm, ns, st = [], zero, zero, zero
    # One string at a time: no padding that could hide a mistake.
    for i, (tokens, label) in enumerate(zip(batch.strings, batch.labels)):
        ended = torch.cat([tokens, torch.tensor(model.ends(), dtype=tokens.dtype)])
        hidden_vectors = model.hidden_vectors(ended.unsqueeze(0)).squeeze(0)
        logits.append(model.recognition_head(hidden_vectors[-1])[0])
        hidden_vectors = hidden_vectors[: len(tokens) + 1]
        if label and metadata["lm_head"] == "1":
            lm = lm + language_model_loss(model, hidden_vectors, tokens)
        if label and metadata["ns_head"] == "1":
            ns = ns + next_symbols_loss(model, hidden_vectors, batch.next_symbols[i])
        if batch.states is not None:
            st = st + F.cross_entropy(model.states_head(hidden_vectors), batch.states[i])
    logits = torch.stack(logits)
    labels = torch.tensor(batch.labels, dtype=logits.dtype)
    recognition = F.binary_cross_entropy_with_logits(logits, labels)
    lm, ns, st = lm / len(logits), ns / len(logits), st / len(logits)
    total = (
        recognition
        + float(metadata["lm_coefficient"]) * lm
        + float(metadata["ns_coefficient"]) * ns
        + float(metadata.get("st_coefficient", 0)) * st
    )
    terms = [lm, ns] if batch.states is None else [lm, ns, st]
    return logits, torch.stack([recognition, *terms, total])


def compute_gradients(model, batch, metadata):
    """Leaves the gradient in every parameter; zeros where none reaches it."""
    model.zero_grad(set_to_none=False)
    logits, losses = evaluate(model, batch, metadata)
    losses[-1].backward()
    for parameter in parameters_of(model).values():
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
    return logits, losses


def train(model, batch, metadata):
    parameters = list(parameters_of(model).values())
    learning_rate = float(metadata["learning_rate"])
    optimizer = torch.optim.Adam(parameters, lr=learning_rate, betas=(0.9, 0.999), eps=1e-8)
    for _ in range(int(metadata["steps"])):
        compute_gradients(model, batch, metadata)
        nn.utils.clip_grad_norm_(parameters, CLIP)
        optimizer.step()


def to_array(tensor):
    return tensor.detach().numpy().copy()


def golden(tensors, metadata):
    """Returns the results that go into the output along with the input."""
    model = build_model(tensors, metadata)
    batch = Batch(tensors, metadata["ns_head"] == "1")
    logits, losses = compute_gradients(model, batch, metadata)
    results = {"logits": to_array(logits), "losses": to_array(losses)}
    parameters = parameters_of(model)
    for name, parameter in parameters.items():
        results[f"grad.{name}"] = to_array(parameter.grad)
    train(model, batch, metadata)
    for name, parameter in parameters.items():
        results[f"after.{name}"] = to_array(parameter)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("input")
    parser.add_argument("output")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    tensors, metadata = read_safetensors(arguments.input)
    write_safetensors(arguments.output, tensors | golden(tensors, metadata), metadata)


if __name__ == "__main__":
    main()
