import json
import signal

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import flarelang as fl
from flarelang import modules, training
from flarelang.catalogue import catalogue

ALL = list(modules.DEFAULTS)
# Options, each with a value that is not its default.
VARIANTS = [
    ("transformer", {"positions": "rope", "mask": "strict", "hidden": 16, "heads": 4}),
    ("transformer", {"positions": "alibi", "hidden": 16, "heads": 2}),
    ("transformer", {"positions": "none"}),
    ("transformer", {"positions": "learned", "table": 600, "activation": "gelu", "norm": "post"}),
    ("transformer", {"randomized": 600, "activation": "swiglu", "feed_forward": 2}),
    ("transformer", {"positions": "t5", "loops": 2, "padding": 2, "tie_embeddings": "false"}),
    ("transformer", {"positions": "fire"}),
    ("transformer", {"positions": "rope", "randomized": 600, "hidden": 16, "readout": "eos"}),
    ("mamba", {"eigenvalues": "signed", "conv": 0, "state": 5, "expand": 3, "feed_forward": 4}),
    ("deltanet", {"eigenvalues": "signed", "householder": 2, "gate": "true", "heads": 2}),
    ("deltanet", {"conv": 0, "output_gate": "true"}),
    ("mlstm", {"heads": 2}),
    ("mlstm", {"order": "gate-norm", "loops": 2}),
    ("mlstm", {"conv": 4, "expand": 2, "skip": "true"}),
    ("mamba2", {"eigenvalues": "signed", "conv": 0, "heads": 1, "norm": "post"}),
    ("gla", {"conv": 4, "heads": 2, "padding": 1}),
    ("rwkv7", {"heads": 2, "rank": 3, "feed_forward": 2}),
    ("slstm", {"heads": 2}),
    ("stack-lstm", {"stack_width": 3}),
]
# As bench/peer/learning.py has it.
MOST_DIFFERENCE = 0.01


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    torch.set_num_threads(1)


# Of 8 hidden units a head of Mamba-2 has too few channels.
CASES = [
    (name, {"hidden": 16} if name == "mamba2" else {}, loss)
    for name in ALL
    for loss in ("rec", "rec+lm+ns")
]
CASES += [(name, options, "rec+st") for name, options in VARIANTS]
CASES += [(name, {"readout": "eos"}, "rec+st_last") for name in ("lstm", "transformer")]


@pytest.mark.parametrize("architecture, options, loss", CASES)
def test_a_loaded_model_answers_as_the_run_does(architecture, options, loss, train, parity):
    path = train(architecture, loss, **options)
    module = fl.torch.load(path)
    for split in ("validation-short", "test"):
        ours = fl.Run(path).logits(parity[split].strings)
        np.testing.assert_allclose(fl.torch.logits(module, parity[split]), ours, atol=1e-5)
    count = sum(p.numel() for p in fl.torch.parameters_of(module).values())
    assert count == fl.Run(path).events[0]["all_parameters"]


@pytest.mark.parametrize(
    "architecture, init, options",
    [
        ("transformer", "xavier", {"positions": "t5", "activation": "swiglu", "loops": 2}),
        ("mamba", "reference", {"feed_forward": 2, "norm": "post", "readout": "eos"}),
        ("lstm", "paper", {}),
    ],
)
def test_initial_weights_of_any_options_are_those_of_our_training(
    architecture, init, options, parity, tmp_path
):
    settings = {"hidden": 8, "layers": 2, "loss": "rec+ns", "seed": 3, "init": init, **options}
    module = fl.torch.initial(architecture, vocabulary=2, **settings)
    # One step of a rate that moves nothing but what is zero, and that by nothing to speak of.
    run = fl.train(
        parity,
        tmp_path / "run",
        architecture=architecture,
        learning_rate=1e-30,
        max_steps=1,
        progress=False,
        **settings,
    )
    trained = fl.torch.parameters_of(fl.torch.load(run))
    started = fl.torch.parameters_of(module)
    assert started.keys() == trained.keys()
    for name, parameter in started.items():
        np.testing.assert_allclose(
            parameter.detach(), trained[name].detach(), rtol=0, atol=1e-29, err_msg=name
        )


