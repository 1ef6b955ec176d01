"""Builds the distribution flare-languages for pip (PEP 517): CMake, and a wheel around what it built.

FLARE_BUILD_DIR names a build directory to use instead of build/wheel. `make wheel` packs what it
built itself, by `write_wheel`.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from typing import Any, Iterator

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAME = "flare_languages"
PACKAGE = os.path.join(ROOT, "python", "flarelang")

METADATA = """Metadata-Version: 2.1
Name: flare-languages
Version: {version}
Summary: Formal languages, datasets and neural recognizers: FLaRe++ in Python
License: MIT
Requires-Python: >=3.9
Requires-Dist: numpy
Provides-Extra: torch
Requires-Dist: torch; extra == "torch"
Provides-Extra: pandas
Requires-Dist: pandas; extra == "pandas"
"""


def version() -> str:
    with open(os.path.join(ROOT, "VERSION"), encoding="utf-8") as file:
        return file.read().strip()


def tag() -> str:
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = re.sub(r"[^A-Za-z0-9]", "_", sysconfig.get_platform())
    return f"{python}-{python}-{platform}"


def dist_info() -> str:
    return f"{NAME}-{version()}.dist-info"


def build_module() -> str:
    """The file of the module, built."""
    build = os.environ.get("FLARE_BUILD_DIR") or os.path.join(ROOT, "build", "wheel")
    configure = ["cmake", "-S", ROOT, "-B", build, f"-DPython3_EXECUTABLE={sys.executable}"]
    if not os.path.exists(os.path.join(build, "CMakeCache.txt")):
        configure += ["-DCMAKE_BUILD_TYPE=Release", "-DFLARE_BUILD_TESTS=OFF"]
        configure += ["-DFLARE_BUILD_BENCH=OFF", "-G", "Ninja"]
    subprocess.run([*configure, "-DFLARE_BUILD_PYTHON=ON"], check=True)
    subprocess.run(["cmake", "--build", build, "--target", "_flarelang"], check=True)
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    return os.path.join(build, "python", "flarelang", f"_flarelang{suffix}")


def package_files() -> Iterator[str]:
    for name in sorted(os.listdir(PACKAGE)):
        if name.endswith((".py", ".pyi")) or name == "py.typed":
            yield os.path.join(PACKAGE, name)


class Wheel:
    """A zip file with a list of what is in it."""

    def __init__(self, path: str) -> None:
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self._record: list[str] = []

    def add(self, name: str, contents: bytes, mode: int = 0o644) -> None:
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(contents)}")
        info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = (0o100000 | mode) << 16
        self._zip.writestr(info, contents)

    def add_file(self, name: str, path: str, mode: int = 0o644) -> None:
        with open(path, "rb") as file:
            self.add(name, file.read(), mode)

    def finish(self) -> None:
        record = f"{dist_info()}/RECORD"
        self._zip.writestr(record, "\n".join([*self._record, f"{record},,"]) + "\n")
        self._zip.close()


def wheel_text(its_tag: str) -> str:
    return f"Wheel-Version: 1.0\nGenerator: flare\nRoot-Is-Purelib: false\nTag: {its_tag}\n"


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Any = None) -> str:
    """Without it, pip would build the wheel to look into it, and then build it again."""
    folder = os.path.join(metadata_directory, dist_info())
    os.makedirs(folder)
    for name, text in (("METADATA", METADATA.format(version=version())), ("WHEEL", wheel_text(tag()))):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    return dist_info()


def write_wheel(
    wheel_directory: str, its_tag: str, module: str, program: str | None = None, licences: str = ""
) -> str:
    """Packs a module that is named as the package wants it, and the program `flare`, if there is one.

    `licences` is a directory of those of others whose code is inside.
    """
    name = f"{NAME}-{version()}-{its_tag}.whl"
    wheel = Wheel(os.path.join(wheel_directory, name))
    for path in [*package_files(), module]:
        wheel.add_file(f"flarelang/{os.path.basename(path)}", path)
    if program is not None:  # pip puts it where commands are
        wheel.add_file(f"{NAME}-{version()}.data/scripts/flare", program, 0o755)
    wheel.add(f"{dist_info()}/METADATA", METADATA.format(version=version()).encode())
    wheel.add(f"{dist_info()}/WHEEL", wheel_text(its_tag).encode())
    wheel.add_file(f"{dist_info()}/LICENSE", os.path.join(ROOT, "LICENSE"))
    for part in sorted(os.listdir(licences)) if licences else []:
        wheel.add_file(f"{dist_info()}/licences/{part}", os.path.join(licences, part))
    wheel.finish()
    return name


def build_wheel(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    return write_wheel(wheel_directory, tag(), build_module())


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """What git keeps, and PKG-INFO."""
    base = f"{NAME}-{version()}"
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    info = os.path.join(sdist_directory, "PKG-INFO")
    with open(info, "w", encoding="utf-8") as file:
        file.write(METADATA.format(version=version()))
    with tarfile.open(os.path.join(sdist_directory, f"{base}.tar.gz"), "w:gz") as archive:
        archive.add(info, f"{base}/PKG-INFO")
        for name in filter(None, listing.split("\0")):
            archive.add(os.path.join(ROOT, name), f"{base}/{name}")
    os.remove(info)
    return f"{base}.tar.gz"
