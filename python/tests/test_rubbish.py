"""Every argument of every function, given what it cannot be: Python's errors, and nothing else. What
is called runs in a process of its own, which must neither end early nor print."""

import json
import os
import subprocess
import sys

import pytest

RUBBISH = """
None, -1, 2**70, 1.5, float("nan"), "", "x\\0y", "/no/such", "\\udce4", b"x", [], [None], [""], ["\\0"], {},
{"x": None}, object(), int, np.zeros((2, 2)), np.array(["x"]), np.array([], np.int64), lambda: None
"""

# For each function: a call with rubbish for every argument. `R` is the rubbish, `d` a dataset, `run` a
# run of ours, `new` a directory that does not exist.
OF_LANGUAGES = """
fl.Language(R)
fl.Language("regex:a*", alphabet=R)
fl.Language("att:/no/such", symbols=R)
fl.Language("att:/no/such", acceptor=R)
L.strings(R)
L.contains(R)
L.next_symbols(R)
L.edit_distance(R)
L.log_probability(R)
L.log_probability([], min_length=R)
L.log_probability([], max_length=R)
L.log_probability([], distribution=R)
L.sample(R)
L.sample(1, min_length=R)
L.sample(1, max_length=R)
L.sample(1, seed=R)
L.sample(1, negative=R)
L.sample(1, distribution=R)
L.__setstate__(R)
s[R]
s.padded(R)
s == R
s.__setstate__(R)
L.next_symbols(s)[R]
fl.Strings(R, s.offsets, s.alphabet)
fl.Strings(s.values, R, s.alphabet)
fl.Strings(s.values, s.offsets, R)
fl.Strings.of(R, ["0", "1"])
fl.Strings.of([], R)
fl.CustomLanguage.language(R)
"""

OF_DATASETS = """
fl.Dataset(R)
fl.Dataset(d.path, R).language
fl.Dataset(d.path, R).verify()
fl.Dataset(d.path, R).baselines()
d[R]
d.verify(R)
d.columns(R)
fl.StateTracker(R)
d.tracker.states(R)
fl.Split(R, "train")
fl.Split(d.path, R)
fl.generate(R, new)
fl.generate("parity", new, name=R, settings=tiny)
fl.generate("parity", new, seed=R, settings=tiny)
fl.generate("parity", new, preset=R, settings=tiny)
fl.generate("parity", new, settings={"splits.train.size": R})
fl.generate("parity", new, settings={"x": R})
fl.generate("parity", new, settings=R)
"""

OF_RUNS = """
fl.Run(R)
fl.runs(R)
run.evaluation(R)
run.logits(R)
run.predict(R)
run.prefix_logits(R)
run.states(R)
run.head_logits(R, ["1"])
run.head_logits("lm", R)
fl.score(R, d, new)
fl.score(lambda strings: R, d, new)
fl.score(lambda strings: {"rec": R}, d, new)
fl.score(lambda strings: {"rec": np.zeros(len(strings)), "lm": R}, d, new, loss="rec+lm")
fl.score(zero, R, new)
fl.score(zero, d, R)
fl.score(zero, d, new, name=R)
fl.score(zero, d, new, loss=R)
fl.score(zero, d, new, validation=R)
fl.score(zero, d, new, seed=R)
fl.score(zero, d, new, max_epochs=R)
fl.score(zero, d, new, **{"x": R})
"""

