"""Compares our training with a newer PyTorch than this release of Debian has, in processor time.

    newest.py --flare-bench build/release/bench/nn_bench --data DIR --chroot DIR [--compile]

The chroot holds another release of Debian with its python3-torch, as

    debootstrap --variant=minbase --include=python3,python3-numpy,python3-torch,libopenblas0-pthread trixie DIR
    mount -t proc proc DIR/proc

make it (root is needed for both, and to run this). --compile needs g++, python3-dev and libtorch-dev besides.
Without libopenblas PyTorch multiplies by the reference BLAS, several times as slow; the first line says which it
had. Ours and theirs take turns; a ratio is that of the examples that one second of a processor trains, which a
busy machine disturbs least, and stands with its median and range.
"""

import argparse
import os
import shutil
import statistics

from compare import ARCHITECTURES, BATCH_TOKENS, PEER, geometric_mean, print_table, run


def put_inside(chroot, data):
    """Copies the peer and the strings to where the chroot sees them."""
    folder = os.path.join(chroot, "flare-peer")
    os.makedirs(folder, exist_ok=True)
    for file in (PEER, os.path.join(data, "main.tok"), os.path.join(data, "labels.txt")):
        shutil.copy(file, folder)


def measure(arguments, architecture, tokens):
    """The pairs of a setting, and which PyTorch and libraries theirs had."""
    setting = ["--architecture", architecture, "--batch-tokens", str(tokens)]
    inside = ["chroot", arguments.chroot, "python3", "/flare-peer/torch_peer.py", "--data", "/flare-peer"]
    pairs, about = [], set()
    for _ in range(arguments.repeat):
        ours = run([arguments.flare_bench, "--data", arguments.data, *setting])
        theirs = run(inside + setting + (["--compile"] if arguments.compile else []))
        if ours and theirs:
            pairs.append((ours, theirs))
            about.add(theirs["pytorch"] + " " + " ".join(map(os.path.basename, theirs["blas"])))
    return pairs, about


def row_of(architecture, tokens, pairs):
    if not pairs:
        return [architecture, str(tokens), "-", "-", "-", "-", "-"]
    speed = "examples_per_cpu_second"
    ratios = sorted(ours[speed] / theirs[speed] for ours, theirs in pairs)
    return [architecture, str(tokens),
            f"{statistics.median(ours[speed] for ours, _ in pairs):,.0f}",
            f"{statistics.median(theirs[speed] for _, theirs in pairs):,.0f}",
            f"{statistics.median(ratios):.2f}", f"{ratios[0]:.2f}-{ratios[-1]:.2f}",
            f"{max(o['cpu_gflops'] / o['peak_gflops'] for o, _ in pairs):.0%}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--flare-bench", required=True, help="our benchmark program")
    parser.add_argument("--data", required=True, help="directory with main.tok and labels.txt")
    parser.add_argument("--chroot", required=True, help="where the other release is")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--compile", action="store_true", help="theirs by torch.compile")
    arguments = parser.parse_args()
    put_inside(arguments.chroot, arguments.data)
    rows, ratios, about = [], [], set()
    for architecture in ARCHITECTURES:
        for tokens in BATCH_TOKENS:
            pairs, kind = measure(arguments, architecture, tokens)
            rows.append(row_of(architecture, tokens, pairs))
            about |= kind
            if pairs:
                ratios.append(float(rows[-1][4]))
    print("PyTorch", ", ".join(sorted(about)))
    print_table(["architecture", "B", "ours", "PyTorch", "ratio", "range", "of peak"], rows)
    if ratios:
        print(f"geometric mean {geometric_mean(ratios):.2f}, least {min(ratios):.2f} (n = {arguments.repeat} each)")


if __name__ == "__main__":
    main()
