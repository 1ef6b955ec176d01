"""Any PyTorch model under a recipe of `flare train`, in a run directory like ours.

The same minibatches, optimizers, clipping, learning-rate schedules, stopping rules and choice of the
best checkpoint (paper, Appendix D) as `flare train`; the metrics are computed by the same code.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import platform
import re
import signal
import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from . import _flarelang
from ._flarelang import Strings
from .catalogue import catalogue, recognizes, terms_of
from .dataset import Dataset, DrawnSplit, Path, Split
from .engine import setting_texts
from .progress import Progress as Bar, open_progress, show_training
from ._definition import Undefined, definition_sha256
from .run import Run

EPOCH_LIMIT = "epoch limit"
STEP_LIMIT = "step limit"
NOT_FINITE = "not finite"

# Removed, like all files with such names, when the run is scored.
CHECKPOINT = "checkpoint.pt"
SAVE_SECONDS = 10.0


class Interrupted(Exception):
    """Training was asked to stop; its state is saved."""


def write_atomically(path: str, contents: bytes) -> None:
    temporary = path + ".tmp"
    with open(temporary, "wb") as file:
        file.write(contents)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


class Events:
    """events.jsonl, continued after its first `size` bytes."""

    def __init__(self, path: str, size: int) -> None:
        contents = b""
        if size:
            with open(path, "rb") as file:
                contents = file.read(size)
        write_atomically(path, contents)
        self._file = open(path, "ab")

    def append(self, event: str, **fields: Any) -> None:
        now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        line = json.dumps({"event": event, "time": now, **fields})
        self._file.write(line.encode() + b"\n")
        self._file.flush()

    def size(self) -> int:
        return self._file.tell()

    def close(self) -> None:
        self._file.close()


@dataclass
class Progress:
    """Where training is, between two steps."""

    # The state of the schedule and the stopping rules; empty at the beginning.
    course: list[Any] = field(default_factory=list)
    steps: int = 0
    epoch: int = 1
    next_batch: int = 0
    examples: int = 0
    since_checkpoint: int = 0
    sums: dict[str, float] = field(default_factory=dict)  # of the epoch under way
    best_epoch: int | None = None
    stop_reason: str = ""
    seconds: float = 0.0
    events_size: int = 0


def positions_of(term: str, batch: Any) -> Any:
    """(N, T + 1): is a position one that the term looks at?"""
    import torch

    info = catalogue()["terms"][term]
    positions = torch.arange(batch.tokens.shape[1] + 1, device=batch.tokens.device)
    lengths = batch.lengths.unsqueeze(1)
    inside = positions == lengths if info["last_only"] else positions <= lengths
    return inside if info["of_negatives"] else inside & (batch.labels.unsqueeze(1) != 0)


def _targets_of(term: str, batch: Any, logits: Any) -> Any:
    """What the head of a term is to predict at every position: sets, states or next symbols."""
    from torch.nn import functional as F

    info = catalogue()["terms"][term]
    if info["needs_next_symbols"]:
        return batch.next_symbols
    if info["needs_states"]:
        return batch.states
    eos = logits.shape[2] - 1
    return F.pad(batch.tokens, (0, 1)).scatter(1, batch.lengths.unsqueeze(1), eos)


def position_losses(term: str, logits: Any, batch: Any) -> Any:
    """(N, T + 1): the cross-entropy at every position."""
    from torch.nn import functional as F

    targets = _targets_of(term, batch, logits)
    if catalogue()["terms"][term]["predicts_sets"]:
        return F.binary_cross_entropy_with_logits(logits, targets, reduction="none").mean(2)
    return F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")


def position_right(term: str, logits: Any, batch: Any) -> Any:
    """(N, T + 1): is the whole prediction right?"""
    targets = _targets_of(term, batch, logits)
    if catalogue()["terms"][term]["predicts_sets"]:
        return ((logits >= 0) == (targets != 0)).all(2)
    return logits.argmax(2) == targets


def string_losses(term: str, logits: Any, batch: Any) -> Any:
    """(N,): the mean over the positions that the term looks at; 0 for strings that it is not for."""
    looks = positions_of(term, batch)
    each = position_losses(term, logits, batch) * looks
    return each.sum(1) / looks.sum(1).clamp(min=1)


def losses_of(outputs: Mapping[str, Any], batch: Any, terms: Sequence[str]) -> dict[str, Any]:
    """Means over the minibatch: of recognition if the model has it, and of the other terms (paper,
    section 3.3)."""
    from torch.nn import functional as F

    losses = {}
    if "rec" in outputs:
        losses["rec"] = F.binary_cross_entropy_with_logits(outputs["rec"], batch.labels)
    for term in terms:
        losses[term] = string_losses(term, outputs[term], batch).mean()
    return losses


def _optimizer(parameters: Sequence[Any], settings: Mapping[str, Any]) -> Any:
    """PyTorch's optimizer of the recipe; its learning rate is set before every step."""
    import torch

    decay = settings["weight_decay"]
    everything = settings["weight_decay_on"] == "all"
    groups = [
        {"params": [p for p in parameters if p.dim() > 1], "weight_decay": decay},
        {
            "params": [p for p in parameters if p.dim() <= 1],
            "weight_decay": decay if everything else 0.0,
        },
    ]
    groups = [group for group in groups if group["params"]]
    rate, name = settings["learning_rate"], settings["optimizer"]
    if name in ("adam", "adamw"):
        kind = torch.optim.Adam if name == "adam" else torch.optim.AdamW
        betas = (settings["adam_beta1"], settings["adam_beta2"])
        return kind(groups, lr=rate, betas=betas, eps=settings["adam_epsilon"])
    if name == "sgd":
        return torch.optim.SGD(groups, lr=rate, momentum=settings["momentum"])
    if name == "rmsprop":
        return torch.optim.RMSprop(
            groups,
            lr=rate,
            alpha=settings["rmsprop_decay"],
            eps=settings["adam_epsilon"],
            momentum=settings["momentum"],
        )
    raise ValueError(f"fit has no optimizer {name!r}")


