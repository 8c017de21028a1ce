"""excerpt correlate on small jobs and on mistakes."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from excerpt.evaluation import evaluate
from excerpt.experiments.correlation import correlate, correlate_judgments

from .conftest import Excerpt


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Judgments of 6 topics, other judgments, and four runs."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(2)
    Path("qrels").write_text("".join(f"{t} Q0 D{t} 100 1000 100 100:100\n" for t in range(6)))
    Path("other").write_text("".join(f"{t} Q0 D{t} 30 1000 100 130:30\n" for t in range(6)))
    names = [f"run{i}" for i in range(4)]
    for name in names:
        lines = (
            f"{t} Q0 D{t} 1 1 {name} {draw.randint(40, 160)} {draw.randint(20, 200)}\n" for t in range(6)
        )
        Path(name).write_text("".join(lines))
    return names


def test_rows_are_those_of_the_library(runs: list[str], excerpt: Excerpt) -> None:
    """Every pair of measures; no seed, for nothing is drawn at random."""
    measures = ("charP", "charR", "charF")
    options = [text for name in measures for text in ("-m", name)]
    done = excerpt("correlate", "qrels", *runs, *options, "--format", "json")
    assert (done.status, done.err) == (0, "")
    printed = json.loads(done.out)
    assert printed["rows"] == list(correlate(evaluate("qrels", runs, measures)).rows)
    assert printed["record"]["seed"] is None
    assert excerpt("correlate", "qrels", *runs, *options, "--format", "json").out == done.out
    heading = excerpt("correlate", "qrels", *runs, *options).out.splitlines()[0].split()
    assert heading == ["first", "second", "runs", "tau_b", "tau_ap", "spearman", "pearson"]


def test_second_judgments(runs: list[str], excerpt: Excerpt) -> None:
    """One measure under two sets of judgments, both in the record."""
    done = excerpt("correlate", "qrels", *runs, "-m", "charP", "--qrels2", "other", "--format", "json")
    printed = json.loads(done.out)
    tables = evaluate("qrels", runs, "charP"), evaluate("other", runs, "charP")
    assert printed["rows"] == list(correlate_judgments(*tables, label="other").rows)
    assert printed["rows"][0]["second"] == "charP (other)"
    assert [item["path"] for item in printed["record"]["inputs"]] == ["qrels", *runs, "other"]


def test_dropped_tags_on_the_second_side(runs: list[str], excerpt: Excerpt) -> None:
    """Names of elements may be left out of the second judgments only; text measures do not mind."""
    done = excerpt("correlate", "qrels", *runs, "-m", "charP", "--drop-tags2", "link,b", "--format", "json")
    row = json.loads(done.out)["rows"][0]
    assert (row["second"], row["tau_b"]) == ("charP (without link, b)", 1.0)


def test_full_and_filtered_assessments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, excerpt: Excerpt
) -> None:
    """Table 1 of INEX 2006: with links paragraph and link tie, without them the link's run falls behind."""
    monkeypatch.chdir(tmp_path)
    Path("corpus").mkdir()
    text = "<article><bdy><p>Hello big</p><weblink>link</weblink><p>world</p></bdy></article>"
    Path("corpus/A.xml").write_text(text)
    assert excerpt("index", "corpus", "-o", "idx").status == 0
    Path("qrels").write_text("1 Q0 A 12 18 6 6:12\n")
    elements = {"p": "bdy[1]/p[2]", "link": "bdy[1]/weblink[1]", "body": "bdy[1]"}
    for name, path in elements.items():
        Path(name).write_text(f"1 Q0 A 1 1 {name} /article[1]/{path}\n")
    options = ("--index", "idx", "-m", "nxCG[1]", "--drop-tags2", "weblink", "--format", "json")
    done = excerpt("correlate", "qrels", *elements, *options)
    assert done.status == 0, done.err
    row = json.loads(done.out)["rows"][0]
    # (1, 1, 2/3) and (1, 0, 2/3): of three pairs one is tied, one agrees, one does not.
    assert (row["runs"], row["tau_b"], row["second"]) == (3, 0.0, "nxCG[1] (without weblink)")


def test_figures(runs: list[str], excerpt: Excerpt) -> None:
    """One panel or several, the same bytes each time."""
    pytest.importorskip("matplotlib")
    for name in ("a.svg", "b.svg"):
        assert (
            excerpt("correlate", "qrels", *runs, "-m", "charP", "-m", "charR", "--figure", name).status == 0
        )
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes()
    measures = [text for name in ("charP", "charR", "charF", "MAiP") for text in ("-m", name)]
    assert excerpt("correlate", "qrels", *runs, *measures, "--figure", "c.png").status == 0
    assert Path("c.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("qrels", "run0", "run1"), "excerpt: the following arguments are required: -m/--measure"),
        (("qrels", "run0", "-m", "charP", "-m", "charR"), "excerpt: found 1 run, expected at least 2"),
        (("qrels", "run0", "run1", "-m", "charP"), "excerpt: found 1 measure, expected at least 2"),
        (("qrels", "run0", "run1", "-m", "charP", "-m", "charP"), "excerpt: found 1 measure, expected at"),
        (("qrels", "run0", "run1", "-m", "charP", "-m", "charQ"), "excerpt: unknown measure 'charQ'"),
        (("qrels", "run0", "run1", "-m", "charP", "--qrels2", "no"), "excerpt: no: cannot be read"),
        (("qrels", "run0", "-", "-m", "charP", "--qrels2", "other"), "excerpt: found standard input, which"),
        (
            ("qrels", "run0", "/dev/fd/9", "-m", "charP", "--qrels2", "other"),
            "excerpt: found /dev/fd/9, which",
        ),
    ],
)
def test_mistakes(runs: list[str], excerpt: Excerpt, arguments: tuple[str, ...], message: str) -> None:
    """A mistake is one line and exit status 2."""
    done = excerpt("correlate", *arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(message)
    assert done.err.count("\n") == 1
