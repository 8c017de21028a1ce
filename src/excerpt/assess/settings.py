"""Settings of a campaign (campaign.toml), with the hashes of its input files."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from excerpt.assess.events import is_text
from excerpt.assess.folder import SETTINGS, SETTINGS_HINT
from excerpt.assess.procedures import procedure_of
from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.files import read_bytes, sync_folder, write_bytes

#: The version of the file. Campaigns of version 1 keep the procedures of that time.
VERSION = 2
ORDERS = ("pool", "random", "move-to-front", "max-mean")
_LAST_PORT = 65535
_HEAD = "# A campaign of excerpt. Only title, corpus, host, port, names and url may be changed by hand.\n"


@dataclass(frozen=True)
class Settings:
    """Settings of a campaign."""

    title: str
    procedure: str
    #: Proportion of pairs that two assessors judge; None: every assessor may judge all.
    double: float | None
    order: str
    seed: int
    #: Proportion of pairs with suggestions for which suggestions are never shown.
    control: float
    labels: tuple[str, ...]
    #: Paths of the documents; empty if they were only in memory.
    corpus: tuple[str, ...]
    corpus_sha256: str
    topics_sha256: str
    pool_sha256: str
    created: str
    host: str = "127.0.0.1"
    port: int = 0
    #: Absolute paths of the documents when the campaign was created.
    corpus_made: tuple[str, ...] = ()
    #: Further host names of the server.
    names: tuple[str, ...] = ()
    #: Address of links, if a proxy has another one than the server.
    url: str = ""
    #: Empty without guidelines.
    guidelines_sha256: str = ""
    #: Patterns of further files of the corpus, and the encoding of text that is not UTF-8.
    include: tuple[str, ...] = ()
    encoding: str = ""
    version: int = VERSION

    @property
    def corpus_options(self) -> dict[str, Any]:
        """How the files of the corpus are read, as arguments of `Corpus.read`."""
        return {"include": self.include, "encoding": self.encoding or None}

    @property
    def identity(self) -> str:
        """Id that distinguishes campaigns served at the same address; copies share it."""
        return hashlib.sha256(fixed_settings(self).encode()).hexdigest()[:16]


#: Settings that may change during a campaign; others would change the meaning of judgments.
FREE = {"title", "corpus", "corpus_made", "host", "port", "names", "url", "version"} | {"include", "encoding"}
#: Settings that campaigns of earlier versions, or some campaigns, do not have.
_OPTIONAL = {"double", "host", "port", "corpus_made", "names", "url", "guidelines_sha256"}
_OPTIONAL |= {"include", "encoding"}


def fixed_settings(settings: Settings) -> str:
    """Return the settings that must not change, as stored in the database; version 1 is not stored."""
    fixed = {name: value for name, value in asdict(settings).items() if name not in FREE}
    if not settings.guidelines_sha256:  # as before there were any
        del fixed["guidelines_sha256"]
    return json.dumps(fixed if settings.version == 1 else {**fixed, "version": settings.version})


def check_fixed(settings: Settings, stored: str, path: str) -> None:
    """Raise an error if a setting that must not change has changed."""
    first = {"version": 1}
    now = first | json.loads(fixed_settings(settings))
    for name, value in (first | json.loads(stored)).items():
        if now.get(name) != value:
            found = f"found {name} = {short(repr(now.get(name)))}"
            message, hint = f"{found}, expected the original {short(repr(value))}", SETTINGS_HINT
            raise ExcerptError(message, path=path, hint=hint.format(Path(path).parent))


def check_settings(settings: Settings) -> Settings:
    """Return the settings if they are valid, else raise an error."""
    procedure_of(settings.procedure)
    for text in (settings.title, *settings.labels, *settings.corpus):
        if isinstance(text, str) and not is_text(text):
            raise ExcerptError(f"found {short(repr(text))}, expected text that UTF-8 can encode")
    if settings.order not in ORDERS:
        raise UnknownName("order", settings.order, ORDERS)
    for name, value in (("double", settings.double), ("control", settings.control)):
        if value is not None and (type(value) not in {int, float} or not 0 <= value <= 1):
            raise ExcerptError(f"found {name} {short(repr(value))}, expected a proportion from 0 to 1")
    labels = settings.labels
    if not all(isinstance(label, str) and 0 < len(label) <= 100 for label in labels) or not labels:
        raise ExcerptError(f"found the labels {short(repr(labels))}, expected names of 1 to 100 characters")
    if len(set(labels)) < len(labels):
        raise ExcerptError(f"found the labels {short(repr(labels))}, expected each label once")
    _check_place(settings)
    if not isinstance(settings.seed, int) or isinstance(settings.seed, bool):
        raise ExcerptError(f"found the seed {short(repr(settings.seed))}, expected a whole number")
    return settings


def _check_place(settings: Settings) -> None:
    """Raise an error if the documents or the server cannot be where the settings say."""
    if not all(isinstance(name, str) for name in settings.names):
        raise ExcerptError(f"found the names {short(repr(settings.names))}, expected host names")
    if not all(isinstance(pattern, str) for pattern in settings.include):
        raise ExcerptError(f"found include {short(repr(settings.include))}, expected patterns such as *.py")
    for path in (*settings.corpus, *settings.corpus_made):
        if not isinstance(path, str):
            raise ExcerptError(f"found the corpus {short(repr(path))}, expected a path")
    if not 0 <= settings.port <= _LAST_PORT:
        raise ExcerptError(f"found port {short(str(settings.port))}, expected 0 to {_LAST_PORT}")


def write_settings(folder: Path, settings: Settings) -> None:
    """Write campaign.toml atomically."""
    lines = [
        f"{name} = {_toml(value)}\n"
        for name, value in asdict(settings).items()
        if value is not None and (value or name not in {"include", "encoding"})
    ]
    write_bytes(folder / SETTINGS, (_HEAD + "".join(lines)).encode())
    sync_folder(folder)


def _toml(value: Any) -> str:
    r"""Return a value as TOML.

    >>> print(_toml("a\"\x7f"), _toml(0.5), _toml(("a", "b")))
    "a\"\u007f" 0.5 ["a", "b"]
    """
    if isinstance(value, str):
        # A JSON string is a TOML string, except for surrogate pairs and DEL.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_toml, value))}]"
    return repr(value)


def read_settings(folder: Path) -> Settings:
    """Read campaign.toml."""
    path = str(folder / SETTINGS)
    hint = SETTINGS_HINT.format(folder)
    try:
        table = tomllib.loads(read_bytes(path).decode())
    except (ValueError, RecursionError) as error:  # of TOML or of UTF-8
        raise ExcerptError(f"not valid TOML: {error}", path=path, hint=hint) from None
    version = table.get("version", 0)
    if isinstance(version, int) and version > VERSION:
        message = f"found version {short(repr(version))}, expected at most {VERSION}"
        hint = "a newer version of excerpt wrote it; nothing was changed"
        raise ExcerptError(message, path=path, hint=hint)
    try:
        return check_settings(_settings(table))
    except ExcerptError as error:
        raise ExcerptError(error.message, path=path, hint=hint) from None


def _settings(table: dict[str, Any]) -> Settings:
    kinds: dict[str, type | tuple[type, ...]] = {"double": (int, float), "control": (int, float)}
    kinds |= dict.fromkeys(("labels", "corpus", "corpus_made", "names", "include"), list)
    kinds |= dict.fromkeys(("seed", "port", "version"), int)
    fields: dict[str, Any] = {"double": None}
    for name in Settings.__dataclass_fields__:
        if name not in table and name in _OPTIONAL:
            continue
        value = table.get(name)
        if not isinstance(value, kinds.get(name, str)) or isinstance(value, bool):
            found = "is missing" if value is None else f"= {short(repr(value))} has the wrong type"
            raise ExcerptError(f"{name} {found}")
        fields[name] = tuple(value) if isinstance(value, list) else value
    return Settings(**fields)