class Trainer:
    """Trains a module in the directory of a run, whose config.json says how."""

    def __init__(
        self, module: Any, run: Path, start: Mapping[str, Any], bar: Bar | None = None
    ) -> None:
        from . import torch as flare_torch

        self.module = module
        self.place = flare_torch.place_of(module)
        self._bar = bar or Bar()
        self.path = os.fspath(run)
        # config.json leaves out what is as it was before there were such settings.
        self.settings = {**catalogue()["settings"], **Run(run).config}
        self.dataset = Dataset(self.settings["data"]["path"])
        self.strings = _flarelang.TrainStrings(run)
        self.training: DrawnSplit | None = None  # of the epoch under way
        self.validation = self.dataset[self.settings["validation"]]
        self.terms = terms_of(self.settings["loss"])
        self.recognizes = recognizes(self.settings["loss"])
        self.columns = {term: self.dataset.columns(term) for term in self.terms}
        self.parameters = [p for p in module.parameters() if p.requires_grad]
        self.optimizer = _optimizer(self.parameters, self.settings)
        self.best: dict[str, Any] | None = None
        self.progress = Progress()
        self._start = start
        self._plan: list[np.ndarray[Any, Any]] = []
        infos = [catalogue()["terms"][term] for term in self.terms]
        self._needs_sets = any(info["needs_next_symbols"] for info in infos)
        self._tracker = (
            self.dataset.tracker if any(info["needs_states"] for info in infos) else None
        )
        # As ours: BOS if the model reads it, EOS if a head predicts it.
        predicts_eos = any(info["predicts_eos"] for info in infos)
        self._extra = getattr(module, "extra_symbols", 0) + predicts_eos
        # A loss that says nothing of strings that are no members leaves them out.
        self._of_negatives = self.recognizes or any(info["of_negatives"] for info in infos)
        self._plan_epoch()
        self.course = _flarelang.Course(run, len(self._plan))

    def file(self, name: str) -> str:
        return os.path.join(self.path, name)

    def train(self, stop: Callable[[], bool]) -> None:
        """Until the end, or until asked to stop: then raises Interrupted."""
        self._begin()
        saved = started = time.monotonic()
        before = self.progress.seconds
        while not self.progress.stop_reason:
            if stop():
                self._save(before + time.monotonic() - started)
                raise Interrupted
            self._step()
            if time.monotonic() - saved >= SAVE_SECONDS:
                self._save(before + time.monotonic() - started)
                saved = time.monotonic()
        self._save(before + time.monotonic() - started)

    def finish(self) -> None:
        """Leaves the best model, and what it says about every string."""
        from . import torch as flare_torch

        if self.best is not None:
            self.module.load_state_dict(self.best)
            floats = {n: t for n, t in self.best.items() if t.is_floating_point()}
            metadata = {"architecture": str(self.settings["architecture"])}
            write_atomically(
                self.file("model.safetensors"), flare_torch.format_safetensors(floats, metadata)
            )
            for split in self.dataset:
                if len(self.dataset[split]):
                    self._write_answers(split)
        self.events.append(
            "stop", reason=self.progress.stop_reason, seconds=self.progress.seconds
        )
        self.events.close()

    def _write_answers(self, split: str) -> None:
        from . import torch as flare_torch

        strings = self.dataset[split].strings
        logits = np.empty(len(strings), np.float32)
        with ExitStack() as files:
            heads = {
                term: files.enter_context(HeadFile(self.path, split, term, strings, columns))
                for term, columns in self.columns.items()
            }
            for batch, said in flare_torch.answers(
                self.module, self.dataset[split], self.columns, self.recognizes
            ):
                if self.recognizes:
                    logits[batch.examples.numpy()] = said["rec"].numpy()
                for term, head in heads.items():
                    for i, values in zip(batch.examples.tolist(), said[term].numpy()):
                        head.write(i, values)
        if self.recognizes:
            write_logits(self.path, split, logits)

    def _begin(self) -> None:
        import torch

        if os.path.exists(self.file(CHECKPOINT)):
            state = torch.load(self.file(CHECKPOINT), weights_only=True, map_location="cpu")
            self.module.load_state_dict(state["module"])
            moments = {**self.optimizer.state_dict(), "state": state["moments"]}
            self.optimizer.load_state_dict(moments)
            self.best = state["best"]
            self.progress = Progress(**_current(json.loads(state["progress"])))
            if self.progress.course:
                self.course.restore(*self.progress.course)
            torch.set_rng_state(state["random"])
            if "random_of_device" in state:
                torch.cuda.set_rng_state(state["random_of_device"], self.place[0])
            self.events = Events(self.file("events.jsonl"), self.progress.events_size)
            self._plan_epoch()
            return
        torch.manual_seed(self.settings["seed"] % 2**63)
        self._take_weights()
        self.events = Events(self.file("events.jsonl"), 0)
        self._plan_epoch()
        count = sum(p.numel() for p in self.parameters)
        self.events.append(
            "start",
            parameters=count,
            all_parameters=count,
            examples=len(self.strings),
            steps_per_epoch=len(self._plan),
            **self._start,
        )

    def _save(self, seconds: float) -> None:
        import io

        import torch

        self.progress.seconds = seconds
        self.progress.course = list(self.course.state())
        self.progress.events_size = self.events.size()
        contents = io.BytesIO()
        # Only tensors and text: PyTorch then reads it without executing what it holds.
        state = {
            "module": self.module.state_dict(),
            "moments": self.optimizer.state_dict()["state"],
            "best": self.best,
            "progress": json.dumps(asdict(self.progress)),
            "random": torch.get_rng_state(),
        }
        if self.place[0].type == "cuda":
            state["random_of_device"] = torch.cuda.get_rng_state(self.place[0])
        torch.save(state, contents)
        write_atomically(self.file(CHECKPOINT), contents.getvalue())

    def _take_weights(self) -> None:
        """Those of the run that init_from names."""
        import torch

        from . import torch as flare_torch

        if not self.settings["init_from"]:
            return
        file = os.path.join(self.settings["init_from"], "model.safetensors")
        with open(file, "rb") as source:
            content = source.read()
        if hashlib.sha256(content).hexdigest() != self.settings["init_sha256"]:
            raise ValueError(f"{file}: has changed since the run was described")
        tensors, _ = flare_torch.parse_safetensors(content, file)
        # A run of fit names all that the module's state has, one of ours what is trained.
        state = self.module.state_dict()
        of_state = {name: t for name, t in state.items() if t.is_floating_point()}
        of_ours = flare_torch.parameters_of(self.module)
        named = of_state if set(of_state) == set(tensors) else of_ours
        for name in sorted(set(named) ^ set(tensors)):
            whose = "the module" if name in named else "the run"
            raise ValueError(f"{file}: init_from: only {whose} has a tensor {name!r}")
        with torch.no_grad():
            for name, tensor in named.items():
                if tensors[name].shape != tuple(tensor.shape):
                    raise ValueError(
                        f"{file}: init_from: tensor {name!r} has the shape {tensors[name].shape}, "
                        f"and the module's has {tuple(tensor.shape)}"
                    )
                tensor.copy_(torch.from_numpy(tensors[name]))

    def _plan_epoch(self) -> None:
        progress = self.progress
        if self.training is None or not self.strings.repeats:
            drawn = self.strings.epoch(progress.epoch, progress.steps)
            self.training = DrawnSplit("train", *drawn)
        lengths = self.training.strings.lengths
        is_used = (self.training.labels | self._of_negatives) & (
            lengths <= self.strings.longest(progress.steps)
        )
        examples = np.flatnonzero(is_used)
        if len(examples) == 0:
            raise ValueError(
                f"epoch {progress.epoch} has no string that loss = {self.settings['loss']} looks at"
            )
        order, begins = _flarelang.plan_epoch(
            lengths[examples],
            self.settings["batch_tokens"],
            self._extra,
            self.settings["seed"],
            progress.epoch,
        )
        order = examples[order]
        self._plan = [order[begin:end] for begin, end in zip(begins, begins[1:])]

    def _step(self) -> None:
        import torch

        from . import torch as flare_torch

        progress = self.progress
        started = time.monotonic()
        assert self.training is not None
        examples = self._plan[progress.next_batch]
        batch = flare_torch.batch_of(self.training, examples, self._needs_sets, self._tracker)
        batch = batch.to(*self.place)
        self.module.train()
        outputs = flare_torch.outputs_of(self.module, batch, self.columns, self.recognizes)
        losses = losses_of(outputs, batch, self.terms)
        total = sum(self._weight(term) * loss for term, loss in losses.items())
        self.optimizer.zero_grad()
        total.backward()
        limit = self.settings["clip_norm"] or float("inf")
        norm = torch.nn.utils.clip_grad_norm_(self.parameters, limit)
        for group in self.optimizer.param_groups:
            group["lr"] = self.course.rate(progress.steps)
        self.optimizer.step()
        progress.steps += 1

        means = {name: loss.item() for name, loss in losses.items()} | {"loss": total.item()}
        for name, mean in means.items():
            progress.sums[name] = progress.sums.get(name, 0.0) + len(batch) * mean
        for name, amount in (("examples", len(batch)), ("steps", 1)):
            progress.sums[name] = progress.sums.get(name, 0) + amount
        seconds = time.monotonic() - started
        progress.sums["seconds"] = progress.sums.get("seconds", 0.0) + seconds
        progress.examples += len(batch)
        progress.since_checkpoint += len(batch)
        progress.next_batch += 1
        if not np.isfinite(means["loss"]) or not np.isfinite(norm.item()):
            progress.stop_reason = NOT_FINITE
        else:
            self._end_step()

    def _end_step(self) -> None:
        progress, settings = self.progress, self.settings
        # A stage of the curriculum begins with an epoch.
        epoch_ends = progress.next_batch == len(self._plan) or self.strings.begins_at(
            progress.steps
        )
        ends = ""
        if progress.steps == settings["max_steps"]:
            ends = STEP_LIMIT
        if epoch_ends and progress.epoch == settings["max_epochs"]:
            ends = EPOCH_LIMIT
        if epoch_ends:
            self._end_epoch()
        if settings["checkpoint_steps"]:
            due = progress.steps % settings["checkpoint_steps"] == 0
        else:
            due = progress.since_checkpoint >= settings["checkpoint_examples"]
        if due or ends:
            self._validate()
        if not progress.stop_reason:
            progress.stop_reason = ends
        if progress.stop_reason or not epoch_ends:
            return
        progress.epoch += 1
        progress.next_batch = 0
        self._plan_epoch()

    def _end_epoch(self) -> None:
        sums = self.progress.sums
        count = sums["examples"]
        self.events.append(
            "epoch",
            epoch=self.progress.epoch,
            examples=int(count),
            steps=int(sums["steps"]),
            seconds=sums["seconds"],
            examples_per_second=count / max(sums["seconds"], 1e-9),
            loss=sums["loss"] / count,
            **self._term_losses(sums, count),
        )
        self.progress.sums = {}

    def _term_losses(self, sums: Mapping[str, float], count: float) -> dict[str, float | None]:
        losses: dict[str, float | None] = {}
        if self.recognizes:
            losses["recognition_loss"] = sums["rec"] / count
        for term, info in catalogue()["terms"].items():
            if term in sums:
                losses[f"{info['key']}_loss"] = sums[term] / count
            elif info["in_all_files"] and self.recognizes:
                losses[f"{info['key']}_loss"] = None
        return losses

    def _weight(self, term: str) -> float:
        return 1.0 if term == "rec" else float(self.settings[f"{term}_coefficient"])

    def _figures(self) -> list[tuple[str, float]]:
        """Of the validation split: recognition alone, or all that the loss has."""
        from . import torch as flare_torch

        columns = self.columns if self.course.wants_all else {}
        figures: list[tuple[str, float]] = []
        labels = np.asarray(self.validation.labels)
        per_string: dict[str, Any] = {term: np.zeros(len(labels)) for term in columns}
        right: dict[str, Any] = {term: np.zeros(len(labels), bool) for term in columns}
        counts = {term: [0, 0] for term in columns}  # positions that are right, of all
        logits = np.empty(len(labels))
        for batch, said in flare_torch.answers(
            self.module,
            self.validation,
            columns,
            self.recognizes,
            next_symbols=bool(columns) and self._needs_sets,
            tracker=self._tracker if columns else None,
        ):
            at = batch.examples.numpy()
            if self.recognizes:
                logits[at] = said["rec"].numpy()
            for term in columns:
                looks = positions_of(term, batch)
                is_right = position_right(term, said[term], batch)
                per_string[term][at] = string_losses(term, said[term], batch).numpy()
                right[term][at] = (is_right | ~looks).all(1).numpy()
                counts[term][0] += int((is_right & looks).sum())
                counts[term][1] += int(looks.sum())
        each = np.zeros(len(labels))
        if self.recognizes:
            each = np.logaddexp(0, np.where(labels, -logits, logits))
            known = {
                "recognition_cross_entropy": float(each.mean()),
                "accuracy": float(((logits >= 0) == labels).mean()),
            }
            if self.course.wants_all:
                # f1, auc and whatever else the program knows of answers.
                known |= {
                    name: value
                    for name, value in _flarelang.recognition_figures(
                        self.validation.strings.lengths, labels, logits.astype(np.float32)
                    ).items()
                    if name not in known
                }
            figures.extend(known.items())
        if not self.course.wants_all:
            return figures
        infos = {term: catalogue()["terms"][term] for term in columns}
        everyone = self.recognizes or any(info["of_negatives"] for info in infos.values())
        total = each + sum(self._weight(term) * per_string[term] for term in columns)
        figures.append(("loss", float(total[labels | everyone].mean())))
        for term, info in infos.items():
            of_term = labels | info["of_negatives"]
            if not of_term.any():
                continue
            figures.append((f"{info['key']}_cross_entropy", float(per_string[term][of_term].mean())))
            shares = {
                "accuracy.positions": counts[term][0] / counts[term][1],
                "accuracy.strings": float(right[term][of_term].mean()),
            }
            for name in info["figures"]:
                figures.append((f"{info['key']}_{name.replace('.', '_')}", shares[name]))
        return figures

    def _validate(self) -> None:
        progress = self.progress
        progress.since_checkpoint = 0
        figures = self._figures()
        by_name = dict(figures)
        if not np.isfinite(by_name.get("loss", by_name.get("recognition_cross_entropy", 0.0))):
            progress.stop_reason = NOT_FINITE
            return
        learning_rate = self.course.rate(progress.steps - 1)
        is_best, reason = self.course.observe(figures)
        if is_best:
            progress.best_epoch = progress.epoch
            self.best = {n: t.detach().clone() for n, t in self.module.state_dict().items()}
        self.events.append(
            "checkpoint",
            epoch=progress.epoch,
            examples=progress.examples,
            learning_rate=learning_rate,
            is_best=is_best,
            validation=by_name,
        )
        progress.stop_reason = reason
        self._show(figures=by_name, is_best=is_best)

    def _show(self, figures: Mapping[str, float], is_best: bool) -> None:
        progress, sums = self.progress, self.progress.sums
        examples = sums.get("examples", 0.0)
        show_training(
            self._bar,
            {
                "epoch": progress.epoch,
                "max_epochs": self.settings["max_epochs"],
                "step": progress.steps,
                "max_steps": self.settings["max_steps"],
                # Of the epoch so far; at its end that has been told.
                "loss": sums["loss"] / examples if examples else 0.0,
                "validation": figures,
                "select": self.settings["select"]
                or ("recognition_cross_entropy" if self.recognizes else "loss"),
                "is_best": is_best,
                "is_checkpoint": True,
                "examples_per_second": examples / max(sums.get("seconds", 0.0), 1e-9),
            },
        )


