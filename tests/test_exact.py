"""Real collections: every score equals exact rational arithmetic.

The oracle reads the files with a few lines of its own, so that a fault of a reader shows as well.
"""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from support.element_oracle import ElementTopic, assert_agrees, entry_score
from support.element_spans import elements_of
from support.oracle import Asked, IntervalTopic, assert_agreement

import excerpt
from excerpt import Policy, Result
from excerpt.model.elements import GradedElement

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

ELEMENTS = [
    Asked("nxCG", "10"),
    Asked("nxCG", "50"),
    Asked("nxCG", "50", (("quantisation", "strict"),)),
    Asked("nxCG", "10", (("ideal", "focused"),)),
    Asked("MAep"),
    Asked("ep", "0.01"),
    Asked("Q"),
    Asked("R"),
    Asked("inex_eval", "0.1"),
]

#: Runs of each shared collection: ordinary, of documents, overlapping.
SHARED = [
    ("cuad", "ric-p5", "error"),
    ("cuad", "thorough-bm25", "penalise"),
    ("evidence", "thorough-bm25", "first"),
    ("ragtext", "win1000s-nostem", "penalise"),
]


def lines(path: Path) -> Iterator[list[str]]:
    """The columns of every line of a file."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return (line.split() for line in data.decode().splitlines() if line.strip())


def topics(qrels: Path, run: Path) -> dict[str, IntervalTopic]:
    """The topics of the judgments with the results of a run, read from FOL files."""
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
    """All measures of every embedded run of contracts are exact, strictly and with overlap counted once."""
    check(EMBEDDED / "qrels.fol", run, [Policy(), Policy(overlap="first", interleaved="regroup")])


@pytest.mark.parametrize("overlap", ["penalise", "allow"])
def test_embedded_thorough_run(overlap: str) -> None:
    """The embedded run with overlapping results is exact under the other overlap policies."""
    policy = Policy(overlap=overlap, interleaved="regroup", limit=700)  # type: ignore[arg-type]
    check(EMBEDDED / "qrels.fol", EMBEDDED / "runs" / "thorough-bm25.fol.gz", [policy])


ARTICLES = EMBEDDED.parent / "evidence_mini"


@pytest.fixture(scope="module")
def articles(tmp_path_factory: pytest.TempPathFactory) -> excerpt.OffsetIndex:
    """An index of the embedded articles."""
    place = tmp_path_factory.mktemp("articles") / "index"
    excerpt.build_index(ARTICLES / "docs.zip", place)
    return excerpt.OffsetIndex.open(place)


def highlighted_elements() -> list[GradedElement]:
    """Every element of the embedded articles with highlighted characters, counted as sets."""
    with zipfile.ZipFile(ARTICLES / "docs.zip") as archive:
        trees = {
            Path(name).stem: list(elements_of(ET.fromstring(archive.read(name))))
            for name in archive.namelist()
        }
    found = []
    for topic, _, document, _, _, _, *passages in lines(ARTICLES / "qrels.fol"):
        spans = [tuple(map(int, passage.split(":"))) for passage in passages]
        relevant = {place for start, length in spans for place in range(start, start + length)}
        for path, start, end in trees[document]:
            if shared := len(relevant.intersection(range(start, end))):
                found.append(GradedElement(topic, document, path, 2, size=end - start, relevant=shared))
    return found


@pytest.mark.parametrize("name", ["thorough-bm25", "mix-bm25"])
def test_elements_of_the_embedded_articles(articles: excerpt.OffsetIndex, name: str) -> None:
    """Measures of elements are exact on real structure, from the files on."""
    path = ARTICLES / "runs-xpath" / f"{name}.txt.gz"
    results = [
        Result(topic, document, -1, -1, float(score), path=place)
        for topic, _, document, _, score, _, place in lines(path)
    ]
    graded = highlighted_elements()
    judgments = excerpt.read_judgments(ARTICLES / "qrels.fol")
    exact = {topic: ElementTopic.of(topic, "highlights", graded, results) for topic in judgments.topics}
    assert_agrees(
        judgments,
        excerpt.read_run(path, index=articles),
        ELEMENTS,
        lambda topic, asked: exact[topic].score(asked),
        index=articles,
    )


def test_entry_points_of_the_embedded_articles(articles: excerpt.OffsetIndex) -> None:
    """BEPD and EPRUM are exact, with the mean length of an article from the index."""
    path, qrels = ARTICLES / "runs" / "bic-best-p.fol.gz", ARTICLES / "qrels.fol"
    with zipfile.ZipFile(ARTICLES / "docs.zip") as archive:
        sizes = [len("".join(ET.fromstring(archive.read(name)).itertext())) for name in archive.namelist()]
    length = str(Fraction(sum(sizes), len(sizes)))
    results = [(row[0], row[2], int(row[6])) for row in lines(path)]
    entries = [(row[0], row[2], int(row[5])) for row in lines(qrels)]

    def expected(topic: str, asked: Asked) -> Fraction | None:
        return entry_score(
            [(document, start) for of, document, start in results if of == topic],
            {document: start for of, document, start in entries if of == topic},
            Asked(asked.name, asked.cutoff, (*asked.parameters, ("L", length))),
        )

    asked = [Asked("BEPD"), Asked("EPRUM"), Asked("EPRUM", "0.5"), Asked("EPRUM", None, (("A", "1"),))]
    assert_agrees(excerpt.read_judgments(qrels), excerpt.read_run(path), asked, expected, index=articles)


@pytest.mark.slow
@pytest.mark.parametrize(("collection", "run", "overlap"), SHARED)
def test_shared_collections(shared: Path, collection: str, run: str, overlap: str) -> None:
    """All measures of a few runs of larger collections are exact."""
    qrels, path = shared / collection / "qrels.fol", shared / collection / "runs" / f"{run}.fol.gz"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    check(qrels, path, [Policy(overlap=overlap, interleaved="regroup")])  # type: ignore[arg-type]
