"""`excerpt.pool` against the definitions: sets and fractions, a topic at a time."""

from __future__ import annotations

import io
import math
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import pool_oracle as oracle

import excerpt
from excerpt import ExcerptError, ExcerptWarning, Notices, Result, Run, pool
from excerpt.evaluation.reading import Reading
from excerpt.pooling import Pool, PoolItem
from excerpt.pooling.adaptive import next_order
from excerpt.pooling.pools import PoolUnit
from excerpt.pooling.returned import Returned, RunFilter, gather
from excerpt.pooling.selection import (
    WHOLE,
    SelectionRule,
    best_of,
    choose_fused,
    choose_round_robin,
    draw_sample,
    fused,
    sum_of,
    top_candidates,
)

UNITS = st.sampled_from(["document", "passage"])


def made(runs: list[Run], **rule: Any) -> Pool:
    """The pool, whatever there is to say of it."""
    return excerpt.pool(runs, notices=Notices(), **rule)


def items_by_topic(pool: Pool) -> dict[str, list[PoolItem]]:
    """The items of each topic."""
    return {topic: [item for item in pool.items if item.topic == topic] for topic in pool.topics}


def key(item: PoolItem, unit: str) -> oracle.Item:
    """Key that identifies an item."""
    return (item.document,) if unit == "document" else (item.document, *item.passages[0][0][1:])


def check_results(runs: list[Run], topic: str, unit: str, item: PoolItem, depth: float) -> None:
    """Check that an item has exactly the results of each run down to a depth."""
    own = [[row for row in run if row.topic == topic] for run in runs]
    rankings = oracle.rankings_of(runs, topic, unit)
    wanted = oracle.behind(
        rankings, key(item, unit), lambda run, place: (own[run][place].start, own[run][place].end), depth
    )
    assert dict(zip(item.runs, map(list, item.passages), strict=True)) == {
        runs[number].name: results for number, results in wanted.items()
    }


@given(oracle.some_runs(), UNITS, st.integers(1, 6))
def test_depth(runs: list[Run], unit: str, depth: int) -> None:
    """Items among the first results of any run, with these results, all of them certain."""
    pool = made(runs, depth=depth, unit=unit)
    assert list(pool.topics) == oracle.topics_of(runs)
    for topic, items in items_by_topic(pool).items():
        assert [key(item, unit) for item in items] == oracle.deep(
            oracle.rankings_of(runs, topic, unit), depth
        )
        assert [item.order for item in items] == list(range(1, len(items) + 1))
        assert {(item.stratum, item.probability) for item in items} == {("depth", Fraction(1))}
        for item in items:
            check_results(runs, topic, unit, item, depth)


@given(oracle.some_runs(), UNITS, st.integers(1, 9))
def test_round_robin(runs: list[Run], unit: str, documents: int) -> None:
    """Whole rounds until there are so many documents, or all rounds."""
    for topic, items in items_by_topic(made(runs, documents=documents, unit=unit)).items():
        wanted, rounds = oracle.round_robin(oracle.rankings_of(runs, topic, unit), documents)
        assert [key(item, unit) for item in items] == wanted
        assert {(item.stratum, item.probability) for item in items} == {("round-robin", Fraction(1))}
        for item in items:
            check_results(runs, topic, unit, item, rounds)


@given(oracle.some_runs(), UNITS, st.integers(1, 9), st.integers(0, 4))
def test_take_and_floor(runs: list[Run], unit: PoolUnit, take: int, floor: int) -> None:
    """Floors first, even beyond what was asked for, with a warning; then by the sums, compared exactly."""
    notices, beyond = Notices(), 0
    pool = excerpt.pool(runs, take=take, floor=floor, unit=unit, notices=notices)
    for topic, items in items_by_topic(pool).items():
        floors, others = oracle.taken(oracle.rankings_of(runs, topic, unit), take, floor)
        assert [key(item, unit) for item in items] == floors + others
        assert [item.stratum for item in items] == ["floor"] * len(floors) + ["take"] * len(others)
        assert {item.probability for item in items} == {1}
        beyond += len(floors) > take
        for item in items:
            check_results(runs, topic, unit, item, math.inf)
    assert any("more floor items than the" in text for text in notices) == bool(beyond)


