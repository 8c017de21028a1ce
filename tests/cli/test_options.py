"""Options that several commands share: what they mean for reading and scoring."""

from __future__ import annotations

from pathlib import Path

import pytest

from excerpt.cli.parser import Parser, chosen_policy, scoring
from excerpt.evaluation import Reading
from excerpt.model import Policy
from excerpt.options import ENGINE, MAX_SIZE, POLICY, QRELS, READING, RUNS

from .conftest import Excerpt


def parse(*given: str) -> dict[str, object]:
    """Parse the options of an evaluation."""
    parser = Parser("evaluate", QRELS, RUNS, *READING, MAX_SIZE, *ENGINE, *POLICY, example="")
    arguments = parser.parse(["q", "r", *given])
    assert chosen_policy(arguments) == scoring(arguments).get("policy", Policy())
    return scoring(arguments)


def test_defaults_are_those_of_the_library() -> None:
    """A command without options does what a function without keywords does."""
    found = parse()
    assert found.pop("workers") == 1
    assert Reading(**found) == Reading()  # type: ignore[arg-type]


def test_every_option_arrives() -> None:
    """Each option becomes the setting of its name."""
    found = parse(
        *("--order", "rank", "--drop-tags", "a,b", "--run-format", "fol", "--qrels-format", "trec"),
        *("--context", "article", "--workers", "2", "--overlap", "first", "--unknown-length", "70"),
        *("--limit", "none", "--segments", "s", "--quantisations", "t", "--topics", "u", "--index", "i"),
        *("--only", "1", "--exclude", "2", "--target", "vague", "--corpus", "c"),
    )
    assert found.pop("policy") == Policy(overlap="first", unknown_length=70, limit=None)
    assert found == {
        "index": "i",
        "corpus": "c",
        "order": "rank",
        "drop_tags": ("a", "b"),
        "quantisations": "t",
        "run_format": "fol",
        "qrels_format": "trec",
        "context": "article",
        "segments": "s",
        "topics": "u",
        "only": "1",
        "exclude": "2",
        "target": "vague",
        "workers": 2,
    }


@pytest.mark.parametrize("length", ["0", "-1", "men", "1.5", "9999999999", "²"])
def test_lengths_that_do_not_exist(length: str, excerpt: Excerpt, files: Path) -> None:
    """A length that is none is one line and status 2."""
    done = excerpt("evaluate", "qrels", "run", f"--unknown-length={length}")
    assert done.status == 2
    assert f"found '{length}', expected error, mean or a number of characters" in done.err


def test_unknown_lengths_on_the_command_line(excerpt: Excerpt, files: Path) -> None:
    """Documents of unknown length are refused with the options that help; each of them does."""
    (files / "trec").write_text("1 Q0 A 1 9 r\n1 Q0 Z 2 8 r\n2 Q0 D 1 9 r\n")
    refused = excerpt("evaluate", "qrels", "trec", "-m", "charP")
    assert refused.status == 2
    assert refused.err == (
        "excerpt: trec:2: found 1 whole document of unknown length (first: topic 1, document Z), "
        "expected the length of each; give --corpus CORPUS or --index INDEX, or try "
        "--unknown-length mean (the mean of the "
        "known lengths) or --unknown-length 6000 (a number of characters)\n"
    )
    for length, expected in (("mean", 400), ("1000", 1000)):
        done = excerpt(
            "evaluate", "qrels", "trec", "-m", "charP", "--format", "csv", "--unknown-length", length
        )
        assert str((60 / (200 + expected) + 100 / 1000) / 2) in done.out
        assert (
            f"1 result is a document of unknown length and counts as {expected} characters (trec:2)"
            in done.err
        )
    assert excerpt("evaluate", "qrels", "trec", "-m", "articleP").status == 0


def test_standard_input_is_read_once(excerpt: Excerpt) -> None:
    """Judgments and a run, or two runs, cannot both come from standard input."""
    for files in (("-", "-"), ("q", "-", "-")):
        done = excerpt("evaluate", *files)
        said = "excerpt: standard input can only be read once; give one of the two as a file\n"
        assert (done.status, done.err) == (2, said)


@pytest.mark.parametrize("command", ["evaluate", "curve", "compare", "report", "explore", "show"])
def test_a_corpus_is_named_once(excerpt: Excerpt, files: Path, command: str) -> None:
    """Of two, one would not count: that is said, and nothing is done."""
    more = ["1"] if command == "show" else ["-o", "out.html"] if command == "report" else []
    measures = [] if command == "explore" else ["-m", "iP" if command == "curve" else "charP"]
    done = excerpt(command, "qrels", "run", *more, *measures, "--corpus", "one", "--corpus=two")
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        "excerpt: --corpus one and --corpus two cannot be combined; a folder, or a pattern such as "
        "'docs/*', names several files\n"
    )


def test_a_fault_of_a_corpus_is_no_matter_of_check(excerpt: Excerpt, files: Path) -> None:
    """`excerpt check` knows runs and judgments, no corpora."""
    (files / "c.jsonl").write_text('{"text": "x"}\n')
    done = excerpt("evaluate", "qrels", "run", "-m", "charP", "--corpus", "c.jsonl")
    assert done.status == 2
    assert "c.jsonl:1: found the key text, expected a document with an id" in done.err
    assert done.err.endswith("; repair the line, or leave it out\n")
