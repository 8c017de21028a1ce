"""Generated assessments of elements and element runs of the size of an INEX ad hoc track."""

from __future__ import annotations

import random
from pathlib import Path

DOCUMENTS = 50_000
_JUDGED = 0  # for every topic; each run finds it, so that it matches some judgments


def paths(rng: random.Random) -> list[str]:
    """Element paths of a document: sections with paragraphs."""
    listed = ["/article[1]", "/article[1]/body[1]"]
    for section in range(1, rng.randint(3, 6)):
        listed.append(f"/article[1]/body[1]/section[{section}]")
        listed += [f"{listed[-1]}/p[{number}]" for number in range(1, rng.randint(3, 8))]
    return listed


def write_assessments(folder: Path, *, topics: int = 107, elements: int = 200_000, seed: int = 1) -> Path:
    """Write assessments of INEX 2005 (exhaustivity, sizes), one file per topic; return the folder."""
    rng = random.Random(seed)
    target = folder / "assessments"
    target.mkdir()
    for topic in range(topics):
        lines, left = [f'<assessments pool="{topic}" topic="{201 + topic}">'], elements // topics
        for document in (_JUDGED, *rng.sample(range(1, DOCUMENTS), 1999)):
            if left <= 0:
                break
            lines.append(f'<file collection="ieee" name="{document}">')
            for path in paths(rng)[: left + 1]:
                size = rng.randint(50, 5000)
                relevant = size if rng.random() < 0.3 else rng.randint(1, size)
                grade = rng.choice("12?")
                lines.append(
                    f'<element path="{path}" exhaustivity="{grade}" size="{size}" rsize="{relevant}"/>'
                )
                left -= 1
            lines.append("</file>")
        (target / f"{201 + topic}.xml").write_text("\n".join([*lines, "</assessments>\n"]), encoding="ascii")
    return target


def write_run(folder: Path, *, topics: int = 107, results: int = 1500, seed: int = 2) -> Path:
    """Write a run of element paths."""
    rng = random.Random(seed)
    path = folder / "elements.run"
    with path.open("w", encoding="ascii") as file:
        for topic in range(topics):
            seen: set[tuple[int, str]] = set()
            while len(seen) < results:
                key = (rng.randrange(DOCUMENTS) if seen else _JUDGED, rng.choice(paths(rng)))
                if key not in seen:
                    seen.add(key)
                    score = f"{1000 / len(seen):.4f}"
                    file.write(f"{201 + topic} Q0 {key[0]} {len(seen)} {score} run {key[1]}\n")
    return path