@given(
    oracle.some_runs(), UNITS, st.fractions(0, 1, max_denominator=20), st.integers(0, 3), st.integers(1, 3)
)
def test_sample(runs: list[Run], unit: str, share: Fraction, seed: int, depth: int) -> None:
    """A proportion of the others, rounded up, after the rest; probability: drawn / others."""
    pool = made(runs, depth=depth, unit=unit, sample=share, seed=seed)
    for topic, items in items_by_topic(pool).items():
        rankings = oracle.rankings_of(runs, topic, unit)
        chosen = oracle.deep(rankings, depth)
        rest, size = oracle.sample_size(rankings, chosen, share)
        assert [key(item, unit) for item in items[: len(chosen)]] == chosen
        sampled = items[len(chosen) :]
        assert len(sampled) == len({key(item, unit) for item in sampled} & rest) == size
        assert {(item.stratum, item.probability) for item in sampled} <= {
            ("sample", Fraction(size, len(rest) or 1))
        }
        for item in sampled:
            check_results(runs, topic, unit, item, math.inf)


def test_a_share_is_what_is_written() -> None:
    """A twentieth of 20 is 1, although the double 0.05 is a little more than a twentieth."""
    run = Run.of("r", [Result("1", f"D{number}", 0, 9) for number in range(21)])
    for share in (0.05, "0.05", Fraction(1, 20)):
        pool = made([run], depth=1, sample=share)
        assert [item.probability for item in pool.items] == [1, Fraction(1, 20)]
        assert pool.settings["sample"] == "0.05"


def test_every_item_is_drawn_about_as_often() -> None:
    """Over many seeds each document that is left is drawn as often as its probability says."""
    run = Run.of("r", [Result("1", letter, 0, 9) for letter in "ABCDEFGHI"])
    counts = dict.fromkeys("BCDEFGHI", 0)
    for seed in range(800):
        for item in made([run], depth=1, sample=0.25, seed=seed).items[1:]:
            counts[item.document] += 1
    assert sum(counts.values()) == 1600
    assert all(150 < count < 250 for count in counts.values())


def test_a_topic_is_sampled_whatever_the_others_are() -> None:
    """Taking a topic away changes nothing in the others."""
    rows = [Result(topic, letter, 0, 9) for topic in "12" for letter in "ABCDEFGHI"]
    both, one = (made([Run.of("r", found)], depth=1, sample=0.5) for found in (rows, rows[9:]))
    assert items_by_topic(both)["2"] == list(one.items)


@given(oracle.some_runs(), UNITS, st.sampled_from(["move-to-front", "max-mean"]), st.integers(0, 3))
def test_adaptive_orders_have_no_probability(runs: list[Run], unit: str, order: str, seed: int) -> None:
    """The same items as without, in another order; sampled ones stay known."""
    plain = made(runs, depth=2, sample=0.5, unit=unit, seed=seed)
    pool = made(runs, depth=2, sample=0.5, unit=unit, seed=seed, order=order)
    assert {item.probability for item in pool.items} == {None}
    assert [item.order for item in pool.items] == [item.order for item in plain.items]

    def named(found: Pool) -> list[Any]:
        return sorted((item.topic, item.document, item.runs, item.passages) for item in found.items)

    assert named(pool) == named(plain)
    assert [item for item in named(pool) if item[0] == "sample"] == []
    assert {item.stratum for item in pool.items} <= {"adaptive", "sample"}
    assert sum(item.stratum == "sample" for item in pool.items) == sum(
        item.stratum == "sample" for item in plain.items
    )


def test_the_same_input_and_seed_give_the_same_bytes(tmp_path: Path) -> None:
    """Wherever the files are; another seed gives another sample."""
    text = b"".join(b"1 Q0 D%d %d 1 r %d 9\n" % (number, number, number) for number in range(1, 40))
    written = []
    for folder, seed in (("a", 1), ("b", 1), ("c", 2)):
        (tmp_path / folder).mkdir()
        file = tmp_path / folder / "r.fol"
        file.write_bytes(text)
        excerpt.pool(file, depth=3, sample=0.2, seed=seed).write(tmp_path / folder / "pool.tsv")
        written.append((tmp_path / folder / "pool.tsv").read_bytes())
    assert written[0] == written[1] != written[2]


def test_the_head_names_inputs_by_digest(tmp_path: Path) -> None:
    """Of the content as it is unpacked, so a compressed run has the digest of the other."""
    import gzip
    import hashlib

    text = b"1 Q0 A 1 1 r 0 9\n"
    (tmp_path / "r.fol").write_bytes(text)
    (tmp_path / "s.fol.gz").write_bytes(gzip.compress(text.replace(b" r ", b" s ")))
    pool = excerpt.pool([tmp_path / "r.fol", tmp_path / "s.fol.gz", io.BytesIO(text.replace(b" r ", b" t "))])
    assert [(given.name, given.path) for given in pool.inputs] == [
        ("r", "r.fol"),
        ("s", "s.fol.gz"),
        ("t", "<stream>"),
    ]
    assert pool.inputs[0].sha256 == hashlib.sha256(text).hexdigest()
    assert len({given.sha256 for given in pool.inputs}) == 3
    assert pool.settings == {"depth": "100", "sample": "0", "order": "pool", "seed": "1"}


