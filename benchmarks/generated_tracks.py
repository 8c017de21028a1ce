"""Generated files of BioASQ, KILT, TREC RAG's nuggets and EPIC-QA, the same for the same sizes."""

from __future__ import annotations

import json
import random
from pathlib import Path

from generated_pages import write_rows

#: Sections of an abstract, and grades that a judge gives a nugget.
_SECTIONS, _GRADES = ("title", "abstract"), ("support", "partial_support", "not_support")


def write_bioasq(folder: Path, questions: int) -> list[Path]:
    """Write gold and one system's answers: ten documents and snippets of each question."""
    rng, files = random.Random(1), [folder / "bioasq-gold.json", folder / "bioasq-system.json"]
    for file in files:
        listed = [
            {
                "id": f"{number:024x}",
                "type": "summary",
                "body": f"Question {number}?",
                "documents": [f"http://www.ncbi.nlm.nih.gov/pubmed/{rng.randrange(200)}" for _ in range(10)],
                "snippets": [_snippet(rng) for _ in range(10)],
            }
            for number in range(questions)
        ]
        file.write_text(json.dumps({"questions": listed}), encoding="utf-8")
    return files


def _snippet(rng: random.Random) -> dict[str, object]:
    section, start = rng.choice(_SECTIONS), rng.randrange(0, 1500)
    return {
        "document": f"http://www.ncbi.nlm.nih.gov/pubmed/{rng.randrange(200)}",
        "beginSection": section,
        "endSection": section,
        "offsetInBeginSection": start,
        "offsetInEndSection": start + rng.randint(20, 300),
        "text": "words of the abstract",
    }


def write_kilt(folder: Path, questions: int) -> list[Path]:
    """Write gold with three sets of evidence, and a guess of twenty pages with their texts."""
    rng = random.Random(2)
    gold, guess = [], []
    for number in range(questions):
        asked = {"id": number, "input": f"Who is person {number}?"}
        sets = [
            {"answer": f"answer {number}", "provenance": [_page(rng) for _ in range(rng.randint(1, 2))]}
            for _ in range(3)
        ]
        gold.append({**asked, "output": sets})
        guess.append({**asked, "output": [{"answer": "", "provenance": [_page(rng) for _ in range(20)]}]})
    return [write_rows(folder / "kilt-gold.jsonl", gold), write_rows(folder / "kilt-guess.jsonl", guess)]


def _page(rng: random.Random) -> dict[str, object]:
    page = rng.randrange(60)
    return {"wikipedia_id": str(page), "title": f"Page {page}", "text": f"Some words of page {page}."}


def write_nuggets(folder: Path, records: int) -> list[Path]:
    """Write records of twenty assigned nuggets."""
    rng = random.Random(3)
    rows = [
        {
            "qid": f"q{number}",
            "nuggets": [
                {
                    "text": f"nugget {one}",
                    "importance": rng.choice(("vital", "okay")),
                    "assignment": rng.choice(_GRADES),
                }
                for one in range(20)
            ],
        }
        for number in range(records)
    ]
    return [write_rows(folder / "nuggets.jsonl", rows)]


def write_epicqa(folder: Path, questions: int, answers: int) -> list[Path]:
    """Write judgments of sentences and a run of answers."""
    rng, judged, ranked = random.Random(4), [], []
    for number in range(questions):
        name, contexts = f"EQ{number:03}", [f"d{number}-C{one:03}" for one in range(20)]
        judged.append(
            {
                "question_id": name,
                "nuggets": [{"nugget_id": f"N{one}", "nugget": "a fact"} for one in range(12)],
                "annotations": [
                    {
                        "sentence_id": f"{context}-S{rng.randrange(12):03}",
                        "nugget_ids": [f"N{rng.randrange(12)}"],
                    }
                    for context in contexts
                    for _ in range(2)
                ],
            }
        )
        for rank in range(answers):
            context, first = rng.choice(contexts), rng.randrange(12)
            last = first + rng.randrange(3)
            place = f"{context}-S{first:03}:{context}-S{last:03}"
            ranked.append(f"{name} Q0 {place} {rank + 1} {(answers - rank) / 7:.3f} run\n")
    files = [folder / "epicqa.json", folder / "epicqa.run"]
    files[0].write_text(json.dumps(judged), encoding="utf-8")
    files[1].write_text("".join(ranked), encoding="ascii")
    return files