def test_the_empty_string_alone(train):
    path = train("lstm")
    tokens, lengths = fl.torch.pad(fl.Strings.of([""], ["0", "1"]))
    answer = fl.torch.load(path)(tokens, lengths).item()
    assert answer == pytest.approx(fl.Run(path).logits([""])[0], abs=1e-5)


def test_batches(parity):
    train = parity["train"]
    batches = list(fl.torch.batches(train, tokens=256, seed=4, epoch=2))
    seen = np.concatenate([batch.examples.numpy() for batch in batches])
    assert sorted(seen) == list(range(len(train)))
    for batch in batches:
        assert batch.tokens.dtype == torch.int64 and batch.labels.dtype == torch.float32
        assert batch.tokens.numel() <= 256 or len(batch) == 1
        for row, length, i in zip(batch.tokens, batch.lengths, batch.examples):
            assert [train.strings.alphabet[a] for a in row[:length]] == train.strings[int(i)]
    again = list(fl.torch.batches(train, tokens=256, seed=4, epoch=2))
    assert all((a.examples == b.examples).all() for a, b in zip(batches, again))
    other = list(fl.torch.batches(train, tokens=256, seed=4, epoch=3))
    assert any((a.examples[:1] != b.examples[:1]).any() for a, b in zip(batches, other))
    sets = next(fl.torch.batches(train, tokens=256, next_symbols=True)).next_symbols
    assert sets.shape[2] == 3


# Ours in PyTorch, from our first weights on our batches without dropout, agrees with ours; and the
# same logits come out with the same metrics.
@pytest.mark.parametrize("loss", ["rec", "rec+lm+ns"])
def test_our_lstm_in_pytorch_follows_ours(loss, train, parity, tmp_path):
    settings = {"learning_rate": 0.0003, "batch_tokens": 256, "max_epochs": 3}
    settings |= {"checkpoint_examples": 300, "lm_coefficient": 0.5, "ns_coefficient": 1}
    settings = {k: v for k, v in settings.items() if "coefficient" not in k or loss != "rec"}
    ours = fl.Run(train("lstm", loss, dropout=0, **settings))
    module = fl.torch.initial("lstm", vocabulary=2, hidden=8, layers=2, loss=loss, seed=1)
    theirs = fl.fit(
        module, parity, tmp_path / "run", loss=loss, seed=1, dropout=0, hidden=8, layers=2, **settings
    )

    def curve(run, kind):
        return [event for event in run.events if event["event"] == kind]

    assert len(curve(theirs, "epoch")) == len(curve(theirs, "checkpoint")) == 3
    for our, their in zip(curve(ours, "epoch"), curve(theirs, "epoch")):
        assert their["steps"] == our["steps"] and their["examples"] == our["examples"]
        for term in ("loss", "recognition_loss", "lm_loss", "next_symbol_loss"):
            assert (their[term] is None) == (our[term] is None)
            if our[term] is not None:
                assert their[term] == pytest.approx(our[term], rel=MOST_DIFFERENCE)
    for our, their in zip(curve(ours, "checkpoint"), curve(theirs, "checkpoint")):
        assert their["validation"]["recognition_cross_entropy"] == pytest.approx(
            our["validation"]["recognition_cross_entropy"], rel=MOST_DIFFERENCE
        )
    # Metrics are functions of logits: ours, given to fl.score, come out as the run's own.
    scored = fl.score(ours.logits, parity, tmp_path / "scored", name="ours")
    for split, metrics in ours.result["splits"].items():
        for name, value in metrics.items():
            if not name.startswith(("language_model", "lm_", "next_symbol")):
                assert scored.result["splits"][split][name] == value, (split, name)


