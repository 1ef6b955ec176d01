import os
import subprocess

import pytest

import flarelang as fl

SMALL = {
    "splits.train.size": 300,
    "splits.validation-short.size": 60,
    "splits.validation-long.size": 60,
    "splits.test.size": 80,
    "splits.test.max_length": 60,
    "splits.test-short-held-out.size": 0,
    "splits.test-edit-distance.size": 20,
    "splits.test-edit-distance.max_length": 60,
}


@pytest.fixture(scope="session")
def flare():
    """The program; what it prints."""
    binary = os.environ.get("FLARE_BINARY")
    if not binary:
        pytest.skip("FLARE_BINARY does not name the program")

    def run(*arguments, check=True):
        return subprocess.run(
            [binary, *map(str, arguments)], check=check, capture_output=True, text=True
        )

    return run


@pytest.fixture(scope="session")
def parity(tmp_path_factory):
    """A small dataset; tests read it, and do not write."""
    return fl.generate("parity", tmp_path_factory.mktemp("data"), seed=3, settings=SMALL)


@pytest.fixture(scope="session")
def train(flare, parity, tmp_path_factory):
    """Trains a tiny model with the program; the directory of the run."""

    def run(architecture="lstm", loss="rec", **settings):
        path = tmp_path_factory.mktemp("run") / "run"
        given = {"hidden": 8, "layers": 2, "max-epochs": 2, "seed": 1, "batch-tokens": 512}
        given.update({key.replace("_", "-"): value for key, value in settings.items()})
        flags = [word for key, value in given.items() for word in (f"--{key}", value)]
        flare(
            *("train", "--data", parity.path, "--run", path, "--architecture", architecture),
            *("--loss", loss, "--validation", "short", *flags),
        )
        return path

    return run
