import functools
import json
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import threading
import time

import numpy as np
import pytest

import flarelang as fl

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "tests/fixtures/0.2"


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


def test_config_and_result_are_what_the_files_say(lstm):
    finished = [path.parent for path in FIXTURES.rglob("result.json")]
    assert len(finished) > 15
    for path in [pathlib.Path(lstm.path), *finished]:
        run = fl.Run(path)
        for said, name in ((run.config, "config.json"), (run.result, "result.json")):
            there = json.loads((path / name).read_text())
            assert there.pop("check")
            # Version 0.2 listed files in two members, and had no format in result.json.
            lists = [there.pop(member, {}) for member in ("evaluation_files", "run_files")]
            if any(lists):
                assert len(said["files"]) == sum(map(len, lists)) and said["format"] == 1
                said = {key: value for key, value in said.items() if key not in ("files", "format")}
            assert said == there, path


def flip_a_digit(file, after):
    """In the first number after this text."""
    text = file.read_text()
    at = re.compile(r"\d").search(text, text.index(after) + len(after)).start()
    file.write_text(text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :])


@pytest.mark.parametrize(
    "name, after, read",
    [
        ("result.json", '"accuracy":', lambda run: run.result),
        ("config.json", '"learning_rate":', lambda run: run.config),
        ("config.json", '"seed":', lambda run: run.result),
        ("events.jsonl", '"loss":', lambda run: run.events),
        ("eval/test.json", '"accuracy":', lambda run: run.evaluation("test")),
        ("model.safetensors", "", lambda run: run.model),
    ],
)
def test_a_file_that_was_changed_is_refused(name, after, read, lstm, tmp_path):
    path = tmp_path / "run"
    shutil.copytree(lstm.path, path)
    if after:
        flip_a_digit(path / name, after)
    else:
        content = bytearray((path / name).read_bytes())
        content[-1] ^= 1
        (path / name).write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(name)):
        read(fl.Run(path))
    if name in ("result.json", "config.json"):
        assert fl.Run(path).state == "damaged" and "damaged" in repr(fl.Run(path))


def test_events_of_a_run_that_is_under_way_are_read_up_to_the_last_whole_line(lstm, tmp_path):
    path = tmp_path / "run"
    shutil.copytree(lstm.path, path)
    (path / "result.json").unlink()
    whole = fl.Run(path).events
    with open(path / "events.jsonl", "a") as file:
        file.write('{"event": "epoch", "lo')
    assert fl.Run(path).events == whole == fl.Run(lstm.path).events


def test_a_process_that_was_killed_is_not_running(parity, tmp_path):
    command = [os.environ["FLARE_BINARY"], "train", "--data", parity.path, "--run", tmp_path / "run"]
    command += ["--architecture", "lstm", "--loss", "rec", "--validation", "short"]
    command += ["--budget", "30000", "--max-epochs", "100000", "--stopping-patience", "100000"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (tmp_path / "run" / "config.json").exists():
        assert process.poll() is None
        time.sleep(0.02)
    assert fl.Run(tmp_path / "run").state == "running"
    process.kill()
    process.wait()
    assert (tmp_path / "run" / "lock").exists()
    assert fl.Run(tmp_path / "run").state == "left"


@pytest.fixture(scope="module")
def sweep(flare, parity, tmp_path_factory):
    """A sweep of three trials, which tests copy; its grid may have other settings."""

    @functools.cache
    def run(**settings):
        folder = tmp_path_factory.mktemp("sweep")
        lines = "".join(f"{name} = {value}\n" for name, value in settings.items())
        (folder / "grid.toml").write_text(
            f"""
languages = [{{name = "parity", data = "{parity.path}"}}]
architectures = ["rnn"]
losses = ["rec"]
validations = ["short"]
budgets = [1000]
trials = 3
[settings]
max_epochs = 1
layers = 1
{lines}"""
        )
        flare("sweep", "run", folder / "grid.toml", "--data", folder, "--out", folder / "out")
        return folder / "out"

    return run


def trial(out, number):
    return out / "runs/parity/rnn/rec/short/1000" / str(number)


def test_runs(sweep, lstm):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    out = sweep()
    frame = fl.runs(out)
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 3
    assert sorted(frame["trial"]) == [1, 2, 3] and set(frame["validation"]) == {"short"}
    assert set(frame["state"]) == {"finished"} and not frame["external"].any()
    result = json.loads((trial(out, 1) / "result.json").read_text())
    row = frame[frame["trial"] == 1].iloc[0]
    assert row["test_accuracy"] == result["splits"]["test"]["accuracy"]
    assert row["best_validation_accuracy"] == result["best_validation"]["accuracy"]
    assert len(fl.runs(lstm.path)) == 1


def test_what_reports_leave_out_python_does_not_count(flare, sweep, tmp_path):
    pytest.importorskip("pandas", reason="pandas is not installed")
    out = tmp_path / "out"
    shutil.copytree(sweep(), out)
    flip_a_digit(trial(out, 1) / "result.json", '"accuracy":')
    shutil.rmtree(trial(out, 2))
    shutil.copytree(trial(out, 3), trial(out, 2))
    assert [fl.Run(trial(out, n)).state for n in (1, 2, 3)] == ["damaged", "damaged", "finished"]
    # The list believes result.json, and does not see that a run is of another trial.
    listed = json.loads(flare("sweep", "list", out, "--json").stdout)
    assert [run["state"] for run in listed] == ["damaged", "finished", "finished"]
    frame = fl.runs(out)
    assert list(frame["state"]) == ["damaged", "damaged", "finished"]
    assert list(frame["trial"]) == [1, 2, 3]
    assert frame["test_accuracy"].isna().tolist() == [True, True, False]
    assert "result is damaged" in frame["failure"][0] and "its seed" in frame["failure"][1]
    for read in (lambda run: run.config, lambda run: run.result, lambda run: run.predict(["1"])):
        with pytest.raises(ValueError, match="is a different run: its seed"):
            read(fl.Run(trial(out, 2)))
    # From above the sweep, they are the same rows.
    assert list(fl.runs(tmp_path)["state"]) == list(frame["state"])


def test_a_run_of_another_grid_is_damaged(sweep, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(sweep(), out)
    shutil.rmtree(trial(out, 1))
    shutil.copytree(trial(sweep(batch_tokens=512), 1), trial(out, 1))
    assert fl.Run(trial(out, 1)).state == "damaged"
    with pytest.raises(ValueError, match="its batch_tokens is 512"):
        fl.Run(trial(out, 1)).config
    # Away from the sweep, it is a run like any other.
    shutil.copytree(trial(out, 1), tmp_path / "alone")
    assert fl.Run(tmp_path / "alone").state == "finished"


def test_records_are_read_as_well(flare, sweep, tmp_path):
    pytest.importorskip("pandas", reason="pandas is not installed")
    out = sweep()
    flare("sweep", "collect", out, "--to", tmp_path / "records")
    frame, of_records = fl.runs(out), fl.runs(tmp_path / "records")
    assert list(of_records["trial"]) == [1, 2, 3]
    assert list(of_records["test_accuracy"]) == list(frame["test_accuracy"])


def test_runs_can_be_pickled_with_their_model(lstm):
    lstm.model
    again = pickle.loads(pickle.dumps(lstm))
    assert again.path == lstm.path and again.config == lstm.config
    assert again.logits(["1 0"]) == lstm.logits(["1 0"])


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
