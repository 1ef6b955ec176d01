"""The program's own engine, called from Python."""

import hashlib
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

import flarelang as fl

SETTINGS = {"hidden": 8, "layers": 2, "max_epochs": 3, "seed": 1, "batch_tokens": 512}


def train(parity, run, **settings):
    given = {"architecture": "lstm", "progress": False, **SETTINGS, **settings}
    return fl.train(parity, run, **given)


def sha256(run):
    return hashlib.sha256(pathlib.Path(run, "model.safetensors").read_bytes()).hexdigest()


def grid(**more):
    return {
        "languages": ["parity", "first"],
        "architectures": ["rnn"],
        "losses": ["rec"],
        "validations": ["short"],
        "settings": {"hidden": 4, "layers": 1, "max_epochs": 1},
        "data": {
            "splits.train.size": 100,
            "splits.test.size": 40,
            "splits.test.max_length": 60,
            "splits.test-edit-distance.size": 0,
            "splits.test-short-held-out.size": 0,
        },
        **more,
    }


def test_a_run_has_the_bits_of_the_program(parity, flare, tmp_path):
    run = train(parity, tmp_path / "run")
    flags = [word for key, value in SETTINGS.items() for word in (f"--{key.replace('_', '-')}", value)]
    flare(
        *("train", "--data", parity.path, "--run", tmp_path / "cli", "--architecture", "lstm"),
        *("--loss", "rec", "--validation", "short", *flags),
    )
    assert sha256(run.path) == sha256(tmp_path / "cli")
    assert run.result["splits"] == fl.Run(tmp_path / "cli").result["splits"]
    # Finished, it is returned as it is.
    before = os.stat(tmp_path / "run" / "result.json").st_mtime_ns
    assert train(parity, tmp_path / "run").state == "finished"
    assert os.stat(tmp_path / "run" / "result.json").st_mtime_ns == before


def test_all_that_a_recipe_sets_reaches_the_engine(parity, tmp_path):
    recipe = {
        "optimizer": "adamw",
        "weight_decay": 0.1,
        "schedule": "cosine",
        "warmup_steps": 5,
        "loss": "st",
        "select": "state_accuracy_strings",
        "stop_at": "state_accuracy_strings >= 1",
        "eigenvalues": "signed",
    }
    run = train(parity, tmp_path / "run", architecture="mamba", **recipe)
    assert {key: run.config[key] for key in recipe} == recipe


def test_mistakes_are_exceptions(parity, tmp_path):
    with pytest.raises(ValueError, match="learning_rat.*did you mean|did you mean.*learning.rate"):
        train(parity, tmp_path / "run", learning_rat=0.1)
    with pytest.raises(ValueError, match="lstmm"):
        train(parity, tmp_path / "run", architecture="lstmm")
    with pytest.raises(ValueError, match="no such|manifest|nothing"):
        train(tmp_path / "nothing", tmp_path / "run")
    train(parity, tmp_path / "run")
    with pytest.raises(ValueError, match="dropout"):
        train(parity, tmp_path / "run", dropout=0.3)


CHILD = """
import sys, flarelang as fl
print("begins", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("KeyboardInterrupt", flush=True)
    sys.exit(3)
"""


