"""Functions in Python files of the user, and objects of libraries, by what is written in a setting."""

from __future__ import annotations

import ast
import hashlib
import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path
from typing import Any, NamedTuple

from excerpt.errors import ExcerptError, short
from excerpt.files import read_bytes


def one_line_of(error: BaseException) -> str:
    """Type and message of an exception in one line.

    >>> one_line_of(ValueError("two\\nlines"))
    'ValueError: two lines'
    """
    return short(" ".join(f"{type(error).__name__}: {error}".split()), 200)


def reason_of(error: Exception) -> str:
    """Why a chunker or a retriever gives nothing: its error, or that it raised one of its own."""
    return error.message if isinstance(error, ExcerptError) else f"raised {one_line_of(error)}"


@dataclass(frozen=True, kw_only=True)
class TrialSetting:
    """A chunker or a retriever as it is named, written, and identified in a cache."""

    name: str
    #: Hash of its code or version; None if it cannot be known.
    identity: str | None = ""
    #: As it was written; empty for a function.
    setting: str = ""

    @property
    def recorded(self) -> str | list[str]:
        """The setting as a record keeps it: with its name if that is another one."""
        return self.setting if self.setting == self.name else [self.name, self.setting]


class UserFunction(NamedTuple):
    """A function of the user, and how it is named, identified and written."""

    function: Callable[..., Any]
    how: dict[str, Any]

    @classmethod
    def of(cls, given: object, name: str, what: str) -> UserFunction | None:
        """A function that is given in Python or as `FILE.py:NAME`; None for another text."""
        if not isinstance(given, str):
            if not callable(given):
                raise ExcerptError(f"found {short(repr(given))} as {what}, expected a name or a function")
            named = name or getattr(given, "__name__", "function")
            return cls(given, {"name": named, "identity": source_of_function(given)})
        text = given.strip()
        if not is_file_setting(text):
            return None
        function = function_of(text, what)
        return cls(function, {"name": name or text, "identity": source_of(text), "setting": text})


def items_of(function: Callable[..., Any], *given: Any, about: str) -> tuple[Any, list[Any] | None]:
    """What code of the user or of a library returns, and the same as a list; None for what is no list."""
    try:
        found = function(*given)
        several = not (found is None or isinstance(found, str | bytes | Mapping))
        return found, list(found) if several else None
    except Exception as error:  # noqa: BLE001 - code of the user or of a library
        raise ExcerptError(f"raised {one_line_of(error)} ({about})") from None


def function_of(setting: str, what: str) -> Callable[..., Any]:
    """Load the function that `FILE.py:NAME` names."""
    path, _, name = setting.rpartition(":")
    if not Path(path).is_file():
        raise ExcerptError(f"found the {what} {short(setting)}, but there is no file {short(path)}")
    spec = util.spec_from_file_location(f"_trial_{hashlib.sha256(path.encode()).hexdigest()[:12]}", path)
    assert spec is not None, "it ends with .py"
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    folder = str(Path(path).resolve().parent)
    sys.path.insert(0, folder)  # as Python does for a script: it may import its neighbours
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # noqa: BLE001 - the code of the user
        raise ExcerptError(f"the {what} {short(setting)} cannot be loaded ({one_line_of(error)})") from None
    finally:
        sys.path.remove(folder)
    found = getattr(module, name, None)
    if not callable(found):
        message = f"found the {what} {short(setting)}, but {short(path)} has no function {short(name)}"
        raise ExcerptError(message)
    return found  # type: ignore[no-any-return]


def source_of(setting: str) -> str:
    """SHA-256 of the file of `FILE.py:NAME`."""
    return hashlib.sha256(read_bytes(setting.rpartition(":")[0])).hexdigest()


def source_of_function(function: Callable[..., Any]) -> str | None:
    """SHA-256 of the source of a function; None if it has none, or depends on values besides."""
    if getattr(function, "__closure__", None) or not inspect.isfunction(function):
        return None
    try:
        return hashlib.sha256(inspect.getsource(function).encode()).hexdigest()
    except (OSError, TypeError):
        return None


def is_file_setting(text: str) -> bool:
    """Return whether a setting names a function of a Python file.

    >>> is_file_setting("my.py:cut"), is_file_setting("recursive:400")
    (True, False)
    """
    path, colon, name = text.rpartition(":")
    return bool(colon) and path.endswith(".py") and name.isidentifier()


def call_of(text: str) -> tuple[str, dict[str, Any]]:
    """Name and arguments of a call that is written as in Python; values are literals.

    >>> call_of("RecursiveCharacterTextSplitter(chunk_size=800)"), call_of("SentenceChunker")
    (('RecursiveCharacterTextSplitter', {'chunk_size': 800}), ('SentenceChunker', {}))
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        if isinstance(tree, ast.Name):
            return tree.id, {}
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and not tree.args:
            values = {str(one.arg): ast.literal_eval(one.value) for one in tree.keywords if one.arg}
            if len(values) == len(tree.keywords):
                return tree.func.id, values
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    raise ExcerptError(
        f"found {short(text)}, expected a class with named values, such as Splitter(chunk_size=800)"
    )


def library(name: str, package: str) -> Any:
    """Import a library; an error says how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        missing = isinstance(error, ModuleNotFoundError) and name.startswith(str(error.name))
        detail = "is not installed" if missing else f"cannot be imported ({one_line_of(error)})"
        raise ExcerptError(f"{name} {detail}", hint=f"pip install {package}") from None


def version_of(package: str) -> str:
    """Installed version of a package; empty without it."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
