"""Effective settings of a project and their sources: excerpt.toml, environment variables, defaults.

The file is searched upwards from the working folder and read with the line of every setting. A value comes
from an option, else from an environment variable, else from the file, else it is the default.
"""

from __future__ import annotations

import contextlib
import glob
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.files import is_root, split_parser
from excerpt.model.display import Showable
from excerpt.options import (
    OTHER_VARIABLES,
    PREFIX,
    SETTINGS,
    Option,
    foreign_file,
    in_error,
    is_foreign,
    project_file,
)

#: Tables: each with its settings, and the name that the setting of the same name has in it.
_TABLES = {"policy": "", "read": "", "corpus": "path", "render": ""}
#: Table of the fixture of pytest, whose settings no command reads.
GATE = "gate"
_HEADING = re.compile(r"\s*\[{1,2}\s*([^\[\]]+?)\s*\]{1,2}\s*(?:#.*)?")
_KEY = re.compile(r"\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*=")
_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)")


@dataclass(frozen=True)
class SettingLine:
    """A value of the file, and its line."""

    value: Any
    line: int | None


@dataclass(frozen=True)
class ProjectFile:
    """A project file: its path, the folder that its paths are relative to, and its settings by line."""

    path: str
    folder: str
    lines: Mapping[str, SettingLine]

    @classmethod
    def read(cls, path: str) -> ProjectFile:
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
    except (ValueError, RecursionError) as error:  # also very long numbers, and deep nesting
        position = _POSITION.search(str(error))
        line = int(position[1]) if position and position[1] else None
        column = f" in column {position[2]}" if position and position[2] else ""
        reason = short(_POSITION.sub("", str(error)))
    message = f'not valid TOML{column} ({reason}), expected lines like index = "corpus.index"'
    raise ExcerptError(message, path=path, line=line)


def gate_settings(environment: Mapping[str, str] | None = None) -> tuple[dict[str, Any], str]:
    """The table [gate] of the project file, and the folder that its paths are relative to."""
    from excerpt.files import read_bytes

    path = project_file(os.environ if environment is None else environment)
    if path is None:
        return {}, ""
    found = _parsed(read_bytes(path).decode("utf-8-sig", "replace"), path).get(GATE, {})
    if not isinstance(found, dict):
        raise ExcerptError(f"found {GATE} = {in_error(found)}, expected a table: [{GATE}]", path=path)
    if is_foreign(path) and ":" in str(found.get("corpus", "")).rpartition("@")[2]:
        message = "found a corpus that names code, in a file of another user"
        raise ExcerptError(message, path=path, hint="copy the file")
    return found, os.path.dirname(path)  # noqa: PTH120


def _flat(content: Mapping[str, Any]) -> dict[tuple[str, ...], Any]:
    """Return all values by their keys; keys of tables begin with their names."""
    flat: dict[tuple[str, ...], Any] = {}
    for key, value in content.items():
        if key == GATE:  # of the fixture of pytest, which checks it
            continue
        if key in _TABLES and isinstance(value, dict):
            flat |= {(key, inner): each for inner, each in value.items()}
        else:
            flat[(key,)] = value
    return flat


def _checked(flat: Mapping[tuple[str, ...], Any], text: str, path: str) -> dict[str, SettingLine]:
    """Return the settings by name; raise an error for one that is unknown, repeated or of the wrong type."""
    line_of = _line_numbers(text)
    lines: dict[str, SettingLine] = {}
    for keys, value in flat.items():
        line = line_of.get(keys, line_of.get(keys[:1]))
        if len(keys) == 1 and keys[0] in _TABLES and keys[0] not in SETTINGS:
            message = f"found {keys[0]} = {in_error(value)}, expected a table: [{keys[0]}]"
            raise ExcerptError(message, path=path, line=line)
        own = keys[:-1] and keys[-1] == _TABLES[keys[0]]
        name = keys[0] if own else keys[-1].replace("_", "-")
        setting = SETTINGS.get(name)
        if setting is None or (keys[:-1] and not own and setting.setting != keys[0]):
            known = [each.name for each in SETTINGS.values() if not keys[:-1] or each.setting == keys[0]]
            known += [_TABLES[keys[0]]] if keys[:-1] and _TABLES[keys[0]] else []
            known += [] if keys[:-1] else [table for table in _TABLES if table not in SETTINGS]
            kind = f"setting of [{keys[0]}]" if keys[:-1] else "setting"
            raise UnknownName(kind, keys[-1], known, path=path, line=line)
        if name in lines:
            raise ExcerptError(f"found {name} a second time, expected it once", path=path, line=line)
        try:
            lines[name] = SettingLine(setting.of_toml(value), line)
        except ValueError as error:
            message = f"found {name} = {str(error).removeprefix('found ')}"
            raise ExcerptError(message, path=path, line=line) from None
    return lines


