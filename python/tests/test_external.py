"""External programs in grids: the protocol of docs/reference/external-programs.md."""

import csv
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import flarelang as fl

# Knows the language; writes what the protocol asks for, and no more.
RULE = """
import json, pathlib, sys
run = pathlib.Path(sys.argv[-1])
config = json.loads((run / "config.json").read_text())
data = pathlib.Path(config["data"]["path"])
(run / "logits").mkdir(exist_ok=True)
for file in [data / "main.tok", *data.glob("datasets/*/main.tok")]:
    split = "train" if file.parent == data else file.parent.name
    sharpness = float(config["sharpness"])
    answers = [sharpness if line.split().count("1") % 2 else -sharpness
               for line in file.read_text().split("\\n")[:-1]]
    (run / "logits" / (split + ".txt")).write_text("".join(f"{a}\\n" for a in answers))
"""

GRID = """
languages = [{{name = "parity", data = "{data}"}}]
architectures = [{architectures}]
losses = ["rec"]
validations = ["short"]
budgets = [1000]
trials = 1
[settings]
max_epochs = 1
layers = 1
"""


@pytest.fixture
def sweep(flare, parity, tmp_path):
    """Runs a grid with an architecture that a program of these lines trains."""

    def run(code, options="", others="", check=True, **keywords):
        program = tmp_path / "program.py"
        program.write_text(code)
        command = json.dumps([sys.executable, str(program)])
        architecture = f'{{name = "rule", command = {command}{options}}}{others}'
        grid = tmp_path / "grid.toml"
        grid.write_text(GRID.format(data=parity.path, architectures=architecture))
        arguments = ["sweep", "run", grid, "--data", tmp_path, "--out", tmp_path / "out"]
        return flare(*arguments, check=check, **keywords)

    return run


def run_of(tmp_path, variant="rule"):
    return tmp_path / f"out/runs/parity/{variant}/rec/short/1000/1"


def test_a_rule_beside_a_network(sweep, flare, tmp_path):
    sweep(RULE, options=", sharpness = 5", others=', "rnn"')
    run = fl.Run(run_of(tmp_path, "rule,sharpness=5"))
    assert run.state == "finished" and run.result["splits"]["test"]["accuracy"] == 1
    assert run.config["sharpness"] == "5" and run.config["arithmetic"] == "external"
    assert run.config["hidden"] is None and "learning_rate" in run.config["drawn"]
    assert os.path.exists(os.path.join(run.path, "eval", "hardest.json"))
    flare("report", tmp_path / "out", "--to", tmp_path / "report")
    tables = "".join(path.read_text() for path in (tmp_path / "report").rglob("*.md"))
    assert "rule" in tables and "RULE" not in tables
    # What is finished stays so; so does the grid as sweep.json keeps it.
    again = flare("sweep", "work", tmp_path / "out")
    assert again.returncode == 0
    status = flare("sweep", "list", tmp_path / "out").stdout
    assert "rule,sharpness=5" in status
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = fl.runs(tmp_path / "out").set_index("variant")
    assert frame.loc["rule,sharpness=5", "external"] and not frame.loc["rnn", "external"]


LIAR = RULE + """
says = {"recognition_cross_entropy": 0.01, "accuracy": 0.5}
(run / "events.jsonl").write_text(json.dumps(
    {"event": "checkpoint", "time": "2026-01-01T00:00:00Z", "epoch": 3, "learning_rate": 0.1,
     "is_best": True, "validation": says}) + "\\n")
"""


def test_what_is_measured_counts_not_what_is_said(sweep, flare, tmp_path):
    sweep(LIAR, options=", sharpness = -1")
    run = fl.Run(run_of(tmp_path, "rule,sharpness=-1"))
    measured = run.result["splits"]["validation-short"]["recognition_cross_entropy"]
    best = run.result["best_validation"]
    assert best == {"recognition_cross_entropy": measured, "accuracy": 0} and measured > 1
    # Versions that took the program's word left it in result.json.
    file = run_of(tmp_path, "rule,sharpness=-1") / "result.json"
    result = json.loads(file.read_text())
    del result["check"]
    result["best_validation"]["recognition_cross_entropy"] = 0.01
    file.write_text(json.dumps(result, indent=2) + "\n")
    flare("report", tmp_path / "out", "--to", tmp_path / "report")
    (row,) = csv.DictReader((tmp_path / "report" / "runs.csv").open())
    assert float(row["best_validation_recognition_cross_entropy"]) == measured


