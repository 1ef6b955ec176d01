"""The net: what the program reads, writes and prints stays the same unless a change is meant.

    net.py check PART FLARE    compares, as ctest does; 77: this machine cannot
    net.py make PART FLARE     writes what is compared; only on purpose (tests/net/make)

| part | what is kept |
|---|---|
| fixtures | what version 0.2 left on disk (tests/fixtures/0.2): datasets, runs, a sweep, records, models |
| reading | what the program makes of the fixtures: predictions.txt, report*.txt, sweep.txt |
| models | models.txt: the SHA-256 of the model of a short run, by architecture, options and loss |
| datasets | datasets.txt: a SHA-256 of the files of a small dataset, by language |
| outputs | outputs/NAME.json of commands with --json; exit_codes.txt, whose commands are its own |
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
FIXTURES = HERE.parent / "fixtures/0.2"
# Where the fixtures were made; 0.2 writes absolute paths of data.
BIRTHPLACE = "/tmp/made-by-0.2"

# Settings of datasets that take a moment.
SMALL = {
    "train": (40, 10),
    "validation-short": (10, 10),
    "validation-long": (10, 20),
    "test": (20, 20),
    "test-short-held-out": (10, 10),
    "test-edit-distance": (5, 20),
}
SIZES = " ".join(
    f"--set splits.{split}.size={size} --set splits.{split}.max_length={length}"
    for split, (size, length) in SMALL.items()
)
FEW = " ".join(
    f"--set splits.{split}.size={size if split in ('train', 'validation-short', 'test') else 0} "
    f"--set splits.{split}.max_length={length}"
    for split, (size, length) in SMALL.items()
)
# Arguments of `flare generate` for the datasets of the fixtures, one of each kind.
DATASETS = {
    "parity": "parity " + SIZES,
    "no-11": f"'regex:(0|10)*1?' --name no-11 --envelope '[01]*' {SIZES}",
    "even-pairs": "even-pairs --set positive_probability=0.3 --set files.mlregtest_text=true "
    "--set splits.even.kind=balanced --set splits.even.size=8 --set splits.even.max_length=9 "
    "--set splits.border.kind=adversarial --set splits.border.size=8 "
    "--set splits.border.min_length=2 --set splits.border.max_length=9 " + SIZES,
    "bucket-sort": "bucket-sort --set negatives.kind=format " + FEW,
    "dyck-2-2": "dyck-2-2 --seed 5 --set negatives.perturbation_probability=0.9 " + FEW,
    "mod3": f"att:sources/mod3.att --symbols sources/mod3.syms --name mod3 {FEW}",
    "sums": f"cfg:sources/sums.cfg --name sums --alphabet '( ) + * x y' {SIZES}",
    "abc": "command:sources/anbncn.py --name abc --set files.next_symbols=false "
    f"--envelope 'a*b*c*' --set negatives.kind=format {FEW}",
    "group": "group:S3 --generators --name group " + FEW,
    "random": "random:states=4,symbols=2,seed=3 --name random " + FEW,
    "mlregtest": "mlregtest:04.03.TLT.2.1.0 --mlregtest sources --name mlregtest "
    "--preset mlregtest --size 20",
}
# What makes the same bytes where the default of new datasets is another than that of version 0.2.
AS_BEFORE = {
    "bucket-sort": "--set negatives.distribution=uniform",
    "abc": "--set negatives.distribution=uniform",
}
# Which program `flare verify` must be given.
VERIFY = {
    "abc": "--language command:sources/anbncn.py --envelope 'a*b*c*'",
    "mlregtest": "--mlregtest sources",
}

ARCHITECTURES = (
    "rnn lstm gru transformer mamba deltanet mlstm slstm stack-rnn stack-lstm".split()
)
LOSSES = "rec rec+lm rec+ns rec+lm+ns rec+st rec+lm+ns+st".split()
OPTIONS = {
    "transformer": [
        "--positions none",
        "--positions alibi",
        "--positions rope --mask strict --heads 4",
        "--heads 2",
    ],
    "mamba": ["--eigenvalues signed", "--conv 0 --state 5 --expand 3 --feed-forward 4"],
    "deltanet": [
        "--eigenvalues signed --householder 2",
        "--conv 0 --gate true --heads 2 --householder 3",
    ],
    "mlstm": ["--heads 2"],
    "slstm": ["--heads 2"],
    "stack-rnn": ["--stack-width 3"],
    "lstm": ["--dropout 0", "--layers 3 --clip-norm 0.1", "--learning-rate-patience 1"],
}
# What makes the models of version 0.2 where the default is another now.
MODELS_AS_BEFORE = {
    "mlstm": "--order gate-norm",
    "deltanet": "--output-gate false",
    "mamba": "--init paper",
}
SHORT_RUN = (
    "--target avx2 --validation short --layers 2 --hidden 8 --max-epochs 2 --seed 3 "
    "--batch-tokens 96 --learning-rate 0.01 --checkpoint-examples 15"
)
# Of runs/finished and runs/killed.
LONG_RUN = (
    "--data data/parity --target avx2 --architecture lstm --loss rec+lm+ns --validation short "
    "--layers 1 --hidden 8 --seed 7 --learning-rate 0.001 --batch-tokens 96 --max-epochs 100 "
    "--checkpoint-examples 400 --stopping-patience 1000 --learning-rate-patience 1000"
)
STRINGS = ["", "0", "1", "1 0 1 1", " ".join("01" * 20 + "1"), " ".join("1" * 300)]

# Commands with --json in a copy of the fixtures: the names of what they print.
OUTPUTS = {
    "languages": "languages --json",
    "show-regular": "show parity --format json",
    "show-grammar": "show cfg:sources/sums.cfg --format json",
    "classify": "classify tomita-4 --json",
    "verify": "verify data/parity data/even-pairs --json",
    "verify-damaged": "verify data/damaged --json",
    "baselines": "baselines data/parity data/sums --json",
    "evaluate": "evaluate runs/finished --data data/parity --json",
    "evaluate-killed": "evaluate runs/killed --data data/parity --split test --json",
    "evaluate-split": "evaluate models/transformer --data data/parity --split test --json",
    "extract": "extract runs/finished --max-length 6 --json",
    "next-symbols": "recognize dyck-2-2 sources/dyck.txt --next-symbols",
    "sweep-status": "sweep status sweep --json",
    "sweep-status-only": "sweep status sweep --only architecture=lstm --json",
    "sweep-list": "sweep list sweep --json",
    "sweep-status-records": "sweep status records --json",
}


def fail(text):
    sys.exit(f"net: {text}")


class Workshop:
    """A copy of the fixtures, since programs may tidy what they open, and the program in it."""

    def __init__(self, flare, path, copy=True):
        self.flare = str(pathlib.Path(flare).resolve())
        self.path = path
        if copy:
            shutil.copytree(FIXTURES, path, dirs_exist_ok=True)
            self.move_sweep()
            self.leave_lock()
            damaged = path / "data/damaged"
            shutil.copytree(path / "data/parity", damaged)
            (damaged / "labels.txt").write_text("1\n" + (damaged / "labels.txt").read_text()[2:])

    def shell(self, command):
        """What a command prints to its standard output, and how it ends; its errors are kept."""
        environment = dict(os.environ, FLARE=self.flare, LC_ALL="C", TMPDIR=str(self.path))
        environment.pop("FLARE_MLREGTEST", None)
        ended = subprocess.run(
            ["bash", "-c", 'flare() { "$FLARE" "$@"; }; ' + command],
            cwd=self.path,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        self.errors = ended.stderr
        return ended.stdout, ended.returncode

    def run(self, arguments):
        """What `flare ARGUMENTS` prints; it must succeed."""
        output, code = self.shell("flare " + arguments)
        if code:
            fail(f"flare {arguments}\nended with {code}: {self.errors}")
        return output

    def move_sweep(self):
        """Makes sweep.json name the data of the copy, with the check that docs/reference/runs.md describes."""
        for file in (self.path / "sweep/sweep.json", self.path / "records/sweep.json"):
            text, checks = re.subn(r',\n  "check": "[0-9a-f]{16}"\n}\n$', "\n}\n", file.read_text())
            assert checks == 1, file
            text = text.replace(f'"{BIRTHPLACE}/', f'"{self.path}/')
            check = hashlib.sha256(text.encode()).hexdigest()[:16]
            file.write_text(text[:-3] + f',\n  "check": "{check}"\n}}\n')

    def leave_lock(self):
        """Makes the lock of the killed run that of a dead process of this machine."""
        file = self.path / "runs/killed/lock"
        lock = json.loads(file.read_text())
        boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        boot += " " + os.readlink("/proc/self/ns/pid")
        spaces = pathlib.Path("/proc/self/ns/time")
        if spaces.is_symlink() and os.readlink(spaces) != "time:[4026531834]":
            boot += " " + os.readlink(spaces)
        lock.update(host=socket.gethostname(), boot=boot)
        file.write_text(json.dumps(lock, separators=(",", ":")) + "\n")


def sha256(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def files_of(folder):
    """The files of a dataset but for its manifest, and their hashes."""
    return {
        str(file.relative_to(folder)): sha256(file)
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name != "manifest.json"
    }


def lacks_avx2():
    return not re.search(r"^flags.*\bavx2\b", pathlib.Path("/proc/cpuinfo").read_text(), re.M)


def train_models(shop):
    """The lines of models.txt."""
    shop.run("generate parity --out made --seed 1 " + SIZES)
    lines = []
    for architecture in ARCHITECTURES:
        cases = [f"--loss {loss}" for loss in LOSSES]
        cases += [f"--loss rec+lm+ns {options}" for options in OPTIONS.get(architecture, [])]
        for case in cases:
            # A flag must not be given twice.
            names = set(re.findall(r"--[a-z-]+", case))
            flags = re.findall(r"(--\S+) (\S+)", SHORT_RUN)
            rest = " ".join(f"{name} {value}" for name, value in flags if name not in names)
            shutil.rmtree(shop.path / "short", ignore_errors=True)
            shop.run(
                f"train --data made/parity --run short --architecture {architecture} {case} {rest} "
                + MODELS_AS_BEFORE.get(architecture, "")
            )
            lines.append(f"{sha256(shop.path / 'short/model.safetensors')}  {architecture} {case}")
    return lines


def generate_datasets(shop):
    """The lines of datasets.txt."""
    names = [language["name"] for language in json.loads(shop.run("languages --json"))]
    names += ["dyck-3-2", "blocks-3", "mod-4"]
    shop.run(f"generate {' '.join(names)} --out made --seed 1 {SIZES}")
    shop.run("generate parity tomita-5 --out made-mlregtest --preset mlregtest --size 40")
    lines = []
    for folder in [shop.path / "made" / name for name in names] + [
        shop.path / "made-mlregtest" / name for name in ("parity", "tomita-5")
    ]:
        text = "".join(f"{digest}  {name}\n" for name, digest in files_of(folder).items())
        digest = hashlib.sha256(text.encode()).hexdigest()
        lines.append(f"{digest}  {folder.relative_to(shop.path)}")
    return lines


def compare(kept, made, what):
    """Fails with the first lines that differ."""
    kept, made = kept.split("\n"), made.split("\n")
    if kept == made:
        return []
    pairs = zip(kept + [""] * len(made), made + [""] * len(kept))
    wrong = [pair for pair in pairs if pair[0] != pair[1]]
    first = "".join(f"\n  - {old[:300]}\n  + {new[:300]}" for old, new in wrong[:5])
    return [f"{what}: {len(wrong)} lines differ{first}"]


def expect(file, text, make):
    """Compares with what is kept in `file`, or keeps it."""
    if make:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        return []
    if not file.exists():
        return [f"{file.name}: is missing"]
    return compare(file.read_text(), text, file.name)


def check_models(shop, make):
    return expect(HERE / "models.txt", "\n".join(train_models(shop)) + "\n", make)


def check_datasets(shop, make):
    wrong = expect(HERE / "datasets.txt", "\n".join(generate_datasets(shop)) + "\n", make)
    # Those of version 0.2, whose bytes are kept, are made again.
    for name, arguments in DATASETS.items():
        shop.run(f"generate {arguments} {AS_BEFORE.get(name, '')} --out again")
        if files_of(shop.path / "again" / name) != files_of(shop.path / "data" / name):
            wrong.append(f"{name}: its bytes are not those of version 0.2")
        # The same recipe: an existing dataset is left alone.
        before = {file: sha256(file) for file in (shop.path / "data" / name).rglob("*.*")}
        shop.run(f"generate {arguments} --out data")
        if before != {file: sha256(file) for file in (shop.path / "data" / name).rglob("*.*")}:
            wrong.append(f"{name}: generating it again changed it")
        shop.run(f"verify data/{name} {VERIFY.get(name, '')}")
    shop.run("verify sources/own --language parity")
    return wrong


def report_text(shop, source, to):
    """Tables and runs.csv, as one text; the times in them are those that the runs recorded."""
    shop.run(f"report {source} --to {to}")
    files = sorted((shop.path / to / "tables").rglob("*.md")) + [shop.path / to / "runs.csv"]
    return "".join(f"=== {file.relative_to(shop.path / to)}\n{file.read_text()}" for file in files)


def check_reading(shop, make):
    """Whatever version 0.2 left is read, and gives what it gave."""
    wrong = []
    # Models: their answers to fixed strings, and the logits that were written when they were trained.
    (shop.path / "strings.txt").write_text("".join(string + "\n" for string in STRINGS))
    lines = []
    for architecture in ARCHITECTURES:
        for line in shop.run(f"predict models/{architecture} strings.txt").splitlines():
            probability, string = line.split("\t")
            lines.append(f"{architecture}\t{len(string.split())} symbols\t{probability}\n")
        run = shop.path / "models" / architecture
        shop.run(f"evaluate models/{architecture} --data data/parity --to evaluated/{architecture}")
        for file in sorted((run / "eval").glob("*.jsonl")):
            again = shop.path / "evaluated" / architecture / file.name
            wrong += compare(file.read_text(), again.read_text(), f"{architecture} {file.name}")
    wrong += expect(HERE / "predictions.txt", "".join(lines), make)

    # The killed run ends as the one that was never interrupted.
    shop.run("train --run runs/killed --data data/parity")
    whole, resumed = (
        json.loads((shop.path / "runs" / run / "result.json").read_text())
        for run in ("finished", "killed")
    )
    for member in ("outcome", "epochs", "steps", "best_epoch", "model_sha256", "splits"):
        if whole[member] != resumed[member]:
            wrong.append(f"runs/killed: its {member} is not that of runs/finished")
    if sha256(shop.path / "runs/killed/model.safetensors") != whole["model_sha256"]:
        wrong.append("runs/killed: its model is not that of runs/finished")

    # The sweep, its records, and what is collected of both are reported alike.
    reports = report_text(shop, "sweep", "report-sweep")
    wrong += expect(HERE / "report.txt", reports, make)
    shop.run("sweep collect sweep --to collected")
    shop.run("sweep collect records --to collected-records")
    kept = report_text(shop, "records", "report-records")
    wrong += expect(HERE / "report-records.txt", kept, make)
    for source in ("collected", "collected-records"):
        wrong += compare(kept, report_text(shop, source, "report-" + source), f"report {source}")

    # The sweep goes on, grows, and every run has the bits that it had.
    grid = (shop.path / "grid.toml").read_text()
    (shop.path / "larger.toml").write_text(grid.replace('["lstm"', '["lstm", "gru"'))
    shop.shell("flare sweep run grid.toml --data data --out sweep --jobs 1")
    shop.run("sweep plan larger.toml --data data --out sweep --extend")
    shop.shell("flare sweep work sweep --only architecture=lstm,gru")
    lines = []
    for run in sorted((shop.path / "sweep/runs").rglob("config.json")):
        result = run.parent / "result.json"
        name = run.parent.relative_to(shop.path / "sweep/runs")
        model = json.loads(result.read_text())["model_sha256"] if result.exists() else "unfinished"
        lines.append(f"{model}  {name}\n")
    return wrong + expect(HERE / "sweep.txt", "".join(lines), make)


# Members of outputs that depend on the machine; times are those that the fixtures recorded.
VARIABLE = re.compile(r'("reachable": )(true|false)')


def check_outputs(shop, make):
    wrong = []
    if make:
        shutil.rmtree(HERE / "outputs", ignore_errors=True)
    for name, command in OUTPUTS.items():
        output, code = shop.shell("flare " + command)
        if not output:
            wrong.append(f"flare {command}: printed nothing: {shop.errors}")
        output = VARIABLE.sub(r'\1"…"', output).replace(str(shop.path), "…")
        wrong += expect(HERE / "outputs" / f"{name}.json", output, make)
        for line in output.splitlines() if name == "next-symbols" else [output]:
            json.loads(line)
    if make and wrong:
        return wrong
    lines = []
    for line in (HERE / "exit_codes.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            command = line.split(None, 1)[1]
            line = f"{shop.shell(command)[1]} {command}"
        lines.append(line + "\n")
    return wrong + expect(HERE / "exit_codes.txt", "".join(lines), make)


def kill_in_the_middle(shop):
    """Stops a run after its first checkpoint, resumes it, and kills it."""
    run = shop.path / "runs/killed"
    for attempt in range(200):
        shutil.rmtree(run, ignore_errors=True)
        shop.shell(f"flare train {LONG_RUN} --run runs/killed --time-limit {0.005 * (attempt % 10)}")
        events = (run / "events.jsonl").stat().st_size
        if (run / "result.json").exists() or shop.shell("flare evaluate runs/killed")[1]:
            continue
        process = subprocess.Popen(
            [shop.flare, "train", "--run", "runs/killed"], cwd=shop.path, stderr=subprocess.DEVNULL
        )
        while process.poll() is None and (run / "events.jsonl").stat().st_size <= events:
            time.sleep(0.0005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        left = {file.name for file in run.iterdir()}
        if left == {"checkpoint.safetensors", "config.json", "events.jsonl", "lock"}:
            return
    fail("no attempt was killed in the middle")


def make_fixtures(flare):
    """Everything that the program leaves on disk; of a version of its own, which must not change."""
    if (FIXTURES / "sweep").exists():
        fail(f"{FIXTURES} is complete: the files of a version are made once")
    path = pathlib.Path(BIRTHPLACE)
    shutil.copytree(FIXTURES, path)
    shop = Workshop(flare, path, copy=False)
    for arguments in DATASETS.values():
        shop.run(f"generate {arguments} --out data")
    subprocess.run([sys.executable, "sources/custom.py"], cwd=path, check=True)
    for architecture in ARCHITECTURES:
        shop.run(
            f"train --data data/parity --run models/{architecture} --architecture {architecture} "
            + f"--loss rec+lm+ns {SHORT_RUN}".replace("--layers 2", "--layers 1")
        )
    shop.run(f"train {LONG_RUN} --run runs/finished")
    kill_in_the_middle(shop)
    # Of trial 2 only the counter's runs; those of no-11 fail.
    shop.shell("flare sweep run grid.toml --data data --out sweep --jobs 1 --only trial=1")
    shop.shell(
        "flare sweep run grid.toml --data data --out sweep --jobs 1 "
        "--only variant=counter --only loss=rec"
    )
    shop.run("sweep extract sweep --max-length 6 --jobs 1 --only architecture=lstm")
    shop.run("sweep collect sweep --to records")
    shutil.copytree(path, FIXTURES, dirs_exist_ok=True)
    shutil.rmtree(path)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("check", "make"):
        fail("usage: net.py check|make PART FLARE")
    make, part, flare = sys.argv[1] == "make", sys.argv[2], sys.argv[3]
    if make and part == "fixtures":
        return make_fixtures(flare)
    parts = {
        "reading": check_reading,
        "models": check_models,
        "datasets": check_datasets,
        "outputs": check_outputs,
    }
    if part not in parts:
        fail(f"no part {part}; there are {', '.join(parts)}")
    if part != "datasets" and lacks_avx2():
        print(f"net: NOT CHECKED: {part}: this CPU has no AVX2, for which the bits are kept")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder).resolve()
        wrong = parts[part](Workshop(flare, path), make)
    if wrong:
        fail("\n".join(wrong) + "\nif this is meant: tests/net/make, and say so in the commit")


if __name__ == "__main__":
    main()
