"""Measures of elements from the command line: assessments of all years, runs of paths and of spans."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Excerpt

SUBMISSION = """<inex-submission participant-id="1" run-id="mine" task="CO.Thorough">
<topic topic-id="1">
<result><file>A</file><path>/article[1]/bdy[1]/p[1]</path><rank>1</rank></result>
<result><file>A</file><path>/article[1]/bdy[1]/p[2]</path><rank>2</rank></result>
<result><file>B</file><path>/article[1]</path><rank>3</rank></result>
</topic></inex-submission>
"""
GRADED = """<assessments pool="1" topic="1"><file file="A">
<path path="/article[1]" exhaustiveness="2" specificity="1"/>
<path path="/article[1]/bdy[1]/p[1]" exhaustiveness="3" specificity="3"/>
</file><file file="B"><path path="/article[1]" exhaustiveness="1" specificity="1"/></file></assessments>
"""


def scores(done_out: str) -> dict[str, float]:
    """The means of the only run."""
    found: dict[str, float] = json.loads(done_out)["runs"][0]["scores"]
    return found


def test_graded_assessments_need_no_index(files: Path, excerpt: Excerpt) -> None:
    """Assessments of 2003 against a submission: gains 1, 0, 1/4 where the ideal has 1, 1/2, 1/4."""
    (files / "run.xml").write_text(SUBMISSION)
    (files / "graded.xml").write_text(GRADED)
    names = ("nxCG[1]", "nxCG[3]", "MAep", "nxCG(quantisation=strict)[3]", "R(quantisation=any_relevant)")
    options = [option for name in names for option in ("-m", name)]
    done = excerpt("evaluate", "graded.xml", "run.xml", *options, "--format", "json")
    assert done.status == 0, done.err
    assert scores(done.out) == pytest.approx(
        dict(zip(names, (1, 1.25 / 1.75, (1 + 2 / 3) / 3, 1, (2 + 2) / (3 + 3)), strict=True))
    )
    text = excerpt("evaluate", "graded.xml", "run.xml", "-m", "MAiP")
    assert text.status == 2
    assert "MAiP needs highlights" in text.err or "MAiP needs spans" in text.err
    other = excerpt("evaluate", "graded.xml", "run.xml", "-m", "nxCG(quantisation=fully_specific)[1]")
    assert other.err.startswith("excerpt: unknown quantisation for judgments of exhaustivity and specificity")
    assert "e3_s32" in other.err


def test_highlights_need_an_index(files: Path, excerpt: Excerpt) -> None:
    """Elements of highlighted text come from the index; spans name the same elements as paths."""
    (files / "corpus").mkdir()
    text = "<article><bdy><p>Hello big</p><weblink>link</weblink><p>world</p></bdy></article>"
    (files / "corpus" / "A.xml").write_text(text)
    excerpt("index", "corpus", "-o", "idx")
    (files / "qrels").write_text("1 Q0 A 12 18 6 6:12\n")
    (files / "paths").write_text(
        "1 Q0 A 1 2 r /article[1]/bdy[1]/p[2]\n1 Q0 A 2 1 r /article[1]/bdy[1]/weblink[1]\n"
    )
    (files / "spans").write_text("1 Q0 A 1 2 r 13 5\n1 Q0 A 2 1 r 9 4\n")
    for run in ("paths", "spans"):
        done = excerpt("evaluate", "qrels", run, "--index", "idx", "-m", "nxCG[2]", "--format", "json")
        assert scores(done.out)["nxCG[2]"] == 1.0, run
        dropped = excerpt(
            "evaluate",
            "qrels",
            run,
            "--index",
            "idx",
            "-m",
            "nxCG[2]",
            "--format",
            "json",
            "--drop-tags",
            "weblink",
        )
        assert scores(dropped.out)["nxCG[2]"] == pytest.approx(1 / (1 + 12 / 18)), run
    without = excerpt("evaluate", "qrels", "paths", "-m", "nxCG[2]")
    assert without.err == (
        "excerpt: qrels: nxCG[2] needs graded elements, but the judgments have none; "
        "give assessments of elements, or --index INDEX\n"
    )


def test_quantisations(files: Path, excerpt: Excerpt) -> None:
    """The known ones are listed; one's own come from a table."""
    listed = json.loads(excerpt("quantisations", "--format", "json").out)
    assert {row["name"] for row in listed} >= {
        "strict",
        "generalised",
        "sog",
        "fully_specific",
        "specificity",
    }
    (files / "own.toml").write_text(
        '[mine]\nscale = "exhaustivity and specificity"\nvalues = {"33" = 1, "11" = 1}\n'
    )
    (files / "run.xml").write_text(SUBMISSION)
    (files / "graded.xml").write_text(GRADED)
    options = ("--quantisations", "own.toml", "--format", "json")
    done = excerpt("evaluate", "graded.xml", "run.xml", "-m", "nxCG(quantisation=mine)[3]", *options)
    assert scores(done.out) == {"nxCG(quantisation=mine)[3]": 1.0}
    (files / "own.toml").write_text("[mine]\nscale = 3\n")
    bad = excerpt("evaluate", "graded.xml", "run.xml", "-m", "R", "--quantisations", "own.toml")
    assert (bad.status, bad.err.startswith("excerpt: own.toml: [mine] needs a scale")) == (2, True)


def test_entry_points_need_a_length(files: Path, excerpt: Excerpt) -> None:
    """BEPD takes the mean length of a document from its name or from the index."""
    done = excerpt("evaluate", "qrels", "run", "-m", "BEPD", "--overlap", "first")
    assert (
        "BEPD needs mean document length, but it is unknown; give --index INDEX or --corpus CORPUS, "
        "or set it, as in BEPD(L=6000)" in done.err
    )
    (files / "points").write_text("1 Q0 A 1 2 r 60\n1 Q0 B 2 1 r 0\n2 Q0 D 1 1 r 400\n")
    found = excerpt(
        "evaluate", "qrels", "points", "-m", "BEPD(A=0.1, L=500)", "--format", "json", "--per-topic"
    )
    assert json.loads(found.out)["runs"][0]["topics"]["1"] == {"BEPD(A=0.1, L=500)": (50 / 100 + 1) / 2}
