"""The pages of the module do what they say."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

import flarelang as fl

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks(page, language="python"):
    text = (ROOT / "docs" / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.fixture
def beside_the_program(monkeypatch, tmp_path):
    """In an empty directory, with flare on the PATH."""
    if "FLARE_BINARY" not in os.environ:
        pytest.skip("FLARE_BINARY does not name the program")
    folder = os.path.dirname(os.environ["FLARE_BINARY"])
    monkeypatch.setenv("PATH", folder + os.pathsep + os.environ["PATH"])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_tour(beside_the_program, capfd):
    names = {"__name__": "tour"}
    ran = 0
    for code in blocks("reference/python.md"):
        if "torch" in code:
            pytest.importorskip("torch", reason="PyTorch is not installed: the rest is not run")
        if "fl.runs" in code or ".table(" in code:
            pytest.importorskip("pandas", reason="pandas is not installed: the rest is not run")
        # As a file, whose source a language's recipe names.
        file = beside_the_program / f"tour_{ran}.py"
        file.write_text(code)
        exec(compile(code, file, "exec"), names)
        ran += 1
    assert ran == 8


def test_a_model_of_ones_own(beside_the_program):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    pytest.importorskip("pandas", reason="pandas is not installed")
    (code,) = blocks("how-to/pytorch-model.md")
    file = beside_the_program / "mine.py"
    file.write_text(code)
    names = {"__name__": "mine"}
    exec(compile(code, file, "exec"), names)
    assert sorted(names["table"].index) == ["CNN", "lstm"]
    drawn = fl.runs("runs").groupby("seed")[["learning_rate", "batch_tokens"]].nunique()
    assert (drawn == 1).all(axis=None)


def grid(text, data):
    return f'languages = [{{name = "parity", data = "{data}"}}]\n' + text


def test_the_programs_of_others(beside_the_program, parity):
    cnn, counter, _ = blocks("how-to/external-models.md")
    example, _ = blocks("how-to/external-models.md", "toml")
    tmp_path = beside_the_program
    (tmp_path / "counter.py").write_text(counter)
    (tmp_path / "my_models.py").write_text(cnn)
    lines = example.replace('"python3"', f'"{sys.executable}"').splitlines()
    try:
        import torch
    except ImportError:
        lines = [line for line in lines if "my_models" not in line]
    text = "\n".join(line for line in lines if not line.startswith("languages"))
    text = text.replace("trials = 3", "trials = 1").replace("64_000", "1000").replace('"lstm",', "")
    (tmp_path / "grid.toml").write_text(grid(text, parity.path) + "\n[settings]\nmax_epochs = 1\n")
    subprocess.run(
        ["flare", "sweep", "run", "grid.toml", "--data", "data", "--out", "out"], check=True
    )
    run = fl.Run("out/runs/parity/counter/rec/short/1000/1")
    assert run.result["splits"]["test"]["accuracy"] == 1
    if "torch" in sys.modules:
        for width in (16, 32):
            run = fl.Run(f"out/runs/parity/my-cnn,width={width}/rec/short/1000/1")
            assert run.state == "finished"


FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands_of(block):
    """What is typed in a transcript."""
    lines = [line for line in block.splitlines() if line.startswith(("$ ", "> "))]
    return "\n".join(line[2:] for line in lines)


def test_the_tutorial(beside_the_program):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    pytest.importorskip("pandas", reason="pandas is not installed")
    page = (ROOT / "docs/tutorial/README.md").read_text()
    bash = "set -eu\npython3() { " + sys.executable + ' "$@"; }\n'
    for kind, block in FENCE.findall(page):
        if block.startswith("# file: "):
            text = block.replace('"python3"', f'"{sys.executable}"')
            (beside_the_program / block.split()[2]).write_text(text)
        elif kind in ("console", "sh"):
            typed = block if kind == "sh" else commands_of(block)
            subprocess.run(["bash", "-c", bash + typed], check=True)
        else:
            raise AssertionError(f"nobody runs the block {block}")
    assert fl.Run("mine").state == "finished"
    assert fl.Sweep("sweep").states == {"finished": 6}
    main = fl.report("sweep", "report").table("main")
    assert len(main) == 1 and "Mine" in " ".join(main.columns).title()


def test_the_example_of_the_readme(beside_the_program):
    page = (ROOT / "README.md").read_text()
    assert len(page.splitlines()) <= 150
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    exec(compile(code, "readme", "exec"), {})
    run = fl.Run("run")
    # The shell's example, which a transcript tests, is the same.
    shell = next(block for kind, block in FENCE.findall(page) if kind == "console")
    for key in ("hidden", "layers", "learning_rate", "max_epochs", "seed"):
        flag = "--" + key.replace("_", "-")
        assert float(re.search(rf"{flag} (\S+)", shell)[1]) == run.config[key]
    assert re.search(r"^test-251-500 .* ([01]\.\d{4})$", shell, re.MULTILINE)[1] == (
        f"{run.result['splits']['test-251-500']['accuracy']:.4f}"
    )