def test_runs_in_memory_have_digests_of_their_results() -> None:
    """Equal runs have equal ones; another offset gives another."""
    one, same, other = (
        excerpt.pool(Run.of("r", [Result("1", "A", start, 9)])).inputs[0].sha256 for start in (0, 0, 1)
    )
    assert one == same != other


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"depth": 5, "take": 5}, "depth and take cannot be combined"),
        ({"depth": 0}, "found 0 as depth, expected a whole number of at least 1"),
        ({"documents": 2.5}, "found 2.5 as documents, expected a whole number of at least 1"),
        ({"take": True}, "found True as take, expected a whole number of at least 1"),
        ({"floor": 3}, "floor needs take; try take=300"),
        ({"take": 3, "floor": -1}, "found -1 as floor, expected a whole number of at least 0"),
        ({"seed": "1"}, "found '1' as seed, expected a whole number of at least 0"),
        ({"sample": 1.5}, "found 1.5 as sample, expected a number from 0 to 1"),
        ({"sample": "much"}, "found 'much' as sample, expected a number from 0 to 1"),
        ({"sample": math.nan}, "found nan as sample, expected a number from 0 to 1"),
        ({"unit": "word"}, "unknown unit 'word'"),
        ({"order": "random"}, "unknown order 'random'"),
        ({"only_runs": "x"}, "unknown run 'x'; known: r"),
        ({"task": "focused"}, "unknown task 'focused'; known: none"),
        ({"tasks": {"r": "a"}}, "tasks of runs need the task to keep; try task="),
    ],
)
def test_rules_that_are_wrong(rule: dict[str, Any], message: str) -> None:
    """One line says what is expected."""
    with pytest.raises(ExcerptError) as caught:
        excerpt.pool([Run.of("r", [Result("1", "A", 0, 9)])], **rule)
    assert str(caught.value).startswith(message)


def test_runs_and_tasks_that_count() -> None:
    """Some runs by name, or those of a task; the others are as if they were not given."""
    runs = [Run.of(name, [Result("1", name.upper(), 0, 9)]) for name in "abc"]
    assert [item.document for item in excerpt.pool(runs, only_runs=["c", "a"]).items] == ["A", "C"]
    tasks = b"a focused\nb thorough\nc focused\n"
    assert [item.document for item in excerpt.pool(runs, task="focused", tasks=tasks).items] == ["A", "C"]
    both = excerpt.pool(runs, task=["focused"], tasks={"a": "focused", "b": "focused"}, only_runs="b")
    assert [given.name for given in both.inputs] == ["b"]
    with pytest.raises(ExcerptError, match="no run has these names and these tasks"):
        excerpt.pool(runs, task="thorough", tasks=tasks, only_runs="a")


def test_tasks_of_submissions() -> None:
    """A submission may name its task, in letters of any case."""
    result = "<result><file>{0}</file><fol offset='0' length='9'/></result>"
    text = "<inex-submission run-id='{0}' task='{1}'><topic topic-id='1'>" + result
    runs = [
        (text.format(name, task) + "</topic></inex-submission>").encode()
        for name, task in (("a", "Focused"), ("b", "Thorough"))
    ]
    assert [given.name for given in excerpt.pool(runs, task="focused").inputs] == ["a"]


def test_runs_of_one_name_are_told_apart() -> None:
    """As everywhere: by the names of their files, or by numbers."""
    runs = [Run.of("r", [Result("1", letter, 0, 9)]) for letter in "AB"]
    assert [item.runs for item in excerpt.pool(runs).items] == [("r",), ("r #2",)]


def test_paths_need_an_index_for_passages(tmp_path: Path) -> None:
    """Documents can be pooled without, and the pool says that it lacks offsets; an index gives them."""
    (tmp_path / "A.xml").write_text("<a><p>one</p><p>two</p></a>")
    excerpt.build_index(tmp_path / "A.xml", tmp_path / "index")
    run = b"1 Q0 A 1 1 r /a[1]/p[2]\n"
    with pytest.warns(
        ExcerptWarning, match="1 run has element paths, which have no offsets in the pool without an index"
    ):
        assert excerpt.pool(run).items[0].passages == (((1, -1, -1),),)
    with pytest.raises(ExcerptError, match="found element paths, expected offsets"):
        excerpt.pool(run, unit="passage")
    pool = excerpt.pool(run, unit="passage", index=tmp_path / "index")
    assert pool.items[0].passages == (((1, 3, 6),),)


