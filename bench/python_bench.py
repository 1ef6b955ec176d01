"""Speed of the Python module, compared with the program's where it does the same; in one run, as machines
are shared: repetitions alternate, and what is measured is processor time. Of each the best is told
and, in brackets, the middle and the worst."""

import argparse
import os
import resource
import subprocess
import sys
import tempfile

import numpy as np

import flarelang as fl

REPETITIONS = 7


def clock():
    """Seconds of the processor, of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(of.ru_utime + of.ru_stime for of in used)


def times_of(*works):
    """The times of each, repetitions in turn. Work that returns a number has timed itself."""
    times = []
    for _ in range(REPETITIONS):
        row = []
        for work in works:
            start = clock()
            told = work()
            took = clock() - start
            row.append(told if isinstance(told, float) else took)
        times.append(row)
    return [sorted(column) for column in zip(*times)]


def text_of(times, form):
    """As `form` writes it: of the best, the middle and the worst."""
    best, middle, worst = times[0], times[len(times) // 2], times[-1]
    return f"{form(best)} ({form(middle)}, {form(worst)})"


def program(flare, *arguments):
    subprocess.run([flare, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def sampling(flare, sample_bench):
    """Per string, of bulk calls; the program's start-up is measured with no strings and taken off."""
    count = 1_000_000
    language = fl.Language("parity")
    drawn = language.sample(count, max_length=40).values.size

    def native():
        command = [sample_bench, "parity", str(count), "40"]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        assert int(told[1]) == drawn, "other strings"
        return float(told[0])

    module, alone, whole, start = times_of(
        lambda: language.sample(count, max_length=40),
        native,
        lambda: program(flare, "sample", "parity", "-n", count, "--max-length", 40),
        lambda: program(flare, "sample", "parity", "-n", 0, "--max-length", 40),
    )

    def rate(seconds):
        return f"{count / seconds / 1e6:.2f}"

    print("sampling parity, lengths to 40, M strings/s:")
    print(f"  in Python, as arrays: {text_of(module, rate)}")
    print(f"  native, neither kept nor printed: {text_of(alone, rate)}")
    print(f"  flare sample, which prints them: {rate(whole[0] - start[0])}")
    middle = len(module) // 2
    print(f"  of the native speed: {alone[0] / module[0]:.2f} ", end="")
    print(f"(of the middle repetitions: {alone[middle] / module[middle]:.2f})")


def membership():
    strings = fl.Language("parity").sample(1_000_000, max_length=40)
    language = fl.Language("parity")
    (times,) = times_of(lambda: language.contains(strings))
    rate = text_of(times, lambda seconds: f"{len(strings) / seconds / 1e6:.1f}")
    print(f"contains, M strings/s: {rate}; {strings.values.size / times[0] / 1e6:.0f} M symbols/s")


def reading(folder):
    fl.generate("parity", folder)
    path = os.path.join(folder, "parity")

    def arrays():
        train = fl.Dataset(path)["train"]
        return train.strings.padded(0), train.labels

    def milliseconds(seconds):
        return f"{1000 * seconds:.1f}"

    (times,) = times_of(arrays)
    print(f"a training split as padded arrays, ms: {text_of(times, milliseconds)}")
    try:
        import torch
    except ImportError:
        return print("PyTorch is not installed: no tensors")

    def tensors():
        train = fl.Dataset(path)["train"]
        tokens, lengths = fl.torch.pad(train.strings)
        return tokens, lengths, torch.from_numpy(train.labels.astype(np.float32))

    (times,) = times_of(tensors)
    print(f"... as PyTorch tensors, ms: {text_of(times, milliseconds)}")


def importing():
    def work(code):
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    module, numpy, nothing = times_of(work("import flarelang"), work("import numpy"), work("pass"))
    print(f"import, s: {module[0] - nothing[0]:.3f}, of which numpy {numpy[0] - nothing[0]:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flare", required=True, help="the program")
    parser.add_argument("--sample-bench", required=True, help="bench/sample_bench.cc, built")
    arguments = parser.parse_args()
    sampling(arguments.flare, arguments.sample_bench)
    membership()
    with tempfile.TemporaryDirectory() as folder:
        reading(folder)
    importing()


if __name__ == "__main__":
    main()