def _line_numbers(text: str) -> dict[tuple[str, ...], int]:
    """Return the line number of each key, which tomllib does not give."""
    line_of: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if heading := _HEADING.fullmatch(line):
            table = _keys(heading[1])
            line_of.setdefault(table, number)
        elif key := _KEY.match(line):
            line_of.setdefault((*table, *_keys(key[1])), number)
    return line_of


def _keys(text: str) -> tuple[str, ...]:
    """Return the parts of a dotted key.

    >>> _keys('policy . "unknown-length"')
    ('policy', 'unknown-length')
    """
    return tuple(part.strip().strip("\"'") for part in text.split("."))


@dataclass(frozen=True)
class EffectiveSetting:
    """An effective value and its source: `option`, a variable, a line of a file, or `default`."""

    setting: Option
    value: Any
    origin: str = "default"

    @property
    def text(self) -> str:
        return self.setting.display(self.value)


@dataclass(frozen=True)
class Project:
    """Effective settings from a project file and environment variables."""

    file: ProjectFile | None
    environment: Mapping[str, str]

    @classmethod
    def here(cls, environment: Mapping[str, str] | None = None) -> Project:
        """Return the effective settings in the working folder."""
        variables = os.environ if environment is None else environment
        path = project_file(variables)
        return cls(ProjectFile.read(path) if path else None, variables)

    def names(self, name: str) -> bool:
        """Return whether a variable or the file has a setting."""
        set_ = bool(self.environment.get(SETTINGS[name].variable, "").strip())
        return set_ or (self.file is not None and name in self.file.lines)

    def value(self, name: str) -> EffectiveSetting:
        """Return the value of a setting from its variable, else from the file, else its default."""
        setting = SETTINGS[name]
        text = self.environment.get(setting.variable, "")
        if text.strip():
            return self._of_variable(setting, text.strip())
        line = None if self.file is None else self.file.lines.get(name)
        if self.file is None or line is None:
            return EffectiveSetting(setting, setting.default)
        if _names_code(setting, line.value) and is_foreign(self.file.path):
            message = (
                f"found {setting.name} = {in_error(line.value)}, which names code, in a file of another user"
            )
            hint = f"give it as an option: --{setting.name}"
            raise ExcerptError(message, path=self.file.path, line=line.line, hint=hint)
        origin = self.file.path if line.line is None else f"{self.file.path}:{line.line}"
        value = _resolved(setting, line.value, self.file.folder, self.file.path, line.line)
        return EffectiveSetting(setting, value, origin)

    def _of_variable(self, setting: Option, text: str) -> EffectiveSetting:
        try:
            value = setting.of_variable(text)
        except ValueError as error:
            raise ExcerptError(str(error), path=setting.variable) from None
        resolved = _resolved(setting, value, "", setting.variable, None)
        return EffectiveSetting(setting, resolved, setting.variable)

    def warnings(self) -> tuple[str, ...]:
        """Warnings about unknown variables with our prefix."""
        known = {setting.variable for setting in SETTINGS.values()} | OTHER_VARIABLES
        unknown = sorted(name for name in self.environment if name.startswith(PREFIX) and name not in known)
        errors = [UnknownName("variable", name, known) for name in unknown]
        ignored = foreign_file(self.environment)
        foreign = [f"{ignored} belongs to another user and is ignored; EXCERPT_CONFIG={ignored} uses it"]
        return (*(foreign if ignored else ()), *_said(errors))