def test_runs_without_results() -> None:
    """There is nothing to pool."""
    with pytest.raises(ExcerptError, match="the runs have no results to pool"):
        excerpt.pool(Run.of("r", []))
    with pytest.raises(ExcerptError, match="no run given"):
        excerpt.pool([])


def some() -> Returned:
    """Two runs; for topic 2 only the second has results."""
    a = Run.of("a", [Result("1", name, 0, 9) for name in "ABCA"])
    b = Run.of("b", [*(Result("1", name, 0, 9) for name in "BD"), Result("2", "X", 0, 9)])
    found = gather([a, b], Reading(), unit="document", top=None, run_filter=RunFilter(), notices=Notices())
    return next(found.blocks())


def test_depths_are_told_by_topic() -> None:
    """A round robin stops in each topic by itself; fusion looks at everything."""
    returned = some()
    assert SelectionRule(depth=7).choose(returned, Notices()).depth.tolist() == [7, 7]
    assert choose_round_robin(returned, 3).depth.tolist() == [2, 1]
    assert choose_round_robin(returned, 99).depth.tolist() == [4, 1]
    assert choose_fused(returned, 2, 1, Notices()).depth.tolist() == [WHOLE, WHOLE]


def test_numbers_of_a_sample() -> None:
    """Numbers of drawn and remaining items by topic."""
    chosen = np.zeros(5, np.bool_)
    chosen[0] = True
    sample = draw_sample(some(), chosen, Fraction(1, 2), 1)
    assert (sample.drawn.tolist(), sample.rest.tolist()) == ([2, 1], [3, 1])
    assert len(set(sample.item.tolist()) & {1, 2, 3, 4}) == 3


@given(
    st.lists(st.lists(st.integers(1, 12), min_size=1, max_size=5).map(sorted), min_size=1), st.integers(0, 9)
)
def test_sums_are_compared_exactly(ranks: list[list[int]], wanted: int) -> None:
    """Few ranks give many ties and near ties; those of equal sums keep their order."""
    sums = np.array([sum(1 / (60 + rank) for rank in found) for found in ranks])
    near = top_candidates(sums, wanted)
    best = near[best_of(sums[near], [tuple(ranks[place]) for place in near.tolist()], wanted)].tolist()
    exact = [sum((Fraction(1, 60 + rank) for rank in found), Fraction(0)) for found in ranks]
    assert best == sorted(range(len(ranks)), key=lambda place: -exact[place])[:wanted]


def test_equal_sums_of_different_ranks() -> None:
    """1/66 + 1/132 is 1/88 + 1/88: the first given comes first, whatever the doubles are."""
    assert sum_of([6, 72]) == sum_of([28, 28]) == Fraction(1, 44)
    for ranks in ([(6, 72), (28, 28)], [(28, 28), (6, 72)]):
        sums = np.array([float(sum_of(found)) for found in ranks]) * np.array([1, 1 + 1e-15])
        assert best_of(sums, ranks, 2) == [0, 1]


def test_only_the_first_result_in_a_run_counts() -> None:
    """A run that returns an item twice gives it one share."""
    item, run = np.array([0, 1, 0, 0]), np.array([0, 0, 0, 1])
    found, ranks, sums = fused(item, run, np.array([1, 2, 3, 7]), 2)
    assert (found.tolist(), ranks.tolist()) == ([0, 0, 1], [1, 7, 2])
    assert sums.tolist() == [1 / 61 + 1 / 67, 1 / 62]


def test_the_order_is_that_of_a_campaign_that_begins() -> None:
    """Each topic in the order that `next_order` has before anything is judged, results with their items."""
    runs = [
        Run.of(
            name,
            [Result(topic, letter, place, place + 5) for topic in "12" for place, letter in enumerate(by)],
        )
        for name, by in (("a", "ABCD"), ("b", "EBAF"))
    ]
    plain, moved = pool(runs, seed=3), pool(runs, seed=3, order="max-mean")
    for topic in "12":
        items = {item.document: item for item in plain.items if item.topic == topic}
        wanted = next_order("max-mean", list(items.values()), {}, 3)
        found = [item for item in moved.items if item.topic == topic]
        assert [item.document for item in found] == wanted
        assert [item.order for item in found] == [1, 2, 3, 4, 5, 6]
        assert all(item.passages == items[item.document].passages for item in found)


