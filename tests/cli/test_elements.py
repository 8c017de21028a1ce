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


ARTICLE = "<article><bdy><p>Hello big</p><weblink>link</weblink><p>world</p></bdy></article>"
#: Topic 1: the last 12 of 18 characters; so 12/18 of article and body, 3/9, 4/4 and 5/5 of their parts.
HIGHLIGHTS = "1 Q0 A 12 18 6 6:12\n"
YEAR_2005 = """<assessments topic="1"><file name="A">
<element path="/article[1]" exhaustivity="2" size="18" rsize="12"/>
<element path="/article[1]/bdy[1]/p[1]" exhaustivity="1" size="9" rsize="3"/>
<element path="/article[1]/bdy[1]/p[2]" exhaustivity="?" size="5" rsize="5"/>
</file></assessments>
"""
YEAR_2002 = GRADED.replace("exhaustiveness", "relevance").replace("specificity", "coverage")
YEAR_2002 = YEAR_2002.replace('coverage="1"', 'coverage="L"').replace('coverage="3"', 'coverage="E"')


@pytest.fixture
def indexed(files: Path, excerpt: Excerpt) -> Path:
    """Judgments of four years, an index of 22 characters, and a run: p[2] of A, B, p[1] of A."""
    (files / "corpus").mkdir()
    (files / "corpus" / "A.xml").write_text(ARTICLE)
    (files / "corpus" / "B.xml").write_text("<article>four</article>")
    excerpt("index", "corpus", "-o", "idx")
    paths = (("A", "/article[1]/bdy[1]/p[2]"), ("B", "/article[1]"), ("A", "/article[1]/bdy[1]/p[1]"))
    (files / "paths").write_text(
        "".join(f"1 Q0 {name} {rank} {9 - rank} r {path}\n" for rank, (name, path) in enumerate(paths, 1))
    )
    years = {"2002": YEAR_2002, "2004": GRADED, "2005": YEAR_2005}
    for year, text in years.items():
        (files / f"{year}.xml").write_text(text)
    (files / "highlights").write_text(HIGHLIGHTS)
    return files


