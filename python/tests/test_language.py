import math
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import flarelang as fl


def naive_parity(tokens):
    return tokens.count("1") % 2 == 1


def test_the_strings_are_those_of_the_program(flare):
    for language, flags, arguments in [
        ("parity", [], {}),
        ("dyck-2-3", ["--negative"], {"negative": True}),
        ("repeat-01", ["--distribution", "uniform"], {"distribution": "uniform"}),
    ]:
        lines = flare(
            "sample", language, "-n", 50, "--min-length", 2, "--max-length", 30, "--seed", 7, *flags
        ).stdout.splitlines()
        strings = fl.Language(language).sample(50, min_length=2, max_length=30, seed=7, **arguments)
        assert [" ".join(w) for w in strings] == lines


def test_arrays():
    strings = fl.Language("parity").sample(100, seed=1)
    assert strings.values.dtype == np.int32 and strings.offsets.dtype == np.int64
    assert len(strings) == 100 and strings.alphabet == ("0", "1")
    # The object hands out its arrays, not copies of them.
    assert np.shares_memory(strings.values, strings.values)
    assert fl.Strings(strings.values, strings.offsets, strings.alphabet) == strings
    some = strings[10:20]
    assert np.shares_memory(some.values, strings.values)
    assert list(some) == [strings[i] for i in range(10, 20)]
    assert strings[-1] == strings[99]
    long = strings.lengths > 20
    assert list(strings[long]) == [w for w in strings if len(w) > 20]
    assert list(strings[np.array([3, -1])]) == [strings[3], strings[99]]
    padded = strings.padded()
    assert padded.shape == (100, strings.lengths.max())
    for row, w in zip(padded, strings):
        assert [strings.alphabet[a] for a in row if a >= 0] == w
        assert (row[len(w):] == -1).all()


def test_contains():
    language = fl.Language("parity")
    strings = fl.Strings.of(["", "1", "0 1 1", ["1", "0", "1", "1"]], ["0", "1"])
    assert language.contains(strings).tolist() == [False, True, False, True]
    assert language.contains(["1 1 1", []]).tolist() == [True, False]
    drawn = language.sample(200, negative=True)
    assert not language.contains(drawn).any()
    assert language.contains(language.sample(200)).all()
    assert language.contains([]).tolist() == []
    for w, member in zip(drawn, language.contains(drawn)):
        assert naive_parity(w) == member


def test_next_symbols():
    sets = fl.Language("regex:(ab)*").next_symbols(["a b", "b", ""])
    # Columns: a, b, end.
    assert sets[0].tolist() == [[True, False, True], [False, True, False], [True, False, True]]
    assert sets[1].shape == (0, 3) and sets[-1].tolist() == [[True, False, True]]
    assert sets.offsets.tolist() == [0, 3, 3, 4] and len(sets) == 3
    with pytest.raises(IndexError):
        sets[3]


def test_edit_distance_and_log_probability():
    language = fl.Language("regex:(ab)*")
    assert language.edit_distance(["a b", "b", "b b b b"]).tolist() == [0, 1, 2]
    # 0 or 2 symbols, one string of each length.
    assert language.log_probability(["", "a b", "b", "a b a b"], max_length=3).tolist() == [
        pytest.approx(math.log(0.5)),
        pytest.approx(math.log(0.5)),
        -math.inf,
        -math.inf,
    ]
    assert fl.Language("anbn").edit_distance(["a b", "a b b", "b a"]).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="for regular languages and grammars; majority"):
        fl.Language("majority").edit_distance([""])
    assert fl.Language("majority").dfa is None


def test_dfa():
    dfa = fl.Language("regex:(ab)*").dfa
    assert dfa.transitions.shape == (2, 2) and dfa.transitions.dtype == np.int32
    state = dfa.start
    assert dfa.accepting[state]
    state = dfa.transitions[state, 0]
    assert not dfa.accepting[state] and dfa.transitions[state, 0] == -1


def test_languages():
    assert "dyck-2-3" in fl.languages()
    parity = fl.Language("parity")
    assert parity.language_class == "regular" and parity.alphabet == ("0", "1")
    assert "parity" in repr(parity)
    assert fl.Language("regex:a*", alphabet=["b"]).alphabet == ("a", "b")


