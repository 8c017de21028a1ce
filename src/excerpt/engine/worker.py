"""What a worker of a cluster does with an item, once it is known to have the same code as its sender."""

from __future__ import annotations

import contextlib
import os
import pickle
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from excerpt.engine.engine import Call, unpack
from excerpt.errors import ExcerptError
from excerpt.files import describe


class Answer(NamedTuple):
    """What a worker sends back: a result, or the error of the user's that it met."""

    result: Any
    error: ExcerptError | None = None


_alone = threading.Lock()  # one item at a time in a process: the current folder is the process's
_calls: dict[str, Call[Any, Any, Any]] = {}  # the last one, by its digest


def work_on(folder: str, digest: str, payload: bytes, item: bytes) -> bytes:
    """Do an item as its sender would have done it; the answer, pickled."""
    import cloudpickle

    # As bytes: Dask may bring an answer to workers that could not load it.
    answer: bytes = cloudpickle.dumps(_answer(folder, digest, payload, item))
    return answer


def _answer(folder: str, digest: str, payload: bytes, item: bytes) -> Answer:
    with _alone:
        try:
            with _inside(folder):
                return Answer(_unpack(digest, payload)(pickle.loads(item)))  # noqa: S301  as the call
        except ExcerptError as error:
            return Answer(None, error)
        except ImportError as error:
            return Answer(None, _lacking(error))
        except OSError as error:
            message = f"the worker {_address()} failed: {describe(error)}"
            return Answer(None, ExcerptError(message, path=error.filename))


def _unpack(digest: str, payload: bytes) -> Call[Any, Any, Any]:
    if digest not in _calls:
        _calls.clear()
        try:
            _calls[digest] = unpack(payload)
        except AttributeError as error:
            raise _lacking(error) from None
    return _calls[digest]


def _lacking(error: Exception) -> ExcerptError:
    return ExcerptError(
        f"the worker {_address()} lacks something: {error}", hint="install the same packages there"
    )


def _address() -> str:
    from distributed import get_worker

    return str(get_worker().address)


@contextlib.contextmanager
def _inside(folder: str) -> Iterator[None]:
    """The current folder of the sender, so that relative names mean the same files."""
    try:
        before = Path.cwd()
    except FileNotFoundError:
        before = Path("/")  # the worker's own was deleted; it needs none
    try:
        os.chdir(folder)
    except OSError as error:
        raise ExcerptError(
            f"the worker {_address()} cannot open it: {describe(error)}",
            path=folder,
            hint="all machines of a cluster must see the same file system, under the same names",
        ) from None
    try:
        yield
    finally:
        os.chdir(before)
