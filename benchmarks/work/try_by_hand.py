"""Cut, retrieve and score as a script does: BM25 in numpy, a chunk that has the quote is a hit; print recall.

python try_by_hand.py DOCUMENTS GOLD eight|paragraphs
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

K1, B, BUDGET = 1.2, 0.75, 4000
WORDS = re.compile(r"\w+")


def paragraphs(text: str) -> list[str]:
    """Parts between blank lines."""
    return [part for part in re.split(r"\n\s*\n", text) if part.strip()]


def packed(parts: Iterable[str], size: int) -> list[str]:
    """Parts joined as long as they fit."""
    chunks = [""]
    for part in parts:
        if chunks[-1] and len(chunks[-1]) + len(part) > size:
            chunks.append("")
        chunks[-1] += part + "\n\n"
    return [chunk for chunk in chunks if chunk.strip()]


def windows(size: int, step: int) -> Callable[[str], list[str]]:
    """Windows of characters."""
    return lambda text: [text[begin : begin + size] for begin in range(0, len(text), step)]


EIGHT: dict[str, Callable[[str], list[str]]] = {
    "paragraphs": paragraphs,
    "sentences": lambda text: packed(re.split(r"(?<=[.!?])\s+", text), 600),
    "400": lambda text: packed(paragraphs(text), 400),
    "800": lambda text: packed(paragraphs(text), 800),
    "1600": lambda text: packed(paragraphs(text), 1600),
    "overlap": windows(800, 640),
    "headings": lambda text: re.split(r"\n(?=#)", text),
    "windows": windows(400, 400),
}


def recall(chunks: list[str], questions: list[tuple[str, str]]) -> float:
    """Share of the quotes that the first chunks within the budget contain."""
    postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
    sizes = np.zeros(len(chunks))
    for number, chunk in enumerate(chunks):
        counted = Counter(WORDS.findall(chunk.lower()))
        sizes[number] = counted.total()
        for word, times in counted.items():
            postings[word].append((number, times))
    norm = K1 * (1 - B + B * sizes / max(sizes.mean(), 1))
    found = 0
    for question, quote in questions:
        scores = np.zeros(len(chunks))
        for word in WORDS.findall(question.lower()):
            if word in postings:
                listed = np.array(postings[word])
                often = listed[:, 1]
                idf = np.log(1 + (len(chunks) - len(listed) + 0.5) / (len(listed) + 0.5))
                scores[listed[:, 0]] += idf * often / (often + norm[listed[:, 0]])
        read = 0
        best: list[int] = np.argsort(-scores, kind="stable")[:1000].tolist()
        for number in best:
            if read >= BUDGET:
                break
            read += len(chunks[number])
            if quote in chunks[number]:
                found += 1
                break
    return found / len(questions)


def main() -> None:
    """Print the recall of each way to cut."""
    place, gold, how = sys.argv[1:]
    path = Path(place)
    if path.is_dir():
        texts = [file.read_text(encoding="utf-8") for file in sorted(path.rglob("*.md"))]
    else:
        texts = [json.loads(line)["text"] for line in path.read_bytes().splitlines()]
    rows = map(json.loads, Path(gold).read_bytes().splitlines())
    questions = [(row["question"], row["quote"]) for row in rows]
    for name, cut in EIGHT.items():
        if how in {"eight", name}:
            print(name, recall([chunk for text in texts for chunk in cut(text)], questions))


if __name__ == "__main__":
    main()
