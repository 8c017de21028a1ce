"""Settings of a project: excerpt.toml and variables, and what holds by them.

The file is found upwards from the working folder and read with the line of every setting. A value comes from
an option, else from a variable of the environment, else from the file, else it is the default.
"""

from __future__ import annotations

import contextlib
import glob
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.model.display import Showable
from excerpt.options import OTHERS, PREFIX, SETTINGS, Option, Unfit, found, project_file

_TABLE = "policy"
_HEADING = re.compile(r"\s*\[{1,2}\s*([^\[\]]+?)\s*\]{1,2}\s*(?:#.*)?")
_KEY = re.compile(r"\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*=")
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)")


@dataclass(frozen=True)
class Line:
    """A value of the file, and the line where it stands."""

    value: Any
    line: int | None


@dataclass(frozen=True)
class ProjectFile:
    """A file of settings: its path, the folder that its paths are relative to, and what it says."""

    path: str
    folder: str
    lines: Mapping[str, Line]

    @classmethod
    def find(cls, environment: Mapping[str, str]) -> ProjectFile | None:
        """The file of the environment, or the nearest one upwards from the working folder, if any."""
        path = project_file(environment)
        return cls.read(path) if path else None

    @classmethod
    def read(cls, path: str) -> ProjectFile:
        """What a file says; an error for what it cannot say."""
        from excerpt.files import read_bytes

        try:
            text = read_bytes(path).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ExcerptError("found bytes that are not UTF-8, expected a TOML file", path=path) from None
        return cls(path, os.path.dirname(path), _checked(_flat(_parsed(text, path)), text, path))  # noqa: PTH120


