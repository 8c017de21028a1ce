"""Output of IndriRunQuery: words without a corpus, characters by the text of the passages."""

from __future__ import annotations

import pytest

from excerpt import Corpus, read_run
from excerpt.errors import FormatError
from excerpt.notices import Notices

PLAIN = (
    b"# query: #combine[passage10:5]( rent )\n-5.1\tA\t1\t3\n-5.7\tB\t0\t2\n# query: pets\n-4.0\tA\t0\t1\n"
)
PRINTED = b"""# query: rent
-5.1\tA\t1\t3
two
  three
-5.7\tB\t0\t2
un deux
"""
TREC = b"7 Q0 A 1 -5.1 indri\ntwo three\n7 Q0 B 2 -5.7 indri\nun deux\n"
CORPUS = Corpus({"A": "one two three", "B": "un deux trois"})


def test_words_stay_words() -> None:
    """Offsets stay words and queries are numbered, each with a warning."""
    notices = Notices()
    run = read_run(PLAIN, notices=notices)
    assert [result[:4] for result in run] == [("1", "A", 1, 3), ("1", "B", 0, 2), ("2", "A", 0, 1)]
    assert len(list(notices)) == 2
    assert any("offsets stay in Indri's words" in notice for notice in notices)


@pytest.mark.parametrize(("data", "topic"), [(PRINTED, "1"), (TREC, "7")])
def test_passages_are_found_by_their_text(data: bytes, topic: str) -> None:
    """Whitespace may differ; the format of TREC lines must be named."""
    run = read_run(data, corpus=CORPUS, format="indri")
    assert [result[:4] for result in run] == [(topic, "A", 4, 13), (topic, "B", 0, 7)]
    assert run.rank.tolist() == ([-1, -1] if topic == "1" else [1, 2])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"-5\tA\t0\t1\n-4\tB\t0\t1\n", "2: found a score that rises, expected a line '# query: …' before"),
        (b"hello\n-5\tA\t0\t1\n", "1: found 'hello', expected score document begin end"),
        (b"-5\tA\t3\t1\n", "1: found words 3 to 1, expected an end after the begin"),
        (b"-5\tZ\t0\t1\nun\n", "1: document Z is not in the corpus, expected the corpus that was searched"),
        (
            b"-5\tA\t0\t1\nquatre\n",
            "1: the passage 'quatre' does not occur in document A",
        ),
    ],
)
def test_faults(data: bytes, message: str) -> None:
    """Each with its line."""
    with pytest.raises(FormatError) as caught:
        read_run(data, corpus=CORPUS, format="indri")
    assert str(caught.value).startswith(f"<bytes>:{message}")


def test_trec_form_without_a_corpus() -> None:
    """There are no places in it."""
    with pytest.raises(
        FormatError, match="results have no offsets; locating them needs the text of each passage"
    ):
        read_run(TREC, format="indri")