def test_passages_of_a_document_stay_together() -> None:
    """A document's place is that of its passages, which keep their order."""
    results = [Result("1", name, start, start + 1) for start in (0, 5) for name in "AB"]
    moved = pool([Run.of("r", results)], unit="passage", order="move-to-front")
    assert [item.document for item in moved.items] == ["A", "A", "B", "B"]
    assert [item.passages[0][0][0] for item in moved.items] == [1, 3, 2, 4]


@given(
    oracle.some_runs(),
    UNITS,
    st.sampled_from([{"depth": 2}, {"documents": 3}, {"take": 4, "floor": 1}, {"depth": 1, "sample": 0.5}]),
    st.sampled_from(["pool", "move-to-front"]),
)
def test_blocks_of_topics_make_the_same_pool(
    runs: list[Run], unit: PoolUnit, choice: dict[str, Any], order: str
) -> None:
    """A pool that is made topic by topic and written on the way is that which is made as a whole."""
    order = "pool" if unit == "passage" else order
    rule, notices = SelectionRule.of(**choice, unit=unit, order=order), Notices()
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("excerpt.pooling.returned._BLOCK", 1)
        found = gather(runs, Reading(), RunFilter(), unit, rule.top, notices=notices)
        assert len(list(found.blocks())) == len(found.topics)
        items = rule.write(found, notices, Path(folder, "blocks"))
        patch.setattr("excerpt.pooling.returned._BLOCK", 1 << 16)
        one = made(runs, **choice, unit=unit, order=order)
        one.write(Path(folder, "whole"))
        assert Path(folder, "blocks").read_bytes() == Path(folder, "whole").read_bytes()
        assert (items, tuple(notices)) == (len(one), one.warnings)


def test_keys_of_large_topics_do_not_overflow() -> None:
    """One topic with many results beside many topics: numbers beyond 31 bits."""
    many = [Result("0", f"D{number}", 0, 9) for number in range(50_000)]
    runs = [Run.of("r", [*many, *(Result(str(topic), "A", 0, 9) for topic in range(1, 60_000))])]
    found = gather(runs, Reading(), RunFilter(), "document", None, notices=Notices()).whole
    assert (np.diff(found.topic) >= 0).all()
    assert len(found.first) == 109_999


@pytest.mark.parametrize(("depth", "fails"), [(1, False), (2, True)])
def test_names_that_a_file_cannot_contain(depth: int, fails: bool, capsys: Any) -> None:
    """They matter only in the pool, and then nothing is written."""
    run = Run.of("r", [Result("1", "A", 0, 9), Result("1", "B\tC", 0, 9), Result("2", "A", 0, 9)])
    rule = SelectionRule.of(depth=depth)
    found = gather([run], Reading(), RunFilter(), "document", None, notices=Notices())
    if fails:
        with pytest.raises(ExcerptError, match=r"found document 'B\\tC', which a pool file cannot contain"):
            rule.write(found, Notices(), "-")
        assert not capsys.readouterr().out
    else:
        assert rule.write(found, Notices(), "-") == 2
        assert capsys.readouterr().out.count("\tdepth\t1\tr\t1:0-9\n") == 2


@given(st.data())
@pytest.mark.parametrize("unit", ["document", "passage"])
@pytest.mark.parametrize("order", ["pool", "max-mean"])
def test_what_was_judged_is_left_out(unit: PoolUnit, order: str, data: st.DataObject) -> None:
    """The pool is the whole one without judged pairs, in the same order, from memory and as a file."""
    spans = st.tuples(st.sampled_from("12"), st.sampled_from("ABCDE"), st.integers(0, 3))
    runs = [
        Run.of(name, [Result(topic, document, at, at + 5) for topic, document, at in rows])
        for name, rows in (
            ("a", data.draw(st.lists(spans, min_size=1, unique=True))),
            ("b", data.draw(st.lists(spans, min_size=1, unique=True))),
        )
    ]
    pairs = data.draw(st.lists(st.tuples(st.sampled_from("123"), st.sampled_from("ABX")), unique=True))
    judgments = excerpt.Judgments.of([], irrelevant=pairs)
    how: dict[str, Any] = {"depth": 3, "sample": 0.5, "unit": unit, "notices": Notices()}
    if order != "pool":
        how |= {"sample": 0, "order": order, "unit": "document"}
    whole, left = pool(runs, **how), pool(runs, judged=judgments, **how)
    expected = [item for item in whole.items if (item.topic, item.document) not in pairs]
    assert [item._replace(order=0) for item in left.items] == [item._replace(order=0) for item in expected]
    for topic in "12":
        orders = [item.order for item in left.items if item.topic == topic]
        assert orders == list(range(1, len(orders) + 1))
