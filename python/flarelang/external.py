"""Trains a PyTorch module as an architecture of a grid (docs/how-to/external-models.md):

    {name = "my-cnn", command = ["python3", "-m", "flarelang.external", "my_models:CNN"], width = 8}

The class or function is called with the alphabet's size and the options of the run, as
CNN(vocabulary=2, width="8"), and returns a module for `flarelang.fit`. If the loss has the term st,
it is also given the number of states: CNN(vocabulary=2, states=3, width="8"). Modules are looked up from
the directory in which the sweep runs.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from typing import Any

from .catalogue import catalogue, terms_of
from .dataset import Dataset
from .run import Run
from .training import Interrupted, Trainer, provenance

RESUMABLE = 75


def find(place: str) -> Any:
    """What "package.module:Name" is."""
    module, colon, name = place.partition(":")
    if not colon:
        raise ValueError(f"{place!r} is not MODULE:NAME")
    sys.path.insert(0, os.getcwd())
    return getattr(importlib.import_module(module), name)


def _states(config: dict[str, Any]) -> dict[str, int]:
    terms = terms_of(config["loss"])
    if not any(catalogue()["terms"][term]["needs_states"] for term in terms):
        return {}
    return {"states": Dataset(config["data"]["path"]).tracker.num_states}


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print("usage: python3 -m flarelang.external MODULE:NAME RUN", file=sys.stderr)
        return 2
    place, run = arguments
    import torch

    torch.set_num_threads(1)
    make = find(place)
    config = Run(run).config
    options = {option: config[option] for option in config["external"]["options"]}
    asked: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
        signal.signal(number, lambda number, frame: asked.append(number))
    # Its initial weights follow from the run's seed.
    torch.manual_seed(config["seed"] % 2**63)
    module = make(vocabulary=len(config["data"]["alphabet"]), **_states(config), **options)
    trainer = Trainer(module, run, provenance(make))
    try:
        trainer.train(stop=lambda: bool(asked))
    except Interrupted:
        return RESUMABLE
    trainer.finish()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