def test_an_option_can_be_an_axis(sweep, tmp_path):
    sweep(RULE, options=", sharpness = [1, 2]")
    for value in (1, 2):
        assert fl.Run(run_of(tmp_path, f"rule,sharpness={value}")).state == "finished"


def test_a_failure_keeps_the_last_lines(sweep, tmp_path):
    ended = sweep("import sys; print('reading'); sys.exit('cannot go on')", check=False)
    assert ended.returncode == 1
    failure = json.loads((run_of(tmp_path) / "failure.json").read_text())
    assert failure["reason"] == "its program ended with exit code 1: cannot go on"
    assert "reading" in failure["log"]


def test_a_failure_keeps_little_of_long_lines(sweep, tmp_path):
    said = sweep("import sys; print('x' * 100_000); sys.exit('y' * 100_000)", check=False).stderr
    assert len(said) < 2_000
    failure = run_of(tmp_path) / "failure.json"
    assert failure.stat().st_size < 3_000
    assert json.loads(failure.read_text())["reason"].endswith("y" * 400 + " ...")


def test_logits_that_are_missing_or_wrong(sweep, tmp_path, flare):
    assert sweep("", check=False).returncode == 1
    failure = json.loads((run_of(tmp_path) / "failure.json").read_text())
    assert "logits/" in failure["reason"]
    run = run_of(tmp_path)
    (run / "logits").mkdir()
    for split in fl.Dataset(json.loads((run / "config.json").read_text())["data"]["path"]):
        (run / "logits" / f"{split}.txt").write_text("0.5\n")
    assert "has 1 logits for" in flare("score", run, check=False).stderr
    (run / "logits" / "train.txt").write_text("zero\n")
    assert "train.txt:1: 'zero' is not a finite number" in flare("score", run, check=False).stderr


# An infinite logit has an infinite cross-entropy where it is wrong, and a mean with it.
@pytest.mark.parametrize("value", ["nan", "inf", "1e39"])
def test_what_is_not_finite_is_no_answer(value, sweep, tmp_path):
    done = sweep(RULE, options=f', sharpness = "{value}"', check=False)
    assert done.returncode != 0
    failure = json.loads((run_of(tmp_path, f"rule,sharpness={value}") / "failure.json").read_text())
    assert "txt:1: " in failure["reason"] and "is not a finite number" in failure["reason"]


def test_what_config_json_says_is_not_said_again(sweep, tmp_path, flare):
    sweep(RULE, options=", sharpness = 3")
    run = run_of(tmp_path, "rule,sharpness=3")
    for option in (["--set", "layers=7"], ["--command", "foo"], ["--name", "bar"]):
        refused = flare("score", run, *option, check=False)
        assert refused.returncode == 2
        assert "has a config.json: it says what" in refused.stderr


def test_a_last_event_without_a_newline_counts(sweep, tmp_path):
    stop = '{"event": "stop", "time": "x", "reason": "not finite", "seconds": 3}'
    sweep(RULE + f"(run / 'events.jsonl').write_text({stop!r})\n", options=", sharpness = 3")
    assert fl.Run(run_of(tmp_path, "rule,sharpness=3")).state == "diverged"


def test_the_same_score_again(parity, tmp_path, flare):
    run = tmp_path / "run"
    (run / "logits").mkdir(parents=True)
    for split in parity:
        (run / "logits" / f"{split}.txt").write_text("0.5\n" * len(parity[split].labels))
    command = ["score", run, "--data", parity.path, "--name", "half"]
    first = flare(*command).stdout
    assert flare(*command).stdout == first
    refused = flare(*command, "--set", "layers=7", check=False)
    assert refused.returncode == 2
    assert "is a different run: its" in refused.stderr


def test_runs_of_programs_are_not_extracted(sweep, tmp_path, flare):
    sweep(RULE, options=", sharpness = 3")
    said = flare("sweep", "extract", tmp_path / "out").stderr
    assert "left out: 1 run of other programs" in said
    assert "0 extracted, 0 known, 0 not finished" in said


def test_folders_of_checkpoints_are_removed(sweep, tmp_path):
    code = RULE + "(run / 'checkpoint.last').mkdir()\n(run / 'checkpoint.last' / 'state').write_text('x')\n"
    sweep(code, options=", sharpness = 3")
    run = run_of(tmp_path, "rule,sharpness=3")
    assert (run / "result.json").exists()
    assert not (run / "checkpoint.last").exists()


