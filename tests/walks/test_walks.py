"""Three walks, each from an empty folder by the commands of the docs: engineer, organiser, researcher."""

from __future__ import annotations

import json
import urllib.parse
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from support.document_files import pdf
from support.served_campaign import Served, excerpt
from support.served_gold import ServedGold, kept, quoted

from excerpt import collection

TRAVEL = """# Travel

Flights need the approval of your manager. Book them two weeks ahead.

## Meals

You may claim 40 euros a day for meals. Receipts are not needed.

## Hotels

A hotel may cost 120 euros a night. Breakfast is part of the price.
"""
SECURITY = ["Lock your screen when you leave your desk.", "A lost laptop is reported within two hours."]
QUESTIONS = {
    "Who approves a flight?": ("travel.md", "Flights need the approval of your manager."),
    "How much may I claim for meals?": ("travel.md", "You may claim 40 euros a day for meals."),
    "What may a hotel cost?": ("travel.md", "A hotel may cost 120 euros a night."),
    "Do I need receipts for meals?": ("travel.md", "Receipts are not needed."),
    "When do I lock my screen?": ("security.pdf", SECURITY[0]),
    "Until when is a lost laptop reported?": ("security.pdf", SECURITY[1]),
}
#: Start and end of a passage.
Place: TypeAlias = tuple[int, int]


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, in which the walk takes place."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ok(*words: object, status: int = 0) -> str:
    """What a command prints; it must end with `status`."""
    done = excerpt(*words)
    assert done.returncode == status, f"excerpt {' '.join(map(str, words))}\n{done.stderr}"
    return done.stdout


def write_questions(gold: Path, docs: Path) -> None:
    """Write the questions in the browser's server, as its page does."""
    with ServedGold(gold, docs) as served:
        for question, (document, quote) in QUESTIONS.items():
            text = served.get(f"/api/document?document={urllib.parse.quote(document)}")["text"]
            answer = served.post(kept(question, [quoted(document, quote, text.index(quote))]))
            assert answer[0] == 200, answer


@pytest.mark.slow
def test_an_engineer(empty: Path) -> None:
    """Documents and a PDF, questions, settings tried, an edit, and a gate that knows an edit from a loss."""
    pytest.importorskip("pypdfium2")
    docs = empty / "docs"
    docs.mkdir()
    (docs / "travel.md").write_text(TRAVEL, encoding="utf-8")
    (docs / "security.pdf").write_bytes(pdf(SECURITY))
    write_questions(empty / "gold.jsonl", docs)
    assert "6 exact" in ok("check", "gold.jsonl", "--corpus", "docs")
    tried = ("try", "docs", "gold.jsonl", "--chunker", "sentences:60", "--chunker", "paragraphs")
    table = ok(*tried, "--budget", "120", "-o", "tried")
    assert "sentences-60-bm25" in table
    scores = {
        run["name"]: run["scores"] for run in json.loads(ok("render", "tried", "--format", "json"))["runs"]
    }
    chosen = max(scores, key=lambda run: scores[run]["recall(budget=120)"])
    gate = (
        "--qrels",
        "gold.jsonl",
        "--corpus",
        "docs",
        "-m",
        "recall(budget=120)",
        "--min",
        "recall(budget=120)=0.1",
    )
    run = Path("tried", "runs", f"{chosen}.jsonl")
    assert "passed" in ok("gate", "tried/scores.json", run, *gate)
    # An edit above the quotes: the old offsets are refused, and what is retrieved anew is compared.
    (docs / "travel.md").write_text(
        TRAVEL.replace("# Travel", "# Travel\n\nThis page is new."), encoding="utf-8"
    )
    kept_run = run.read_bytes()
    ok("gate", "tried/scores.json", run, *gate, status=2)
    ok("try", *tried[1:], "--budget", "120", "-o", "again")
    again = Path("again", "runs", f"{chosen}.jsonl")
    said = json.loads(ok("gate", "tried/scores.json", again, *gate, "--format", "json"))
    assert said["verdict"] == "passed"
    assert said["topics"] == {"compared": 6, "new": [], "gone": [], "changed": []}
    # A retriever that finds nothing fails.
    rows = [json.loads(line) for line in again.read_text(encoding="utf-8").splitlines()]
    cut = [json.dumps({**row, "end": row["start"] + 1}) + "\n" for row in rows]
    Path("worse.jsonl").write_text("".join(cut), encoding="utf-8")
    worse = ("gate", "tried/scores.json", "worse.jsonl", *gate, "--baseline-name", chosen)
    said = json.loads(ok(*worse, "--format", "json", status=1))
    assert said["verdict"] == "failed"
    assert run.read_bytes() == kept_run


def judge(served: Served, token: str, relevant: dict[tuple[str, str], list[Place]], more: int) -> None:
    """Judge every document as the page does: highlights, an entry point, done."""
    for topic in served.ask("/api/pool", token).json["topics"]:
        for row in topic["documents"]:
            pair = {"topic": topic["id"], "document": row["id"]}
            text = served.ask(f"/api/document?{urllib.parse.urlencode(pair)}", token).json["text"]
            acts: list[dict[str, Any]] = []
            for start, end in relevant.get((topic["id"], row["id"]), []):
                last = min(len(text), end + more)
                acts.append({"kind": "highlight", "start": start, "end": last, "quote": text[start:last]})
            acts += [{"kind": "bep", "start": acts[0]["start"]}] if acts else []
            for base, act in enumerate([*acts, {"kind": "done"}], row["version"]):
                event = {"id": f"{token[:8]}-{topic['id']}-{row['id']}-{base}", "base": base, **pair, **act}
                reply = served.ask("/api/events", token, event)
                assert reply.status == 200, reply.body


