"""What holds, and where it comes from: an option, a variable, the project's file, or the default."""

from __future__ import annotations

import contextlib
import glob
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from excerpt.errors import ExcerptError, UnknownName
from excerpt.model.showable import Showable
from excerpt.project.project_file import NAMED, ProjectFile
from excerpt.project.settings import PREFIX, SETTINGS, Setting, Unfit, found

#: Variables of ours that are no settings of a project.
_OTHERS = {NAMED, "EXCERPT_MAX_SIZE", "EXCERPT_CHROMIUM"}


@dataclass(frozen=True)
class Held:
    """A value that holds, and where it comes from: `option`, a variable, a line of a file, or `default`."""

    setting: Setting
    value: Any
    origin: str = "default"

    @property
    def told(self) -> str:
        """The value as people read it."""
        return self.setting.told(self.value)


@dataclass(frozen=True)
class Holding:
    """What a project's file and the variables of the environment say."""

    file: ProjectFile | None
    environment: Mapping[str, str]

    @classmethod
    def here(cls, environment: Mapping[str, str] | None = None) -> Holding:
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

    def _of_variable(self, setting: Setting, text: str) -> Held:
        given = setting.read(text)
        try:
            value = setting.take(given)
        except Unfit as unfit:
            raise ExcerptError(f"found {found(given)}, {unfit}", path=setting.variable) from None
        return Held(setting, _placed(setting, value, "", setting.variable, None), setting.variable)

    def doubts(self) -> tuple[str, ...]:
        """Variables that look like ours and are not."""
        known = {setting.variable for setting in SETTINGS.values()} | _OTHERS
        unknown = sorted(name for name in self.environment if name.startswith(PREFIX) and name not in known)
        errors = [UnknownName("variable", name, known) for name in unknown]
        return tuple(f"{error.message}; {error.hint.partition(' known:')[0]}" for error in errors)


def _placed(setting: Setting, value: Any, folder: str, path: str, line: int | None) -> Any:
    """Paths as seen from the working folder, patterns as what fits them; names of measures are looked up."""
    if setting.name == "measures":
        _require_measures(value, path, line)
    if not setting.paths:
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


def _fitting(setting: Setting, given: str, folder: str, path: str, line: int | None) -> list[str]:
    """What a path of the file names; an error where there is nothing."""
    mark = "@" if given.startswith("@") and setting.name == "runs" else ""
    place = os.path.join(folder, given.removeprefix(mark))  # noqa: PTH118
    if os.path.lexists(place):
        return [mark + place]
    if glob.has_magic(place):
        fitting = sorted(glob.glob(place, recursive=True))  # noqa: PTH207
        if fitting:
            return [place] if setting.name == "corpus" else fitting  # which takes patterns itself
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
    holding = Holding.here(environment)
    given = dict(options or {})
    for name in given:
        if name not in SETTINGS:
            raise UnknownName("setting", name, SETTINGS)
    held = {
        name: Held(setting, given[name], "option") if name in given else holding.value(name)
        for name, setting in SETTINGS.items()
    }
    return Config(holding.file.path if holding.file else None, held, holding.doubts())
