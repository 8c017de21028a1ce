"""Small worlds of other tracks, with the output of the official programs."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "data" / "tracks"


@cache
def worlds(track: str) -> list[dict[str, Any]]:
    """All worlds of a track."""
    return [
        json.loads(line) for line in gzip.decompress((FOLDER / f"{track}.jsonl.gz").read_bytes()).splitlines()
    ]


def content(world: dict[str, Any], name: str) -> bytes:
    """The content of a file of a world."""
    given = world["files"][name]
    if name.endswith(".jsonl") and isinstance(given, list):
        given = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in given)
    elif not isinstance(given, str):
        given = json.dumps(given, ensure_ascii=False)
    return str(given).encode(world.get("encoding", "utf-8"))


def write(world: dict[str, Any], folder: Path) -> None:
    """Write the files of a world."""
    for name in world["files"]:
        (folder / name).write_bytes(content(world, name))


def figures(track: str) -> Iterator[tuple[dict[str, Any], list[str], str, str]]:
    """Yield every world with the options of a call, the scored file, and what the official program prints."""
    for world in worlds(track):
        for key, value in world["official"].items():
            if isinstance(value, dict):
                yield from ((world, key.split(), name, output) for name, output in value.items())
            else:
                yield world, world.get("args", []), key, value