# Every optimizer and schedule of the catalogue, limits, stopping rules and objectives without
# recognition.
RECIPES = [("rec", {"optimizer": name}) for name in catalogue()["optimizers"]]
RECIPES += [
    ("rec", {"schedule": name, "warmup_steps": 5, "learning_rate_floor": 0.1})
    for name in catalogue()["schedules"]
]
RECIPES += [
    ("rec", {"optimizer": "adamw", "weight_decay": 0.5}),
    ("rec", {"optimizer": "sgd", "momentum": 0.9, "weight_decay": 0.1, "weight_decay_on": "all"}),
    ("rec", {"optimizer": "rmsprop", "momentum": 0.5, "rmsprop_decay": 0.9}),
    ("rec", {"stop_at": "accuracy >= 0", "stop_for": 2}),
    ("rec+st", {"select": "state_accuracy_positions", "st_coefficient": 1}),
    ("st", {}),
    ("st_last", {}),
    ("ns", {"select": "next_symbol_accuracy_strings"}),
    ("rec", {"select": "auc"}),
    ("rec", {"stop_at": "f1 >= 0.5", "stop_for": 2}),
    ("lm+ns", {"lm_coefficient": 0.3}),
    ("rec+ns", {"train_data": "fresh", "ns_coefficient": 1}),
    ("st", {"train_data": "fresh", "curriculum": "0:5+7:12+15:40"}),
    ("rec", {"curriculum": "0:5+7:12+15:40"}),
    ("lm", {"train_data": "fresh"}),
]


@pytest.mark.parametrize("loss, recipe", RECIPES)
def test_recipes_in_pytorch_follow_ours(loss, recipe, train, parity, tmp_path):
    settings = {"learning_rate": 0.0003, "batch_tokens": 256, "max_epochs": 0, "max_steps": 40}
    settings |= {"checkpoint_steps": 10, "stopping_patience": 0, **recipe}
    ours = fl.Run(train("lstm", loss, dropout=0, **settings))
    states = parity.tracker.num_states
    module = fl.torch.initial(
        "lstm", vocabulary=2, hidden=8, layers=2, loss=loss, states=states, seed=1
    )
    theirs = fl.fit(
        module, parity, tmp_path / "run", loss=loss, seed=1, dropout=0, hidden=8, layers=2, **settings
    )
    assert theirs.result["stop_reason"] == ours.result["stop_reason"]
    curves = [[e for e in run.events if e["event"] == "checkpoint"] for run in (ours, theirs)]
    assert len(curves[0]) == len(curves[1]) > 0
    for our, their in zip(*curves):
        assert their["learning_rate"] == pytest.approx(our["learning_rate"], rel=1e-12)
        assert list(their["validation"])[:1] == list(our["validation"])[:1]
        for name, value in their["validation"].items():
            close = {"rel": MOST_DIFFERENCE}
            if "accuracy" in name or name in ("f1", "auc"):
                close = {"abs": 0.05}
            if name.startswith("false_") or name == "longest_perfect_length":
                close = {"abs": 5}
            assert value == pytest.approx(our["validation"][name], **close), name
    for split, metrics in ours.result["splits"].items():
        assert theirs.result["splits"][split].keys() == metrics.keys()


def test_the_catalogue_is_that_of_the_program():
    assert set(modules.DEFAULTS) == set(catalogue()["architectures"])
    assert modules.DEFAULTS["transformer"]["positions"] == "sinusoidal"
    assert list(catalogue()["optimizers"])[0] == "adam"


