"""Operations on languages, what is known of them, and reports."""

import itertools
import json
import pathlib
import pickle

import pytest

import flarelang as fl

SYMBOLS = {
    "no 11": fl.Language("regex:(0|10)*1?"),
    "parity": fl.Language("parity"),
    "of a": fl.Language("regex:a*1"),
}


def strings(alphabet, longest=5):
    for length in range(longest + 1):
        for string in itertools.product(alphabet, repeat=length):
            yield list(string)


def has(language, string):
    return set(string) <= set(language.alphabet) and string in language


@pytest.mark.parametrize("a, b", itertools.product(SYMBOLS, repeat=2))
def test_operations_are_those_of_sets(a, b):
    a, b = SYMBOLS[a], SYMBOLS[b]
    made = {
        "&": (lambda: a & b, lambda w: has(a, w) and has(b, w)),
        "|": (lambda: a | b, lambda w: has(a, w) or has(b, w)),
        "-": (lambda: a - b, lambda w: has(a, w) and not has(b, w)),
        "~": (lambda: ~a, lambda w: not has(a, w)),
        "r": (lambda: a.reversed(), lambda w: has(a, w[::-1])),
    }
    for name, (make, belongs) in made.items():
        if name == "-" and a is b:
            with pytest.raises(ValueError, match="the language is empty"):
                make()
            continue
        language = make()
        for string in strings(language.alphabet):
            assert (string in language) == belongs(string), (name, string)
        # The name means the same wherever a language is written, and as a pickle.
        assert fl.Language(language.name).dfa.transitions.tolist() == language.dfa.transitions.tolist()
        again = pickle.loads(pickle.dumps(language))
        assert again.name == language.name and again.alphabet == language.alphabet


def test_only_regular_languages_combine():
    with pytest.raises(ValueError, match="majority: is .*: only regular languages can be combined"):
        fl.Language("majority") & fl.Language("parity")
    with pytest.raises(TypeError):
        fl.Language("parity") & "parity"


def test_a_dataset_of_a_combination(flare, tmp_path):
    language = fl.Language("regex:(0|10)*1?") & fl.Language("parity")
    data = fl.generate(language, tmp_path, name="odd", settings={"splits.train.size": 50})
    assert language.contains(data["train"].strings).tolist() == data["train"].labels.tolist()
    assert data.verify() and data.language.name == language.name
    shown = flare("show", language.name, "--format", "json").stdout
    assert json.loads(shown)["automaton"]["states"] == len(language.dfa)


def test_one_string():
    parity = fl.Language("parity")
    assert parity.contains("0 1") is True and parity.contains("") is False
    assert parity.contains(["0 1"]).tolist() == [True]
    assert "0 1" in parity and ["1", "1"] not in parity
    with pytest.raises(ValueError, match="01"):  # symbols are separated by spaces
        "01" in parity
    with pytest.raises(TypeError):
        3 in parity


def test_generators_and_envelopes():
    assert len(fl.Language("group:S3", generators=True).alphabet) == 2
    assert len(fl.Language("group:S3").alphabet) == 6
    with pytest.raises(ValueError, match="group:"):
        fl.Language("parity", generators=True)
    language = fl.Language("regex:(ab)+", envelope="(a|b)*")
    assert language.envelope == "(a|b)*" and pickle.loads(pickle.dumps(language)).envelope == "(a|b)*"
    with pytest.raises(ValueError, match="does not have every string"):
        fl.Language("regex:(ab)+", envelope="a*")


def test_classes_are_those_of_the_program(flare):
    for text in ("parity", "regex:(ab)*", "first"):
        shown = json.loads(flare("classify", text, "--json").stdout)
        found = fl.classify(text)
        assert found.json == shown and found.classes == shown["classes"]
        assert str(found) == flare("classify", text).stdout
        assert found.brief == flare("classify", text, "--short").stdout
    eos = json.loads(flare("classify", "last", "--json", "--readout", "eos").stdout)
    assert fl.classify(fl.Language("last"), readout="eos").json == eos
    with pytest.raises(ValueError, match="only regular languages are classified"):
        fl.classify("majority")
    with pytest.raises(ValueError, match="neither 'last' nor 'eos'"):
        fl.classify("parity", readout="first")
    with pytest.raises(KeyError, match="star_free"):
        fl.classify("parity").holds("starfree")


def test_an_extraction_is_that_of_the_program(flare, train):
    run = train("lstm")
    found = fl.extract(run, max_length=20, max_states=10, queries=500)
    left = (run / "extract" / "report.json").read_text()
    flags = ["--max-length", 20, "--max-states", 10, "--queries", 500]
    shown = flare("extract", run, *flags, "--json").stdout
    assert found.json == json.loads(shown)
    assert (run / "extract" / "report.json").read_text() == left
    assert len(found.dfa) == found.json["states"] and found.sentence in repr(found)
    assert str(found) == flare("extract", run, *flags).stdout
    if found.dfa.accepting.any():
        assert fl.classify(found).json["states"] >= len(found.dfa)
    with pytest.raises(ValueError, match="at least 1 state"):
        fl.extract(run, max_states=0)
    with pytest.raises(ValueError, match="not a run|no such"):
        fl.extract(run / "none")


def test_a_report_is_that_of_the_program(flare, tmp_path):
    given = {
        "languages": ["parity", "first"],
        "architectures": ["rnn"],
        "losses": ["rec"],
        "validations": ["short"],
        "settings": {"hidden": 4, "layers": 1, "max_epochs": 1},
        "data": {"splits.train.size": 100, "splits.test.size": 40},
    }
    sweep = fl.sweep(given, tmp_path / "data", tmp_path / "out", jobs=2, progress=False)
    report = fl.report(sweep, tmp_path / "mine")
    flare("report", sweep.path, "--to", tmp_path / "theirs")
    for name in report.tables:
        for kind in ("json", "csv", "md", "tex"):
            file = f"tables/{name}.{kind}"
            assert (tmp_path / "mine" / file).read_bytes() == (tmp_path / "theirs" / file).read_bytes()
    assert report.summary["finished"] == 2 and str(report).startswith("2 of 2 runs finished")
    assert [row["language"]["text"] for row in report.table_json("main")["rows"]]
    with pytest.raises(KeyError, match="main"):
        report.table_json("none")
    with pytest.raises(ValueError, match="sweep|run"):
        fl.report(tmp_path, tmp_path / "none")
    pytest.importorskip("pandas", reason="pandas is not installed")
    assert len(report.table("main")) == 2
    # The same checks as a report: a damaged run has a state and a reason, and no metrics.
    result = pathlib.Path(next(iter(sweep)).path, "result.json")
    result.write_text(result.read_text().replace("1", "2", 1))
    frame = sweep.runs()
    assert sorted(frame["state"]) == ["damaged", "finished"]
    assert frame.set_index("state").loc["damaged", "failure"]
    assert len(fl.report(sweep, tmp_path / "mine").summary["damaged_runs"]) == 1


def test_papers_are_the_presets_of_the_program():
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = fl.papers().set_index("name")
    assert frame.loc["paper", "runs"] == 4320 and "demo" in frame.index