def test_a_program_that_is_resumed(sweep, tmp_path):
    resumes = f"""
import pathlib, sys
state = pathlib.Path(sys.argv[-1]) / "checkpoint.txt"
if not state.exists():
    state.write_text("half way")
    sys.exit(75)
{RULE}
"""
    said = sweep(resumes, options=", sharpness = 1").stderr
    assert "it will be resumed" in said
    assert fl.Run(run_of(tmp_path, "rule,sharpness=1")).state == "finished"
    assert not (run_of(tmp_path, "rule,sharpness=1") / "checkpoint.txt").exists()


def test_a_program_that_never_gets_further(sweep, tmp_path):
    assert sweep("import sys; sys.exit(75)", check=False).returncode == 1
    failure = json.loads((run_of(tmp_path) / "failure.json").read_text())
    assert "stopped repeatedly without progress" in failure["reason"]


def test_a_program_that_removes_its_lock(sweep, tmp_path):
    code = "import pathlib, sys\n(pathlib.Path(sys.argv[-1]) / 'lock').unlink()\n"
    ended = sweep(code, check=False)
    assert ended.returncode != 0
    assert "lost its lock repeatedly" in ended.stderr


def test_a_program_that_is_not_there(parity, flare, tmp_path):
    grid = tmp_path / "grid.toml"
    grid.write_text(
        GRID.format(data=parity.path, architectures='{name = "x", command = ["/no/such/program"]}')
    )
    arguments = ["sweep", "run", grid, "--data", tmp_path, "--out", tmp_path / "out"]
    assert flare(*arguments, check=False).returncode == 1
    failure = json.loads((run_of(tmp_path, "x") / "failure.json").read_text())
    assert "/no/such/program: no such program" in failure["reason"]


WAITS = """
import os, pathlib, signal, sys, time
run = pathlib.Path(sys.argv[-1])
def stop(number, frame):
    (run / "checkpoint.txt").write_text("saved")
    sys.exit(75)
signal.signal(signal.SIGTERM, stop)
(run / "pid").write_text(str(os.getpid()))
time.sleep(600)
"""


def process_of_run(pid):
    """The process that holds the run and started the program."""
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rsplit(")", 1)[1].split()[1])


@pytest.mark.parametrize("how", ["worker is asked", "worker is killed", "process is killed"])
def test_a_program_ends_with_its_worker(how, parity, tmp_path):
    (tmp_path / "program.py").write_text(WAITS)
    command = json.dumps([sys.executable, str(tmp_path / "program.py")])
    (tmp_path / "grid.toml").write_text(
        GRID.format(data=parity.path, architectures=f'{{name = "rule", command = {command}}}')
    )
    worker = subprocess.Popen(
        [os.environ["FLARE_BINARY"], "sweep", "run", tmp_path / "grid.toml"]
        + ["--data", tmp_path, "--out", tmp_path / "out"],
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60

    def until(condition):
        while not condition():
            assert time.monotonic() < deadline
            time.sleep(0.02)

    file = run_of(tmp_path) / "pid"
    until(lambda: file.exists() and file.read_text())
    pid = int(file.read_text())
    if how == "process is killed":
        os.kill(process_of_run(pid), signal.SIGKILL)
    else:
        worker.send_signal(signal.SIGTERM if how == "worker is asked" else signal.SIGKILL)
    until(lambda: not os.path.exists(f"/proc/{pid}"))
    # Killed with the process that started it, it cannot save its state.
    saved = (run_of(tmp_path) / "checkpoint.txt").exists()
    worker.terminate()
    worker.wait(timeout=60)
    assert saved == (how != "process is killed")
    assert not (run_of(tmp_path) / "failure.json").exists()


@pytest.mark.parametrize(
    "architecture, message",
    [
        ('{command = ["x"]}', "a command needs a name"),
        ('{name = "x", command = "x"}', "expected a list"),
        ('{name = "x", command = []}', "has no command"),
        ('{name = "lstm", command = ["x"]}', "is built in"),
        ('{name = "a,b", command = ["x"]}', "comma"),
        ('{name = "x", command = ["x"], way = "a/b"}', "slash"),
        ('{name = "x", command = ["x"]}, {name = "x", command = ["y"]}', "another command"),
        ('{name = "x", command = ["x"], budget = 3}', "coordinate of the grid"),
    ],
)
def test_bad_grids(architecture, message, flare, parity, tmp_path):
    grid = tmp_path / "grid.toml"
    grid.write_text(GRID.format(data=parity.path, architectures=architecture))
    arguments = ["sweep", "plan", grid, "--data", tmp_path, "--out", tmp_path / "out"]
    ended = flare(*arguments, check=False)
    assert ended.returncode == 2 and message in ended.stderr, ended.stderr


def with_heads(strings):
    prefixes = int(strings.offsets[-1]) + len(strings)
    return {"rec": np.zeros(len(strings)), "lm": np.zeros((prefixes, 3))}


def test_a_second_score_has_nothing_of_the_first(parity, tmp_path):
    first = fl.score(with_heads, parity, tmp_path / "run", name="x", loss="rec+lm")
    assert first.result["splits"]["test"]["lm_cross_entropy"] > 0
    second = fl.score(
        lambda strings: np.ones(len(strings)), parity, tmp_path / "run", name="x", loss="rec+lm"
    )
    assert second.result["splits"]["test"].get("lm_cross_entropy") is None
    assert not list((tmp_path / "run").rglob("*.npy"))


def test_a_predictor_that_fails_leaves_the_run_as_it_was(parity, tmp_path):
    first = fl.score(with_heads, parity, tmp_path / "run", name="x", loss="rec+lm")
    files = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}
    answers = iter([np.ones(len(parity["train"]))])
    with pytest.raises(StopIteration):
        fl.score(lambda strings: next(answers), parity, tmp_path / "run", name="x", loss="rec+lm")
    assert all(path.read_bytes() == content for path, content in files.items())
    assert first.state == "finished"


