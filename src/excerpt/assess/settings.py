"""campaign.toml: what a campaign was set up with, and the hashes of what it was made from."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from excerpt.assess.events import is_text
from excerpt.assess.folder import SETTINGS, sync_folder
from excerpt.assess.procedures import procedure_of
from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.files import read_bytes, write_bytes

#: The version of the file.
VERSION = 1
ORDERS = ("pool", "random", "move-to-front", "max-mean")
_HEAD = "# A campaign of excerpt. Only title, corpus, host, port and names may be changed by hand.\n"


@dataclass(frozen=True)
class Settings:
    """What a campaign is set up with."""

    title: str
    procedure: str
    #: Share of the pairs that two assessors judge; None: everybody may judge everything.
    double: float | None
    order: str
    seed: int
    #: Share of the pairs with suggestions that are judged without ever seeing them.
    control: float
    labels: tuple[str, ...]
    #: Where the documents are; empty where they were only in memory.
    corpus: tuple[str, ...]
    corpus_sha256: str
    topics_sha256: str
    pool_sha256: str
    created: str
    host: str = "127.0.0.1"
    port: int = 0
    #: Where the documents were when the campaign was made, wherever the folder is now.
    corpus_made: tuple[str, ...] = ()
    #: Further names by which browsers may call the server.
    names: tuple[str, ...] = ()
    version: int = VERSION

    @property
    def identity(self) -> str:
        """What tells campaigns apart that are served at one address, one after the other; copies share it."""
        return hashlib.sha256(fixed(self).encode()).hexdigest()[:16]


#: What may be changed while people judge; all else would give another meaning to what they did.
_FREE = {"title", "corpus", "corpus_made", "host", "port", "names", "version"}


def fixed(settings: Settings) -> str:
    """The settings that stay as they are, as they are kept beside the judgments."""
    return json.dumps({name: value for name, value in asdict(settings).items() if name not in _FREE})


def check_fixed(settings: Settings, kept: str, path: str) -> None:
    """An error that names a setting which is not what the campaign was made with."""
    now = json.loads(fixed(settings))
    for name, value in json.loads(kept).items():
        if now[name] != value:
            raise ExcerptError(
                f"found {name} = {short(repr(now[name]))}, expected {short(repr(value))}, as it was made",
                path=path,
            )


def check_settings(settings: Settings) -> Settings:
    """The settings, which make sense."""
    procedure_of(settings.procedure)
    for text in (settings.title, *settings.labels, *settings.corpus):
        if isinstance(text, str) and not is_text(text):
            raise ExcerptError(
                f"found {short(repr(text))}, which is no UTF-8, expected text to keep in a file"
            )
    if settings.order not in ORDERS:
        raise UnknownName("order", settings.order, ORDERS)
    for name, share in (("double", settings.double), ("control", settings.control)):
        if share is not None and not (_is_number(share) and 0 <= share <= 1):
            raise ExcerptError(f"found {name} {short(repr(share))}, expected a share of 0 to 1")
    labels = settings.labels
    if not all(isinstance(label, str) and 0 < len(label) <= 100 for label in labels) or not labels:
        raise ExcerptError(f"found the labels {short(repr(labels))}, expected names of 1 to 100 characters")
    if len(set(labels)) < len(labels):
        raise ExcerptError(f"found the labels {short(repr(labels))}, expected each once")
    if not all(isinstance(name, str) for name in settings.names):
        raise ExcerptError(f"found the names {short(repr(settings.names))}, expected names of hosts")
    if not isinstance(settings.seed, int) or isinstance(settings.seed, bool):
        raise ExcerptError(f"found the seed {short(repr(settings.seed))}, expected a whole number")
    return settings


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def write_settings(folder: Path, settings: Settings) -> None:
    """Write campaign.toml, whole or not at all."""
    lines = [f"{name} = {_toml(value)}\n" for name, value in asdict(settings).items() if value is not None]
    write_bytes(folder / SETTINGS, (_HEAD + "".join(lines)).encode())
    sync_folder(folder)


def _toml(value: Any) -> str:
    r"""A value as TOML writes it.

    >>> print(_toml("a\"\x7f"), _toml(0.5), _toml(("a", "b")))
    "a\"\u007f" 0.5 ["a", "b"]
    """
    if isinstance(value, str):
        # A string of JSON is one of TOML, but for surrogate pairs and DEL.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_toml, value))}]"
    return repr(value)


def read_settings(folder: Path) -> Settings:
    """What campaign.toml says."""
    path = str(folder / SETTINGS)
    try:
        given = tomllib.loads(read_bytes(path).decode())
    except ValueError as error:  # also of the decoding
        raise ExcerptError(f"found no settings: {error}", path=path) from None
    version = given.get("version", 0)
    if not isinstance(version, int) or version > VERSION:
        raise ExcerptError(
            f"found version {short(repr(version))}, expected at most {VERSION}",
            path=path,
            hint="it was written by a newer excerpt; nothing was changed",
        )
    return check_settings(_settings(given, path))


def _settings(given: dict[str, Any], path: str) -> Settings:
    kinds: dict[str, type | tuple[type, ...]] = {"double": (int, float), "control": (int, float)}
    kinds |= dict.fromkeys(("labels", "corpus", "corpus_made", "names"), list)
    kinds |= dict.fromkeys(("seed", "port", "version"), int)
    found: dict[str, Any] = {"double": None}
    for name in Settings.__dataclass_fields__:
        if name not in given and name in {"double", "host", "port", "corpus_made", "names"}:
            continue
        value = given.get(name)
        if not isinstance(value, kinds.get(name, str)) or isinstance(value, bool):
            raise ExcerptError(f"found {name} = {short(repr(value))}, expected what was written", path=path)
        found[name] = tuple(value) if isinstance(value, list) else value
    return Settings(**found)
