"""Topics as they are found in a file: each with an id, a text and only once; all else is a fault."""

from __future__ import annotations

from collections.abc import Mapping

from excerpt.errors import short
from excerpt.formats.source import Source
from excerpt.formats.topics.topic import TEXTS, Topic


class Gathered:
    """The topics of one file, checked as they come."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.topics: dict[str, Topic] = {}

    def add(
        self,
        line: int,
        name: str,
        texts: Mapping[str, str],
        *,
        kind: str = "",
        castitle_line: int | None = None,
        bare: bool = False,
    ) -> None:
        """A topic that begins in a line; what is wrong with it is a fault. A `bare` one has an id only."""
        faults = self.source.faults
        if not name:
            faults.add(line, "found a topic without id, expected one")
        elif name in self.topics:
            first = self.topics[name].line
            faults.add(
                line, f"found topic {short(name)} again (first in line {first}), expected each id once"
            )
        elif not bare and not any(texts.get(key) for key in ("title", "text", "castitle")):
            faults.add(line, f"found no text of topic {short(name)}, expected a title or a question")
        else:
            known = {key: texts.get(key, "") for key in TEXTS}
            place = {"line": line, "castitle_line": castitle_line, "file": self.source.name}
            self.topics[name] = Topic(name, kind=kind, **known, **place)  # type: ignore[arg-type]