# Answers, and fails; when it is tried again, it has nothing to say.
FAILS_ONCE = f"""
import pathlib, sys
if (pathlib.Path(sys.argv[-1]) / "tried").exists():
    sys.exit(0)
{RULE}
(run / "tried").write_text("")
sys.exit(1)
"""


def test_a_new_attempt_has_no_logits_of_an_earlier_one(sweep, tmp_path, flare):
    sweep(FAILS_ONCE, options=", sharpness = 3", check=False)
    run = run_of(tmp_path, "rule,sharpness=3")
    assert (run / "failure.json").exists() and list((run / "logits").iterdir())
    again = flare("sweep", "work", tmp_path / "out", "--retry-failed", check=False)
    assert again.returncode == 1
    assert fl.Run(run).state == "failed" and "logits/" in fl.Run(run).failure["reason"]


def test_logits_that_are_there_before_the_run_are_not_its_own(parity, tmp_path):
    (tmp_path / "run" / "logits").mkdir(parents=True)
    with pytest.raises(ValueError, match="logits: exists, but the run has no config.json"):
        fl.score(with_heads, parity, tmp_path / "run", name="x", loss="rec+lm")


def test_score_without_a_sweep(flare, parity, tmp_path):
    run = tmp_path / "run"
    (run / "logits").mkdir(parents=True)
    for split in parity:
        answers = "".join("1\n" if label else "-1\n" for label in parity[split].labels)
        (run / "logits" / f"{split}.txt").write_text(answers)
    assert "say what it is with --data" in flare("score", run, check=False).stderr
    table = flare("score", run, "--data", parity.path, "--name", "oracle").stdout
    assert "test-edit-distance" in table and "1.0000" in table
    # Again, as its config.json now says what it is.
    assert flare("score", run).stdout == table
    events = [event["event"] for event in fl.Run(run).events]
    assert events.count("finish") == 1 and events.count("evaluation") == len(parity)
    assert fl.Run(run).config["architecture"] == "oracle"
    assert "has a config.json" in flare("score", run, "--name", "x", check=False).stderr
    trained = flare("evaluate", run, check=False)
    assert trained.returncode == 2 and "a run of another program" in trained.stderr


def test_pytorch_modules_in_a_grid(flare, parity, tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    (tmp_path / "my_models.py").write_text(
        "import flarelang as fl\n"
        "def gru(vocabulary, width):\n"
        "    return fl.torch.initial('gru', vocabulary=vocabulary, hidden=int(width), layers=1)\n"
    )
    command = json.dumps([sys.executable, "-m", "flarelang.external", "my_models:gru"])
    grid = tmp_path / "grid.toml"
    architecture = f'{{name = "my-gru", command = {command}, width = 8}}'
    grid.write_text(GRID.format(data=parity.path, architectures=architecture))
    subprocess.run(
        [os.environ["FLARE_BINARY"], "sweep", "run", grid, "--data", tmp_path]
        + ["--out", tmp_path / "out"],
        check=True,
        cwd=tmp_path,
        capture_output=True,
    )
    run = fl.Run(run_of(tmp_path, "my-gru,width=8"))
    assert run.state == "finished" and run.result["epochs"] == 1 and run.result["parameters"] > 0
