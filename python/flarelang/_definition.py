"""A hash of what defines an object: the source of its code, and its state.

Two objects with the same hash behave alike, as far as their code and what it names say: the classes
they are of, the functions and values that these name, and the attributes of the objects. The standard
library and installed packages count by name.
"""

from __future__ import annotations

import dataclasses
import dis
import enum
import functools
import hashlib
import inspect
import re
import sys
import textwrap
import types
from typing import Any, Iterator

import numpy as np

from ._flarelang import Language

# What every class has, or what follows from its other attributes.
_IGNORED = {
    "__abstractmethods__",
    "__annotations__",
    "__dataclass_fields__",
    "__dataclass_params__",
    "__dict__",
    "__doc__",
    "__firstlineno__",
    "__match_args__",
    "__module__",
    "__orig_bases__",
    "__parameters__",
    "__qualname__",
    "__static_attributes__",
    "__weakref__",
    "_abc_impl",
}
_DEFINED_IN_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_PLAIN = (type(None), type(...), bool, int, float, complex, str, bytes, range, slice)
_BUILTIN = (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)


class Undefined(Exception):
    """Something has neither a source nor a state that could be compared."""


@functools.lru_cache(maxsize=None)
def _standard_library() -> frozenset[str]:
    if sys.version_info >= (3, 10):
        return frozenset(sys.stdlib_module_names)
    import pkgutil
    import sysconfig

    folder = sysconfig.get_paths()["stdlib"]
    found = pkgutil.iter_modules([folder, f"{folder}/lib-dynload"])
    return frozenset(sys.builtin_module_names) | {module.name for module in found}


def _is_library(module: str) -> bool:
    top = module.partition(".")[0]
    if top in _standard_library() and top != "__main__" or top == __package__:
        return True
    file = getattr(sys.modules.get(top), "__file__", None) or ""
    return "site-packages" in file or "dist-packages" in file