@pytest.mark.parametrize(
    ("judged", "options", "expected"),
    [
        # rel 5/12, 0 and 3/12, cov 5/5, 0 and 3/9: recall 5/12, 5/12, 8/12; precision 5/5, 5/9, 8/18.
        ("highlights", "", (41 + 25 * 8 / 18) / 100),
        ("highlights", "too_small=6", 25 / 100 * 3 / 18),
        ("highlights", "quantisation=strict", 0.0),  # only the article has all of the topic's text
        # The rest of 22 characters: recall 1 with 12 of 22, better than 8/18.
        ("highlights", "extrapolate=true", (41 + 59 * 12 / 22) / 100),
        ("highlights", "too_small=6, extrapolate=true", 12 / 22),
        # rel 0, 0, 1/2 of 1: recall 0, 0, 1/2; precision 5/5, 5/9, 8/18. 50 of 100 levels are reached.
        ("2005.xml", "", 50 / 100 * 8 / 18),
        ("2005.xml", "quantisation=strict", 0.0),
        ("2005.xml", "extrapolate=true", 12 / 22),
        # rel 0, 1/3, 1 of 1; cov 0, 1/3, 1: precision 0, 4/3/9, (4/3+9)/18.
        ("2004.xml", "", (4 / 3 + 9) / 18),
        ("2004.xml", "too_small=5", 9 / 18),
        ("2004.xml", "quantisation=strict", 0.0),  # no document is fully relevant
        # The same with cov 0, 1/2, 1.
        ("2002.xml", "", (4 / 2 + 9) / 18),
        ("2002.xml", "too_small=5", 9 / 18),
    ],
)
def test_inex_eval_ng_of_all_years(
    indexed: Path, excerpt: Excerpt, judged: str, options: str, expected: float
) -> None:
    name = f"inex_eval_ng({options})"
    done = excerpt("evaluate", judged, "paths", "--index", "idx", "-m", name, "--format", "json")
    assert done.status == 0, done.err
    if "strict" in options and judged == "2004.xml":
        assert scores(done.out)[name] is None
        return
    assert scores(done.out)[name] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    ("judged", "name", "expected"),
    [
        # Without the short link and p[2], ideal gains are 12/18, 12/18 and 3/9; the run gains 3/9 at rank 3.
        ("highlights", "MAep(too_small=6)", 1 / 3 / 3),
        ("highlights", "xCI(too_small=6)[9]", 5 / 3),
        ("highlights", "xCI[9]", 5 / 3 + 2),
        ("highlights", "nxCG(too_small=6, ideal=focused)[3]", 1 / 2),
        ("2005.xml", "xCG(quantisation=binary_exhaustivity)[3]", 1 + 1 / 3),
        ("2005.xml", "xCG(quantisation=binary_exhaustivity, too_small=6)[3]", 1 / 3),
        ("2005.xml", "gr(quantisation=binary_exhaustivity, too_small=6)[3]", 1 / 3),
        ("2004.xml", "xCG(too_small=5)[3]", 1),
        ("2004.xml", "inex_eval(too_small=5)[0.50]", 0.75 / (0.75 + 2)),
    ],
)
def test_elements_that_are_too_small(
    indexed: Path, excerpt: Excerpt, judged: str, name: str, expected: float
) -> None:
    """They gain nothing in the run, the recall base and the ideal run, whatever the assessor said."""
    done = excerpt("evaluate", judged, "paths", "--index", "idx", "-m", name, "--format", "json")
    assert done.status == 0, done.err
    assert scores(done.out)[name] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    ("judged", "name", "message"),
    [
        *(
            (
                "highlights",
                f"MAep(too_small={bad})",
                f"found '{bad}' as parameter too_small of MAep, expected a whole",
            )
            for bad in ("0", "-1", "few", "1.5")
        ),
        (
            "2004.xml",
            "MAep(too_small=5)",
            "needs element sizes, but the assessments lack them; give --index INDEX",
        ),
        (
            "highlights",
            "Q(too_small=5)",
            "needs element sizes, but the assessments lack them; give --index INDEX",
        ),
        ("highlights", "iP(too_small=5)[0.1]", "unknown parameter of iP 'too_small'"),
        ("highlights", "inex_eval_ng", "needs graded elements, but the judgments have none"),
        ("2004.xml", "inex_eval_ng", "needs spans, but the run has none; give --index INDEX"),
        ("2004.xml", "xCG", "xCG needs a cut-off, a rank from 1"),
        ("2004.xml", "gr(alpha=2)[5]", "found '2' as parameter alpha of gr, expected a number from 0 to 1"),
        ("2004.xml", "xCI@0", "found '0' as cut-off of xCI, expected a rank from 1"),
        ("2004.xml", "xCG(alpha=1, ideal=full)@5", "with ideal=full, expected ideal=thorough"),
    ],
)
def test_measures_of_elements_that_cannot_be_computed(
    indexed: Path, excerpt: Excerpt, judged: str, name: str, message: str
) -> None:
    done = excerpt("evaluate", judged, "paths", "-m", name)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert message in done.err


def test_a_collection_size_without_an_index(indexed: Path, excerpt: Excerpt) -> None:
    """Spans with paths need no index, but the size of the collection is then unknown."""
    (indexed / "spans.jsonl").write_text(
        '{"topic": "1", "document": "A", "start": 0, "end": 9, "path": "/article[1]/bdy[1]/p[1]"}\n'
    )
    asked = ("evaluate", "2005.xml", "spans.jsonl", "-m")
    done = excerpt(*asked, "inex_eval_ng(extrapolate=true)")
    assert done.status == 2
    assert (
        "needs collection size, but it is unknown; give --index INDEX, or set it, as in inex_eval_ng("
        in done.err
    )
    assert excerpt(*asked, "inex_eval_ng(extrapolate=true, collection_size=22)").status == 0
