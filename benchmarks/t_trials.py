"""(t) Trials: excerpt try on a documentation, again, and with a hundred thousand chunks."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

from generated_pages import Pages, write_folder, write_rows
from inputs import Inputs, Scale
from measuring import Case, excerpt, interleave, python, ratio
from parts import alone
from r_versions import PAGES, SIZE, quotes
from results import Figure, Part, Row, Target

#: The documentation of FastAPI with 30 questions, if available next to the checkout.
FASTAPI = Path(__file__).resolve().parents[2] / "shared" / "data" / "fastapi"
QUESTIONS = 30
#: Chunks and questions of the large trial; documents have so many paragraphs.
CHUNKS, ASKED, PARAGRAPHS = 100_000, 500, 10
#: Limits: CPU seconds, and MiB.
FIRST, AGAIN, LARGE, MEMORY = 3.0, 0.7, 15.0, 1024
_FIRST, _AGAIN, _LARGE = "try, a documentation", "try again, nothing changed", "try, many chunks"
_LOOP, _LARGE_LOOP = "a script: the same eight, BM25, recall", "a script: paragraphs, BM25, recall"


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure this part, and compare it with its targets."""
    folder, chunks = inputs.place("trials"), CHUNKS if scale.full else scale.chunked[0] // 4
    docs, gold = documentation(folder)
    many, asked = large(folder, chunks, ASKED if scale.full else 20)
    done = Part(
        "t",
        "Trials",
        f"`excerpt try` without options: eight chunkers x BM25 on {PAGES} pages of documentation with "
        f"{QUESTIONS} questions, from the files to the report with intervals, ceilings and tests; the same "
        f"command again; then one chunker on {chunks:,} paragraphs. Beside each a script that cuts, ranks "
        "by BM25 in numpy, and takes a chunk that contains the quote for a hit.",
        base=_LOOP,
    )
    tried = folder / "tried"
    cases = [
        Case(_FIRST, excerpt("try", docs, gold, "-o", tried), before=lambda: _remove(tried)),
        Case(_AGAIN, excerpt("try", docs, gold, "-o", tried)),
        Case(_LOOP, python("try_by_hand.py", docs, gold, "eight")),
    ]
    found = interleave(cases, scale.few)
    done.rows += [Row.of(name, samples, found[_LOOP]) for name, samples in found.items()]
    other = folder / "many-tried"
    one = excerpt("try", many, asked, "--chunker", "paragraphs", "-o", other)
    cases = [
        Case(_LARGE, one, before=lambda: _remove(other)),
        Case(_LARGE_LOOP, python("try_by_hand.py", many, asked, "paragraphs")),
    ]
    found |= interleave(cases, scale.study_rounds, warm_up=False)
    done.rows += [Row.of(name, found[name]) for name in (_LARGE, _LARGE_LOOP)]
    done.figures.append(
        Figure(f"{_LARGE}: CPU over that of the script", ratio(found[_LARGE], found[_LARGE_LOOP]))
    )
    if scale.full:
        done.targets += [
            Target(f"{_FIRST}: CPU", FIRST, found[_FIRST].cpu, "s"),
            Target(f"{_AGAIN}: CPU", AGAIN, found[_AGAIN].cpu, "s"),
            Target(f"{chunks:,} chunks x {ASKED} questions: CPU", LARGE, found[_LARGE].cpu, "s"),
            Target(f"{chunks:,} chunks x {ASKED} questions: peak", MEMORY, found[_LARGE].peak, "MiB"),
        ]
    return done


def documentation(folder: Path) -> tuple[Path, Path]:
    """Pages and questions: those of FastAPI, else as many generated ones."""
    if FASTAPI.is_dir():
        return FASTAPI / "2026", FASTAPI / "gold.jsonl"
    writer = Pages(5)
    pages = {f"page{number}.md": writer.page(SIZE) for number in range(PAGES)}
    gold = write_rows(folder / "gold.jsonl", quotes(pages, QUESTIONS, random.Random(5)))
    return write_folder(folder / "docs", pages), gold


def large(folder: Path, chunks: int, asked: int) -> tuple[Path, Path]:
    """Documents of paragraphs in JSON Lines, and questions of words of a paragraph."""
    writer, rng = Pages(6), random.Random(6)
    texts = {
        f"d{number}": "\n".join(writer.paragraph() for _ in range(PARAGRAPHS))
        for number in range(chunks // PARAGRAPHS)
    }
    rows = quotes(texts, asked, rng)
    for row in rows:
        words = str(row["quote"]).split()
        row["question"] = " ".join([*words[:6], *writer.words(3).split()])
    documents = [{"_id": name, "text": text} for name, text in texts.items()]
    return write_rows(folder / "many.jsonl", documents), write_rows(folder / "asked.jsonl", rows)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    alone(part)