def _said(errors: Iterable[UnknownName]) -> tuple[str, ...]:
    return tuple(f"{error.message}; {error.hint.partition(' known:')[0]}" for error in errors)


def _names_code(setting: Option, value: Any) -> bool:
    """Return whether a setting names code: documents with a parser, as in `docs@module:function`."""
    return (
        setting.holds == "corpus"
        and isinstance(value, str)
        and ":" in value.rpartition("@")[2]
        and "@" in value
    )


def _resolved(setting: Option, value: Any, folder: str, path: str, line: int | None) -> Any:
    """Return paths relative to the working folder, and patterns as files; check names of measures."""
    if setting.name == "measures":
        _require_measures(value, path, line)
    if setting.role == "plain":
        return value
    if isinstance(value, tuple):
        return tuple(
            dict.fromkeys(file for each in value for file in _matching(setting, each, folder, path, line))
        )
    return _matching(setting, value, folder, path, line)[0]


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


def _matching(setting: Option, name: str, folder: str, path: str, line: int | None) -> list[str]:
    """Return the files that a path or pattern names; raise an error if there are none."""
    mark = "@" if name.startswith("@") and setting.holds == "files" else ""
    file = os.path.join(folder, name.removeprefix(mark))  # noqa: PTH118
    if setting.holds == "corpus":
        documents, parser = split_parser(file)
        if parser:
            base = _matching(setting, os.path.relpath(documents, folder or "."), folder, path, line)[0]
            return [f"{base}@{parser}"]
    if os.path.lexists(file):
        if setting.holds == "corpus" and is_root(file):
            message = f"found {setting.name} = {in_error(name)}, the root of the file system"
            raise ExcerptError(f"{message}, expected a folder of documents", path=path, line=line)
        return [mark + file]
    if glob.has_magic(file):
        files = sorted(glob.glob(file, recursive=True))  # noqa: PTH207
        if files:
            return [file] if setting.holds == "corpus" else files  # a corpus expands patterns itself
        raise ExcerptError(f"{setting.name} = {in_error(name)} matches no file", path=path, line=line)
    raise ExcerptError(f"{setting.name} = {in_error(name)} does not exist", path=path, line=line)


@dataclass(frozen=True, repr=False)
class Config(Showable):
    """Effective value and source of every setting, as `excerpt config` prints them.

    >>> print(config(environment={"EXCERPT_CONFIG": "none", "EXCERPT_LIMIT": "100"})["limit"])
    100
    """

    file: str | None
    held: Mapping[str, EffectiveSetting]
    warnings: tuple[str, ...] = field(default=())

    def __repr__(self) -> str:
        return f"<Config: {self.file or 'no file'}>"

    def __getitem__(self, name: str) -> Any:
        if name not in self.held:
            raise UnknownName("setting", name, self.held)
        return self.held[name].value

    def to_dict(self) -> dict[str, Any]:
        """Return the file, and each setting with its value and source."""
        settings = {
            name: {
                "value": list(setting.value) if isinstance(setting.value, tuple) else setting.value,
                "from": setting.origin,
            }
            for name, setting in self.held.items()
        }
        return {"file": self.file, "settings": settings, "warnings": list(self.warnings)}

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        return ("setting", "value", "from"), [
            (name, setting.text, setting.origin) for name, setting in self.held.items()
        ]

    def notes(self) -> tuple[str, ...]:
        return (f"settings from {self.file}" if self.file else "no excerpt.toml",)


def config(
    options: Mapping[str, Any] | None = None, *, environment: Mapping[str, str] | None = None
) -> Config:
    """Return the effective settings in the working folder, and the source of each.

    `options` are settings that override all others; `environment` replaces the variables of this process.
    """
    project = Project.here(environment)
    overrides = dict(options or {})
    for name in overrides:
        if name not in SETTINGS:
            raise UnknownName("setting", name, SETTINGS)
    settings = {
        name: EffectiveSetting(setting, overrides[name], "option")
        if name in overrides
        else project.value(name)
        for name, setting in SETTINGS.items()
    }
    return Config(project.file.path if project.file else None, settings, project.warnings())
