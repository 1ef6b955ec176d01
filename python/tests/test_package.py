"""The package as a whole: types, packaging, what it does to other libraries."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import flarelang as fl

ROOT = pathlib.Path(__file__).resolve().parents[2]


# Torch's own types are not looked at: that would take minutes, and say nothing about ours.
MYPY = """
[mypy]
ignore_missing_imports = True
[mypy-torch.*,pandas.*,onnx.*]
follow_imports = skip
"""

# pybind11's classes have a metaclass of its own, and an __init__ even where none is declared.
OF_PYBIND = """
flarelang._flarelang.Dfa
flarelang._flarelang.Dfa.__init__
flarelang._flarelang.Course
flarelang._flarelang.ExternalRun
flarelang._flarelang.Language
flarelang._flarelang.Model
flarelang._flarelang.NextSymbols
flarelang._flarelang.NextSymbols.__init__
flarelang._flarelang.StateTracker
flarelang._flarelang.Strings
flarelang._flarelang.TrainStrings
"""


@pytest.fixture
def mypy(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    config = tmp_path / "mypy.ini"
    config.write_text(MYPY)
    return config


def test_stubs_are_those_of_the_module(mypy, tmp_path):
    allowed = tmp_path / "allowed"
    allowed.write_text(OF_PYBIND)
    command = [sys.executable, "-m", "mypy.stubtest", "flarelang._flarelang"]
    command += ["--ignore-missing-stub", "--mypy-config-file", mypy, "--allowlist", allowed]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode == 0, ended.stdout + ended.stderr


# Whatever is loaded first: the module must not come between others and their libraries.
@pytest.mark.parametrize("first, second", [("flarelang", "numpy"), ("numpy", "flarelang")])
def test_the_products_of_numpy_stay_right(first, second):
    code = f"""
import {first}
import {second}
import numpy as np
a = np.arange(6.0).reshape(2, 3)
assert (a @ np.ones(3) == [3, 12]).all(), a @ np.ones(3)
assert (a @ a.T == [[5, 14], [14, 50]]).all(), a @ a.T
assert np.allclose(np.linalg.solve(np.eye(3) * 2, np.ones(3)), 0.5)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.returncode == 0 and not ended.stderr, ended.stderr


def test_the_module_shows_nothing_but_itself():
    if not shutil.which("nm"):
        pytest.skip("nm is not installed")
    command = ["nm", "--dynamic", "--defined-only", fl._flarelang.__file__]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names = {line.split()[-1] for line in shown.splitlines()}
    # Inline variables and the like of C++ are merged with those of others by their names.
    assert {name for name in names if not name.startswith("_Z")} == {"PyInit__flarelang"}


def test_types(mypy, tmp_path):
    command = [sys.executable, "-m", "mypy", "--config-file", mypy, "--cache-dir", tmp_path]
    command += [ROOT / "python" / "flarelang", ROOT / "python" / "build_backend.py"]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout


def test_pip_installs_it_without_a_network(tmp_path):
    build = pathlib.Path(fl.__file__).resolve().parents[2]
    if fl.__file__.startswith(str(ROOT / "python")) or not shutil.which("cmake"):
        pytest.skip("the module is not from a build directory")
    build = pathlib.Path(fl._flarelang.__file__).parents[2]
    # With the system's pip: an environment's own takes longer to install than all the rest.
    command = [sys.executable, "-m", "venv", "--system-site-packages", "--without-pip"]
    subprocess.run([*command, tmp_path / "venv"], check=True)
    python = tmp_path / "venv/bin/python"
    environment = {**os.environ, "FLARE_BUILD_DIR": str(build)}
    environment.pop("PYTHONPATH", None)
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    backend = "import build_backend as b, sys; print(b.build_wheel(sys.argv[1]))"
    subprocess.run(
        [sys.executable, "-c", backend, wheels],
        check=True,
        cwd=ROOT / "python",
        env=environment,
        capture_output=True,
    )
    (wheel,) = wheels.iterdir()
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-index", wheel],
        check=True,
        env=environment,
    )
    code = "import flarelang as fl; print(fl.__file__, fl.Language('parity').contains(['1'])[0])"
    out = subprocess.run(
        [python, "-c", code], check=True, capture_output=True, text=True, env=environment, cwd="/"
    )
    assert str(tmp_path) in out.stdout and "True" in out.stdout


def test_metadata_is_told_without_a_build(tmp_path):
    code = "import build_backend as b, sys; print(b.prepare_metadata_for_build_wheel(sys.argv[1]))"
    command = [sys.executable, "-c", code, tmp_path]
    out = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT / "python")
    metadata = (tmp_path / out.stdout.strip() / "METADATA").read_text()
    assert "Name: flare-languages" in metadata and f"Version: {fl.__version__}" in metadata


def test_huggingface(parity, tmp_path):
    parity.to_huggingface(tmp_path)
    card = (tmp_path / "README.md").read_text()
    assert "split: validation_short" in card and "path: data/validation_short-*" in card
    files = sorted((tmp_path / "data").iterdir())
    assert len(files) == len(parity)
    if files[0].suffix != ".jsonl":
        return
    rows = [json.loads(line) for line in (tmp_path / "data/train-00000-of-00001.jsonl").open()]
    train = parity["train"]
    assert [row["tokens"] for row in rows] == list(train.strings)
    assert [row["label"] for row in rows] == train.labels.tolist()
    first = train.labels.tolist().index(True)
    assert rows[first]["next_symbols"][-1][-1] is None
    assert rows[train.labels.tolist().index(False)]["next_symbols"] is None
