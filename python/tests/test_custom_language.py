import dataclasses
import functools
import hashlib
import importlib
import inspect
import itertools
import json
import pickle
import re
import threading

import numpy as np
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
    # The dataset that came of the class knows it; who opens it again, names it again.
    assert data.language.contains(train.strings).tolist() == train.labels.tolist()
    assert fl.Dataset(data.path, AnBn()).language.name == "python:AnBn"
    assert fl.Dataset(data.path, AnBn().language()).language.name == "python:AnBn"
    opened = pickle.loads(pickle.dumps(data))
    assert opened["train"].strings == train.strings
    for ask in (lambda: opened.language, opened.verify, data.verify, lambda: data.tracker):
        with pytest.raises(ValueError, match="cannot be made from a manifest") as refused:
            ask()
        assert "fl.Dataset(path, MyLanguage())" in str(refused.value)
        assert "--language" not in str(refused.value)
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


def test_what_is_missing_is_named(tmp_path):
    class Ends(fl.CustomLanguage):
        alphabet = "ab"

        def contains(self, string):
            return string[-1:] == ["b"]

    with pytest.raises(NotImplementedError, match=r"Ends does not say how to draw its members\n"
                       r"define sample\(self, random, min_length, max_length\)"):
        fl.generate(Ends(), tmp_path, name="ends", settings=SMALL)
    with pytest.raises(NotImplementedError, match=r"define contains\(self, string\)"):
        fl.CustomLanguage().contains(["a"])
    # What needs no strings works without.
    assert Ends().language().contains(["a b", "b a"]).tolist() == [True, False]