def _current(progress: dict[str, Any]) -> dict[str, Any]:
    """The progress of a checkpoint, also of one that version 0.2 wrote."""
    schedule = progress.pop("schedule", None)
    if schedule is not None:
        progress["course"] = [
            schedule["learning_rate"],
            schedule["since_reduction"],
            schedule["lowest"],
            schedule["since_lowest"],
            0,
        ]
        # It counted examples, not steps; only the plateau's rate, which needs none, was there.
        progress["steps"] = 0
    return progress


def write_logits(run: str, split: str, logits: np.ndarray[Any, Any]) -> None:
    """logits/SPLIT.txt: a number per example, from which `flare score` computes every metric."""
    folder = os.path.join(run, "logits")
    os.makedirs(folder, exist_ok=True)
    lines = "".join(f"{float(logit):.9g}\n" for logit in logits)
    write_atomically(os.path.join(folder, f"{split}.txt"), lines.encode())


class HeadFile:
    """logits/SPLIT.TERM.npy: what the head of a term says after every prefix of every string, rows
    in the order of the strings. Written a string at a time, in any order; complete when closed.
    """

    def __init__(
        self, run: str, split: str, term: str, strings: Strings, columns: int
    ) -> None:
        folder = os.path.join(run, "logits")
        os.makedirs(folder, exist_ok=True)
        self._path = os.path.join(folder, f"{split}.{term}.npy")
        self._lengths = strings.lengths
        self._rows = strings.offsets + np.arange(len(strings) + 1)
        self._columns = columns
        self._file = open(self._path + ".tmp", "wb")
        np.lib.format.write_array_header_1_0(
            self._file,
            {"descr": "<f4", "fortran_order": False, "shape": (int(self._rows[-1]), columns)},
        )
        self._begin = self._file.tell()

    def write(self, example: int, logits: np.ndarray[Any, Any]) -> None:
        """For one string: a row per prefix; what comes after them is padding."""
        self._file.seek(self._begin + 4 * self._columns * int(self._rows[example]))
        self._file.write(logits[: self._lengths[example] + 1].astype("<f4").tobytes())

    def __enter__(self) -> HeadFile:
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        if kind is None:
            os.replace(self._path + ".tmp", self._path)
        else:
            os.remove(self._path + ".tmp")