def test_pickles():
    strings = fl.Language("parity").sample(5)
    assert pickle.loads(pickle.dumps(strings)) == strings
    language = pickle.loads(pickle.dumps(fl.Language("regex:(ab)*")))
    assert language.contains(["a b", "a"]).tolist() == [True, False]


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: fl.Language("paritty"), ValueError, "did you mean parity"),
        (lambda: fl.Language("regex:(a"), ValueError, "regex:"),
        (lambda: fl.Language(3), TypeError, ""),
        (lambda: fl.Language("att:/no/such/file"), ValueError, "/no/such/file"),
        (lambda: fl.Language("parity").sample(-1), ValueError, "n: -1 is negative"),
        (lambda: fl.Language("parity").sample(1, min_length=3, max_length=2), ValueError, "3 is more"),
        (lambda: fl.Language("parity").sample(1, min_length=-3), ValueError, "-3 is negative"),
        (lambda: fl.Language("parity").sample(1, max_length=0), ValueError, "no"),
        (lambda: fl.Language("parity").sample(1.5), TypeError, ""),
        (lambda: fl.Language("parity").sample(1, seed=-1), TypeError, ""),
        (lambda: fl.Language("parity").sample(1, distribution="x"), ValueError, "'x' is neither"),
        (lambda: fl.Language("majority").sample(1, distribution="uniform"), ValueError, "regular"),
        (lambda: fl.Language("parity").contains(3), TypeError, "list of strings"),
        (lambda: fl.Language("parity").contains([3]), TypeError, "string 0"),
        (lambda: fl.Language("parity").contains([[3]]), TypeError, "expected tokens as str"),
        (lambda: fl.Language("parity").contains(["0", "0 2"]), ValueError, "string 1: .*2"),
        (lambda: fl.Language("parity").contains(["0", ["2"]]), ValueError, "string 1: .*2"),
        (lambda: fl.Language("parity").contains(fl.Strings.of(["a"], ["a"])), ValueError, "expected 0 1"),
        (lambda: fl.Language("parity").log_probability([""], max_length=-1), ValueError, "negative"),
        (lambda: fl.Language("majority").next_symbols(["2"]), ValueError, "string 0"),
        (lambda: fl.Strings.of(["a"], ["b", "a"]), ValueError, "not sorted"),
        (lambda: fl.Strings(np.zeros(3), np.array([0, 3]), ["a"]), ValueError, "whole numbers"),
        (lambda: fl.Strings(np.array([[0]]), np.array([0, 1]), ["a"]), ValueError, "dimensions"),
        (lambda: fl.Strings(np.array([1]), np.array([0, 1]), ["a"]), ValueError, "1 is not a symbol"),
        (lambda: fl.Strings(np.array([-1]), np.array([0, 1]), ["a"]), ValueError, "not a symbol"),
        (lambda: fl.Strings(np.array([2**32]), np.array([0, 1]), ["a"]), ValueError, "too large"),
        (lambda: fl.Strings(np.array([0]), np.array([0, 2]), ["a"]), ValueError, "offsets"),
        (lambda: fl.Strings(np.array([0]), np.array([1, 0]), ["a"]), ValueError, "offsets"),
        (lambda: fl.Strings(np.array([0]), np.array([-1, 1]), ["a"]), ValueError, "offsets"),
        (lambda: fl.Strings(np.array([0]), np.array([], int), ["a"]), ValueError, "offsets"),
        (lambda: fl.Strings.of(["a"], ["a"])[1], IndexError, "1 of 1"),
        (lambda: fl.Strings.of(["a"], ["a"])[::2], ValueError, "step"),
        (lambda: fl.Strings.of(["a"], ["a"])[np.array([True, True])], ValueError, "mask"),
        (lambda: fl.Strings.of(["a"], ["a"])[np.array([1])], IndexError, "1 of 1"),
        (lambda: fl.Strings.of(["a"], ["a"])[np.array([0.5])], ValueError, "whole numbers"),
    ],
)
def test_bad_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_arrays_are_read_only_and_those_of_a_user_copied():
    strings = fl.Language("parity").sample(10, seed=2)
    for array in (strings.values, strings.offsets, strings[2:5].offsets):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)
    values, offsets = strings.values.copy(), strings.offsets.copy()
    copied = fl.Strings(values, offsets, ["0", "1"])
    values[:] = 7
    offsets[:] = -1
    assert copied == strings


CHANGES_OFFSETS = """
import threading, time
import flarelang as fl

language = fl.Language("parity")
strings = language.sample(400_000)
offsets = strings.offsets.copy()
given = fl.Strings(strings.values, offsets, ["0", "1"])
ended = False

def change():
    while not ended:
        offsets[100:] += 2**40
        time.sleep(0.001)
        offsets[100:] -= 2**40
        time.sleep(0.001)

thread = threading.Thread(target=change)
thread.start()
for _ in range(100):
    try:
        assert language.contains(given).all()
    except ValueError:
        pass  # version 0.2 noticed it now and then
ended = True
thread.join()
"""