# Epochs are cut by the stages of a curriculum, and fresh ones differ in their minibatches.
@pytest.mark.parametrize(
    "recipe",
    [{"train_data": "fresh"}, {"train_data": "fresh", "curriculum": [[0, 5], [7, 12], [15, 40]]}],
)
def test_the_strings_of_an_epoch_are_those_of_our_training(recipe, train, parity, tmp_path):
    settings = {"batch_tokens": 256, "max_epochs": 3, "checkpoint_examples": 300}
    settings |= {"learning_rate": 0.0003, "stopping_patience": 0}
    ours = fl.Run(train("lstm", dropout=0, **settings, **recipe))
    theirs = fl.fit(
        fl.torch.initial("lstm", vocabulary=2, hidden=8, layers=2, seed=1),
        parity,
        tmp_path / "run",
        seed=1,
        **settings,
        **recipe,
    )
    epochs = [[e for e in run.events if e["event"] == "epoch"] for run in (ours, theirs)]
    assert len(epochs[0]) == len(epochs[1]) >= 3
    for our, their in zip(*epochs):
        assert (our["examples"], our["steps"]) == (their["examples"], their["steps"])
        assert their["loss"] == pytest.approx(our["loss"], rel=MOST_DIFFERENCE)
    assert ours.events[0]["examples"] == theirs.events[0]["examples"]


def test_a_fit_begins_with_the_weights_of_another_run(train, parity, tmp_path):
    source = fl.Run(train("gru", layers=1))
    still = {"seed": 3, "learning_rate": 1e-30, "max_steps": 1, "progress": False}
    run = fl.fit(make(), parity, tmp_path / "ours", init_from=source.path, **still)
    assert run.config["init_sha256"] == source.result["model_sha256"]
    assert run.result["splits"]["test"]["accuracy"] == pytest.approx(
        source.result["splits"]["test"]["accuracy"]
    )
    assert run.result["splits"]["test"]["recognition_cross_entropy"] == pytest.approx(
        source.result["splits"]["test"]["recognition_cross_entropy"], rel=1e-4
    )
    # A run of fit, whose file names all that the module's state has.
    again = fl.fit(make(), parity, tmp_path / "again", init_from=run.path, **still)
    assert again.result["splits"] == run.result["splits"]
    other = fl.torch.initial("gru", vocabulary=2, hidden=4, layers=1, seed=2)
    with pytest.raises(ValueError, match="'initial_hidden_l0' has the shape"):
        fl.fit(other, parity, tmp_path / "small", init_from=source.path, **still)
    with pytest.raises(ValueError, match="only the module has a tensor 'bias'"):
        fl.fit(Constant(), parity, tmp_path / "other", init_from=source.path, **still)


def make():
    return fl.torch.initial("gru", vocabulary=2, hidden=8, layers=1, seed=2)


@pytest.mark.parametrize("recipe", [{}, {"train_data": "fresh", "curriculum": "0:8+3:12+6:40"}])
def test_an_interrupted_training_ends_as_if_it_had_not_been(recipe, parity, tmp_path):
    settings = {"seed": 3, "max_epochs": 2, "batch_tokens": 256, "dropout": 0, **recipe}
    whole = fl.fit(make(), parity, tmp_path / "whole", name="gru-1", **settings)
    assert whole.state == "finished" and not (tmp_path / "whole" / training.CHECKPOINT).exists()

    texts = {key: str(value) for key, value in settings.items()}
    texts |= {"validation": "short", "loss": "rec"}
    command = ["flarelang.fit"]
    held = fl._flarelang.ExternalRun(tmp_path / "cut", parity.path, "gru-1", command, texts, {})
    steps = iter(range(100))
    with pytest.raises(training.Interrupted):
        start = training.provenance(make())
        training.Trainer(make(), tmp_path / "cut", start).train(stop=lambda: next(steps) == 5)
    held.close()
    assert fl.Run(tmp_path / "cut").state == "left"
    cut = fl.fit(make(), parity, tmp_path / "cut", name="gru-1", **settings)
    assert cut.result["splits"] == whole.result["splits"]
    assert cut.result["model_sha256"] == whole.result["model_sha256"]
    kinds = [event["event"] for event in cut.events]
    assert kinds == [event["event"] for event in whole.events]
    # Doing it again changes nothing.
    assert fl.fit(make(), parity, tmp_path / "cut", name="gru-1", **settings).result == cut.result


