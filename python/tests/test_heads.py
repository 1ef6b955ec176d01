"""What the heads of other programs' models say: logits/SPLIT.TERM.npy."""

import csv
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

import flarelang as fl

LOSS = "rec+lm+ns+st"


@pytest.fixture(scope="module")
def ours(train):
    """A run of the program's own with all heads."""
    return fl.Run(train("lstm", LOSS))


def said_by(run, terms=("lm", "ns", "st")):
    """What a run of ours says, as an answer to fl.score."""

    def predict(strings):
        heads = {term: run.head_logits(term, strings)[0] for term in terms}
        return {"rec": run.logits(strings), **heads}

    return predict


@pytest.fixture(scope="module")
def scored(ours, parity, tmp_path_factory):
    """The same logits, left by another program."""
    path = tmp_path_factory.mktemp("scored") / "run"
    return fl.score(said_by(ours), parity, path, name="ours-again", loss=LOSS)


def assert_close(one, other):
    """The same but for the last bits of the logits, which may depend on what they were computed with."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_close(one[key], other[key])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for a, b in zip(one, other):
            assert_close(a, b)
    else:
        assert one == (pytest.approx(other, rel=1e-5) if isinstance(other, float) else other)


def test_the_same_logits_have_the_same_metrics(ours, scored, parity):
    assert_close(scored.result["splits"], ours.result["splits"])
    metrics = ours.result["splits"]["test"]
    assert metrics["lm_cross_entropy"] > 0 and metrics["state_cross_entropy"] > 0
    assert 0 <= metrics["next_symbol_accuracy"]["positions"] <= 1
    for split in parity:
        if len(parity[split]):
            assert_close(scored.evaluation(split), ours.evaluation(split))
    rows = []
    for run in (ours, scored):
        with open(f"{run.path}/eval/test.jsonl") as file:
            rows.append([json.loads(line) for line in file])
    assert_close(*rows)


def test_scored_again_they_are_the_same(flare, scored):
    before = scored.result["splits"]
    assert "test" in flare("score", scored.path).stdout
    assert scored.result["splits"] == before


def test_the_metrics_are_what_they_are_called(scored, parity):
    """Against numpy, from the files."""
    split = parity["test"]
    rows = split.strings.offsets + np.arange(len(split) + 1)
    lm, ns, st = (
        np.load(f"{scored.path}/logits/test.{term}.npy").astype(np.float64)
        for term in ("lm", "ns", "st")
    )
    states = parity.tracker.states(split.strings)
    of_lm, of_ns, of_st = [], [], []
    for i, (begin, end) in enumerate(zip(rows, rows[1:])):
        log_p = st[begin:end] - np.logaddexp.reduce(st[begin:end], axis=1, keepdims=True)
        of_st.append(-log_p[np.arange(end - begin), states[begin:end]].mean())
        if not split.labels[i]:
            continue
        tokens = split.strings.values[split.strings.offsets[i] : split.strings.offsets[i + 1]]
        log_p = lm[begin:end] - np.logaddexp.reduce(lm[begin:end], axis=1, keepdims=True)
        of_lm.append(-log_p[np.arange(end - begin), [*tokens, 2]].mean())
        signs = np.where(split.next_symbols[i], -1, 1)
        of_ns.append(np.logaddexp(0, signs * ns[begin:end]).mean())
    metrics = scored.result["splits"]["test"]
    assert metrics["lm_cross_entropy"] == pytest.approx(np.mean(of_lm), rel=1e-12)
    assert metrics["next_symbol_cross_entropy"] == pytest.approx(np.mean(of_ns), rel=1e-12)
    assert metrics["state_cross_entropy"] == pytest.approx(np.mean(of_st), rel=1e-12)


def test_heads_are_as_the_files_say(ours, scored, parity):
    strings = parity["test"].strings
    values, offsets = ours.head_logits("ns", strings)
    assert values.shape == (len(strings.values) + len(strings), 3)
    assert offsets.tolist() == (strings.offsets + np.arange(len(strings) + 1)).tolist()
    np.testing.assert_allclose(np.load(f"{scored.path}/logits/test.ns.npy"), values, rtol=1e-5)
    alone, _ = ours.head_logits("ns", strings[3:4])
    np.testing.assert_allclose(alone, values[offsets[3] : offsets[4]], rtol=1e-5)
    with pytest.raises(ValueError, match="'xx' is not one of the model's, whose loss is rec"):
        ours.head_logits("xx", strings)


def test_states(parity):
    tracker = parity.tracker
    assert tracker.num_states == 2 and parity.columns("st") == 2 and parity.columns("lm") == 3
    start, *after = tracker.states(["1 0 1"]).tolist()
    assert after == [1 - start, 1 - start, start]
    assert tracker.states([]).tolist() == []
    with pytest.raises(ValueError, match="no term 'rec'"):
        parity.columns("rec")
    with pytest.raises(ValueError, match="no such directory"):
        fl.StateTracker("/no/such/data")
    with pytest.raises((ValueError, TypeError)):
        tracker.states(["2"])


def test_languages_without_an_automaton_have_no_states(tmp_path):
    sizes = {f"splits.{split}.size": 4 for split in ("train", "test")}
    data = fl.generate("majority", tmp_path, settings=sizes)
    with pytest.raises(ValueError, match="is not regular: the loss term st needs"):
        data.tracker


@pytest.fixture
def copy(scored, tmp_path):
    """The run, to be damaged."""
    return shutil.copytree(scored.path, tmp_path / "run")


def refusal(flare, run):
    ended = flare("score", run, check=False)
    assert ended.returncode == 2, ended.stdout + ended.stderr
    return ended.stderr


def test_files_of_no_use_are_refused(flare, copy):
    file = copy / "logits" / "test.lm.npy"
    logits = np.load(file)
    rows = len(logits)
    for wrong in (logits[:-1], np.concatenate([logits, logits[:1]]), logits[:, :2]):
        np.save(file, wrong)
        said = refusal(flare, copy)
        assert f"test.lm.npy: has the shape ({len(wrong)}, {wrong.shape[1]}); " in said
        assert f"expected ({rows}, 3)" in said and "a column per symbol, then EOS" in said
    for value in (np.nan, np.inf, -np.inf):
        wrong = logits.copy()
        wrong[5, 1] = value
        np.save(file, wrong)
        assert f"test.lm.npy: {value} is not a finite number" in refusal(flare, copy)
    np.save(file, logits.astype(np.float64))
    assert "expected a matrix of float32" in refusal(flare, copy)
    np.save(file, logits.ravel())
    assert "expected a matrix of float32" in refusal(flare, copy)
    np.save(file, logits)
    whole = file.read_bytes()
    for contents in (whole[:-4], whole + b"1234"):
        file.write_bytes(contents)
        assert "bytes of numbers; its header says" in refusal(flare, copy)
    file.write_text("0.1 0.2 0.3")
    assert "is not a NumPy file" in refusal(flare, copy)
    # As Julia stores matrices.
    np.save(file, np.asfortranarray(logits))
    assert flare("score", copy).returncode == 0


def test_all_splits_or_none(flare, copy, scored):
    for split in ("train", "test"):
        (copy / "logits" / f"{split}.lm.npy").unlink()
    said = refusal(flare, copy)
    assert "train.lm.npy: no such file" in said and "expected all or none" in said
    for file in (copy / "logits").glob("*.lm.npy"):
        file.unlink()
    flare("score", copy)
    metrics, all_of_them = fl.Run(copy).result["splits"]["test"], scored.result["splits"]["test"]
    assert metrics["lm_cross_entropy"] is None
    assert metrics["state_cross_entropy"] == all_of_them["state_cross_entropy"]
    # And without any, as runs were before there were such files.
    for file in (copy / "logits").glob("*.npy"):
        file.unlink()
    flare("score", copy)
    metrics = fl.Run(copy).result["splits"]["test"]
    assert metrics["next_symbol_cross_entropy"] is None and "state_cross_entropy" not in metrics
    assert metrics["accuracy"] == all_of_them["accuracy"]


@pytest.mark.parametrize("name", ["test.ml.npy", "tset.lm.npy", "lm.npy", "test.npy"])
def test_names_that_mean_nothing_are_refused(name, flare, copy):
    shutil.copy(copy / "logits" / "test.lm.npy", copy / "logits" / name)
    said = refusal(flare, copy)
    assert f"{name}: is not SPLIT.TERM.npy" in said and "the loss has lm, ns, st" in said


def test_terms_that_the_loss_lacks_are_refused(ours, parity, tmp_path):
    with pytest.raises(ValueError, match="has 'ns', which is not a term of the loss"):
        fl.score(said_by(ours, ["lm", "ns"]), parity, tmp_path / "run", loss="rec+lm")


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda said: said.pop("rec"), "has no 'rec'"),
        (lambda said: said.update(lm=said["lm"][1:]), "a row per prefix"),
        (lambda said: said.update(lm=0.0), "a row per prefix"),
        (lambda said: said.update(lm=said["lm"][:, :2]), "expected .*, 3"),
        (lambda said: said["lm"].__setitem__((2, 1), np.nan), "nan is not a finite number"),
        (lambda said: said["rec"].__setitem__(0, np.inf), "txt:1: 'inf' is not a finite number"),
    ],
)
def test_bad_answers(change, message, ours, parity, tmp_path):
    def predict(strings):
        said = said_by(ours, ["lm"])(strings)
        change(said)
        return said

    with pytest.raises(ValueError, match=message):
        fl.score(predict, parity, tmp_path / "run", loss="rec+lm")


def test_reports_have_the_metrics(flare, tmp_path):
    """In a grid, next to ours: the columns of runs.csv are filled."""
    (tmp_path / "program.py").write_text(
        "import sys, json, flarelang as fl, numpy as np\n"
        "from flarelang import training\n"
        "run = sys.argv[-1]\n"
        "data = fl.Dataset(fl.Run(run).config['data']['path'])\n"
        "for split in data:\n"
        "    strings = data[split].strings\n"
        "    if not len(strings): continue\n"
        "    training.write_logits(run, split, np.where(data[split].labels, 1.0, -1.0))\n"
        "    for term in fl.Run(run).config['loss'].split('+')[1:]:\n"
        "        n = data.columns(term)\n"
        "        with training.HeadFile(run, split, term, strings, n) as file:\n"
        "            for i, length in enumerate(strings.lengths):\n"
        "                file.write(i, np.zeros((length + 1, n), np.float32))\n"
    )
    sizes = {"splits.train.size": 60, "splits.test.size": 30, "splits.test.max_length": 30}
    data = fl.generate("parity", tmp_path / "data", settings=sizes)
    (tmp_path / "grid.toml").write_text(
        f'languages = [{{name = "parity", data = "{data.path}"}}]\n'
        f'architectures = ["rnn", {{name = "zero", command = ["{sys.executable}", "program.py"]}}]\n'
        'losses = ["rec+lm+ns"]\nvalidations = ["short"]\nbudgets = [1000]\ntrials = 1\n'
        "[settings]\nmax_epochs = 1\nlayers = 1\n"
    )
    sweep = ["sweep", "run", "grid.toml", "--data", "data", "--out", "out"]
    subprocess.run(
        [os.environ["FLARE_BINARY"], *sweep], check=True, cwd=tmp_path, capture_output=True
    )
    flare("report", tmp_path / "out", "--to", tmp_path / "report")
    (table,) = (tmp_path / "report").rglob("runs.csv")
    with open(table) as file:
        rows = {row["architecture"]: row for row in csv.DictReader(file)}
    for row in rows.values():
        assert float(row["test_lm_cross_entropy"]) > 0
        assert 0 <= float(row["test_next_symbol_accuracy_positions"]) <= 1
    # Uniform over two symbols and the end; σ(0) of each.
    assert float(rows["zero"]["test_lm_cross_entropy"]) == pytest.approx(np.log(3))
    assert float(rows["zero"]["test_next_symbol_cross_entropy"]) == pytest.approx(np.log(2))


# Ours as modules of PyTorch: within rounding.
@pytest.mark.parametrize("architecture", ["lstm", "transformer"])
def test_loaded_modules_have_the_same_metrics(architecture, train, parity, tmp_path):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    run = fl.Run(train(architecture, LOSS))
    module = fl.torch.load(run.path)

    def predict(strings):
        tokens, lengths = fl.torch.pad(strings)
        inside = torch.arange(tokens.shape[1] + 1) <= lengths.unsqueeze(1)
        with torch.no_grad():
            outputs = module(tokens, lengths)
        heads = {term: outputs[term][inside].numpy() for term in ("lm", "ns", "st")}
        return {"rec": outputs["rec"].numpy(), **heads}

    again = fl.score(predict, parity, tmp_path / "run", name="again", loss=LOSS)
    for split, metrics in run.result["splits"].items():
        if metrics is None:
            continue
        for name, value in metrics.items():
            if name.endswith("cross_entropy"):
                assert again.result["splits"][split][name] == pytest.approx(value, rel=1e-4), name


def test_fit_leaves_what_the_heads_say(parity, tmp_path):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    torch.set_num_threads(1)
    module = fl.torch.initial(
        "gru", vocabulary=2, hidden=8, layers=1, loss=LOSS, states=parity.columns("st"), seed=2
    )
    run = fl.fit(module, parity, tmp_path / "run", loss=LOSS, seed=3, max_epochs=1)
    (epoch,) = [event for event in run.events if event["event"] == "epoch"]
    assert epoch["state_loss"] > 0 and epoch["lm_loss"] > 0
    for split, metrics in run.result["splits"].items():
        if metrics is None:
            continue
        assert metrics["state_cross_entropy"] > 0
        assert 0 <= metrics["state_accuracy"]["positions"] <= 1
        # For members, which not every split has.
        assert (metrics["lm_cross_entropy"] is not None) == parity[split].labels.any()
    # They are those of the best model, a row per prefix, whatever the batches were.
    strings = parity["test"].strings
    with torch.no_grad():
        alone = module(*fl.torch.pad(strings[:1]))["st"][0, : len(strings[0]) + 1]
    left = np.load(tmp_path / "run/logits/test.st.npy")[: len(alone)]
    np.testing.assert_allclose(left, alone.numpy(), atol=1e-5)


class Heads:
    """Makes a module whose heads have these shapes."""

    def __new__(cls, **shapes):
        torch = pytest.importorskip("torch", reason="PyTorch is not installed")

        class Module(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.bias = torch.nn.Parameter(torch.zeros(()))

            def forward(self, tokens, lengths):
                n, t = tokens.shape
                sizes = {name: size(n, t + 1) for name, size in shapes.items()}
                return {name: self.bias + torch.zeros(size) for name, size in sizes.items()}

        return Module()


@pytest.mark.parametrize(
    "loss, shapes, message",
    [
        ("rec+lm", {"rec": lambda n, t: (n,)}, "no output 'lm'"),
        ("rec+st", {"rec": lambda n, t: (n,), "st": lambda n, t: (n, t, 3)}, "'st' has the shape"),
        ("rec+ns", {"rec": lambda n, t: (n,), "ns": lambda n, t: (n, t, 2)}, "'ns' has the shape"),
        ("rec+lm", {"rec": lambda n, t: (n,), "lm": lambda n, t: (n, 3)}, "'lm' has the shape"),
        ("rec+lm", {"rec": lambda n, t: (n, 1), "lm": lambda n, t: (n, t, 3)}, "'rec' has"),
    ],
)
def test_heads_of_the_wrong_shape(loss, shapes, message, parity, tmp_path):
    with pytest.raises(ValueError, match=message):
        fl.fit(Heads(**shapes), parity, tmp_path / "run", loss=loss, max_epochs=1)


def test_initial_weights_with_states():
    pytest.importorskip("torch", reason="PyTorch is not installed")
    module = fl.torch.initial("lstm", vocabulary=2, hidden=8, layers=1, loss="rec+st", states=3)
    assert module.states_head.weight.shape == (3, 8)
    with pytest.raises(ValueError, match="states: expected the number of states"):
        fl.torch.initial("lstm", vocabulary=2, hidden=8, layers=1, loss="rec+st")
