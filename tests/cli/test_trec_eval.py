"""excerpt trec_eval."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from .conftest import Excerpt

_QRELS = "1 0 A 1\n1 0 B 0\n1 0 C 2\n2 0 A 1\n"
_RUN = "1 Q0 B 1 0.9 mine\n1 Q0 A 2 0.8 mine\n"


@pytest.fixture
def documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Qrels, a run, and a folder of runs."""
    (tmp_path / "qrels").write_text(_QRELS)
    (tmp_path / "run").write_text(_RUN)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a").write_text(_RUN)
    (tmp_path / "runs" / "b").write_text(_RUN.replace("mine", "other"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("documents")
def test_options_in_any_order(excerpt: Excerpt) -> None:
    """As getopt takes them: short and long, joined and apart, between and behind the files."""
    wanted = "map                   \t1\t0.2500\n"
    for options in (
        ("-q", "-n", "-m", "map", "qrels", "run"),
        ("-qn", "-mmap", "qrels", "run"),
        ("qrels", "--query_eval_wanted", "--nosummary", "run", "--measure", "map"),
        ("--measure=map", "-qnR", "qrels", "-T", "trec_results", "--", "qrels", "run"),
    ):
        done = excerpt("trec_eval", *options)
        assert (done.status, done.out, done.err) == (0, wanted, "")
    assert excerpt("trec_eval", "-c", "-l2", "-M", "5", "-J", "-N9", "-mmap", "qrels", "run").status == 0


def test_several_runs(documents: Path, excerpt: Excerpt) -> None:
    """One after the other, from a folder too; one that is faulty does not stop the others."""
    done = excerpt("trec_eval", "-m", "runid", "qrels", "run", "runs")
    assert [line.split("\t")[2] for line in done.out.splitlines()] == ["mine", "mine", "other"]
    (documents / "bad").write_text("1 Q0 A 1 high mine\n")
    mixed = excerpt("trec_eval", "-m", "runid", "qrels", "bad", "none", "run")
    assert (mixed.status, mixed.out) == (2, "runid                 \tall\tmine\n")
    assert mixed.err.splitlines() == [
        "excerpt: bad:1: found score 'high', expected a number",
        "excerpt: none: cannot be read: no such file or directory",
    ]


def test_help_and_version(excerpt: Excerpt) -> None:
    """Both need no files."""
    assert excerpt("trec_eval").out == excerpt("trec_eval", "-h").out == excerpt("trec_eval", "--help").out
    assert "excerpt trec_eval -q -m official" in excerpt("trec_eval", "--help").out
    assert excerpt("trec_eval", "-v").out.endswith("with the lines of trec_eval 10.0\n")


@pytest.mark.usefixtures("documents")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("qrels",), "QRELS and at least one RUN are required"),
        (("-x", "qrels", "run"), "unknown option -x"),
        (("-l", "qrels", "run"), "found 'qrels' as value of -l, expected a whole number of at least 0"),
        (("-M0", "qrels", "run"), "found '0' as value of -M, expected a whole number of at least 1"),
        (("-m", "nothing", "qrels", "run"), "unknown measure 'nothing'"),
        (("-m", "prefs_simp", "qrels", "run"), "trec_eval's prefs_simp needs preferences"),
        (("-Z", "scores", "qrels", "run"), "-Z scores is not supported (z-scores)"),
        (("-R", "prefs", "qrels", "run"), "-R prefs is not supported (preferences or groups of judgments)"),
        (("-o", "qrels", "run"), "-o is not supported (an old output format)"),
        (("none", "run"), "none: cannot be read"),
        (("-", "-"), "standard input can only be read once"),
    ],
)
def test_mistakes(excerpt: Excerpt, arguments: tuple[str, ...], message: str) -> None:
    """Each is one line on standard error and exit status 2."""
    done = excerpt("trec_eval", *arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"excerpt: {message}")
    assert done.err.count("\n") == 1


def test_a_limit_for_compressed_files(
    documents: Path, excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hint of the error helps, here and in excerpt index."""
    monkeypatch.setenv("EXCERPT_MAX_SIZE", "10")
    (documents / "packed.gz").write_bytes(gzip.compress((documents / "run").read_bytes()))
    (documents / "ft.gz").write_bytes(gzip.compress(b"<DOC><DOCNO>1</DOCNO>text</DOC>"))
    for command in (("trec_eval", "qrels", "packed.gz"), ("index", "ft.gz", "-o", "ft.index")):
        monkeypatch.setenv("EXCERPT_MAX_SIZE", "10")
        refused = excerpt(*command)
        assert (refused.status, refused.err.count("\n")) == (2, 1)
        assert "set --max-size 1G" in refused.err
        assert excerpt(*command, "--max-size", "1G").status == 0
