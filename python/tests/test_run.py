import json
import threading

import numpy as np
import pytest

import flarelang as fl


@pytest.fixture(scope="module")
def lstm(train):
    return fl.Run(train("lstm"))


def test_files(lstm):
    assert lstm.state == "finished" and lstm.config["architecture"] == "lstm"
    assert lstm.result["epochs"] == 2 and "finished" in repr(lstm)
    assert [event["event"] for event in lstm.events][:2] == ["start", "epoch"]
    assert lstm.evaluation("test")["examples"] == 80
    with pytest.raises(KeyError, match="no evaluation of 'x'"):
        lstm.evaluation("x")


def test_predictions_are_those_of_the_program(flare, lstm, parity, tmp_path):
    strings = parity["test"].strings
    (tmp_path / "strings").write_text("".join(" ".join(w) + "\n" for w in strings))
    lines = flare("predict", lstm.path, tmp_path / "strings").stdout.splitlines()
    expected = [float(line.split("\t")[0]) for line in lines]
    np.testing.assert_allclose(lstm.predict(strings), expected, rtol=1e-5)
    assert lstm.logits(strings).dtype == np.float32
    assert len(lstm.logits([])) == 0


def test_prefixes(lstm):
    logits, offsets = lstm.prefix_logits(["0 1 1", ""])
    assert offsets.tolist() == [0, 4, 5]
    np.testing.assert_allclose(logits[offsets[1:] - 1], lstm.logits(["0 1 1", ""]), rtol=1e-5)
    np.testing.assert_allclose(logits[1], lstm.logits(["0"])[0], rtol=1e-5)


def test_states(lstm, flare, tmp_path):
    strings = ["0 1 1", "", "1"]
    vectors, offsets = lstm.states(strings)
    assert offsets.tolist() == [0, 4, 5, 7] and vectors.shape == (7, 8)
    # For every string, h₀ is the same, and a prefix's vector is that of the string.
    assert (vectors[0] == vectors[4]).all() and (vectors[0] == vectors[5]).all()
    np.testing.assert_array_equal(vectors[:2], lstm.states(["0"])[0])
    # The logits are an affine function of them.
    logits, _ = lstm.prefix_logits(strings)
    with_one = np.concatenate([vectors, np.ones((7, 1))], axis=1)
    many, _ = lstm.states(["0 1 1 0 1 0 0 1 1 1 0 1"])
    expected, _ = lstm.prefix_logits(["0 1 1 0 1 0 0 1 1 1 0 1"])
    head, *_ = np.linalg.lstsq(np.c_[many, np.ones(len(many))], expected, rcond=None)
    np.testing.assert_allclose(with_one @ head, logits, atol=1e-4)
    (tmp_path / "strings").write_text("\n".join(strings) + "\n")
    flare("states", lstm.path, tmp_path / "strings", "--out", tmp_path / "states.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "states.npy"), vectors)


# Code that was compiled for one instruction set must outlive the models of another.
def test_models_of_several_targets_live_side_by_side(lstm, train, parity):
    strings = parity["test"].strings
    before = lstm.logits(strings)
    portable = fl.Run(train("lstm", target="portable"))
    np.testing.assert_allclose(portable.logits(strings), before, atol=1e-3)
    assert (lstm.logits(strings) == before).all()
    again = fl.Run(lstm.path)
    assert (again.logits(strings) == before).all()
    assert (lstm.logits(strings) == before).all()


def test_threads_share_a_model(lstm, parity):
    strings = parity["test"].strings
    alone = lstm.logits(strings)
    answers = [None] * 4

    def work(i):
        for _ in range(5):
            answers[i] = lstm.logits(strings)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((answer == alone).all() for answer in answers)


def test_runs(flare, parity, lstm, tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    grid = tmp_path / "grid.toml"
    grid.write_text(
        f"""
languages = [{{name = "parity", data = "{parity.path}"}}]
architectures = ["rnn"]
losses = ["rec"]
validations = ["short"]
budgets = [1000]
trials = 2
[settings]
max_epochs = 1
layers = 1
"""
    )
    out = tmp_path / "out"
    flare("sweep", "run", grid, "--data", tmp_path, "--out", out)
    frame = fl.runs(out)
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 2
    assert sorted(frame["trial"]) == [1, 2] and set(frame["validation"]) == {"short"}
    assert set(frame["state"]) == {"finished"} and not frame["external"].any()
    result = json.loads((out / "runs/parity/rnn/rec/short/1000/1/result.json").read_text())
    row = frame[frame["trial"] == 1].iloc[0]
    assert row["test_accuracy"] == result["splits"]["test"]["accuracy"]
    assert row["best_validation_accuracy"] == result["best_validation"]["accuracy"]
    assert len(fl.runs(lstm.path)) == 1


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda run: fl.Run("/no/such/run"), "is not a run"),
        (lambda run: fl.runs("/no/such/directory"), "no such directory"),
        (lambda run: run.predict(["2"]), "string 0"),
        (lambda run: run.predict(fl.Strings.of(["a"], ["a"])), "expected 0 1"),
        (lambda run: run.prefix_logits(["2"]), "string 0"),
        (lambda run: run.states(["2"]), "string 0"),
    ],
)
def test_bad_arguments(call, message, lstm):
    with pytest.raises(ValueError, match=message):
        call(lstm)


def test_a_run_without_result_and_checkpoint_has_no_model(train):
    path = train("rnn")
    for name in ("result.json", "checkpoint.safetensors"):
        (path / name).unlink(missing_ok=True)
    with pytest.raises((ValueError, OSError), match="checkpoint"):
        fl.Run(path).predict(["1"])