def _definition_of(model: object) -> str | None:
    is_code = inspect.isclass(model) or inspect.isfunction(model)
    kind: Any = model if is_code else type(model)
    # The structure of a module, with its sizes.
    structure = "" if is_code else re.sub(r" at 0x[0-9a-f]+", "", repr(model))
    try:
        code = definition_sha256(kind, kind.__qualname__)
    except Undefined:
        return None
    return hashlib.sha256(f"{code} {structure}".encode()).hexdigest()


def provenance(of: object) -> dict[str, Any]:
    """What made a model: the hashes of its source file and of its definition, and versions."""
    versions = {"python": platform.python_version(), "flarelang": _flarelang.__version__}
    for name in ("torch", "numpy"):
        if name in sys.modules:
            versions[name] = sys.modules[name].__version__
    kind = of if inspect.isclass(of) or inspect.isfunction(of) else type(of)
    try:
        with open(inspect.getsourcefile(kind) or "", "rb") as file:
            code = hashlib.sha256(file.read()).hexdigest()
    except (OSError, TypeError):
        code = None  # typed at a prompt
    return {
        "code_sha256": code,
        "definition_sha256": _definition_of(of),
        "versions": versions,
    }


def _check_same_code(run: Run, model: object) -> None:
    """Raises ValueError unless the model is the one whose training the run has."""
    result = run.result
    if result is None and not os.path.exists(os.path.join(run.path, CHECKPOINT)):
        return
    start: dict[str, Any] = next((e for e in run.events if e["event"] == "start"), {})
    # Version 0.2 recorded the hash of the file alone.
    key = "definition_sha256" if "definition_sha256" in start else "code_sha256"
    recorded, now = start.get(key), provenance(model)[key]
    if recorded != now:
        raise ValueError(
            f"{run.path}: was trained with other code: the {key} of its model is {recorded}, that of "
            f"{type(model).__qualname__} is {now}\n"
            "read the run with fl.Run, or name another directory"
        )
    if recorded is None and result is not None:
        raise ValueError(
            f"{run.path}: is finished, and the source of {type(model).__qualname__} cannot be "
            "compared with that of its model, as of code that is typed at a prompt\n"
            "read the run with fl.Run, or name another directory"
        )


