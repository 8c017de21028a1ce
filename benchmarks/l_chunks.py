"""(l) Chunks: sixteen chunkers on real texts, placed, evaluated with intervals, and explained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from chunkers import RAGTEXT, SETTINGS, questions_of, rank, texts_of
from inputs import Inputs, Scale
from measuring import Case, excerpt, interleave, python
from parts import alone
from results import Figure, Part, Row, Target

from excerpt import Corpus

EVALUATE, COMPARE = "evaluate a run of the collection", "the whole comparison"
CEILINGS = "excerpt chunks -m recall(budget=4000)"
TOP = 20
#: Limits in CPU seconds: the whole comparison, the ceiling of each chunker, and placing a million
#: characters of chunks.
WHOLE, BEST, PLACING = 6.0, 5.0, 0.5


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure this part, and compare it with its targets."""
    done = Part(
        "l",
        "Chunks",
        f"{len(SETTINGS)} settings of LangChain, LlamaIndex, semchunk and chonkie "
        "([chunkers.py](chunkers.py)) on the texts of chunking_evaluation, ranked by BM25: all chunks "
        f"placed, runs of {TOP} results for each question made of them, the measures of `rag` with "
        "intervals, and the reasons of failures; then the best score that any retriever reaches with each "
        "chunker. Cutting and ranking are not counted, reading the chunks from JSON is.",
        base=EVALUATE,
    )
    if not RAGTEXT.is_dir():
        done.rows.append(Row(COMPARE, note="the texts are not available next to the checkout"))
        return done
    folder = inputs.place("chunks")
    characters = make(folder, scale)
    corpus, qrels = RAGTEXT / "docs.tar.gz", RAGTEXT / "qrels.fol"
    work = python("compare_chunkers.py", corpus, qrels, folder)
    run = min((RAGTEXT / "runs").iterdir())
    files = sorted(folder.glob("*.placed.jsonl"))
    best = excerpt("chunks", qrels, *files, "-m", "recall(budget=4000)", "--corpus", corpus, "--quiet")
    simple = excerpt("evaluate", qrels, run, "-m", "charP")
    made = interleave([Case(EVALUATE, simple), Case(COMPARE, work), Case(CEILINGS, best)], scale.few)
    done.rows += [Row.of(name, samples, made[EVALUATE]) for name, samples in made.items()]
    found: list[dict[str, Any]] = [json.loads(printed) for printed in made[COMPARE].printed]
    steps = {step: min(one["seconds"][step] for one in found) for step in found[0]["seconds"]}
    placing = steps["place"] / (characters / 1e6)
    done.figures += [
        Figure("characters of all chunks", characters / 1e6, "million"),
        Figure("chunks lost", found[0]["lost"]),
        *(Figure(f"least CPU: {step}", seconds, "s") for step, seconds in steps.items()),
        Figure("least CPU of placing a million characters of chunks", placing, "s"),
    ]
    if scale.full:
        done.targets += [
            Target(f"{len(SETTINGS)} chunkers x 472 questions x {TOP}: CPU", WHOLE, made[COMPARE].cpu, "s"),
            Target("the ceiling of each chunker: CPU", BEST, made[CEILINGS].cpu, "s"),
            Target("placing a million characters of chunks: CPU", PLACING, placing, "s"),
            Target("chunks lost", 0, found[0]["lost"]),
        ]
    return done


def make(folder: Path, scale: Scale) -> int:
    """Write the chunks and ranks of each setting; return the number of characters of all chunks."""
    texts, questions = texts_of(RAGTEXT / "docs.tar.gz"), questions_of(RAGTEXT / "topics.tsv")
    corpus = Corpus(texts)
    total = 0
    for name, cut in list(SETTINGS.items())[: None if scale.full else 2]:
        chunks = [plain(chunk) for chunk in cut(texts)]
        total += sum(len(chunk["text"]) for chunk in chunks)
        ranks = rank([chunk["text"] for chunk in chunks], questions, TOP)
        (folder / f"{name}.chunks.json").write_text(json.dumps(chunks), encoding="utf-8")
        (folder / f"{name}.ranks.json").write_text(json.dumps(ranks), encoding="utf-8")
        corpus.place(chunks, name=name).write(folder / f"{name}.placed.jsonl")
    return total


def plain(chunk: Any) -> dict[str, Any]:
    """A chunk of a library as a dictionary, with its stated offset."""
    if isinstance(chunk, dict):
        return chunk
    if hasattr(chunk, "page_content"):
        return {
            "document": chunk.metadata["source"],
            "text": chunk.page_content,
            "start": chunk.metadata["start_index"],
        }
    return {
        "document": chunk.ref_doc_id,
        "text": chunk.text,
        "start": chunk.start_char_idx,
        "end": chunk.end_char_idx,
    }


if __name__ == "__main__":
    alone(part)
