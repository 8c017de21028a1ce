"""Alternatives: recall and found by needs, against the definition; and what keeps them."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.oracle import Asked, Topic, assert_agreement
from support.strategies import DOCUMENTS, Case, T, cases, character_measures, evidence_measures

from excerpt import (
    ExcerptError,
    Judgments,
    Notices,
    Policy,
    Result,
    Run,
    Span,
    evaluate,
    evaluate_chunks,
    read_gold,
    read_judgments,
    write_judgments,
)
from excerpt.corpus import Corpus
from excerpt.model.alternatives import arrange, gather
from excerpt.model.judgment_parts import combine
from excerpt.model.samples import sample
from excerpt.model.topic_choice import TopicChoice
from excerpt.scores.provenance import topic_hashes

Text = frozenset[tuple[str, int]]


@dataclass(frozen=True)
class Choosing(Case):
    """A case whose highlights are numbered by need and alternative."""

    numbers: tuple[tuple[int, int], ...] = ()

    def judgments(self) -> Judgments:
        plain = super().judgments()
        rows = zip(self.highlights, self.numbers, strict=True)
        needs = gather((row[0], Span(*row[1:]), *numbers) for row, numbers in rows)
        return replace(plain, alternatives=needs)

    def _topic(self, topic: str, kind: type[T]) -> T:
        made = super()._topic(topic, kind)
        made.needs = self.needs(topic)
        return made

    def needs(self, topic: str) -> list[list[Text]]:
        """Sets of characters: needs with several different alternatives, then the passages of the rest."""
        given: dict[int, dict[int, set[tuple[str, int]]]] = {}
        for (name, document, start, end), (need, one) in zip(self.highlights, self.numbers, strict=True):
            if name == topic:
                text = given.setdefault(need, {}).setdefault(one, set())
                text |= {(document, place) for place in range(start, end)}
        rest: set[tuple[str, int]] = set().union(*given.pop(-1, {}).values())
        chosen: list[list[Text]] = []
        for alternatives in given.values():
            distinct = {frozenset(text) for text in alternatives.values() if text}
            if len(distinct) > 1:
                chosen.append(list(distinct))
            else:
                rest |= set().union(*distinct)
        runs = groupby(enumerate(sorted(rest)), lambda one: (one[1][0], one[1][1] - one[0]))
        return chosen and [*chosen, *([frozenset(at for _, at in run)] for _, run in runs)]


@st.composite
def choosing(draw: st.DrawFn) -> Choosing:
    case = draw(cases())
    number = st.tuples(st.sampled_from((-1, 0, 0, 0, 1)), st.integers(0, 2))
    numbers = st.lists(number, min_size=len(case.highlights), max_size=len(case.highlights))
    return Choosing(**vars(case), numbers=tuple(draw(numbers)))


@settings(max_examples=50)
@given(choosing(), character_measures(), evidence_measures(), st.text("ab \n", max_size=40))
def test_agrees_with_the_definition(
    case: Choosing, characters: list[Asked], evidence: list[Asked], text: str
) -> None:
    judgments, run = case.judgments(), case.run()
    assert_agreement(judgments, run, case.topics(Topic), characters + evidence, Policy())
    end = int(judgments.spans.end.max(initial=0))
    texts = dict.fromkeys((*DOCUMENTS, "y", "z"), text.ljust(max(end, 60), "b"))
    topics = replace(case, texts=texts).topics(Topic)
    assert_agreement(judgments, run, topics, evidence, Policy(), corpus=texts)


@settings(max_examples=60)
@given(choosing(), st.data())
def test_what_keeps_them(case: Choosing, data: st.DataObject) -> None:
    """Pickling, saving, renaming, merging and the choice of topics keep the judgments of a topic."""
    judgments = case.judgments()
    hashes = topic_hashes(judgments)
    assert topic_hashes(pickle.loads(pickle.dumps(judgments))) == hashes
    for topic in judgments.topics:
        alone = TopicChoice.of(topic).of_judgments(judgments)
        assert topic_hashes(alone) == {topic: hashes[topic]}
        assert bool(alone.alternatives) == bool(case.needs(topic))
    parts = [TopicChoice.of(topic).of_judgments(judgments) for topic in judgments.topics]
    data.draw(st.randoms()).shuffle(parts)
    if parts:
        assert topic_hashes(combine(parts)) == hashes


@settings(max_examples=60)
@given(case=choosing())
def test_saved_judgments_read_back(tmp_path_factory: pytest.TempPathFactory, case: Choosing) -> None:
    path = tmp_path_factory.mktemp("saved") / "gold.jsonl"
    judgments = case.judgments()
    if len(judgments):
        write_judgments(judgments, path)
        back = read_judgments(path, notices=Notices())
        assert topic_hashes(back) == topic_hashes(judgments)


@settings(max_examples=40)
@given(choosing(), st.data())
def test_a_sample_of_passages_keeps_the_parts_in_them(case: Choosing, data: st.DataObject) -> None:
    judgments = case.judgments()
    count = len(judgments.spans)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)), np.bool_)
    smaller = sample(judgments, mask).judgments
    kept = {
        (judgments.topics[judgments.pair_topic[pair]], judgments.documents[judgments.pair_document[pair]], at)
        for pair, start, end in zip(smaller.spans.group, smaller.spans.start, smaller.spans.end, strict=True)
        for at in range(start, end)
    }
    run = case.run()
    topics = case.topics(Topic)
    for name, topic in topics.items():
        cut = [[frozenset(at for at in text if (name, *at) in kept) for text in need] for need in topic.needs]
        topic.needs = [[text for text in need if text] for need in cut if any(need)]
        for document in topic.passages:
            places = sorted(at for one, of, at in kept if (one, of) == (name, document))
            topic.passages[document] = [(at, at + 1) for at in places]
    if any(smaller.has_relevant):
        assert_agreement(
            smaller, run, topics, [Asked("charR"), Asked("found"), Asked("charR", "2")], Policy()
        )


GOLD = [
    {
        "question": "Are pets allowed?",
        "any_of": [{"document": "A", "quote": "Pets are allowed."}, {"document": "B", "quote": "a dog"}],
    },
    {
        "question": "When is the rent due, and how much is it?",
        "evidence": [
            {
                "any_of": [
                    {"document": "A", "quote": "in May"},
                    {"document": "B", "quote": "every spring, in May"},
                ]
            },
            {"document": "B", "quote": "900 euros"},
        ],
    },
    {"question": "Who pays?", "answerable": False},
]
DOCS = {
    "A": "The rent is due in May. Pets are allowed.",
    "B": "You may keep a dog. It is due every spring, in May, and 900 euros.",
}


def spans(*quotes: tuple[str, str, str]) -> Run:
    places = ((topic, document, DOCS[document].index(quote), len(quote)) for topic, document, quote in quotes)
    return Run.of("r", [Result(topic, document, at, at + size) for topic, document, at, size in places])


def means(run: Run, *names: str, gold: object = GOLD) -> list[float]:
    judgments = read_gold(gold, DOCS) if isinstance(gold, list) else gold
    table = evaluate(judgments, [run], names, corpus=DOCS, notices=Notices())  # type: ignore[arg-type]
    return [float(mean) for mean in table.means()[0]]


def test_one_alternative_is_enough() -> None:
    run = spans(("1", "B", "a dog"), ("2", "A", "in May"), ("2", "B", "900 euros"))
    assert means(run, "recall", "found", "allfound", "precision", "hit", "mrr") == [1, 1, 1, 1, 1, 1]
    # The union is relevant: 5 of 17 + 5 characters, 15 of 6 + 20 + 9.
    assert means(run, "iou") == [(5 / 22 + 15 / 35) / 2]


def test_of_equal_shares_the_shorter_alternative_counts() -> None:
    """Half of "in May" (3 of 6) and half of the longer quote (10 of 20), 9 of 9 of the other need."""
    run = spans(("2", "A", "May"), ("2", "B", "every spri"), ("2", "B", "900 euros"))
    assert means(run, "recall") == [(0 + (3 + 9) / (6 + 9)) / 2]
    # One character more, and the longer one has the greater share.
    run = spans(("2", "A", "May"), ("2", "B", "every sprin"), ("2", "B", "900 euros"))
    assert means(run, "recall") == [(0 + (11 + 9) / (20 + 9)) / 2]


def test_recall_may_fall_when_another_alternative_becomes_the_best() -> None:
    """10 of 20 and 0 of 9; then 3 of 6, which is as much and shorter, and 0 of 9."""
    run = spans(("2", "B", "every spri"), ("2", "A", "May"))
    assert means(run, "recall@1", "recall@2") == [10 / 29 / 2, 3 / 15 / 2]
    assert means(run, "recall(budget=10)", "recall(budget=12)") == [10 / 29 / 2, 10 / 29 / 2]


def test_shares_are_compared_exactly() -> None:
    """Two shares that are the same in floating point: (2**30 - 1) / 2**30 and (2**30 - 2) / (2**30 - 1)."""
    big = 1 << 30
    needs = arrange({"1": [[(Span("A", 0, big - 1),), (Span("B", 0, big),)]]})
    judgments = replace(
        Judgments.of([("1", Span("A", 0, big - 1)), ("1", Span("B", 0, big))]), alternatives=needs
    )
    run = Run.of("r", [Result("1", "A", 0, big - 2), Result("1", "B", 0, big - 1)])
    assert evaluate(judgments, [run], ["charR"]).means().tolist() == [[(big - 1) / big]]


def test_needs_that_overlap_count_each_by_itself() -> None:
    quote = {"document": "A", "quote": "The rent is due in May."}
    either = {"any_of": [{"document": "A", "quote": "in May"}, {"document": "B", "quote": "in May"}]}
    gold = [{"question": "When?", "evidence": [either, quote]}]
    run = spans(("1", "A", "in May"))
    assert means(run, "recall", "found", gold=gold) == [(6 + 6) / (6 + 23), 0.5]


def test_an_alternative_in_parts_is_found_as_a_whole() -> None:
    gold = [
        {
            "question": "?",
            "any_of": [{"document": "B", "quote": "You may … spring"}, {"document": "A", "quote": "rent"}],
        }
    ]
    assert means(spans(("1", "B", "You may")), "found", "recall", gold=gold) == [0, 7 / 13]
    assert means(spans(("1", "B", "You may"), ("1", "B", "spring")), "found", "recall", gold=gold) == [1, 1]


def test_no_alternatives_no_change() -> None:
    """Equal alternatives are one, and judgments without alternatives keep their hash."""
    place = {"document": "A", "quote": "in May"}
    one, two = ([{"question": "?", **evidence}] for evidence in (place, {"any_of": [place, place]}))
    plain, chosen = (read_gold(gold, DOCS) for gold in (one, two))
    assert chosen.alternatives == {}
    assert topic_hashes(plain) == topic_hashes(chosen)
    assert (
        topic_hashes(read_gold(GOLD, DOCS))["1"]
        != topic_hashes(replace(read_gold(GOLD, DOCS), alternatives={}))["1"]
    )


def test_ceiling_of_chunkers_is_the_recall_of_all_chunks() -> None:
    corpus = Corpus(DOCS)
    chunks = corpus.place({"A": [DOCS["A"][24:]], "B": [DOCS["B"][55:]]}, name="some")
    table = evaluate_chunks(read_gold(GOLD, DOCS), chunks, corpus, notices=Notices())
    assert table["some"]["ceiling"] == (1 + 9 / 15) / 2


def test_abstained() -> None:
    """Only questions that no document answers count; the set rag has them if there are some."""
    silent, eager = spans(("1", "B", "a dog")), spans(("1", "B", "a dog"), ("3", "B", "a dog"))
    assert means(silent, "abstained") == [1]
    assert means(eager, "abstained") == [0]
    gold = read_gold(GOLD, DOCS)
    rag = evaluate(gold, [eager], "rag", corpus=DOCS, notices=Notices()).measures
    assert rag[-2:] == ("read@5", "abstained")
    answered = TopicChoice.of("1,2").of_judgments(gold)
    assert "abstained" not in evaluate(answered, [eager], ["rag"], corpus=DOCS, notices=Notices()).measures
    notices = Notices()
    evaluate(answered, [silent], ["abstained"], corpus=DOCS, notices=notices)
    assert any("no mean of abstained, since every topic has relevant text" in said for said in notices)


SENTENCE = "The rent is due on the first day of every month."
COPIES = {
    "A": f"1. {SENTENCE}",
    "B": "2. " + SENTENCE.replace(" ", "\n ", 2) + f"\n3. {SENTENCE}",
    "C": "Pets.",
}


def copied(**how: str) -> tuple[Judgments, list[float]]:
    gold = [{"question": "When is the rent due?", "document": "A", "quote": SENTENCE}]
    judgments = read_gold(gold, COPIES, notices=Notices(), **how)  # type: ignore[arg-type]
    run = Run.of("r", [Result("1", "B", 3, 3 + len(SENTENCE) + 2)])
    return judgments, evaluate(judgments, [run], ["recall", "found", "hit"], corpus=COPIES).means()[
        0
    ].tolist()


def test_every_copy_is_an_alternative() -> None:
    judgments, scores = copied()
    assert (judgments.alternatives, scores) == ({}, [0, 0, 0])
    judgments, scores = copied(copies="any")
    size = len(SENTENCE)
    assert judgments.highlights("1") == [
        Span("A", 3, 3 + size),
        Span("B", 3, 5 + size),
        Span("B", 9 + size, 9 + 2 * size),
    ]
    assert scores == [1, 1, 1]
    assert judgments.evidence["copies"] == 2
    run = Run.of("r", [Result("1", "B", 3, 5 + size)])
    marked = Judgments.of([("1", Span("A", 3, 3 + size)), ("2", Span("C", 0, 5))])
    table = evaluate(marked, [run], ["recall"], corpus=COPIES, copies="any", notices=Notices())
    assert table.means().tolist() == [[0.5]]
    assert table.topics == ("1", "2")


def test_copies_are_silent_about_duplicates_and_refuse_what_has_no_text() -> None:
    notices = Notices()
    gold = [{"question": "When?", "document": "A", "quote": SENTENCE}]
    read_gold(gold, COPIES, copies="any", notices=notices)
    assert list(notices) == []
    with pytest.raises(ExcerptError, match="copies need the documents"):
        read_gold(b'{"topic": "1", "document": "A", "spans": [[0, 50]]}', copies="any")
    with pytest.raises(ExcerptError, match="copies need judgments of text"):
        read_judgments(b"1 0 A 1\n", corpus=COPIES, copies="any")
    with pytest.raises(ExcerptError, match="unknown copies 'all'"):
        read_gold(gold, COPIES, copies="all")  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["5", "[]", "[5]", "[[]]", '{"document": "A"}'])
def test_wrong_alternatives_in_saved_judgments(value: str) -> None:
    line = '{"topic": "1", "document": "A", "spans": []}\n{"topic": "1", "any_of": ' + value + "}\n"
    with pytest.raises(ExcerptError, match="expected a list of objects, each with a document and a span"):
        read_judgments(line.encode())