def test_arrays_that_another_thread_changes_do_no_harm():
    ended = subprocess.run([sys.executable, "-c", CHANGES_OFFSETS], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


USES_EVERYTHING = """
import sys
import flarelang as fl
from flarelang import _flarelang

kinds = [kind for kind in vars(_flarelang).values() if isinstance(kind, type)]
assert len(kinds) >= 7, kinds
for kind in kinds:
    empty = kind.__new__(kind)
    refused = 0
    for name in dir(kind):
        if name in dir(object) and name not in ("__repr__", "__eq__"):
            continue
        if name in ("of", "__setstate__"):
            continue  # these make one
        for arguments in ((), (0,), ("lm", [""])):
            try:
                value = getattr(empty, name)
                value(*arguments) if callable(value) else value
            except TypeError as error:
                refused += "not initialized" in str(error)
    assert refused, kind
language = fl.Language("parity")
try:
    language.contains(fl.Strings.__new__(fl.Strings))
except TypeError as error:
    print(error)
"""


def test_objects_that_were_not_initialized_are_type_errors():
    ended = subprocess.run([sys.executable, "-c", USES_EVERYTHING], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert "not initialized" in ended.stdout


@pytest.mark.parametrize(
    "call, where",
    [
        (lambda language: language.contains(["0", "1 \ud800 0"]), "string 1: position 2: U\\+D800"),
        (lambda language: language.contains([["0", "\udce4"]]), "string 0: position 0: U\\+DCE4"),
        (lambda language: fl.Strings.of(["\udce4"], ["0"]), "string 0: position 0"),
        (lambda language: fl.Language("regex:a\udce4"), "text: position 7"),
        (lambda language: fl.generate(language, "x", settings={"a\udce4": 1}), "position 1"),
    ],
)
def test_lone_surrogates_are_value_errors(call, where):
    with pytest.raises(ValueError, match=where):
        call(fl.Language("parity"))


def test_threads_agree():
    language = fl.Language("dyck-2-3")
    alone = language.sample(2000, seed=5)
    results = [None] * 4

    def work(i):
        results[i] = language.sample(2000, seed=5)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(result == alone for result in results)


def test_a_long_call_leaves_the_interpreter_to_others():
    language = fl.Language("parity")
    done = threading.Event()
    thread = threading.Thread(target=lambda: (language.sample(200_000), done.set()))
    thread.start()
    turns = 0
    while not done.is_set():
        turns += 1
        time.sleep(0.0005)
    thread.join()
    assert turns > 5


# A dataset whose edit distances take minutes: those of a grammar, of long strings.
LONG = """
import pathlib
for folder, column in (("d", ""), ("d/datasets/test-edit-distance", "edit-distances.txt")):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    (folder / "main.tok").write_text(("a " * 299 + "a\\n") * 2000)
    (folder / "labels.txt").write_text("0\\n" * 2000)
    if column:
        (folder / column).write_text("150\\n" * 2000)
"""


@pytest.mark.parametrize(
    "call",
    [
        "fl.Language('parity').sample(10**12)",
        "fl.Language('parity').sample(10**12, negative=True)",
        "fl.Language('anbn').edit_distance(['a ' * 299 + 'a'] * 2000)",
        "fl.generate('parity', '.', settings={'splits.train.size': 10**8})",
        "fl.Dataset('d', language='anbn').verify()",
    ],
)
def test_ctrl_c_ends_a_long_call(call, tmp_path):
    code = f"""
import flarelang as fl, sys
{LONG if "Dataset" in call else ""}
print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt:
    sys.exit(42)
"""
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=tmp_path
    )
    child.stdout.readline()
    time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=60) == 42


def forked(language, queue):
    queue.put(language.contains(["1"]).tolist())


def test_forked_workers():
    language = fl.Language("parity")
    language.sample(10)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    worker = context.Process(target=forked, args=(language, queue))
    worker.start()
    assert queue.get(timeout=60) == [True]
    worker.join(timeout=60)
    assert worker.exitcode == 0


def test_importing_is_light():
    code = "import flarelang, sys; print('torch' in sys.modules, 'pandas' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.split() == ["False", "False"]
    assert os.path.exists(os.path.join(os.path.dirname(fl.__file__), "py.typed"))
