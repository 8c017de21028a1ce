"""What chunk size and overlap do to figures of other tools, on a documentation and thirty questions.

    python benchmarks/other_tools.py [FOLDER] [--write]

FOLDER has docs (Markdown) and gold.jsonl (default: ../shared/data/fastapi next to the checkout, with `2026`:
the tutorial of FastAPI, MIT licence, August 2026; the questions are ours, CC0). The chunker is LangChain's,
the retriever the BM25 of excerpt. Two figures of other tools are computed by their published definitions:

- ragas 0.4.3, NonLLMContextRecall: the share of the quotes whose Levenshtein similarity with some retrieved
  chunk (1 - distance / longer length) is above 0.5;
- LlamaIndex 0.14, HitRate: the share of the questions of which a retrieved chunk has an expected id. The
  expected ids are those of the chunks of 800 characters that contain the quote. Ids are new for each
  chunking, as LlamaIndex makes them, or hashes of the text.

`--write` writes the rows with their origin to other_tools.json, which the pages show.
"""

from __future__ import annotations

import hashlib
import json
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from langchain_text_splitters import RecursiveCharacterTextSplitter

import excerpt
from excerpt.notices import Notices
from excerpt.placing.chunks import Chunks
from excerpt.trials.bm25 import BM25

HERE = Path(__file__).parent
ROWS = HERE / "other_tools.json"
SHARED = HERE.parents[1] / "shared" / "data" / "fastapi"
SIZES = (100, 200, 300, 800, 1600)
TOP, THRESHOLD, BUDGET = 5, 0.5, 4000


def similarity(one: str, other: str) -> float:
    """1 - the least number of insertions, deletions and replacements, by the longer length.

    >>> similarity("abc", "abd"), similarity("", "")
    (0.6666666666666667, 1.0)
    """
    if not one or not other:
        return float(one == other)
    before = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        now = [row]
        for column, beside in enumerate(other, 1):
            now.append(min(before[column] + 1, now[-1] + 1, before[column - 1] + (letter != beside)))
        before = now
    return 1 - before[-1] / max(len(one), len(other))


def text_recall(quotes: list[str], texts: list[str]) -> float:
    """The share of the quotes that are similar to some text.

    >>> text_recall(["No pets.", "In May."], ["No pets!"])
    0.5
    """
    return sum(max(similarity(quote, text) for text in texts) > THRESHOLD for quote in quotes) / len(quotes)


def cut(corpus: excerpt.Corpus, size: int, overlap: int = 0) -> Chunks:
    """Chunks of LangChain, located."""
    splitter = RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=overlap)
    return corpus.place(
        {name: splitter.split_text(text) for name, text in corpus.items()}, name=f"{size}+{overlap}"
    )


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def identity(text: str) -> str:
    """The id of a chunk, by its text."""
    return hashlib.sha256(text.encode()).hexdigest()


def compute(docs: Path, gold: Path) -> dict[str, Any]:
    """Both tables."""
    corpus = excerpt.Corpus.read(docs)
    rows = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines()]
    questions = {str(number): row["question"] for number, row in enumerate(rows, 1)}
    quotes = {str(number): [row["quote"]] for number, row in enumerate(rows, 1)}
    judgments = excerpt.read_gold(gold, corpus, notices=Notices())
    measures = (f"recall@{TOP}", f"recall(budget={BUDGET})", f"found@{TOP}")

    def retrieved(chunks: Chunks) -> tuple[dict[str, list[str]], dict[str, float]]:
        index = BM25(chunks.texts)
        found = {topic: index.rank(question, 100)[0] for topic, question in questions.items()}
        table = excerpt.evaluate(judgments, chunks.run(found), measures, corpus=corpus, notices=Notices())
        texts = {topic: [chunks.texts[row] for row in own[:TOP].tolist()] for topic, own in found.items()}
        return texts, dict(zip(measures, table.means()[0].tolist(), strict=True))

    sizes = []
    for size in SIZES:
        texts, means = retrieved(cut(corpus, size))
        ragas = mean([text_recall(quotes[topic], texts[topic]) for topic in questions])
        sizes.append(
            {"size": size, "ragas": ragas, "recall": means[measures[0]], "budget": means[measures[1]]}
        )
    first = cut(corpus, 800)
    expected = {
        topic: {identity(text) for text in first.texts if quotes[topic][0] in text} for topic in questions
    }
    overlaps = []
    for overlap in (0, 200):
        texts, means = retrieved(cut(corpus, 800, overlap))
        hits = [float(any(identity(text) in expected[topic] for text in texts[topic])) for topic in questions]
        new = mean(hits) if not overlap else 0.0  # all ids of another chunking are other ids
        overlaps.append(
            {"overlap": overlap, "new_ids": new, "hashes": mean(hits), "found": means[measures[2]]}
        )
    origin = {
        "documents": "the tutorial of FastAPI, August 2026, MIT licence",
        "questions": f"{len(questions)} with quotes, CC0",
        "chunker": f"langchain-text-splitters {metadata.version('langchain-text-splitters')}",
        "script": "benchmarks/other_tools.py",
        "definitions": "ragas 0.4.3 NonLLMContextRecall; LlamaIndex 0.14 HitRate",
    }
    return {"origin": origin, "sizes": sizes, "overlaps": overlaps}


def tables(found: dict[str, Any]) -> str:
    """Both tables in Markdown.

    >>> row = {"size": 100, "ragas": 0.2, "recall": 0.1957, "budget": 0.5}
    >>> print(tables({"sizes": [row], "overlaps": []}))
    | chunks of | ragas' model-free recall | recall@5 | recall(budget=4000) |
    | --- | --- | --- | --- |
    | 100 characters | 0.20 | 0.20 | 0.50 |
    <BLANKLINE>
    | overlap of chunks of 800 | hit rate by ids of chunks | the same by hashes of texts | found@5 |
    | --- | --- | --- | --- |
    """
    lines = [
        "| chunks of | ragas' model-free recall | recall@5 | recall(budget=4000) |",
        "| --- | --- | --- | --- |",
    ]
    for row in found["sizes"]:
        shown = " | ".join(f"{row[name]:.2f}" for name in ("ragas", "recall", "budget"))
        lines.append(f"| {row['size']} characters | {shown} |")
    lines += [
        "",
        "| overlap of chunks of 800 | hit rate by ids of chunks | the same by hashes of texts | found@5 |",
    ]
    lines.append("| --- | --- | --- | --- |")
    for row in found["overlaps"]:
        shown = " | ".join(f"{row[name]:.2f}" for name in ("new_ids", "hashes", "found"))
        lines.append(f"| {row['overlap']} characters | {shown} |")
    return "\n".join(lines)


def main() -> None:
    """Compute, print, and write with --write."""
    words = [word for word in sys.argv[1:] if word != "--write"]
    folder = Path(words[0]) if words else SHARED
    docs = next(path for path in (folder / "docs", folder / "2026") if path.is_dir())
    found = compute(docs, folder / "gold.jsonl")
    print(tables(found))
    if "--write" in sys.argv:
        ROWS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
