"""Units, losses, lists and errors of ceilings, from functions and from the command line."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

import excerpt
from excerpt import Corpus, ExcerptError, Judgments, Notices, Run
from excerpt.cli import main

PAGE = (
    "<a><t> Head </t><sec><p>One two. Three.</p> <p>Four five</p></sec>\n"
    "<sec><p>Six seven\neight</p></sec></a>"
)
#: The text of the page; relevant are `two. Three.` and `seven`.
TEXT = " Head One two. Three. Four five\nSix seven\neight"
GOLD = Judgments.of([("1", "d", 10, 21), ("1", "d", 36, 41)])
UNITS = {
    "elements": ["Head", TEXT.strip(), "One two. Three. Four five"],
    "paragraphs": ["One two. Three.", "Four five", "Six seven\neight"],
    "sentences": ["One two.", "Three.", "Four five", "Six seven\neight"],
    "lines": ["Head One two. Three. Four five", "Six seven", "eight"],
    "window:20": [TEXT[low : low + 20].strip() for low in (0, 20, 40)],
    "tag:sec": ["One two. Three. Four five", "Six seven\neight"],
    "documents": [TEXT.strip()],
}
UNITS["elements"] += UNITS["paragraphs"]


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """The page in a folder."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.xml").write_text(PAGE, encoding="utf-8")
    return Corpus.read(tmp_path / "docs")


def test_the_text_is_that_of_the_page(corpus: Corpus) -> None:
    """What the offsets above count."""
    assert corpus["d"] == TEXT
    assert (TEXT[10:21], TEXT[36:41]) == ("two. Three.", "seven")


@pytest.mark.parametrize("unit", UNITS)
def test_the_ceiling_is_the_best_list_of_the_units(unit: str, corpus: Corpus) -> None:
    """All lists of some of the units, without white space at their ends."""
    spans = [(TEXT.index(own), TEXT.index(own) + len(own)) for own in UNITS[unit]]
    lists = [some for size in (1, 2, 3) for some in itertools.permutations(spans, min(size, len(spans)))]
    free = [
        some
        for some in lists
        if all(one[1] <= two[0] or two[1] <= one[0] for one, two in itertools.combinations(some, 2))
    ]
    for names, worlds in ((["charF", "recall(budget=16)", "nDCG"], lists), (["MAgP", "iP[0.60]"], free)):
        runs = [Run.of(str(n), [("1", "d", *span) for span in some]) for n, some in enumerate(worlds)]
        best = excerpt.evaluate(GOLD, runs, names, corpus=corpus, notices=Notices()).means().max(axis=0)
        table = excerpt.ceiling(GOLD, [], names, unit=unit, corpus=corpus, notices=Notices())
        assert table.runs == (f"ceiling ({unit})",)
        upper = table.gaps[table.runs[0]].get("upper", {})
        for name, score in zip(names, best.tolist(), strict=True):
            attained = table.mean(table.runs[0], name)
            assert attained <= score + 1e-12
            assert score <= upper.get(name, attained) + 1e-12


def test_losses_add_up_to_what_is_missing(corpus: Corpus) -> None:
    """Unit, choice and ranking are 1 - score together; the best order of a run is at least its own."""
    runs = [
        Run.of("good", [("1", "d", 6, 21), ("1", "d", 32, 47)]),
        Run.of("reversed", [("1", "d", 22, 31), ("1", "d", 0, 5), ("1", "d", 6, 21)]),
        Run.of("exact", [("1", "d", 36, 41), ("1", "d", 10, 21)]),
    ]
    names = ["charF", "MAiP", "MAgP"]
    table = excerpt.ceiling(GOLD, runs, names, unit="paragraphs", corpus=corpus)
    for run, name in itertools.product(table.runs[:-1], names):
        lost = {key: own[name] for key, own in table.gaps[run].items()}
        assert [*lost] == ["lost_unit", "lost_choice", "lost_ranking"]
        assert sum(lost.values()) == pytest.approx(1 - table.mean(run, name))
        assert lost["lost_unit"] == pytest.approx(1 - table.mean(table.runs[-1], name))
        assert lost["lost_ranking"] >= 0
    assert table.gaps["good"]["lost_choice"]["charF"] == pytest.approx(0)
    assert table.gaps["reversed"]["lost_ranking"]["charF"] > 0
    assert table.gaps["exact"]["lost_choice"]["charF"] < 0  # results that are no such units


def test_a_relevant_document_without_a_relevant_unit_is_listed() -> None:
    """MAgP rewards its place; its other document comes first."""
    corpus = Corpus({"A": "one two", "B": "three\n\nfour"})
    gold = Judgments.of([("1", "A", 0, 3), ("1", "B", 5, 6)])
    table = excerpt.ceiling(gold, [], ["MAgP"], unit="paragraphs", corpus=corpus)
    first = 6 / 10  # F of the whole of A
    assert table.mean(table.runs[0], "MAgP") == pytest.approx((first + first / 2) / 2)