class Multiples(fl.CustomLanguage):
    """The strings whose length is a multiple of a parameter."""

    alphabet = ("a", "b")

    def __init__(self, of):
        self.of = of

    def contains(self, string):
        return len(string) % self.of == 0

    def sample(self, random, min_length, max_length):
        n = self.of * random.randint(-(-min_length // self.of), max_length // self.of)
        return [random.choice("ab") for _ in range(n)]


def test_another_parameter_is_another_language(tmp_path):
    made = fl.generate(Multiples(2), tmp_path, name="multiples", settings=SMALL)
    again = fl.generate(Multiples(2), tmp_path, name="multiples", settings=SMALL)
    assert again["train"].strings == made["train"].strings
    with pytest.raises(ValueError, match="a different recipe"):
        fl.generate(Multiples(3), tmp_path, name="multiples", settings=SMALL)


MODULE = """
import flarelang as fl

SIZE = 2
def accepts(n):
    return n % SIZE == 0
class Base(fl.CustomLanguage):
    alphabet = "ab"
    def contains(self, string):
        return accepts(len(string))
class Even(Base):
    def sample(self, random, min_length, max_length):
        return ["a"] * (2 * random.randint((min_length + 1) // 2, max_length // 2))
"""


NUMBERS = itertools.count()


@pytest.fixture
def identity_of(tmp_path, monkeypatch):
    """What a recipe names the language Even by, in a module with this text."""
    monkeypatch.syspath_prepend(tmp_path)

    def identity(text):
        name = f"a_module_{next(NUMBERS)}"
        (tmp_path / f"{name}.py").write_text(text)
        return importlib.import_module(name).Even().language().definition

    return identity


@pytest.mark.parametrize(
    "before, after",
    [
        ("2 * random.randint", "4 * random.randint"),  # the class
        ("return accepts(len(string))", "return accepts(len(string) + 1)"),  # its base
        ("return n % SIZE == 0", "return n % SIZE == 1"),  # a function that it uses
        ("SIZE = 2", "SIZE = 3"),  # a value that the function uses
        ("class Even(Base):", "class Even(Base):\n    order = [1, 2]"),
    ],
)
def test_whatever_defines_a_language_counts(before, after, identity_of):
    assert before in MODULE
    assert identity_of(MODULE) == identity_of(MODULE + "\nunused = 1\n")
    assert identity_of(MODULE) != identity_of(MODULE.replace(before, after))


def test_a_class_that_is_redefined_is_another_language(identity_of):
    first, second = MODULE, MODULE + MODULE[MODULE.index("class Even") :].replace("2 *", "4 *")
    assert identity_of(first) != identity_of(second)


AT_A_PROMPT = """
class Typed(fl.CustomLanguage):
    alphabet = "a"
    def contains(self, string):
        return len(string) % 2 == 0
    def sample(self, random, min_length, max_length):
        return ["a"] * (2 * random.randint((min_length + 1) // 2, max_length // 2))
"""


def test_code_without_a_source_needs_a_version(tmp_path):
    names = {"fl": fl, "__name__": "prompt"}
    exec(AT_A_PROMPT, names)
    typed = names["Typed"]()
    with pytest.raises(ValueError, match="the source of Typed.contains cannot be read") as refused:
        fl.generate(typed, tmp_path, name="typed", settings=SMALL)
    assert 'version = "1"' in str(refused.value) and not (tmp_path / "typed").exists()
    typed.version = "1"
    made = fl.generate(typed, tmp_path, name="typed", settings=SMALL)
    assert fl.generate(typed, tmp_path, name="typed", settings=SMALL).path == made.path
    typed.version = "2"
    with pytest.raises(ValueError, match="a different recipe"):
        fl.generate(typed, tmp_path, name="typed", settings=SMALL)


def test_a_state_that_cannot_be_compared_needs_a_version():
    language = Multiples(2)
    language.rows = [1, threading.Lock()]
    with pytest.raises(ValueError, match=r"Multiples.rows\[1\] is of lock"):
        language.language()
    language.version = "1"
    assert language.language().name == "python:Multiples"


@dataclasses.dataclass
class Rule:
    name: str
    lengths: list = dataclasses.field(default_factory=list)
    then: "Rule | None" = None


def variant(**state):
    language = Multiples(2)
    vars(language).update(state)
    return language.language().definition


def circular(n):
    items = [n]
    items.append(items)
    return items


@pytest.mark.parametrize(
    "make",
    [
        lambda n: {"a": [n], "b": (n, None)},
        lambda n: {"x", "y", f"z{n}"},
        lambda n: np.array([[n, 2.5]]),
        lambda n: np.float32(n),
        lambda n: re.compile(f"a{n}"),
        lambda n: Rule("a", [n], Rule("b")),
        lambda n: lambda w: w == n,
        lambda n: functools.partial(max, n),
        lambda n: Multiples(n).contains,
        lambda n: fl.Language("parity" if n == 1 else "even-pairs"),
        lambda n: circular(n),
        lambda n: f"\ud800{n}",
    ],
)
def test_states_are_compared_by_what_they_are(make):
    assert variant(state=make(1)) == variant(state=make(1)) != variant(state=make(2))


def test_what_is_cached_is_no_state():
    class Cached(Multiples):
        @functools.cached_property
        def table(self):
            return {n: n % self.of for n in range(10)}

        @functools.lru_cache
        def power(self, n):
            return self.of**n

    language = Cached(2)
    before = language.language().definition
    language.table, language.power(3)
    assert language.language().definition == before


def test_datasets_of_version_0_2_are_read(tmp_path):
    made = fl.generate(Multiples(2), tmp_path, name="multiples", settings=SMALL)
    file = tmp_path / "multiples" / "manifest.json"
    manifest = json.loads(file.read_text())
    del manifest["check"]
    code = hashlib.sha256(inspect.getsource(Multiples).encode()).hexdigest()
    manifest["language"]["python"] = f"python:{code}"
    manifest["language"]["definition"] = f"defined in Python, by code with the SHA-256 {code}"
    file.write_text(json.dumps(manifest, indent=2) + "\n")
    assert fl.Dataset(tmp_path / "multiples")["train"].strings == made["train"].strings
