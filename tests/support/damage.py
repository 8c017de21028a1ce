"""Campaigns with random damage, and what the commands make of them: the truth, or one line that helps.

`python -m support.damage [DATABASES] [JOURNALS]` in `tests` damages so many of each (200, 400), and counts.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

from support.served_campaign import excerpt
from support.small_campaign import do, small_campaign

from excerpt.assess.folder import DATABASE, JOURNAL, SETTINGS

COMMANDS = ("status", "people", "agreement", "export", "rebuild")


def judged_campaign(folder: Path) -> Path:
    """A campaign with two assessors and some finished documents."""
    with small_campaign(folder) as campaign:
        for name in ("ann", "ben"):
            campaign.add_person(name)
            for document, end in (("a", 9), ("plain.txt", 20)):
                do(campaign, name, "highlight", 3, end + len(name), document=document)
                do(campaign, name, "bep", 4, document=document)
                do(campaign, name, "done", document=document)
        campaign.trace("ann", "7", "a", "work", {"seconds": 3})
    return folder


def damage(path: Path, chance: random.Random) -> str:
    """Damage a file at a random place; return the kind of damage."""
    data = bytearray(path.read_bytes())
    lines = bytes(data).splitlines(keepends=True)
    kinds = ["byte", "bytes", "zeros"] + (
        ["gone", "twice", "swapped", "garbage"] if path.name == JOURNAL else []
    )
    kind, at = chance.choice(kinds), chance.choice([at for at, byte in enumerate(data) if byte])
    if kind == "byte":
        data[at] ^= 1 << chance.randrange(8)
    elif kind in {"bytes", "zeros"}:
        size = min(chance.randrange(1, 64), len(data) - at)
        data[at : at + size] = chance.randbytes(size) if kind == "bytes" else bytes(size)
    else:
        row = chance.randrange(len(lines) - 1)  # without the last line nobody can tell that it was there
        new = {"gone": [], "twice": [lines[row]] * 2, "garbage": [b"[" * 5000 + b"\n"]}
        lines[row : row + 2] = [*new.get(kind, [lines[row + 1], lines[row]]), *lines[row + 1 : row + 2]][:3]
        if kind == "swapped":
            del lines[row + 2]
        data = bytearray(b"".join(lines))
    path.write_bytes(data)
    return kind


def export_of(folder: Path) -> tuple[int, str, str]:
    """Status, messages and content of an export."""
    target = folder.with_name("export.jsonl")
    target.unlink(missing_ok=True)
    done = excerpt(
        "assess", "export", folder, "--merge", "union", "--corpus", corpus_of(folder), "-o", target
    )
    return done.returncode, done.stderr, target.read_text() if target.exists() else ""


def corpus_of(folder: Path) -> Path:
    """The documents next to a campaign."""
    return folder.parent.parent / "c-documents"


def try_one(
    sound: Path, place: Path, name: str, chance: random.Random, *, lost: bool = False
) -> Counter[str]:
    """Damage a copy of a campaign and run all commands on it; return counts of outcomes.

    With `lost` the database is lost as well. Every command tells the truth, or ends with status 2 and one
    line that names a file and the command that rebuilds it.
    """
    truth = export_of(sound)[2]
    folder = place / "trial" / "c"
    shutil.rmtree(folder.parent, ignore_errors=True)
    shutil.copytree(sound, folder)
    if lost:
        (folder / DATABASE).unlink()
    kind = damage(folder / name, chance)
    found: Counter[str] = Counter()
    for command in COMMANDS:
        if command == "export":
            status, said, content = export_of(folder)
            assert status == 2 or content == truth, (kind, "a wrong export")
        else:
            more = {"people": ("list",), "rebuild": ("--corpus", corpus_of(folder))}.get(command, ())
            done = excerpt("assess", command, folder, *more)
            status, said = done.returncode, done.stderr
        assert status in {0, 2}, (kind, command, status, said)
        if status == 2:
            assert said.count("\n") == 1, (kind, command, said)
            assert f"{folder}" in said, (kind, command, said)
            assert "excerpt assess rebuild" in said, (kind, command, said)
        found[f"{command} {status}"] += 1
    after = export_of(folder)
    assert after[0] == 2 or after[2] == truth, (kind, "a wrong export after rebuild")
    if after[0] == 2:  # what is left is rebuilt, and what is lost is listed
        done = excerpt("assess", "rebuild", folder, "--as-far-as-possible", "--corpus", corpus_of(folder))
        assert done.returncode == 0 or name == SETTINGS, (kind, done.stderr)
        status, said, content = export_of(folder)
        assert status == 0, (kind, said)
        assert content == truth or "lost: " in done.stderr, (kind, done.stderr)
        found["as far as possible"] += 1
    return found


def try_many(place: Path, name: str, count: int, seed: int) -> Counter[str]:
    """Damage a file of a campaign many times; return counts of outcomes."""
    sound = judged_campaign(place / "c")
    (place / "sound").mkdir()
    sound = Path(shutil.move(sound, place / "sound" / "c"))
    chance = random.Random(seed)
    found: Counter[str] = Counter()
    for number in range(count):
        try:
            found += try_one(sound, place, name, chance, lost=name == JOURNAL and number % 2 == 1)
        except Exception as error:
            error.add_note(f"{name}, seed {seed}, trial {number}")
            raise
    return found


if __name__ == "__main__":
    counts = [int(word) for word in sys.argv[1:]] or [200, 400]
    for file, times in zip((DATABASE, JOURNAL, SETTINGS), [*counts, 100], strict=False):
        with tempfile.TemporaryDirectory() as work:
            print(file, times, dict(sorted(try_many(Path(work), file, times, 1).items())))