def _dataset_path(dataset: Dataset | Path) -> str:
    return dataset.path if isinstance(dataset, Dataset) else os.fspath(dataset)


class _InterruptsNoted:
    """Ctrl-C is noted, so that the step under way ends and the run saves its state; a second one
    ends at once. Only the main thread hears of signals."""

    def __init__(self) -> None:
        self.came = False
        self._before: Any = None

    def _note(self, number: int, frame: Any) -> None:
        if self.came:
            raise KeyboardInterrupt
        self.came = True

    def __enter__(self) -> _InterruptsNoted:
        ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if ours and threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)


def fit(
    model: Any,
    dataset: Dataset | Path,
    run: Path,
    *,
    validation: str = "short",
    loss: str = "rec",
    seed: int = 0,
    name: str | None = None,
    options: Mapping[str, object] | None = None,
    progress: bool = True,
    **settings: object,
) -> Run:
    """Trains a PyTorch module by a recipe of `flare train` and measures it; an unfinished run continues,
    and a finished one is returned. Raises ValueError if the run is that of other code.

    The module is called with tokens, (N, T), and lengths, (N,), and returns the recognition logits,
    (N,); for auxiliary losses a dictionary of "rec", (N,), of "lm" and "ns", both
    (N, T + 1, |alphabet| + 1), whose last column is EOS, and of "st" and "st_last",
    (N, T + 1, states), with as many states as dataset.tracker.num_states. For a loss without rec
    the dictionary needs no "rec". Other settings are those of `flare train`,
    such as max_epochs=100, train_data="fresh", curriculum=[[0, 10], [5000, 20]] or
    init_from="runs/other", whose tensors must be the module's; what is not given is drawn, as there.
    How weights are drawn (init) and which vector recognition reads (readout) is decided where the
    module is made, so that these two are refused. `name` is what tables call it.

    It trains on the device and with the numbers of the module's parameters. Ctrl-C raises
    KeyboardInterrupt after the run has saved its state: the same call then continues it.

    >>> module = fl.torch.initial("gru", vocabulary=2, hidden=8, layers=1)
    >>> fl.fit(module, "data/parity", "runs-fit/gru", name="my-gru", max_epochs=1, progress=False)
    <Run runs-fit/gru, finished>
    """
    given = setting_texts({"validation": validation, "loss": loss, "seed": seed, **settings})
    name = name or type(model).__name__
    held = _flarelang.ExternalRun(
        run, _dataset_path(dataset), name, ["flarelang.fit"], given, setting_texts(options or {})
    )
    try:
        _check_same_code(Run(run), model)
        if not held.finished:
            with open_progress(progress) as bar, _InterruptsNoted() as interrupts:
                trainer = Trainer(model, run, provenance(model), bar)
                try:
                    trainer.train(stop=lambda: interrupts.came)
                except Interrupted:
                    raise KeyboardInterrupt from None
                trainer.finish()
                held.score()
    finally:
        held.close()
    return Run(run)