def test_what_a_fitted_run_tells(parity, tmp_path):
    run = fl.fit(make(), parity, tmp_path / "run", name="mine", seed=3, max_epochs=1)
    assert run.config["architecture"] == "mine" and "learning_rate" in run.config["drawn"]
    start = run.events[0]
    assert start["versions"]["torch"] == torch.__version__ and len(start["code_sha256"]) == 64
    assert run.result["parameters"] == start["parameters"] > 0
    with pytest.raises(ValueError, match="a run of another program"):
        run.predict(["1"])
    with pytest.raises(ValueError, match="max_epochs is 1, not 2"):
        fl.fit(make(), parity, tmp_path / "run", name="mine", seed=3, max_epochs=2)


class Sum(torch.nn.Module):
    def __init__(self, function=torch.sigmoid):
        super().__init__()
        self.head = torch.nn.Linear(1, 1)
        self.function = function

    def forward(self, tokens, lengths):
        return self.head(self.function(tokens.sum(1, keepdim=True).float())).squeeze(1)


def other_code():
    """Another class of the same name."""

    class Sum(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.head = torch.nn.Linear(1, 1)

        def forward(self, tokens, lengths):
            return -self.head(tokens.sum(1, keepdim=True).float()).squeeze(1)

    return Sum()


class Wide(Sum):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(1, 2)


@pytest.mark.parametrize("other", [other_code, Wide], ids=["code", "structure"])
@pytest.mark.parametrize("finished", [True, False])
def test_a_run_of_other_code_is_refused(finished, other, parity, tmp_path):
    path = tmp_path / "run"
    run = fl.fit(Sum(), parity, path, name="sum", seed=3, max_epochs=1)
    accuracy = run.result["splits"]["test"]["accuracy"]
    if not finished:
        (path / "result.json").unlink()
        (path / training.CHECKPOINT).write_bytes(b"")
    files = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    with pytest.raises(ValueError, match="was trained with other code"):
        fl.fit(other(), parity, path, name="sum", seed=3, max_epochs=1)
    if finished:
        assert all(file.read_bytes() == content for file, content in files.items())
        again = fl.fit(Sum(), parity, path, name="sum", seed=3, max_epochs=1)
        assert again.result["splits"]["test"]["accuracy"] == accuracy


def rewrite_start(path, change):
    """events.jsonl as another version would have left it; of a program's lines nobody has a check."""
    lines = (path / "events.jsonl").read_text().splitlines(keepends=True)
    start = json.loads(lines[0])
    change(start)
    lines[0] = json.dumps(start) + "\n"
    kept = [line for line in lines if json.loads(line).get("check") is None]
    (path / "events.jsonl").write_text("".join(kept))
    result = json.loads((path / "result.json").read_text())
    result.pop("check", None)
    result["files"].pop("events.jsonl", None)
    (path / "result.json").write_text(json.dumps(result, indent=2) + "\n")


def test_runs_of_version_0_2_are_compared_by_the_file_of_their_code(parity, tmp_path):
    path = tmp_path / "run"
    fl.fit(Sum(), parity, path, name="sum", seed=3, max_epochs=1)
    rewrite_start(path, lambda start: start.pop("definition_sha256"))
    assert fl.fit(Sum(), parity, path, name="sum", seed=3, max_epochs=1).state == "finished"
    rewrite_start(path, lambda start: start.update(code_sha256="0" * 64))
    with pytest.raises(ValueError, match="was trained with other code: the code_sha256"):
        fl.fit(Sum(), parity, path, name="sum", seed=3, max_epochs=1)


def test_a_finished_run_of_code_without_a_source_is_not_returned(parity, tmp_path):
    names = {"torch": torch, "__name__": "prompt"}
    exec(
        "class Typed(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.weight = torch.nn.Parameter(torch.ones(()))\n"
        "    def forward(self, tokens, lengths):\n"
        "        return self.weight * lengths\n",
        names,
    )
    fl.fit(names["Typed"](), parity, tmp_path / "run", max_epochs=1)
    with pytest.raises(ValueError, match="the source of Typed cannot be compared"):
        fl.fit(names["Typed"](), parity, tmp_path / "run", max_epochs=1)


def test_a_module_of_a_file_that_was_changed_is_not_loaded(train, tmp_path):
    path = train("rnn")
    content = bytearray((path / "model.safetensors").read_bytes())
    content[-1] ^= 1
    (path / "model.safetensors").write_bytes(content)
    with pytest.raises(ValueError, match="its SHA-256 differs"):
        fl.torch.load(path)


def test_a_loss_that_is_not_finite_ends_a_run(parity, tmp_path):
    class Explodes(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(()))

        def forward(self, tokens, lengths):
            return self.weight * float("nan") * lengths

    run = fl.fit(Explodes(), parity, tmp_path / "run", max_epochs=1)
    assert run.state == "diverged" and run.result["splits"]["test"] is None


class Recording(torch.nn.Module):
    """Notes where its first batch is, and with which numbers it is asked to compute."""

    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(2, 4)
        self.head = torch.nn.Linear(4, 1)
        self.seen = []

    def forward(self, tokens, lengths):
        embedded = self.embedding(tokens)
        self.seen.append((tokens.device, lengths.device, embedded.dtype))
        inside = torch.arange(tokens.shape[1], device=tokens.device) < lengths.unsqueeze(1)
        return self.head((embedded * inside.unsqueeze(2)).sum(1)).squeeze(1)


def test_training_is_where_the_module_is(parity, tmp_path):
    # With numbers of another size the losses must be computed in them, or PyTorch refuses.
    module = Recording().double()
    run = fl.fit(module, parity, tmp_path / "run", seed=1, max_epochs=1, progress=False)
    assert run.state == "finished" and run.result["splits"]["test"]["accuracy"] > 0
    device = torch.device("cpu")
    assert module.seen[0] == (device, device, torch.float64)
    # A device that computes nothing: the first batch is there, and ends the training.
    elsewhere = Recording().to("meta")
    with pytest.raises((RuntimeError, NotImplementedError)):
        fl.fit(elsewhere, parity, tmp_path / "meta", seed=1, max_epochs=1, progress=False)
    meta = torch.device("meta")
    assert elsewhere.seen[0] == (meta, meta, torch.float32)


def test_a_batch_moves_as_a_whole(parity):
    tracker = parity.tracker
    batch = next(fl.torch.batches(parity["train"], 256, next_symbols=True, tracker=tracker))
    moved = batch.to(torch.device("meta"), torch.float64)
    for name, tensor in vars(moved).items():
        assert tensor.device.type == "meta", name
        number = getattr(batch, name).is_floating_point()
        assert tensor.dtype == (torch.float64 if number else torch.int64), name
        assert tensor.shape == getattr(batch, name).shape


def test_ctrl_c_leaves_a_fit_that_the_same_call_resumes(parity, tmp_path, monkeypatch):
    settings = {"seed": 3, "max_epochs": 2, "batch_tokens": 256, "name": "gru-1", "progress": False}
    whole = fl.fit(make(), parity, tmp_path / "whole", **settings)
    step, steps = training.Trainer._step, iter(range(100))

    def interrupting(self):
        step(self)
        if next(steps) == 4:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(training.Trainer, "_step", interrupting)
    with pytest.raises(KeyboardInterrupt):
        fl.fit(make(), parity, tmp_path / "run", **settings)
    assert fl.Run(tmp_path / "run").state == "left"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    again = fl.fit(make(), parity, tmp_path / "run", **settings)
    assert again.result["model_sha256"] == whole.result["model_sha256"]


def test_fit_prints_a_line_per_checkpoint(parity, tmp_path, capfd):
    run = fl.fit(make(), parity, tmp_path / "run", seed=3, max_epochs=3, checkpoint_examples=300)
    lines = capfd.readouterr().err.splitlines()
    checkpoints = [event for event in run.events if event["event"] == "checkpoint"]
    assert len(lines) == len(checkpoints) == 3
    for line, event in zip(lines, checkpoints):
        assert f"{event['validation']['recognition_cross_entropy']:.4f}" in line


class Constant(torch.nn.Module):
    def __init__(self, shape=None):
        super().__init__()
        self.bias = torch.nn.Parameter(torch.zeros(()))
        self.shape = shape

    def forward(self, tokens, lengths):
        return self.bias + torch.zeros(self.shape or (len(lengths),))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda d, t: fl.fit(Constant(), d, t / "run", loss="rec+lm"), "no output 'lm'"),
        (lambda d, t: fl.fit(Constant(), d, t / "run", loss="rex"), "rex"),
        (lambda d, t: fl.fit(Constant(), d, t / "run", max_epoch=3), "max_epoch"),
        (lambda d, t: fl.fit(Constant(), d, t / "run", name="lstm"), "built in"),
        (lambda d, t: fl.fit(Constant(), d, t / "run", init="xavier"), "has its weights already"),
        (lambda d, t: fl.fit(Constant(), d, t / "run", readout="eos"), "decided by the module"),
        (lambda d, t: fl.fit(Constant(), d, t / "run", init_from="no"), "has no model"),
        (lambda d, t: fl.fit(Constant(), d, t / "run", curriculum=[[0, 99]]), "at most 99 symbols"),
        (lambda d, t: fl.fit(Constant(), d, t / "run", validation="x"), "no split"),
        (lambda d, t: fl.fit(Constant(), "/no/such/data", t / "run"), "no such directory"),
        (lambda d, t: fl.score(lambda s: [0], d, t / "run"), "a logit per string"),
        (lambda d, t: fl.torch.load(t), "is not a run"),
        (lambda d, t: next(fl.torch.batches(d["train"], tokens=0)), "0 leaves no minibatch"),
        (lambda d, t: fl.torch.initial("cnn", vocabulary=2, hidden=8), "'cnn' is unknown"),
        (lambda d, t: fl.torch.initial("transformer", vocabulary=2, hidden=9), "multiple"),
        (lambda d, t: fl.torch.initial("lstm", vocabulary=2, hidden=8, loops=2), "loops"),
        (lambda d, t: fl.torch.initial("lstm", vocabulary=2, hidden=8, init="he"), "'he'"),
        (lambda d, t: fl.torch.initial("lstm", vocabulary=2, hidden=8, readout="first"), "eos"),
        (lambda d, t: fl.torch.parse_safetensors(b"xx", "here"), "here: is not"),
    ],
)
def test_bad_arguments(call, message, parity, tmp_path):
    with pytest.raises((ValueError, TypeError), match=message):
        call(parity, tmp_path)


