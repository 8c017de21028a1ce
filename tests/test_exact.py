"""Real collections: every score equals exact rational arithmetic.

The oracle reads the files with a few lines of its own, so that a fault of a reader shows as well.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from oracle import Asked, IntervalTopic, assert_agreement

import excerpt
from excerpt import Policy

FOCUSED = [Asked("iP", "0.00"), Asked("iP", "0.01"), Asked("iP", "0.10"), Asked("iP", "0.57"), Asked("AiP")]
OTHERS = [
    Asked("charP"),
    Asked("charR"),
    Asked("charF", None, (("beta", "0.5"),)),
    Asked("IoU"),
    Asked("charP", "10"),
    Asked("IoU", "5"),
    Asked("articleP"),
    Asked("articleR"),
    Asked("articleF"),
    Asked("articleAP"),
]
IN_CONTEXT = [
    Asked("AgP", None, (("beta", "0.25"),)),
    Asked("AgP"),
    Asked("gP", "10"),
    Asked("gR", "10"),
    Asked("AgP", None, (("score", "T2I"),)),
]
ENTRIES = [
    Asked("AgP", None, (("score", "BEP"),)),
    Asked("gP", "10", (("score", "BEP"), ("n", "1000"), ("legacy", "true"))),
]

#: Runs of each shared collection: ordinary, of documents, overlapping.
SHARED = [
    ("cuad", "p-bm25", "error"),
    ("cuad", "ric-p5", "error"),
    ("cuad", "thorough-bm25", "penalise"),
    ("evidence", "p-bm25", "error"),
    ("evidence", "thorough-bm25", "first"),
    ("ragtext", "p-bm25", "error"),
    ("ragtext", "win1000s-nostem", "penalise"),
]


def lines(path: Path) -> Iterator[list[str]]:
    """The columns of every line of a file."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return (line.split() for line in data.decode().splitlines() if line.strip())


def topics(qrels: Path, run: Path) -> dict[str, IntervalTopic]:
    """The topics of the judgments beside the results of a run, read from FOL files."""
    read: dict[str, IntervalTopic] = {}
    for topic, _, document, _, size, *rest in lines(qrels):
        one = read.setdefault(topic, IntervalTopic([], {}))
        one.sizes[document] = int(size)
        if rest:
            one.entries[document] = int(rest[0])
        spans = [tuple(map(int, part.split(":"))) for part in rest[1:]]
        one.passages[document] = [(offset, offset + length) for offset, length in spans]
    for topic, _, document, _, _, _, offset, length in lines(run):
        if topic in read:
            read[topic].results.append((document, int(offset), int(offset) + int(length)))
    return read


def check(qrels: Path, run: Path, policies: list[Policy]) -> None:
    """excerpt agrees with the exact scores under each policy."""
    exact = topics(qrels, run)
    judgments, results = excerpt.read_judgments(qrels), excerpt.read_run(run)
    for policy in policies:
        assert_agreement(judgments, results, exact, FOCUSED + IN_CONTEXT + ENTRIES, policy)
    assert_agreement(judgments, results, exact, OTHERS, policies[0])


EMBEDDED = Path(__file__).parents[1] / "src" / "excerpt" / "data" / "cuad_mini"


@pytest.mark.parametrize(
    "run", sorted(EMBEDDED.glob("runs/*.fol.gz")), ids=lambda path: path.name.partition(".")[0]
)
def test_embedded_collection(run: Path) -> None:
    """All measures of every embedded run are exact, strictly and with overlap counted once."""
    check(EMBEDDED / "qrels.fol", run, [Policy(), Policy(overlap="first", interleaved="regroup")])


@pytest.mark.parametrize("overlap", ["penalise", "allow"])
def test_embedded_thorough_run(overlap: str) -> None:
    """The embedded run with overlapping results is exact under the other overlap policies."""
    policy = Policy(overlap=overlap, interleaved="regroup", limit=700)  # type: ignore[arg-type]
    check(EMBEDDED / "qrels.fol", EMBEDDED / "runs" / "thorough-bm25.fol.gz", [policy])


@pytest.mark.slow
@pytest.mark.parametrize(("collection", "run", "overlap"), SHARED)
def test_shared_collections(shared: Path, collection: str, run: str, overlap: str) -> None:
    """All measures of a few runs of larger collections are exact."""
    qrels, path = shared / collection / "qrels.fol", shared / collection / "runs" / f"{run}.fol.gz"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    check(qrels, path, [Policy(overlap=overlap, interleaved="regroup")])  # type: ignore[arg-type]