def files(folder: Path) -> tuple[str, str, str]:
    """A folder of documents, judgments and a run."""
    (folder / "docs").mkdir(exist_ok=True)
    (folder / "docs" / "d.xml").write_text(PAGE, encoding="utf-8")
    gold, run = folder / "gold.jsonl", folder / "run.fol"
    excerpt.write_judgments(GOLD, str(gold))
    excerpt.write_run(Run.of("mine", [("1", "d", 32, 47), ("1", "d", 0, 5)]), str(run))
    return str(folder / "docs"), str(gold), str(run)


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row more in every format; bounds in text and JSON; the list that is written has the score."""
    docs, gold, run = files(tmp_path)
    best = tmp_path / "best.fol"
    given = ["--corpus", docs, "--quiet"]
    call = ["evaluate", gold, run, "-m", "MAiP", *given, "--ceiling", "elements"]
    assert main([*call, "--format", "json", "--ceiling-run", str(best)]) == 0
    first, last = json.loads(capsys.readouterr().out)["runs"]
    assert last["name"] == "ceiling (elements)"
    assert set(first) >= {"lost_unit", "lost_choice", "lost_ranking"}
    assert main(["evaluate", gold, str(best), "-m", "MAiP", *given, "--format", "json"]) == 0
    (again,) = json.loads(capsys.readouterr().out)["runs"]
    assert again["scores"] == last["scores"]
    assert main(call) == 0
    shown = capsys.readouterr().out
    assert shown.splitlines()[0].split() == ["run", "MAiP", "lost_unit", "lost_choice", "lost_ranking"]
    if "upper" in last:
        assert f"{last['scores']['MAiP']:.4f} … {last['upper']['MAiP']:.4f}" in shown
    for format_ in ("csv", "tsv", "markdown", "latex"):
        assert main([*call, "--format", format_]) == 0
        assert "ceiling (elements)" in capsys.readouterr().out
    assert main(["evaluate", gold, "-m", "MAiP", *given, "--ceiling", "lines", "--format", "csv"]) == 0
    heading, row = capsys.readouterr().out.splitlines()
    assert heading.startswith("run,MAiP")
    assert row.startswith("ceiling (lines),")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--ceiling", "words"], "found words as unit, expected elements, paragraphs"),
        (["--ceiling", "window:0"], "found window:0 as unit"),
        (["--ceiling", "tag:table"], "found no tag:table in the relevant documents"),
        (["--ceiling", "chunks=nothing.jsonl"], "nothing.jsonl: cannot be read"),
        (["--ceiling", "lines", "-m", "charP"], "charP has no ceiling, expected one of: charF"),
        (["--ceiling", "lines", "-m", "charF", "--ceiling-run", "x.fol"], "found 2 measures, expected one"),
        (["--ceiling-run", "x.fol"], "--ceiling-run needs --ceiling UNIT"),
    ],
)
def test_wrong_options_are_one_line(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 2, what was found and what was expected; nothing is written."""
    docs, gold, run = files(tmp_path)
    options = [str(tmp_path / name) if name == "x.fol" else name for name in options]
    assert main(["evaluate", gold, run, "-m", "MAiP", "--corpus", docs, *options]) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""
    assert not (tmp_path / "x.fol").exists()


def test_chunks_that_do_not_fit(corpus: Corpus) -> None:
    """Chunks that overlap under a measure that forbids it, and chunks of other documents or texts."""
    overlapping = corpus.place([{"document": "d", "text": TEXT[a:b]} for a, b in ((6, 20), (12, 30))])
    how: dict[str, Any] = {"corpus": corpus, "notices": Notices()}
    with pytest.raises(ExcerptError, match="found units that overlap, which MAiP forbids"):
        excerpt.ceiling(GOLD, [], ["charF", "MAiP"], unit=overlapping, **how)
    assert excerpt.ceiling(GOLD, [], ["charF"], unit=overlapping, **how).runs == ("ceiling (chunks=chunks)",)
    other = Corpus({"e": "Some other text."}).place([{"document": "e", "text": "other"}])
    with pytest.raises(ExcerptError, match="found chunks of e, expected chunks of relevant documents"):
        excerpt.ceiling(GOLD, [], ["charF"], unit=other, **how)
    longer = Corpus({"d": "x" * 60}).place([{"document": "d", "text": "x" * 60}])
    with pytest.raises(ExcerptError, match="these are chunks of another text"):
        excerpt.ceiling(GOLD, [], ["charF"], unit=longer, **how)
    with pytest.raises(ExcerptError, match="need the text of the documents"):
        excerpt.ceiling(GOLD, [], ["charF"], unit="lines", notices=Notices())