def interrupted(call, has_begun):
    """Gives a Python process Ctrl-C once has_begun(); its exit code."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD.format(call=call)], stdout=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not has_begun() and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    said, _ = child.communicate(timeout=120)
    assert "KeyboardInterrupt" in said, said
    return child.returncode


def test_ctrl_c_leaves_a_run_that_the_same_call_resumes(parity, tmp_path):
    whole = train(parity, tmp_path / "whole", max_epochs=150, stopping_patience=0)
    run = tmp_path / "run"
    more = {"architecture": "lstm", "progress": False, **SETTINGS}
    more.update(max_epochs=150, stopping_patience=0)
    call = f"fl.train({parity.path!r}, {str(run)!r}, **{more!r})"
    events = run / "events.jsonl"
    assert interrupted(call, lambda: events.exists() and events.read_text().count("epoch") > 2) == 3
    assert fl.Run(run).state == "left" and (run / "checkpoint.safetensors").exists()
    again = train(parity, run, max_epochs=150, stopping_patience=0)
    assert sha256(again.path) == sha256(whole.path)


def test_a_time_limit_stops_it_resumably(parity, tmp_path, capfd):
    run = train(parity, tmp_path / "run", time_limit=0, progress=True)
    assert run.state == "left"
    assert "stopped (time limit); the same call continues it" in capfd.readouterr().err
    assert train(parity, tmp_path / "run").state == "finished"


def test_progress_is_a_line_per_checkpoint(parity, tmp_path, capfd):
    run = train(parity, tmp_path / "run", progress=True, checkpoint_examples=300)
    lines = capfd.readouterr().err.splitlines()
    checkpoints = [event for event in run.events if event["event"] == "checkpoint"]
    assert len(lines) == len(checkpoints) == 3
    for line, event in zip(lines, checkpoints):
        value = event["validation"]["recognition_cross_entropy"]
        assert f"epoch {event['epoch']} " in line
        assert f"recognition_cross_entropy {value:.4f}" in line
        assert line.count("*") == event["is_best"]


def test_what_a_progress_callback_raises_stops_the_run(parity, tmp_path):
    def report(_):
        raise RuntimeError("enough")

    texts = {key: str(value) for key, value in SETTINGS.items()}
    texts.update(architecture="lstm", loss="rec", validation="short")
    with pytest.raises(RuntimeError, match="enough"):
        fl._flarelang.train(tmp_path / "run", parity.path, texts, float("inf"), 10.0, report)
    assert fl.Run(tmp_path / "run").state == "left"


def test_a_sweep_is_that_of_the_program(flare, tmp_path):
    sweep = fl.sweep(grid(trials=2), tmp_path / "data", tmp_path / "out", jobs=2, progress=False)
    assert repr(sweep) == f"<Sweep {tmp_path}/out, 4 of 4 runs finished>"
    assert len(sweep) == 4 and sweep.states == {"finished": 4}
    assert {run.config["architecture"] for run in sweep} == {"rnn"}
    lines = ['languages = ["parity", "first"]', 'architectures = ["rnn"]', 'losses = ["rec"]']
    lines += ['validations = ["short"]', "trials = 2", "[settings]", "hidden = 4", "layers = 1"]
    lines += ["max_epochs = 1", "[data]"]
    lines += [f"{key} = {value}" for key, value in grid()["data"].items()]
    (tmp_path / "grid.toml").write_text("\n".join(lines))
    flare("sweep", "run", tmp_path / "grid.toml", "--data", tmp_path / "data", "--out", tmp_path / "cli")
    for run in sweep:
        assert sha256(run.path) == sha256(run.path.replace("/out/", "/cli/"))
    # The same from a file; finished, nothing is done again.
    again = fl.sweep(tmp_path / "grid.toml", tmp_path / "data", tmp_path / "out", progress=False)
    assert again.states == {"finished": 4}


def test_a_sweep_tells_of_its_runs(tmp_path, capfd):
    fl.sweep(grid(), tmp_path / "data", tmp_path / "out", jobs=1)
    said = capfd.readouterr().err
    assert "first/rnn,hidden=4/rec/short" in said and "finished after 1 epoch" in said


def test_mistakes_in_a_sweep_are_exceptions(tmp_path):
    def sweep(given, **how):
        return fl.sweep(given, tmp_path / "data", tmp_path / "out", progress=False, **how)

    with pytest.raises(ValueError, match="unknown.*partiy"):
        sweep(grid(languages=["partiy"]))
    with pytest.raises(ValueError, match="no grid|no preset|demo"):
        sweep("no-such-preset")
    with pytest.raises(FileNotFoundError):
        sweep("none.toml")
    with pytest.raises(ValueError, match="at least 1 process"):
        sweep(grid(), jobs=0)
    with pytest.raises(TypeError, match="nothing that a grid can have"):
        sweep(grid(trials=object()))
    with pytest.raises(ValueError, match="only|nowhere"):
        sweep(grid(), only=["language=nowhere"])
    with pytest.raises(ValueError, match="not a sweep|no sweep|sweep.json"):
        fl.Sweep(tmp_path)


def test_a_run_that_fails_is_warned_of(tmp_path):
    bad = {"name": "bad", "command": [sys.executable, "-c", "raise SystemExit('no')"]}
    given = grid(languages=["parity"], architectures=["rnn", bad])
    del given["settings"]["hidden"], given["settings"]["layers"]
    given["budgets"] = [100]
    with pytest.warns(UserWarning, match="1 of its runs failed"):
        sweep = fl.sweep(given, tmp_path / "data", tmp_path / "out", jobs=1, progress=False)
    assert sweep.states == {"finished": 1, "failed": 1}
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = sweep.runs().set_index("architecture")
    assert "exit code 1: no" in frame.loc["bad", "failure"]


def test_ctrl_c_leaves_a_sweep_that_the_same_call_resumes(tmp_path):
    given = grid(trials=1, settings={"hidden": 8, "layers": 1, "max_epochs": 600, "stopping_patience": 0})
    places = [str(tmp_path / "data"), str(tmp_path / "out")]
    call = f"fl.sweep({given!r}, *{places!r}, jobs=2, progress=False)"

    def has_begun():
        return len(list((tmp_path / "out").glob("runs/**/events.jsonl"))) == 2

    assert interrupted(call, has_begun) == 3
    states = fl.Sweep(tmp_path / "out").states
    assert set(states) <= {"left", "finished"} and states.get("left", 0) > 0
    whole = fl.sweep(given, tmp_path / "data", tmp_path / "whole", jobs=2, progress=False)
    again = fl.sweep(given, *places, jobs=2, progress=False)
    assert again.states == {"finished": 2}
    for run in whole:
        assert sha256(run.path) == sha256(run.path.replace("/whole/", "/out/"))
