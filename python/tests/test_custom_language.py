import json

import pytest

import flarelang as fl
from conftest import SMALL


class AnBn(fl.CustomLanguage):
    alphabet = ("a", "b")

    def contains(self, string):
        n = len(string) // 2
        return string == ["a"] * n + ["b"] * n

    def sample(self, random, min_length, max_length):
        n = random.randint((min_length + 1) // 2, max_length // 2)
        return ["a"] * n + ["b"] * n


class WithSets(AnBn):
    def next_symbols(self, string):
        n = len(string) // 2
        sets = [{"a", "b"} for _ in range(n)] + [{"b"} for _ in range(n)] + [{None}]
        sets[0] = {"a", None}
        if not string:
            sets = [{"a", None}]
        return sets


def test_datasets(flare, tmp_path):
    data = fl.generate(AnBn(), tmp_path, name="anbn", settings=SMALL)
    train = data["train"]
    language = AnBn()
    assert [language.contains(w) for w in train.strings] == train.labels.tolist()
    assert train.next_symbols is None and data.alphabet == ("a", "b")
    # The same code and seed, the same strings.
    again = fl.generate(AnBn(), tmp_path / "again", name="anbn", settings=SMALL)
    assert again["train"].strings == train.strings
    # The program trains on it, and knows that it does not know the language.
    flare(
        *("train", "--data", data.path, "--architecture", "rnn", "--loss", "rec", "--validation"),
        *("short", "--run", tmp_path / "run", "--max-epochs", 1, "--budget", 500),
    )
    assert "format_only" in json.dumps(data.baselines().splits)
    with pytest.raises(ValueError, match="cannot be made from a manifest"):
        data.language
    verify = flare("verify", data.path, check=False)
    assert verify.returncode == 2 and "python:AnBn" in verify.stderr


def test_next_symbols(tmp_path):
    data = fl.generate(WithSets(), tmp_path, name="anbn", settings=SMALL)
    sets = data["train"].next_symbols
    for i, w in enumerate(data["train"].strings):
        if data["train"].labels[i]:
            assert sets[i][-1].tolist() == ([True, False, True] if not w else [False, False, True])


def test_as_a_language():
    language = AnBn().language()
    strings = language.sample(20, max_length=10)
    assert language.contains(strings).all()
    assert language.contains(["a b", "b"]).tolist() == [True, False]
    assert language.dfa is None and language.name == "python:AnBn"


def wrong(**methods):
    return type("Wrong", (AnBn,), methods)()


@pytest.mark.parametrize(
    "language, error, message",
    [
        (wrong(sample=lambda self, r, low, high: ["b"]), ValueError, "'b' is not a member"),
        (wrong(sample=lambda self, r, low, high: ["c"]), ValueError, "unknown token 'c'"),
        (wrong(sample=lambda self, r, low, high: 1 / 0), ZeroDivisionError, ""),
        (wrong(contains=lambda self, w: 1 / 0), ZeroDivisionError, ""),
        (wrong(next_symbols=lambda self, w: []), ValueError, "0 sets for"),
        (wrong(next_symbols=lambda self, w: [{"c"}] * (len(w) + 1)), ValueError, "unknown token"),
        (wrong(alphabet=()), ValueError, "alphabet"),
    ],
)
def test_mistakes(language, error, message, tmp_path):
    with pytest.raises(error, match=message):
        fl.generate(language, tmp_path, name="wrong", settings=SMALL)
    assert not (tmp_path / "wrong").exists()
