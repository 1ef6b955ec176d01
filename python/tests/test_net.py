"""The names that the module exports, and the files of version 0.2 as Python reads them.

As a program, it prints the names: tests/net/make.
"""

import inspect
import json
import pathlib
import pkgutil
import re
import runpy
import sys

import numpy as np
import pytest

import flarelang as fl

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = ROOT / "tests/net/python_names.txt"
FIXTURES = ROOT / "tests/fixtures/0.2"


def described(name, value):
    """A name, with those of its parameters if Python knows them."""
    if not inspect.isfunction(inspect.unwrap(value) if callable(value) else value):
        return name
    return f"{name}({', '.join(inspect.signature(value).parameters)})"


def exported():
    modules = {module.name for module in pkgutil.iter_modules(fl.__path__)}
    yield from (f"module {name}" for name in modules if not name.startswith("_"))
    # Modules are not loaded: fl.torch needs PyTorch.
    for name in set(dir(fl)) - modules:
        value = getattr(fl, name)
        if name.startswith("_") or not getattr(value, "__module__", "").startswith("flarelang"):
            continue
        yield described(name, value)
        if not isinstance(value, type):
            continue
        # Not what is inherited from Python's own classes, which versions of Python differ in.
        ours = [kind for kind in value.__mro__[::-1] if kind.__module__.startswith("flarelang")]
        members = {key: member for kind in ours for key, member in vars(kind).items()}
        if not value.__module__.endswith("._flarelang"):
            assigned = re.findall(r"\bself\.(\w+)(?=[:,]| = )", inspect.getsource(value))
            members |= dict.fromkeys(assigned)
        for member in sorted(members):
            if not member.startswith("_"):
                yield f"{name}.{described(member, members[member])}"


def test_names_are_those_that_are_kept():
    kept, now = set(NAMES.read_text().splitlines()), set(exported())
    assert not kept - now, f"the module no longer exports {sorted(kept - now)}"
    assert not now - kept, f"new: add {sorted(now - kept)} to {NAMES} (tests/net/make)"


def test_models_of_0_2_answer_as_they_did():
    strings = fl.Dataset(FIXTURES / "data/parity")["test"].strings
    models = list((FIXTURES / "models").iterdir())
    assert len(models) == 10
    for model in models:
        lines = (model / "eval/test.jsonl").read_text().splitlines()
        kept = np.array([json.loads(line)["logit"] for line in lines], dtype=np.float32)
        assert (fl.Run(model).logits(strings) == kept).all(), model


def test_runs_of_0_2_are_read():
    assert fl.Run(FIXTURES / "runs/finished").result["outcome"] == "finished"
    assert fl.Run(FIXTURES / "sweep/runs/no-11/counter/rec/short/1000/1").state == "failed"
    pytest.importorskip("pandas", reason="pandas is not installed")
    assert sorted(fl.runs(FIXTURES / "sweep")["state"]) == 3 * ["failed"] + 7 * ["finished"]


def test_a_custom_dataset_of_0_2_is_read_and_made_again(tmp_path, monkeypatch):
    kept = FIXTURES / "data/squares"
    assert len(fl.Dataset(kept)["train"]) == 40
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(FIXTURES / "sources/custom.py"), run_name="__main__")
    for file in kept.rglob("*.*"):
        if file.name != "manifest.json":
            again = tmp_path / "data/squares" / file.relative_to(kept)
            assert file.read_bytes() == again.read_bytes(), file


if __name__ == "__main__":
    sys.stdout.writelines(f"{name}\n" for name in exported())
