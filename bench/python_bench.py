"""Speed of the Python module, beside the program's where it does the same; in one run, as machines
are shared: repetitions alternate, and the best of each is taken."""

import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import flarelang as fl

REPETITIONS = 7


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best_of(*works):
    """The best time of each, repetitions in turn."""
    times = [[seconds(work) for work in works] for _ in range(REPETITIONS)]
    return [min(column) for column in zip(*times)]


def program(flare, *arguments):
    subprocess.run([flare, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def sampling(flare):
    """Per string, of bulk calls; the program's start-up is measured with no strings and taken off."""
    count = 1_000_000
    language = fl.Language("parity")
    module, whole, start = best_of(
        lambda: language.sample(count, max_length=40),
        lambda: program(flare, "sample", "parity", "-n", count, "--max-length", 40),
        lambda: program(flare, "sample", "parity", "-n", 0, "--max-length", 40),
    )
    print(f"sampling parity, lengths to 40: {count / module / 1e6:.2f} M strings/s in Python, ", end="")
    print(f"{count / (whole - start) / 1e6:.2f} M strings/s by flare sample, which prints them too")


def membership():
    strings = fl.Language("parity").sample(1_000_000, max_length=40)
    language = fl.Language("parity")
    (time,) = best_of(lambda: language.contains(strings))
    print(f"contains: {len(strings) / time / 1e6:.1f} M strings/s, {strings.values.size / time / 1e6:.0f} M symbols/s")


def reading(folder):
    fl.generate("parity", folder)
    path = os.path.join(folder, "parity")

    def arrays():
        train = fl.Dataset(path)["train"]
        return train.strings.padded(0), train.labels

    (time,) = best_of(arrays)
    print(f"a training split as padded arrays: {1000 * time:.1f} ms")
    try:
        import torch
    except ImportError:
        return print("PyTorch is not installed: no tensors")

    def tensors():
        train = fl.Dataset(path)["train"]
        tokens, lengths = fl.torch.pad(train.strings)
        return tokens, lengths, torch.from_numpy(train.labels.astype(np.float32))

    (time,) = best_of(tensors)
    print(f"... as PyTorch tensors: {1000 * time:.1f} ms")


def importing():
    def work(code):
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    module, numpy, nothing = best_of(work("import flarelang"), work("import numpy"), work("pass"))
    print(f"import: {module - nothing:.3f} s, of which numpy takes {numpy - nothing:.3f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flare", required=True, help="the program")
    arguments = parser.parse_args()
    sampling(arguments.flare)
    membership()
    with tempfile.TemporaryDirectory() as folder:
        reading(folder)
    importing()


if __name__ == "__main__":
    main()
