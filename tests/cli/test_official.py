"""excerpt official: scorers of other tracks."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest

from excerpt.cli import OFFICIAL
from excerpt.official.scorers import SCORERS

from .conftest import Excerpt

GOLD = "200\ta\t10\t10\tX|Y\n200\ta\t30\t10\tX\n200\tb\t0\t5\tZ\n"
LINES = """RUN\tMEASURE\tTOPIC\tSCORE
{0}\tDOCUMENT\t200\t0.50000000
{0}\tDOCUMENT\tMAP\t0.50000000
{0}\tPASSAGE\t200\t0.11111111
{0}\tPASSAGE\tMAP\t0.11111111
{0}\tASPECT\t200\t0.66666667
{0}\tASPECT\tMAP\t0.66666667
{0}\tPASSAGE2\t200\t0.28560350
{0}\tPASSAGE2\tMAP\t0.28560350
"""


@pytest.fixture
def genomics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Gold and a run of TREC Genomics, made the current folder."""
    (tmp_path / "gold.tsv").write_text(GOLD)
    (tmp_path / "york.v1.txt").write_text("200 a 1 0.9 5 30 mine\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_list(excerpt: Excerpt) -> None:
    """All scorers, and the two tools with commands of their own."""
    shown = excerpt("official").out
    for name in OFFICIAL:
        assert f"excerpt official {name}  " in shown
    assert "excerpt inex_eval  " in shown
    assert [*SCORERS] == [*OFFICIAL]
    rows = json.loads(excerpt("official", "--format", "json").out)
    assert rows[0]["program"] == "trecgen2007_score.py"
    done = excerpt("official", "genomic")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(
        "excerpt: unknown official scorer 'genomic'; did you mean 'genomics'? known: bio"
    )


def test_tools_with_commands_of_their_own(genomics: Path, excerpt: Excerpt) -> None:
    """They have both names."""
    (genomics / "qrels").write_text("1 0 A 1\n")
    (genomics / "run").write_text("1 Q0 A 1 0.5 mine\n")
    assert excerpt("official", "trec_eval", "qrels", "run") == excerpt("trec_eval", "qrels", "run")
    assert "example:\n  excerpt inex_eval" in excerpt("official", "inex_eval", "--help").out


def test_lines_and_warnings(genomics: Path, excerpt: Excerpt) -> None:
    """The lines on standard output, what surprises on standard error; --strict makes it an error."""
    done = excerpt("official", "genomics", "gold.tsv", "york.v1.txt")
    assert (done.status, done.out) == (0, LINES.format("york"))
    assert done.err == (
        "excerpt: warning: 1 result shares text with several gold passages and counts for the first of them "
        "alone (york.v1.txt:1)\n"
    )
    assert excerpt("official", "genomics", "gold.tsv", "york.v1.txt", "--quiet").err == ""
    assert excerpt("official", "genomics", "gold.tsv", "york.v1.txt", "--strict").status == 3


def test_packed_listed_and_standard_input(
    genomics: Path, excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files may be packed, listed in a file, or standard input."""
    run = (genomics / "york.v1.txt").read_bytes()
    (genomics / "york.txt.gz").write_bytes(gzip.compress(run))
    (genomics / "list").write_text("york.txt.gz\n")
    assert excerpt("official", "genomics", "gold.tsv", "@list").out == LINES.format("york")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(run)))
    assert excerpt("official", "genomics", "gold.tsv", "-").out == LINES.format("-")
    both = excerpt("official", "genomics", "-", "-")
    assert both.err.startswith("excerpt: standard input can only be read once")


def test_a_faulty_run_among_others(genomics: Path, excerpt: Excerpt) -> None:
    """One line on standard error and status 2; the others are scored, with one heading."""
    (genomics / "bad").write_text("200 a 1 0.9 5\n")
    done = excerpt("official", "genomics", "gold.tsv", "bad", "york.v1.txt", "bad", "--quiet")
    assert (done.status, done.out) == (2, LINES.format("york"))
    assert (
        done.err.splitlines()
        == ["excerpt: bad:1: found 5 columns, expected at least 6 (topic document rank score offset length)"]
        * 2
    )


def test_faulty_gold(genomics: Path, excerpt: Excerpt) -> None:
    """Nothing is printed."""
    (genomics / "bad").write_text("topic\tdocument\toffset\tlength\taspects\n")
    done = excerpt("official", "genomics", "bad", "york.v1.txt")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(
        "excerpt: bad:1: found topic 'topic', expected a whole number (topic, document"
    )
    assert done.err.count("\n") == 1


def test_options_of_bioasq(genomics: Path, excerpt: Excerpt) -> None:
    """Without -e a warning names 8; -phaseA does nothing, -phaseB and other versions are refused."""
    one = {"id": "1", "documents": ["u/1"]}
    (genomics / "gold.json").write_text(json.dumps({"questions": [one]}))
    files = ("gold.json", "gold.json")
    done = excerpt("official", "bioasq", *files)
    assert done.err == (
        "excerpt: warning: without -e the figures are those of years 1 and 2 (-e 2); since 2020 it is -e 8\n"
    )
    plain = excerpt("official", "bioasq", "-e", "8", *files)
    assert (plain.status, plain.err) == (0, "")
    assert plain == excerpt("official", "bioasq", "-phaseA", "-e", "8", *files)
    verbose = excerpt("official", "bioasq", "-phaseA", "-e", "8", *files, "-verbose").out
    assert verbose.startswith(plain.out + "MPrec concepts: 0.0\n")
    assert excerpt("official", "bioasq", "-phaseB", *files).err.startswith(
        "excerpt: -phaseB is not supported"
    )
    assert "found '4', expected one of: 2, 3, 5, 8, 9" in excerpt("official", "bioasq", "-e", "4", *files).err


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("kilt", "a", "b", "--ks", "1,1"), "found cut-off 1 twice, expected each once"),
        (("kilt", "a", "b", "--ks", "0"), "found cut-off '0', expected a whole number of at least 1"),
        (
            ("epicqa", "a", "b"),
            "the following arguments are required: --task; try excerpt official epicqa --h",
        ),
        (
            ("epicqa", "a", "b", "--task", "both"),
            "argument --task: found 'both', expected one of: all, expert",
        ),
        (("nuggets",), "the following arguments are required: ASSIGNMENTS"),
        (("nuggets", "missing"), "missing: cannot be read: no such file or directory"),
    ],
)
def test_usage(given: tuple[str, ...], message: str, excerpt: Excerpt) -> None:
    """One line, and status 2."""
    done = excerpt("official", *given)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"excerpt: {message}")


def test_names_of_their_measures(excerpt: Excerpt, files: Path) -> None:
    """`evaluate` answers them with the command; `measures` says what they mean and what surprises."""
    from excerpt.measures._names import EVERYDAY

    for scorer in SCORERS.values():
        for measure in scorer.measures:
            base = measure.partition("@")[0]
            if base.lower() in {name.lower() for name in EVERYDAY}:
                continue
            done = excerpt("evaluate", "qrels", "run", "-m", measure.replace("@k", "@5"))
            assert done.err.startswith(f"excerpt: evaluate does not have the measure {base}")
            assert done.err.endswith(f"; excerpt official {scorer.name} has it\n")
            shown = json.loads(excerpt("measures", base, "--format", "json").out)
            assert [row["name"] for row in shown] == [measure, scorer.name]
        shown = json.loads(excerpt("measures", scorer.name, "--format", "json").out)
        assert [row["name"] for row in shown] == [*scorer.measures, scorer.name]
        assert all(text in shown[-1]["definition"] for text in scorer.surprises)
    assert (
        "\n## genomics\n\n`genomics`, by `excerpt official genomics`."
        in excerpt("measures", "PASSAGE", "--format", "markdown").out
    )
