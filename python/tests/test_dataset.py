import json
import os
import pickle
import shutil

import numpy as np
import pytest

import flarelang as fl
from conftest import SMALL


def test_the_bytes_are_those_of_the_program(flare, parity, tmp_path):
    flags = [word for key, value in SMALL.items() for word in ("--set", f"{key}={value}")]
    flare("generate", "parity", "--out", tmp_path, "--seed", 3, *flags)
    for name in ["manifest.json", "main.tok", "datasets/test/main.tok"]:
        with open(tmp_path / "parity" / name) as ours, open(os.path.join(parity.path, name)) as theirs:
            assert ours.read() == theirs.read()


def test_splits(parity):
    assert parity.splits[0] == "train" and list(parity) == parity.splits
    assert parity.name == "parity" and parity.alphabet == ("0", "1")
    train = parity["train"]
    assert len(train) == len(train.strings) == len(train.labels) == 300
    assert train.labels.dtype == np.bool_
    assert (parity.language.contains(train.strings) == train.labels).all()
    assert parity["train"] is train


def test_columns(parity):
    train = parity["train"]
    assert np.isnan(train.log_probabilities[~train.labels]).all()
    expected = parity.language.log_probability(train.strings[train.labels])
    np.testing.assert_allclose(train.log_probabilities[train.labels], expected, rtol=1e-11)
    computed = parity.language.next_symbols(train.strings)
    assert (train.next_symbols.offsets == computed.offsets).all()
    assert (train.next_symbols.values == computed.values).all()
    assert (train.num_edits[train.labels] == -1).all() and train.num_edits.max() >= 1
    assert train.edit_distances is None
    distances = parity["test-edit-distance"].edit_distances
    assert (distances == parity.language.edit_distance(parity["test-edit-distance"].strings)).all()


def test_verify(parity, tmp_path):
    verification = parity.verify()
    assert verification and verification.ok and "train" in str(verification)
    wrong = tmp_path / "parity"
    shutil.copytree(parity.path, wrong)
    distances = wrong / "datasets/test-edit-distance/edit-distances.txt"
    distances.write_text("9" + distances.read_text())
    verification = fl.Dataset(wrong).verify()
    assert not verification and "edit distance 9" in str(verification), str(verification)
    assert json.dumps(verification.rows)


@pytest.mark.parametrize(
    "file, split, read",
    [
        ("labels.txt", "train", lambda split: split.labels),
        ("datasets/test/main.tok", "test", lambda split: split.strings),
        ("next-symbols.jsonl", "train", lambda split: split.next_symbols),
        ("log-probabilities.txt", "train", lambda split: split.log_probabilities),
        ("num-edits.txt", "train", lambda split: split.num_edits),
        (
            "datasets/test-edit-distance/edit-distances.txt",
            "test-edit-distance",
            lambda split: split.edit_distances,
        ),
    ],
)
def test_files_that_do_not_match_the_manifest_are_refused(file, split, read, parity, tmp_path):
    shutil.copytree(parity.path, tmp_path / "changed")
    text = (tmp_path / "changed" / file).read_text()
    (tmp_path / "changed" / file).write_text(text.replace("1", "0", 1))
    dataset = fl.Dataset(tmp_path / "changed")
    with pytest.raises(ValueError, match="its SHA-256 is not the one that was recorded"):
        read(dataset[split])
    (tmp_path / "changed" / file).unlink()
    with pytest.raises(ValueError, match="is missing, although it was recorded"):
        read(fl.Dataset(tmp_path / "changed")[split])


def test_nothing_is_exported_of_a_dataset_that_was_changed(parity, tmp_path):
    shutil.copytree(parity.path, tmp_path / "changed")
    file = tmp_path / "changed/datasets/validation-short/next-symbols.jsonl"
    file.write_text(file.read_text().replace("1", "0", 1))
    with pytest.raises(ValueError, match="SHA-256"):
        fl.Dataset(tmp_path / "changed").to_huggingface(tmp_path / "hub")
    assert not (tmp_path / "hub").exists()


def test_a_split_that_the_manifest_does_not_record_is_not_one(parity, tmp_path):
    shutil.copytree(parity.path, tmp_path / "parity")
    shutil.copytree(tmp_path / "parity/datasets/test", tmp_path / "parity/datasets/mine")
    assert fl.Dataset(tmp_path / "parity").splits == parity.splits


def test_datasets_without_a_manifest_are_read(parity, tmp_path):
    shutil.copytree(parity.path, tmp_path / "parity")
    (tmp_path / "parity/manifest.json").unlink()
    foreign = fl.Dataset(tmp_path / "parity")
    assert foreign.splits == parity.splits
    for split in parity:
        assert foreign[split].strings == parity[split].strings
        assert (foreign[split].labels == parity[split].labels).all()


def test_datasets_can_be_pickled_whatever_was_asked_of_them(parity):
    dataset = fl.Dataset(parity.path)
    dataset.tracker, dataset.language, dataset["train"].next_symbols
    again = pickle.loads(pickle.dumps(dataset))
    assert again["train"].strings == dataset["train"].strings
    assert again.tracker.num_states == dataset.tracker.num_states == 2
    sets = again["train"].next_symbols
    assert (sets.values == dataset["train"].next_symbols.values).all()
    assert (sets.offsets == dataset["train"].next_symbols.offsets).all()


def test_baselines(parity):
    baselines = parity.baselines()
    assert 0.4 < baselines.splits["test"]["majority"] <= 1
    assert "test" in str(baselines)


def test_a_language_of_ones_own(tmp_path):
    dataset = fl.generate("regex:(ab)*", tmp_path, name="ab", settings={"splits.train.size": 20})
    assert dataset.language.alphabet == ("a", "b")
    # The same recipe again changes nothing; another one is refused.
    fl.generate(fl.Language("regex:(ab)*"), tmp_path, name="ab", settings={"splits.train.size": 20})
    with pytest.raises(ValueError, match="a different recipe"):
        fl.generate("regex:(ab)*", tmp_path, name="ab", settings={"splits.train.size": 21})


def test_generate_leaves_the_language_usable(tmp_path):
    language = fl.Language("parity")
    with pytest.raises(ValueError):
        fl.generate(language, tmp_path, settings={"splits.train.size": 10, "splits.train.min_length": 90})
    fl.generate(language, tmp_path, settings=SMALL)
    assert language.contains(["1"]).tolist() == [True]


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda out, d: fl.Dataset("/no/such/directory"), ValueError, "/no/such/directory: no such directory\nfl.generate makes datasets"),
        (lambda out, d: d["tset"], KeyError, "no split 'tset'"),
        (lambda out, d: fl.generate("regex:a*", out), ValueError, "name="),
        (lambda out, d: fl.generate("nothing", out), ValueError, "unknown language"),
        (lambda out, d: fl.generate("parity", out, preset="x"), ValueError, "x"),
        (lambda out, d: fl.generate("parity", out, settings={"splits.x": 1}), ValueError, "splits.x"),
        (lambda out, d: fl.generate("parity", out, settings={"splits.train.size": "x"}), ValueError, "x"),
        (lambda out, d: fl.generate("parity", "/proc/nothing"), OSError, "/proc/nothing"),
        (lambda out, d: fl.generate("parity", out, seed=-1), TypeError, ""),
        (lambda out, d: fl.generate("parity", out, name="../x"), ValueError, "x"),
        (lambda out, d: fl.Dataset(d.path, language="majority").verify(-1), TypeError, ""),
    ],
)
def test_bad_arguments(call, error, message, parity, tmp_path):
    with pytest.raises(error, match=message):
        call(tmp_path, parity)
