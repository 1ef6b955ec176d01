#!/usr/bin/env python3
"""How long `flare extract` takes, and how much of it the network's own passes do: for given runs.

    bench/extract_bench.py --flare build/release/flare --repetitions 3 RUN...

Bars for a run of 64k parameters with default limits: 60 s on one core, 80 % in the network. Each run is
extracted in turn, so that what else the machine does hits all alike; the run directories get their
extractions, as from the command itself.
"""

import argparse
import re
import resource
import statistics
import subprocess


def extract(flare, run):
    """Processor seconds, seconds, and the share of the network's passes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([flare, "extract", run], check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = re.search(r"([\d.]+) s, (\d+) % of it in the network", done.stderr)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    automaton = done.stdout.splitlines()[0]
    return processor, float(told[1]), int(told[2]), automaton


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser.add_argument("--flare", default="flare")
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    measured = {run: [] for run in arguments.runs}
    for _ in range(arguments.repetitions):
        for run in arguments.runs:
            measured[run].append(extract(arguments.flare, run))
    for run, rows in measured.items():
        processor = [row[0] for row in rows]
        share = [row[2] for row in rows]
        print(f"{run}: {statistics.median(processor):.2f} s of processor time "
              f"({min(processor):.2f} to {max(processor):.2f}), {min(share)} to {max(share)} % in the network; "
              f"{rows[0][3]}")


if __name__ == "__main__":
    main()