def test_a_model_of_the_wrong_shape(parity, tmp_path):
    with pytest.raises(ValueError):
        fl.fit(Constant((3, 2)), parity, tmp_path / "run", max_epochs=1)


def test_metadata_that_no_module_has():
    with pytest.raises(ValueError, match="the transformer with gate"):
        fl.torch.module_of(
            {"architecture": "transformer", "vocabulary": "2", "layers": "1", "hidden": "8"}
            | {"gate": "true", "ns_head": "0"}
        )
    with pytest.raises(ValueError, match="'s4'"):
        fl.torch.module_of({"architecture": "s4", "vocabulary": "2", "layers": "1", "hidden": "8"})


def test_forked_loader_workers(parity):
    split = parity["train"]

    class Strings(torch.utils.data.Dataset):
        def __len__(self):
            return 32

        def __getitem__(self, i):
            return int(parity.language.contains(split.strings[i : i + 1])[0]), len(split.strings[i])

    loader = torch.utils.data.DataLoader(Strings(), batch_size=8, num_workers=2)
    members = torch.cat([batch[0] for batch in loader])
    assert (members.numpy() == split.labels[:32]).all()


def test_json_is_kept(parity, tmp_path):
    run = fl.score(lambda strings: np.zeros(len(strings)), parity, tmp_path / "run", name="zero")
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["external"] == {"command": ["flarelang.score"], "options": []}
    assert run.result["splits"]["test"]["recognition_cross_entropy"] == pytest.approx(np.log(2))
