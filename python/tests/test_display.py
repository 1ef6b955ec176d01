"""What `dir`, documentation and notebooks show of the module."""

import doctest
import inspect
import os
import re
import subprocess
import sys

import pytest

import flarelang as fl
from flarelang import display
from conftest import SMALL


def exports():
    return [(name, getattr(fl, name)) for name in dir(fl) if name not in ("__version__", "torch")]


def members(kind):
    """What a class shows of its own."""
    for name, member in vars(kind).items():
        if not name.startswith("_"):
            yield name, getattr(kind, name) if isinstance(member, staticmethod) else member


def documented():
    for name, value in exports():
        yield name, value
        if isinstance(value, type):
            for member, of in members(value):
                yield f"{name}.{member}", of


def test_dir_shows_what_is_meant_to_be_used():
    assert dir(fl) == sorted(set(fl.__all__) & set(dir(fl)))
    assert "torch" in dir(fl) and "annotations" not in dir(fl) and "Any" not in dir(fl)


def test_everything_says_what_it_is():
    for name, value in documented():
        assert inspect.getdoc(value), name


def test_everything_has_an_example():
    """Functions, classes and their methods; what a language of one's own overrides is in its class's."""
    without = [
        name
        for name, value in documented()
        if callable(value)
        and not name.startswith("CustomLanguage.")
        and ">>>" not in (inspect.getdoc(value) or "")
    ]
    assert without == []


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    folder = tmp_path_factory.mktemp("doctest")
    before = os.getcwd()
    os.chdir(folder)
    fl.generate("parity", "data", seed=0, settings=SMALL)
    fl.sweep({"languages": ["parity"], "architectures": ["rnn"], "losses": ["rec"],
              "validations": ["short"], "settings": {"hidden": 4, "layers": 1, "max_epochs": 1},
              "data": {"splits.train.size": 200}}, "data-small", "sweep-1", progress=False)  # fmt: skip
    yield folder
    os.chdir(before)


@pytest.mark.parametrize("name", [name for name, of in documented() if ">>>" in (of.__doc__ or "")])
def test_examples(name, workplace):
    value = dict(documented())[name]
    text = inspect.getdoc(value)
    if "torch" in text:
        pytest.importorskip("torch", reason="PyTorch is not installed")
    if "papers()" in text or ".runs()" in text or "fl.runs" in text or "pandas" in text:
        pytest.importorskip("pandas", reason="pandas is not installed")
    test = doctest.DocTestParser().get_doctest(text, {"fl": fl}, name, None, None)
    said = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    assert not said, "".join(said)


def test_every_class_has_a_picture(workplace):
    for _, value in exports():
        if isinstance(value, type):
            assert hasattr(value, "_repr_html_") and value.__repr__ is not object.__repr__, value


def test_pictures(workplace):
    data = fl.Dataset("data/parity")
    language = fl.Language("regex:(a|<x>)*a")
    assert "<svg" in language._repr_html_() and "(a|&lt;x&gt;)*a" in language._repr_html_()
    assert "<svg" in language.dfa._repr_html_() and language.dfa._repr_html_().count("<ellipse") >= 2
    large = fl.Language("regex:(a|b){100}").dfa
    assert "too many to draw" in large._repr_html_() and "<svg" not in large._repr_html_()
    assert "majority" in fl.Language("majority")._repr_html_()
    assert data["train"].strings._repr_html_().count("<tr>") == 11
    assert "300" in data._repr_html_() and "validation-long" in data._repr_html_()
    assert "<table>" in data["test"]._repr_html_()
    assert "MAJORITY" in data.baselines()._repr_html_() and "LABELS" in data.verify()._repr_html_()
    run = next(iter(fl.Sweep("sweep-1")))
    assert "finished" in run._repr_html_() and "test" in run._repr_html_()
    report = fl.report("sweep-1", "report")
    assert "Parity" in report._repr_html_() and "index.html" in report._repr_html_()
    assert "finished" in fl.Sweep("sweep-1")._repr_html_()
    assert "commutative" in fl.classify("parity")._repr_html_()
    assert "<svg" in fl.extract(run, max_states=5, queries=200)._repr_html_()
    for kind in (fl.StateTracker, fl.NextSymbols, fl.CustomLanguage):
        assert kind in display._HTML
    assert "prefixes" in data["train"].next_symbols._repr_html_()
    assert "2 states" in data.tracker._repr_html_()


def test_a_minibatch_is_short(workplace):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    batch = next(fl.torch.batches(fl.Dataset("data/parity")["train"], tokens=200, seed=0, epoch=1))
    assert re.fullmatch(r"<Batch of \d+ strings, padded to \d+ symbols>", repr(batch))
    page = batch._repr_html_()
    assert "<table>" in page and page.count("<tr>") == 1 + min(len(batch), 10)


def test_a_bar_at_a_terminal_and_in_a_notebook(monkeypatch, workplace):
    """A process with a terminal of its own sees a bar, which goes when the work is done."""
    code = (
        "import flarelang as fl; fl.train('data/parity', 'bar', architecture='rnn', hidden=4, layers=1,"
        " max_epochs=2, seed=1)"
    )
    seen = subprocess.run(
        ["script", "-qec", f"{sys.executable} -c \"{code}\"", "/dev/null"],
        capture_output=True,
        check=True,
    ).stdout
    assert b"[====================] epoch 2" in seen and seen.endswith(b"\r\x1b[K")
    assert b"\n" not in seen


USE = '''
import flarelang as fl
import numpy as np
from numpy.typing import NDArray

language: fl.Language = fl.Language("parity", generators=False, envelope=None)
both: fl.Language = (language & ~language.reversed()) | (language - language)
one: bool = language.contains("0 1")
many: NDArray[np.bool_] = language.contains(["0 1"])
strings: fl.Strings = language.sample(3)
dfa: fl.Dfa | None = language.dfa
sets: fl.NextSymbols = language.next_symbols(strings)
data: fl.Dataset = fl.generate(language, "data", name="x", settings={"splits.train.size": 3})
split: fl.Split = data["train"]
verification: fl.Verification = data.verify()
baselines: fl.Baselines = data.baselines()
tracker: fl.StateTracker = data.tracker
run: fl.Run = fl.train(data, "run", architecture="lstm", max_epochs=3, weight_decay=0.1)
sweep: fl.Sweep = fl.sweep({"languages": ["parity"]}, "data", "out", jobs=2)
report: fl.Report = fl.report([sweep, "other"], "report")
found: fl.Classification = fl.classify(run)
learned: fl.Extraction = fl.extract(run)
scored: fl.Run = fl.score(lambda strings: [0.0], data, "run-2")
names: list[str] = fl.languages()
version: str = fl.__version__


class Mine(fl.CustomLanguage):
    alphabet = "ab"

    def contains(self, string: list[str]) -> bool:
        return True


def train(module: object) -> fl.Run:
    return fl.fit(module, data, "run-3", max_epochs=2)


frame = fl.runs("out")
table = fl.papers()
module = fl.torch.load(run)
'''


def test_a_use_of_every_export_has_types(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    for name in fl.__all__:
        assert f"fl.{name}" in USE, name
    (tmp_path / "use.py").write_text(USE)
    (tmp_path / "mypy.ini").write_text(
        "[mypy]\nignore_missing_imports = True\n[mypy-torch.*,pandas.*,onnx.*]\nfollow_imports = skip\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "mypy.ini", "use.py"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    mine = [line for line in ended.stdout.splitlines() if line.startswith("use.py")]
    assert mine == [], ended.stdout