OF_TORCH = """
fl.torch.pad(R)
fl.torch.batch_of(R, np.array([0]))
fl.torch.batch_of(d["train"], R)
fl.torch.batch_of(d["train"], np.array([0]), tracker=R)
list(fl.torch.batches(R, 100))
next(fl.torch.batches(d["train"], R))
next(fl.torch.batches(d["train"], 100, seed=R))
next(fl.torch.batches(d["train"], 100, epoch=R))
next(fl.torch.batches(d["train"], 100, extra_symbols=R))
list(fl.torch.in_order(R))
next(fl.torch.in_order(d["train"], R))
fl.torch.initial(R, vocabulary=2, hidden=8)
fl.torch.initial("lstm", vocabulary=R, hidden=8)
fl.torch.initial("lstm", vocabulary=2, hidden=R)
fl.torch.initial("lstm", vocabulary=2, hidden=8, layers=R)
fl.torch.initial("lstm", vocabulary=2, hidden=8, loss=R)
fl.torch.initial("lstm", vocabulary=2, hidden=8, loss="rec+st", states=R)
fl.torch.initial("lstm", vocabulary=2, hidden=8, seed=R)
fl.torch.load(R)
fl.torch.load_file(R)
fl.torch.logits(R, d["train"])
fl.torch.logits(fl.torch.load(run.path), R)
fl.torch.export_onnx(R, new)
fl.torch.module_of(R)
fl.torch.parameters_of(R)
fl.torch.parse_safetensors(R, "here")
fl.torch.format_safetensors(R, {})
fl.fit(R, d, new, max_epochs=1)
fl.fit(model(), R, new, max_epochs=1)
fl.fit(model(), d, new, max_epochs=R)
fl.fit(model(), d, new, max_epochs=1, validation=R)
fl.fit(model(), d, new, max_epochs=1, loss=R)
fl.fit(model(), d, new, max_epochs=1, seed=R)
fl.fit(model(), d, new, max_epochs=1, options=R)
"""

CODE = """
import itertools, json, os, sys
import numpy as np
import flarelang as fl

data, path, folder, calls = json.loads(sys.argv[1])
os.chdir(folder)
L = fl.Language("parity")
s = L.sample(5)
d = fl.Dataset(data)
run = fl.Run(path)
tiny = {"splits.train.size": 2, "splits.test.size": 2}
zero = lambda strings: np.zeros(len(strings))
model = lambda: fl.torch.initial("rnn", vocabulary=2, hidden=4, layers=1)
PYTHONS = (TypeError, ValueError, OSError, LookupError, OverflowError, AttributeError)
PYTHONS += (NotImplementedError, MemoryError)
numbers = itertools.count()
wrong = []
for call in calls:
    code = compile(call, call, "eval")
    for R in [@RUBBISH@]:
        new = f"new-{next(numbers)}"
        try:
            eval(code, globals())
        except PYTHONS as error:
            # What only says that something went wrong inside is not a message.
            if "FLARE_CHECK" in str(error):
                wrong.append(f"{call} of {R!r}: {error}")
        except Exception as error:
            wrong.append(f"{call} of {R!r}: {type(error).__name__}: {error}")
sys.stdout.write(json.dumps(wrong))
""".replace("@RUBBISH@", RUBBISH.strip().replace("\n", " "))


def check(calls, parity, run, folder):
    lines = [line for line in calls.splitlines() if line]
    arguments = json.dumps([str(parity.path), str(run), str(folder), lines])
    ended = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-W", "ignore", "-c", CODE, arguments],
        capture_output=True,
        text=True,
        # What reads an object that is gone crashes, wherever its memory is.
        env={**os.environ, "PYTHONMALLOC": "debug"},
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert json.loads(ended.stdout) == []
    # What trains shows a line per checkpoint; nothing else may be said.
    assert [line for line in ended.stderr.splitlines() if not line.startswith("epoch ")] == []


@pytest.fixture(scope="module")
def run(train):
    return train("rnn", "rec+lm")


@pytest.mark.parametrize(
    "calls", [OF_LANGUAGES, OF_DATASETS, OF_RUNS], ids=["languages", "datasets", "runs"]
)
def test_rubbish(calls, parity, run, tmp_path):
    check(calls, parity, run, tmp_path)


def test_rubbish_for_pytorch(parity, run, tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    check(OF_TORCH, parity, run, tmp_path)