def _parsed(text: str, path: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers of many digits, and brackets in brackets
        place = _PLACE.search(str(error))
        line = int(place[1]) if place and place[1] else None
        column = f" in column {place[2]}" if place and place[2] else ""
        what = short(_PLACE.sub("", str(error)))
    raise ExcerptError(
        f'found no TOML{column} ({what}), expected lines like index = "corpus.index"', path=path, line=line
    )


def _flat(content: Mapping[str, Any]) -> dict[tuple[str, ...], Any]:
    """All values by their keys, those of the table of policies with its name before."""
    flat: dict[tuple[str, ...], Any] = {}
    for key, value in content.items():
        if key == _TABLE and isinstance(value, dict):
            flat |= {(key, inner): each for inner, each in value.items()}
        else:
            flat[(key,)] = value
    return flat


def _checked(flat: Mapping[tuple[str, ...], Any], text: str, path: str) -> dict[str, Line]:
    """The settings, each by its name; an error for an unknown one, one given twice, or of another kind."""
    places = _places(text)
    lines: dict[str, Line] = {}
    for keys, value in flat.items():
        line = places.get(keys, places.get(keys[:1]))
        if keys == (_TABLE,):
            raise ExcerptError(
                f"found {_TABLE} = {found(value)}, expected a table: [{_TABLE}]", path=path, line=line
            )
        name = keys[-1].replace("_", "-")
        setting = SETTINGS.get(name)
        if setting is None or (keys[:-1] and setting.setting != keys[0]):
            known = [each.name for each in SETTINGS.values() if not keys[:-1] or each.setting == keys[0]]
            known += [] if keys[:-1] else [_TABLE]
            where = f"setting of [{keys[0]}]" if keys[:-1] else "setting"
            error = UnknownName(where, keys[-1], known)
            raise ExcerptError(error.message, path=path, line=line, hint=error.hint)
        if name in lines:
            raise ExcerptError(f"found {name} a second time, expected it once", path=path, line=line)
        try:
            lines[name] = Line(setting.kind.take(value), line)
        except Unfit as unfit:
            raise ExcerptError(f"found {name} = {found(value)}, {unfit}", path=path, line=line) from None
    return lines


def _places(text: str) -> dict[tuple[str, ...], int]:
    """The line where each key stands; Python's reader of TOML does not tell."""
    places: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if heading := _HEADING.fullmatch(line):
            table = _keys(heading[1])
            places.setdefault(table, number)
        elif key := _KEY.match(line):
            places.setdefault((*table, *_keys(key[1])), number)
    return places


def _keys(text: str) -> tuple[str, ...]:
    """The parts of a dotted key.

    >>> _keys('policy . "unknown-length"')
    ('policy', 'unknown-length')
    """
    return tuple(part.strip().strip("\"'") for part in text.split("."))


@dataclass(frozen=True)
class Held:
    """A value that holds, and where it comes from: `option`, a variable, a line of a file, or `default`."""

    setting: Option
    value: Any
    origin: str = "default"

    @property
    def told(self) -> str:
        """The value as people read it."""
        return self.setting.tell(self.value)


@dataclass(frozen=True)
class Project:
    """Effective settings: what a project's file and the variables of the environment set."""

    file: ProjectFile | None
    environment: Mapping[str, str]

    @classmethod
    def here(cls, environment: Mapping[str, str] | None = None) -> Project:
        """What holds in the working folder."""
        given = os.environ if environment is None else environment
        return cls(ProjectFile.find(given), given)

    def names(self, name: str) -> bool:
        """Whether a setting is set here at all."""
        set_ = bool(self.environment.get(SETTINGS[name].variable, "").strip())
        return set_ or (self.file is not None and name in self.file.lines)

    def value(self, name: str) -> Held:
        """The value of a setting: that of its variable, else that of the file, else its default."""
        setting = SETTINGS[name]
        text = self.environment.get(setting.variable, "")
        if text.strip():
            return self._of_variable(setting, text.strip())
        line = None if self.file is None else self.file.lines.get(name)
        if self.file is None or line is None:
            return Held(setting, setting.default)
        place = self.file.path if line.line is None else f"{self.file.path}:{line.line}"
        value = _placed(setting, line.value, self.file.folder, self.file.path, line.line)
        return Held(setting, value, place)

    def _of_variable(self, setting: Option, text: str) -> Held:
        given = setting.kind.read(text)
        try:
            value = setting.kind.take(given)
        except Unfit as unfit:
            raise ExcerptError(f"found {found(given)}, {unfit}", path=setting.variable) from None
        return Held(setting, _placed(setting, value, "", setting.variable, None), setting.variable)

    def doubts(self) -> tuple[str, ...]:
        """Variables that look like ours and are not."""
        known = {setting.variable for setting in SETTINGS.values()} | OTHERS
        unknown = sorted(name for name in self.environment if name.startswith(PREFIX) and name not in known)
        errors = [UnknownName("variable", name, known) for name in unknown]
        return tuple(f"{error.message}; {error.hint.partition(' known:')[0]}" for error in errors)


def _placed(setting: Option, value: Any, folder: str, path: str, line: int | None) -> Any:
    """Paths as seen from the working folder, patterns as what fits them; names of measures are looked up."""
    if setting.name == "measures":
        _require_measures(value, path, line)
    if setting.role == "plain":
        return value
    if isinstance(value, tuple):
        return tuple(
            dict.fromkeys(file for each in value for file in _fitting(setting, each, folder, path, line))
        )
    return _fitting(setting, value, folder, path, line)[0]


def _require_measures(names: tuple[str, ...], path: str, line: int | None) -> None:
    from excerpt.measures import SETS, parse

    for name in names:
        try:
            if name.lower() not in SETS:
                parse(name)
        except ExcerptError as error:
            with contextlib.suppress(ExcerptError):
                parse(name, documents=True)
                continue
            raise ExcerptError(error.message, path=path, line=line, hint=error.hint) from None


def _fitting(setting: Option, given: str, folder: str, path: str, line: int | None) -> list[str]:
    """What a path of the file names; an error where there is nothing."""
    mark = "@" if given.startswith("@") and setting.holds == "files" else ""
    place = os.path.join(folder, given.removeprefix(mark))  # noqa: PTH118
    if os.path.lexists(place):
        return [mark + place]
    if glob.has_magic(place):
        fitting = sorted(glob.glob(place, recursive=True))  # noqa: PTH207
        if fitting:
            return [place] if setting.holds == "corpus" else fitting  # which takes patterns itself
        raise ExcerptError(f"found {setting.name} = {found(given)}, which fits no file", path=path, line=line)
    raise ExcerptError(f"found {setting.name} = {found(given)}, which does not exist", path=path, line=line)


@dataclass(frozen=True, repr=False)
class Config(Showable):
    """What holds for every setting, as `excerpt config` shows it.

    >>> print(config(environment={"EXCERPT_CONFIG": "none", "EXCERPT_LIMIT": "100"})["limit"])
    100
    """

    file: str | None
    held: Mapping[str, Held]
    warnings: tuple[str, ...] = field(default=())

    def __repr__(self) -> str:
        return f"<Config: {self.file or 'no file'}>"

    def __getitem__(self, name: str) -> Any:
        if name not in self.held:
            raise UnknownName("setting", name, self.held)
        return self.held[name].value

    def to_dict(self) -> dict[str, Any]:
        """The file, and each setting with its value and where that comes from."""
        settings = {
            name: {
                "value": list(held.value) if isinstance(held.value, tuple) else held.value,
                "from": held.origin,
            }
            for name, held in self.held.items()
        }
        return {"file": self.file, "settings": settings, "warnings": list(self.warnings)}

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """A row per setting."""
        return ("setting", "value", "from"), [
            (name, held.told, held.origin) for name, held in self.held.items()
        ]

    def notes(self) -> tuple[str, ...]:
        """Which file it is."""
        return (f"settings of {self.file}" if self.file else "no excerpt.toml",)


def config(
    options: Mapping[str, Any] | None = None, *, environment: Mapping[str, str] | None = None
) -> Config:
    """What holds in the working folder, and where each value comes from.

    `options` are settings that are given otherwise and come before all else; `environment` stands in place
    of the variables of this process.
    """
    project = Project.here(environment)
    given = dict(options or {})
    for name in given:
        if name not in SETTINGS:
            raise UnknownName("setting", name, SETTINGS)
    held = {
        name: Held(setting, given[name], "option") if name in given else project.value(name)
        for name, setting in SETTINGS.items()
    }
    return Config(project.file.path if project.file else None, held, project.doubts())