def decide(served: Served, token: str) -> None:
    """Decide that disputed text is not relevant, and finish each document."""
    for topic in served.ask("/api/pool", token).json["topics"]:
        for row in topic["documents"]:
            pair = {"topic": topic["id"], "document": row["id"]}
            state = served.ask(f"/api/document?{urllib.parse.urlencode(pair)}", token).json["state"]
            acts = [
                {"kind": "decide", "start": start, "end": end, "relevant": False}
                for start, end in state["undecided"]
            ]
            if state["bep"] is None and state["highlights"]:
                acts.append({"kind": "bep", "start": state["highlights"][0][0]})
            for base, act in enumerate([*acts, {"kind": "done"}], state["version"]):
                event = {"id": f"eve-{topic['id']}-{row['id']}-{base}", "base": base, **pair, **act}
                reply = served.ask("/api/events", token, event)
                assert reply.status == 200, reply.body


@pytest.mark.slow
def test_an_organiser() -> None:
    """A pool, a campaign, two people who differ, one who decides, a release, and scores by it."""
    pytest.importorskip("uvicorn")
    folder = collection.folder("contracts")
    runs = [folder / "runs" / f"{name}-bm25.fol.gz" for name in ("sent", "p")]
    ok("pool", *runs, "--documents", "3", "--only", "CU08,CU16", "-o", "pool.tsv")
    files = ("--corpus", folder / "docs.zip", "--topics", folder / "topics.xml", "--pool", "pool.tsv")
    ok("assess", "new", "campaign", *files)
    relevant: dict[tuple[str, str], list[Place]] = {}
    for line in (folder / "qrels.fol").read_text(encoding="utf-8").splitlines():
        topic, _, document, *rest = line.split()
        spans = [tuple(map(int, passage.split(":"))) for passage in rest[3:]]
        relevant[topic, document] = [(start, start + size) for start, size in spans]
    with Served(Path("campaign")) as served:
        tokens = served.add("ann", "bob")
        judge(served, tokens["ann"], relevant, 0)
        judge(served, tokens["bob"], relevant, 40)
        assert json.loads(ok("judges", "campaign", "--format", "json"))["characters"]["jaccard"] < 1
        left = json.loads(ok("assess", "adjudicate", "campaign", "--format", "json"))
        assert left
        ok("assess", "export", "campaign", "-o", "early.fol", "--merge", "adjudicated", status=2)
        eve = ok("assess", "people", "campaign", "add", "eve", "--role", "adjudicator")
        decide(served, eve.strip().partition("#token=")[2])
    ok("assess", "export", "campaign", "-o", "qrels.fol", "--merge", "adjudicated")
    ok("assess", "export", "campaign", "-o", "ann.fol", "--assessor", "ann")
    assert Path("qrels.fol").read_text() == Path("ann.fol").read_text(), "what bob alone marked is out"
    ok("assess", "release", "campaign", "-o", "release.zip")
    by_file = ok("evaluate", "qrels.fol", *runs, "-m", "MAiP")
    assert by_file == ok("evaluate", "release.zip", *runs, "-m", "MAiP")
    assert "sent-bm25" in by_file


@pytest.mark.slow
def test_a_researcher() -> None:
    """Runs compared, ceilings, a table and a figure for the paper, and a record that repeats."""
    pytest.importorskip("matplotlib")
    folder = collection.folder("contracts")
    runs = [folder / "runs" / f"{name}-bm25.fol.gz" for name in ("sent", "p", "win400", "art")]
    ok("evaluate", folder / "qrels.fol", *runs, "-m", "MAiP", "-m", "charF", "--save", "scores.json")
    said = ok("compare", "scores.json", "-m", "MAiP", "--record", "compare.json")
    assert "sent-bm25 is significantly better" in said
    ceiling = ("--ceiling", "paragraphs", "--corpus", folder / "docs.zip", "--format", "json")
    found = json.loads(ok("evaluate", folder / "qrels.fol", *runs, "-m", "charF", *ceiling))
    best = {row["name"]: row for row in found["runs"]}
    top = best["ceiling (paragraphs)"]["scores"]["charF"]
    assert all(row["scores"]["charF"] <= top for row in best.values())
    for run in ("sent-bm25", "p-bm25"):
        lost = [best[run][f"lost_{part}"]["charF"] for part in ("unit", "choice", "ranking")]
        assert sum(lost) == pytest.approx(1 - best[run]["scores"]["charF"])
    ok("render", "scores.json", "-o", "scores.tex", "--caption", "Four runs", "--baseline", "p-bm25")
    assert r"\caption{Four runs}" in Path("scores.tex").read_text()
    ok("render", "compare.json", "-o", "compare.pdf", "--width", "3.3in")
    assert Path("compare.pdf").read_bytes().startswith(b"%PDF")
    assert "the same as before" in ok("rerun", "compare.json", "--check")
