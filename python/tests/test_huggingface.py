"""Repositories for the Hugging Face hub: what is in them, and what is refused."""

import gzip
import hashlib
import json
import pathlib
import re
import shutil

import pytest

import flarelang as fl
from flarelang import huggingface

ROOT = pathlib.Path(__file__).resolve().parents[2]


def check_sums(directory):
    """Every file but SHA256SUMS, with the hash that it has."""
    lines = (directory / "SHA256SUMS").read_text().splitlines()
    told = {line[66:]: line[:64] for line in lines}
    files = {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in directory.rglob("*")
        if path.is_file() and path.name != "SHA256SUMS"
    }
    assert told == files
    assert (directory / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def test_datasets(parity, tmp_path, monkeypatch):
    monkeypatch.setattr(huggingface, "_has_pyarrow", lambda: False)
    huggingface.export_datasets([parity], str(tmp_path / "hub"))
    hub = tmp_path / "hub"
    check_sums(hub)
    card = (hub / "README.md").read_text()
    head = card.split("---\n")[1]
    assert "license: mit" in head and "- config_name: parity" in head
    paths = re.findall(r"split: (\w+)\n    path: (\S+)", head)
    assert [name for name, _ in paths] == [huggingface.hub_name(split) for split in parity]
    for split, (_, pattern) in zip(parity, paths):
        (file,) = hub.glob(pattern)
        rows = [json.loads(line) for line in gzip.open(file, "rt", encoding="utf-8")]
        assert [row["tokens"] for row in rows] == [list(string) for string in parity[split].strings]
        assert [row["label"] for row in rows] == parity[split].labels.astype(int).tolist()
    recipe = json.loads((hub / "recipes/parity.json").read_text())
    assert recipe == json.loads((pathlib.Path(parity.path) / "manifest.json").read_text())
    huggingface.export_datasets([parity], str(tmp_path / "again"))
    assert (tmp_path / "again/SHA256SUMS").read_bytes() == (hub / "SHA256SUMS").read_bytes()


def test_datasets_whose_labels_are_wrong_are_refused(parity, tmp_path):
    shutil.copytree(parity.path, tmp_path / "parity")
    (tmp_path / "parity/manifest.json").unlink()  # which has the hashes
    labels = tmp_path / "parity/datasets/test/labels.txt"
    lines = labels.read_text().splitlines(True)
    lines[0] = "1\n" if lines[0] == "0\n" else "0\n"
    labels.write_text("".join(lines))
    with pytest.raises(ValueError, match="not all right"):
        huggingface.export_datasets([fl.Dataset(tmp_path / "parity")], str(tmp_path / "hub"))
    assert not (tmp_path / "hub").exists()


def test_two_of_one_name_and_a_directory_that_is_there_are_refused(parity, tmp_path):
    with pytest.raises(ValueError, match="two datasets are called parity"):
        huggingface.export_datasets([parity, parity], str(tmp_path / "hub"))
    (tmp_path / "hub").mkdir()
    (tmp_path / "hub/mine").write_text("mine")
    with pytest.raises(ValueError, match="is there already"):
        huggingface.export_datasets([parity], str(tmp_path / "hub"))
    assert [path.name for path in (tmp_path / "hub").iterdir()] == ["mine"]


def test_records(tmp_path):
    records = ROOT / "results/published/records"
    huggingface.main(["--to", str(tmp_path), "--records", str(records)])
    hub = tmp_path / "records"
    check_sums(hub)
    (sweep,) = [path for path in hub.iterdir() if path.is_dir()]
    card = (hub / "README.md").read_text()
    assert f"| `{sweep.name}` | {len(fl.runs(sweep))} |" in card
    damaged = tmp_path / "damaged"
    shutil.copytree(records, damaged)
    lines = sorted(damaged.glob("*.jsonl"))[0]
    lines.write_text(re.sub(r'"epochs":\d+', '"epochs":1', lines.read_text(), count=1))
    with pytest.raises(SystemExit, match="damaged"):
        huggingface.main(["--to", str(tmp_path / "hub"), "--records", str(damaged)])
    assert not (tmp_path / "hub").exists()


def test_models(train, tmp_path):
    run = pathlib.Path(train())
    huggingface.main(["--to", str(tmp_path), "--models", str(run)])
    hub = tmp_path / "models"
    check_sums(hub)
    model = (run / "model.safetensors").read_bytes()
    assert (hub / run.name / "model.safetensors").read_bytes() == model
    assert f"| `{run.name}` |" in (hub / "README.md").read_text()
    (tmp_path / "empty").mkdir()
    with pytest.raises(SystemExit, match="no finished run"):
        huggingface.main(["--to", str(tmp_path / "hub"), "--models", str(tmp_path / "empty")])


def test_something_must_be_named(tmp_path, capsys):
    with pytest.raises(SystemExit):
        huggingface.main(["--to", str(tmp_path)])
    assert "--datasets" in capsys.readouterr().err