def _answer(
    said: Mapping[str, Any], name: str, split: str, shape: tuple[int, ...], what: str
) -> np.ndarray[Any, Any]:
    if name not in said:
        raise ValueError(f"the answer for the split {split} has no {name!r}")
    values = np.asarray(said[name], np.float64 if name == "rec" else np.float32)
    if values.shape != shape:
        raise ValueError(
            f"the answer for the split {split} has {name!r} of the shape {values.shape}; "
            f"expected {shape}, {what}"
        )
    return values


def _answers(
    answer: Any, split: Split, terms: Sequence[str], recognition: bool = True
) -> dict[str, np.ndarray[Any, Any]]:
    """What a predictor says about a split: `rec` if the loss has it, and the terms that it has."""
    said = dict(answer) if isinstance(answer, Mapping) else {"rec": answer}
    unknown = sorted(said.keys() - {*(["rec"] if recognition else []), *terms})
    if unknown:
        raise ValueError(f"the answer has {unknown[0]!r}, which is not a term of the loss")
    strings = split.strings
    checked = {}
    if recognition:
        checked["rec"] = _answer(said, "rec", split.name, (len(strings),), "a logit per string")
    prefixes = int(strings.offsets[-1]) + len(strings)
    for term in [term for term in terms if term in said]:
        # `flare score` knows how many columns there must be.
        columns = np.shape(said[term])[-1:] or (0,)
        checked[term] = _answer(said, term, split.name, (prefixes, *columns), "a row per prefix")
    return checked


