"""Warnings as pages tell them: with the names of files, without their folders; documents keep their ids."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import PurePath

from excerpt.errors import short

#: The folders of a file that is named from the root on.
_FOLDERS = r"(?<![\w.])(?:[A-Za-z]:)?[/\\](?:[^/\\\s:]+[/\\])*(?=[^/\\\s])"
#: What may stand behind an id.
_ENDS = ("", " ", ",", ":", ")")


def without_folders(files: Iterable[str], ids: Sequence[str]) -> Callable[[str], str]:
    """A function that takes folders out of a text: those of `files`, and those of all paths from the root on.

    >>> tell = without_folders(["data/docs/", "."], ["/d/doc1"])
    >>> tell("data/docs/c.txt: /d/doc1, /d/e.txt of x.fol.")
    'docs/c.txt: /d/doc1, e.txt of x.fol.'
    """
    bases = {name.rstrip("/\\"): PurePath(name).name for name in files if PurePath(name).name}
    names = "|".join(re.escape(name) for name in sorted(bases, key=len, reverse=True))
    known = rf"(?<![\w./\\-])(?:{names})(?![\w-])|" if names else ""
    pattern = re.compile(known + _FOLDERS)

    @cache
    def shown_ids() -> list[str]:
        return [short(name) for name in ids if "/" in name or "\\" in name]

    def tell(match: re.Match[str]) -> str:
        text, at = match.string, match.start()
        for name in shown_ids():
            if text.startswith(name, at) and text[at + len(name) :][:1] in _ENDS:
                return match[0]
        return bases.get(match[0], "")

    return lambda text: pattern.sub(tell, text)