def _globals_of(code: types.CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _globals_of(constant)


class _Definition:
    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._known: dict[int, int] = {}  # functions, classes and modules that were met, by id
        self._open: list[int] = []  # the values that we are inside of

    def digest(self) -> str:
        return self._hash.hexdigest()

    def put(self, *texts: str) -> None:
        for text in texts:
            encoded = text.encode("utf-8", "surrogatepass")
            self._hash.update(b"%d:%b" % (len(encoded), encoded))

    def add(self, value: Any, where: str) -> None:
        """`where` is what an error calls the value."""
        kind = type(value)
        if kind in _PLAIN:
            return self.put(kind.__name__, repr(value))
        if isinstance(value, _BUILTIN):
            return self.put("builtin", value.__qualname__)
        if isinstance(value, (types.FunctionType, type, types.ModuleType)):
            if id(value) in self._known:
                return self.put("known", str(self._known[id(value)]))
            self._known[id(value)] = len(self._known)
            return self._add_code(value, where)
        if id(value) in self._open:
            return self.put("inside", str(self._open.index(id(value))))
        self._open.append(id(value))
        self._add_state(value, where)
        self._open.pop()

    def _add_code(self, value: Any, where: str) -> None:
        if isinstance(value, types.ModuleType):
            self.put("module", value.__name__)
            if not _is_library(value.__name__):
                self.put(self._source(value, where))
        elif _is_library(getattr(value, "__module__", None) or ""):
            self.put("library", value.__module__, value.__qualname__)
        elif isinstance(value, types.FunctionType):
            self._add_function(value, where)
        else:
            self._add_class(value, where)

    def _source(self, of: Any, where: str) -> str:
        try:
            return textwrap.dedent(inspect.getsource(of))
        except (OSError, TypeError):
            raise Undefined(f"the source of {where} cannot be read") from None

    def _add_function(self, function: types.FunctionType, where: str) -> None:
        code = function.__code__
        self.put("function", self._source(code, where))
        self.add(function.__defaults__, f"{where}, a default")
        self.add(function.__kwdefaults__, f"{where}, a default")
        for name, cell in zip(code.co_freevars, function.__closure__ or ()):
            self.put(name)
            try:
                content = cell.cell_contents
            except ValueError:
                continue  # not assigned yet
            self.add(content, f"{name}, which {where} uses,")
        for name in sorted(set(_globals_of(code))):
            if name in function.__globals__:
                self.put(name)
                self.add(function.__globals__[name], f"{name}, which {where} uses,")

    def _add_class(self, kind: type, where: str) -> None:
        self.put("class", kind.__qualname__)
        for base in kind.__bases__:
            self.add(base, base.__qualname__)
        if issubclass(kind, enum.Enum):
            for member in kind:
                self.put(member.name)
                self.add(member.value, f"{kind.__qualname__}.{member.name}")
            return
        is_dataclass = "__dataclass_fields__" in vars(kind)
        if is_dataclass:
            for field in dataclasses.fields(kind):  # type: ignore[arg-type]
                self.put("field", field.name)
                if field.default_factory is not dataclasses.MISSING:
                    self.add(field.default_factory, f"{kind.__qualname__}.{field.name}")
        for name, value in sorted(vars(kind).items()):
            # The methods that dataclasses writes follow from the fields.
            code = getattr(inspect.unwrap(value), "__code__", None)
            is_written = is_dataclass and code is not None and code.co_filename == "<string>"
            if name not in _IGNORED and not is_written:
                self.put(name)
                self._add_attribute(value, f"{kind.__qualname__}.{name}")

    def _add_attribute(self, value: Any, where: str) -> None:
        if isinstance(value, (types.MemberDescriptorType, types.GetSetDescriptorType)):
            return self.put("slot")
        self.put(type(value).__name__)
        if isinstance(value, (staticmethod, classmethod)):
            self.add(value.__func__, where)
        elif isinstance(value, property):
            for accessor in (value.fget, value.fset, value.fdel):
                self.add(accessor, where)
        elif isinstance(value, functools.cached_property):
            self.add(value.func, where)
        else:
            self.add(value, where)

    def _add_state(self, value: Any, where: str) -> None:
        kind = type(value)
        self.put(kind.__name__)
        if kind in (tuple, list):
            self.put(str(len(value)))
            for i, item in enumerate(value):
                self.add(item, f"{where}[{i}]")
        elif kind is dict:
            self.put(str(len(value)))
            for key, item in value.items():
                self.add(key, f"a key of {where}")
                self.add(item, f"{where}[{key!r}]")
        elif kind in (set, frozenset):
            self.put(*sorted(definition_sha256(item, f"an element of {where}") for item in value))
        elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
            self.put(value.dtype.str, str(value.shape))
            self._hash.update(np.ascontiguousarray(value).tobytes())
        elif isinstance(value, np.generic):
            self.put(value.dtype.str, repr(value.item()))
        elif isinstance(value, re.Pattern):
            self.add(value.pattern, where)
            self.put(str(value.flags))
        elif isinstance(value, types.MethodType):
            self.add(value.__func__, where)
            self.add(value.__self__, where)
        elif isinstance(value, functools.partial):
            for part in (value.func, value.args, value.keywords):
                self.add(part, where)
        elif callable(getattr(value, "cache_info", None)) and hasattr(value, "__wrapped__"):
            self.add(value.__wrapped__, where)  # of functools.lru_cache
        elif kind is Language:
            self.put(*value.__getstate__())
        else:
            self._add_object(value, where)

    def _add_object(self, value: Any, where: str) -> None:
        kind = type(value)
        # What derives from a class of C, as list, has a state that no attribute shows.
        of_c = [base for base in kind.__mro__[:-1] if not base.__flags__ & _DEFINED_IN_PYTHON]
        if _is_library(kind.__module__) or of_c or isinstance(value, Language):
            raise Undefined(f"{where} is of {kind.__qualname__}, whose state cannot be compared")
        self.add(kind, kind.__qualname__)
        state = dict(getattr(value, "__dict__", {}))
        for base in kind.__mro__:
            slots = vars(base).get("__slots__", ())
            for slot in (slots,) if isinstance(slots, str) else slots:
                if hasattr(value, slot):
                    state[slot] = getattr(value, slot)
        for name, item in sorted(state.items()):
            # What is cached follows from the rest.
            if not isinstance(inspect.getattr_static(kind, name, None), functools.cached_property):
                self.put(name)
                self.add(item, f"{where}.{name}")


def definition_sha256(value: Any, where: str) -> str:
    """Raises Undefined, with what cannot be compared; `where` names the value."""
    definition = _Definition()
    definition.add(value, where)
    return definition.digest()