def score(
    predict: Callable[[Strings], Any],
    dataset: Dataset | Path,
    run: Path,
    *,
    name: str | None = None,
    **settings: object,
) -> Run:
    """Measures anything that gives answers: a function from strings to their recognition logits.

    With auxiliary terms, as loss="rec+lm", it may return a dictionary of "rec" and of what their
    heads say after every prefix of every string, from the empty one: (prefixes, columns), the
    strings' rows one after the other. Terms that it leaves out are not measured.

    >>> def odd_length(strings):
    ...     return 2.0 * (strings.lengths % 2) - 1
    >>> run = fl.score(odd_length, "data/parity", "runs-score/odd-length")
    >>> run.result["splits"]["test"]["accuracy"] < 0.7
    True
    """
    dataset = dataset if isinstance(dataset, Dataset) else Dataset(dataset)
    given = setting_texts({"validation": "short", "loss": "rec", **settings})
    name = name or getattr(predict, "__name__", type(predict).__name__).strip("<>")
    held = _flarelang.ExternalRun(run, dataset.path, name, ["flarelang.score"], given, {})
    try:
        terms = terms_of(Run(run).config["loss"])
        recognition = recognizes(Run(run).config["loss"])
        # All before the first is written: answers of two predictors must not mix.
        answers = {
            split: _answers(predict(dataset[split].strings), dataset[split], terms, recognition)
            for split in dataset
            if len(dataset[split])
        }
        held.begin_again()
        for split, said in answers.items():
            strings = dataset[split].strings
            if recognition:
                write_logits(os.fspath(run), split, said.pop("rec"))
            rows = strings.offsets + np.arange(len(strings) + 1)
            for term, of_head in said.items():
                with HeadFile(os.fspath(run), split, term, strings, of_head.shape[1]) as file:
                    for i, (begin, end) in enumerate(zip(rows, rows[1:])):
                        file.write(i, of_head[begin:end])
        held.score()
    finally:
        held.close()
    return Run(run)
