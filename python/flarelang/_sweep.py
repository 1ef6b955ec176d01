"""The process in which `flarelang.sweep` works: it forks one per run, which a process with the
threads of notebooks and libraries should not do. Options come as JSON by standard input, what
happens goes to standard output, a line of JSON each."""

from __future__ import annotations

import json
import sys

from . import _flarelang


def main() -> int:
    try:
        _flarelang.run_sweep(sys.stdin.read())
    except OSError as error:
        said = {"error": "OSError", "errno": error.errno, "message": error.strerror or str(error)}
    except ValueError as error:
        said = {"error": "ValueError", "errno": None, "message": str(error)}
    except MemoryError:
        said = {"error": "MemoryError", "errno": None, "message": "out of memory"}
    else:
        return 0
    print(json.dumps(said), flush=True)
    return 1


if __name__ == "__main__":
    sys.exit(main())
