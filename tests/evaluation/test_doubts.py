"""What is said of measures and topics that do not count as one might think."""

from __future__ import annotations

from excerpt import (
    Judgments,
    Notices,
    Result,
    Run,
    Span,
    evaluate,
    parse_measure,
    read_judgments,
    read_run,
)
from excerpt.evaluation.doubts import WISHES, notice_wishes
from excerpt.measures import registry

GOLD = Judgments.of([("1", Span("A", 0, 3)), ("2", Span("A", 3, 4))], irrelevant=[("3", "A")])
RUN = Run.of("r", [Result(topic, "A", 0, 9) for topic in "123"])


def test_every_wish_is_in_the_table() -> None:
    """Whatever a measure may wish for, the table knows; and nothing else is in it."""
    assert {wish for kind in registry().values() for wish in kind().wishes} == WISHES.keys()


def test_wishes_are_told_once_for_all_measures() -> None:
    measures = {name: parse_measure(name) for name in ("found", "hit", "found[1]", "found[2]", "allfound")}
    notices = Notices()
    notice_wishes(measures, (), notices)
    (said,) = notices
    assert said.startswith("white space counts as text under found, found[1], found[2] and 1 more, since")
    heard = Notices()
    notice_wishes(measures, ("text",), heard)
    assert list(heard) == []


def test_each_topic_that_does_not_count_is_told_with_its_reason() -> None:
    """Topic 2 has white space only, topic 3 nothing relevant at all."""
    notices = Notices()
    evaluate(GOLD, [RUN], ["found", "hit"], corpus={"A": "one two three"}, notices=notices)
    assert list(notices) == [
        "topic has no relevant text and was left out of the means (topic 3)",
        "topic has nothing to gain under found and was left out of its mean (topic 2)",
    ]


def test_documents_of_unknown_length_are_told() -> None:
    """Where characters are counted, not shares of what is relevant; a corpus knows better."""
    qrels, run = read_judgments(b"1 0 A 1\n1 0 B 0\n"), read_run(b"1 Q0 A 1 3 r\n1 Q0 B 2 2 r\n")
    names, notices = ["read@2", "charR(budget=9)", "charR@2"], Notices()
    assert evaluate(qrels, run, names, notices=notices)["r"]["read@2"] == 2
    (said,) = notices
    assert said.startswith("each document counts as 1 character under read@2, charR(budget=9), since")
    known = Notices()
    assert evaluate(qrels, run, names, corpus={"A": "one", "B": "four"}, notices=known)["r"]["read@2"] == 7
    assert list(known) == []


def test_elements_with_the_same_text_are_two_results() -> None:
    """A caption and its only paragraph are no repeat, the same path is one; nor are other spans around."""
    paths = ["/fig[1]/caption[1]", "/fig[1]/caption[1]/p[1]", "/fig[1]", "/fig[1]/caption[1]"]
    ends = [5, 5, 9, 5]
    run = Run.of("r", [Result("1", "A", 0, end, path=path) for path, end in zip(paths, ends, strict=True)])
    notices = Notices()
    evaluate(GOLD, [run], ["charP"], notices=notices)
    (said,) = (notice for notice in notices if "given before" in notice)
    assert said.startswith("result was given before for its topic, and is read again (topic 1")
    by_place = Notices()
    evaluate(GOLD, [Run.of("r", [Result("1", "A", 0, end) for end in ends])], ["charP"], notices=by_place)
    assert any("read again (2 times" in notice for notice in by_place)
