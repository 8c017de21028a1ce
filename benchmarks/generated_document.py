"""A single long document with many relevant passages and results, the same for the same seed."""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

_LINE = 80
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
#: Results of a topic that count.
_RESULTS = 1500


class Written(NamedTuple):
    """Paths of the judgments, the run and the folder of the document."""

    qrels: Path
    run: Path
    corpus: Path


def write_document(folder: Path, *, characters: int, passages: int, xml: bool = False) -> Written:
    """Write a text with words beyond ASCII and 16 bits, and passages spread evenly; return the paths.

    With `xml` each line is a paragraph with an element inside.
    """
    rng = random.Random(1)
    corpus, qrels, run = folder / "documents", folder / "qrels.fol", folder / "run.fol"
    corpus.mkdir()
    text = _text(rng, characters)
    (corpus / f"A.{'xml' if xml else 'txt'}").write_text(
        _marked_up(text) if xml else text, encoding="utf-8", newline=""
    )
    step = characters // passages
    starts = range(0, step * passages, step)
    lengths = [rng.randint(step // 10, step - step // 20) for _ in starts]
    listed = " ".join(f"{start}:{length}" for start, length in zip(starts, lengths, strict=True))
    qrels.write_text(f"1 Q0 A {sum(lengths)} {characters} 0 {listed}\n", encoding="ascii")
    returned = rng.sample([(start + rng.randint(0, step // 8), step // 2) for start in starts], passages)
    lines = (
        f"1 Q0 A {rank} {1 / rank:.6f} run {start} {length}\n"
        for rank, (start, length) in enumerate(returned[:_RESULTS], 1)
    )
    run.write_text("".join(lines), encoding="ascii")
    return Written(qrels, run, corpus)


def _text(rng: random.Random, characters: int) -> str:
    words = ["".join(rng.choices(_LETTERS, k=rng.randint(2, 9))) for _ in range(2000)]
    words += ["😀", "é", "naïve\n", "end.\n\n"]
    return " ".join(rng.choices(words, k=characters // 2))[:characters]


def _marked_up(text: str) -> str:
    lines = (text[start : start + _LINE] for start in range(0, len(text), _LINE))
    return (
        f"<article>{''.join(f'<p>{line[:9]}<i>{line[9:14]}</i>{line[14:]}</p>' for line in lines)}</article>"
    )
