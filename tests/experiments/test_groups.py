"""Studies within groups of runs or topics: files, rules, and what is left out."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from excerpt import (
    ExcerptError,
    Judgments,
    Notices,
    Policy,
    Result,
    Run,
    ScoreTable,
    collection,
    read_judgments,
)
from excerpt.errors import UnknownName
from excerpt.experiments.groups import Grouping
from excerpt.experiments.pool_depth import depth, unpooled
from excerpt.experiments.stability import errors, pool, topics, whole_study
from excerpt.model.elements import GradedElement
from excerpt.queries import Topic
from excerpt.stats.correlation import kendall

RUNS = tuple(f"r{i}" for i in range(5))
TOPICS = tuple("1234567")
VALUES = np.random.default_rng(3).random((5, 7, 2))
TABLE = ScoreTable(RUNS, RUNS, TOPICS, ("A", "B"), VALUES)
FILES = [run.path for run in collection.runs("focused")][:5]
NAMES = [run.name for run in collection.runs("focused")][:5]


def places(within: Any, **how: Any) -> dict[str, list[str]]:
    """Names of the runs or topics of each group."""
    found = {}
    for group in Grouping.of(within, cast("Any", how)).groups(TABLE, TABLE.topics, Notices()):
        by_run = not isinstance(group.runs, slice)
        names = np.array(RUNS if by_run else TOPICS)[group.runs if by_run else group.topics]
        found[group.column["group"]] = names.tolist()
    return found


@pytest.mark.parametrize("study", [topics, errors])
def test_a_group_is_a_study_of_its_own(study: Any) -> None:
    """Rows of a group are those of its topics, or of its runs, alone; rows are by measure, then by group."""
    by_topic = {**dict.fromkeys("1357", "odd"), **dict.fromkeys("246", "even")}
    outcome = study(TABLE, within=by_topic, levels=(100, 50), samples=4)
    for group, chosen in (("odd", [0, 2, 4, 6]), ("even", [1, 3, 5])):
        alone = study(TABLE.of_topics(chosen), levels=(100, 50), samples=4).rows
        found = [row for row in outcome.rows if row["group"] == group]
        assert [{name: row[name] for name in row if name != "group"} for row in found] == list(alone)
    assert [(row["measure"], row["group"], row["level"]) for row in outcome.rows[:5]] == [
        *(("A", "odd", 100), ("A", "odd", 50), ("A", "even", 100), ("A", "even", 50), ("B", "odd", 100)),
    ]
    assert list(outcome.rows[0])[:3] == ["measure", "group", "level"]
    by_run = io.BytesIO(b"r0 one\nr4 one\n\nr1 two\nr2 two\nr3 two\n")
    outcome = study(TABLE, within=by_run, levels=(40,), samples=4)
    alone = study(TABLE.of_runs([0, 4]), levels=(40,), samples=4).rows
    found = [row for row in outcome.rows if row["group"] == "one"]
    assert [{name: row[name] for name in row if name != "group"} for row in found] == list(alone)


def test_groups_of_the_pool() -> None:
    """Runs of a group alone give the same rows; topics of a group are those with enough passages."""
    how: Any = {"policy": Policy(overlap="first"), "notices": Notices(), "levels": (40,), "samples": 3}
    groups = dict(zip(NAMES, ("one", "two", "one", "two", "one"), strict=True))
    outcome = pool(collection.qrels(), FILES, ["MAiP"], within=groups, **how)
    alone = pool(collection.qrels(), FILES[::2], ["MAiP"], **how).rows
    (found,) = [row for row in outcome.rows if row["group"] == "one"]
    assert {name: found[name] for name in found if name != "group"} == alone[0]
    halves = pool(collection.qrels(), FILES, ["MAiP"], within="difficulty", **how).rows
    assert [row["group"] for row in halves] == ["hard", "easy"]
    whole = whole_study(
        collection.qrels(), FILES, ["MAiP"], within="kind", topics=collection.folder() / "topics.xml", **how
    )
    assert {row["group"] for outcome in whole.values() for row in outcome.rows} == {"CO"}


def test_halves_by_difficulty() -> None:
    """By the mean of all runs by the first measure; the middle topic of seven is hard."""
    order = [TOPICS[place] for place in np.argsort(VALUES[:, :, 0].mean(axis=0))]
    assert places("difficulty") == {"hard": sorted(order[:4]), "easy": sorted(order[4:])}


def test_topics_without_scores_are_neither_hard_nor_easy() -> None:
    """In a pool study a topic may have no score by the first measure, and a group no score by another."""
    first = np.array([0.4, np.nan, 0.2, 0.1, np.nan, 0.3, np.nan])
    table = replace(TABLE, values=np.stack([np.tile(first, (5, 1)), VALUES[:, :, 1]], axis=-1))
    notices = Notices()
    hard, easy = Grouping.of("difficulty", {}).groups(table, TOPICS, notices)
    assert [np.array(TOPICS)[half.topics].tolist() for half in (hard, easy)] == [["3", "4"], ["1", "6"]]
    assert list(notices) == ["3 topics have no group and are left out (first: topic 2)"]


def test_groups_without_scores_in_a_pool() -> None:
    """The message names the group and the measure."""
    grades = {"1": (3, 3), "2": (3, 3), "3": (1, 1), "4": (1, 1)}
    elements = [GradedElement(topic, "d", "/article[1]", *grade) for topic, grade in grades.items()]
    judgments = Judgments.graded(elements, scale="exhaustivity and specificity")
    runs = [
        Run.of(name, [Result(topic, "d", 0, 9, path="/article[1]") for topic in found], kind="elements")
        for name, found in (("x", "1234"), ("y", "13"))
    ]
    within = dict(zip("1234", "aabb", strict=True))
    measure = "MAep(quantisation=strict)"
    with pytest.raises(ExcerptError, match="no topic of group b has scores by MAep"):
        pool(judgments, runs, [measure], within=within, least=1, notices=Notices())


def test_rules_of_topics() -> None:
    """Kinds: a structured query makes a topic CAS. Lengths: words of the title; the middle topic is short."""
    given = {name: Topic(name, title="word " * int(name)) for name in "123456"}
    given["2"] = Topic("2", title="two words", castitle="//p[about(., x)]")
    given["5"] = Topic("5", title="five words or more here", kind="CAS")
    assert places("kind", topics=given) == {"CO": ["1", "3", "4", "6"], "CAS": ["2", "5"]}
    assert places("query-length", topics={**given, "7": "one question of no title at all"}) == {
        "short": ["1", "2", "3", "4"],
        "long": ["5", "6", "7"],
    }


def test_names_without_a_group() -> None:
    """They are left out, and counted; so are topics that are not in the topic file."""
    outcome = topics(TABLE, within={"r0": "a", "r1": "a"}, levels=(50,), notices=Notices())
    assert outcome.warnings == ("3 runs have no group and are left out (first: run r2)",)
    outcome = topics(TABLE, within="kind", topics=dict.fromkeys("123", "x"), levels=(50,), notices=Notices())
    assert outcome.warnings[-1] == "4 topics have no group and are left out (first: topic 4)"


def test_chosen_runs_and_topics() -> None:
    """A file may name runs and topics that are not chosen; their groups vanish."""
    by_topic = {**dict.fromkeys("12", "a"), **dict.fromkeys("345", "b"), **dict.fromkeys("67", "c")}
    rows = topics(TABLE, within=by_topic, only="1-5", levels=(50,)).rows
    assert [row["group"] for row in rows] == ["a", "b", "a", "b"]
    best = np.argsort(-VALUES.mean(axis=1)[:, 0])[:3].tolist()
    by_run = {name: "best" if place in best else "rest" for place, name in enumerate(RUNS)}
    assert {row["group"] for row in topics(TABLE, within=by_run, ranks="1-3", levels=(50,)).rows} == {"best"}


def test_mistakes() -> None:
    """Unknown names, groups that are too small, missing topics, files that are not groups."""
    with pytest.raises(UnknownName, match="unknown run in the groups 'r9'"):
        topics(TABLE, within={"r0": "a", "r9": "a"})
    with pytest.raises(UnknownName, match="unknown topic in the groups '9'"):
        topics(TABLE, within={"1": "a", "2": "a", "9": "a"})
    with pytest.raises(ExcerptError, match="found 1 run in group b, expected at least 2"):
        errors(TABLE, within={"r0": "a", "r1": "a", "r2": "b"})
    with pytest.raises(ExcerptError, match="found 1 topic in group b, expected at least 2"):
        errors(TABLE, within={"1": "a", "2": "a", "3": "b"})
    with pytest.raises(ExcerptError, match="no run has a group"):
        topics(TABLE, within={})
    for rule in ("kind", "query-length"):
        with pytest.raises(ExcerptError, match=f"groups by {rule} need topics"):
            topics(TABLE, within=rule)
    with pytest.raises(ExcerptError, match="found 3 columns, expected run or topic and group"):
        topics(TABLE, within=io.BytesIO(b"r0 a\nr1 a b\n"))
    with pytest.raises(ExcerptError, match="found run or topic r0 again, expected it once"):
        topics(TABLE, within=io.BytesIO(b"r0 a\nr0 b\n"))


def test_groups_of_topics_in_pools() -> None:
    """Rows of a group are those of a study on its topics alone; the share is that of the whole pool."""
    how: Any = {"policy": Policy(overlap="first"), "notices": Notices(), "unit": "passage"}
    names = collection_topics()
    by_topic = {name: ("one", "two", "three")[place % 3] for place, name in enumerate(names)}
    given: Any = (collection.qrels(), FILES, ["MAiP", "charR[3]"])
    whole = depth(*given, depths=(1, 5), **how).rows
    within = depth(*given, depths=(1, 5), within=by_topic, **how).rows
    left = unpooled(
        *given, depth=3, within=by_topic, groups=dict(zip(NAMES, "aabcd", strict=True)), **how
    ).rows
    assert list(within[0]) == ["measure", "group", "depth", "passages", "share", "tau_b"]
    assert list(left[0])[:5] == ["measure", "within", "depth", "run", "group"]
    assert {row["share"] for row in within} == {row["share"] for row in whole}
    for group in ("one", "two", "three"):
        only = [name for name in names if by_topic[name] == group]
        alone = depth(*given, depths=(1, 5), only=only, **how).rows
        assert [row["tau_b"] for row in within if row["group"] == group] == [row["tau_b"] for row in alone]
        own = [
            {name: row[name] for name in row if name != "within"} for row in left if row["within"] == group
        ]
        groups = dict(zip(NAMES, "aabcd", strict=True))
        assert own == list(unpooled(*given, depth=3, groups=groups, only=only, **how).rows)


def test_groups_of_runs_in_pools() -> None:
    """Runs are ranked among those of their group, from pools of all runs."""
    how: Any = {"policy": Policy(overlap="first"), "notices": Notices(), "unit": "passage"}
    given: Any = (collection.qrels(), FILES, ["MAiP"])
    by_run = dict(zip(NAMES, ("x", "y", "x", "x", "y"), strict=True))
    outcome = depth(*given, depths=(1, 5), within=by_run, **how)
    means = outcome.details["means"][:, :, 0]
    for group in "xy":
        places = [place for place, name in enumerate(NAMES) if by_run[name] == group]
        taus = [kendall(means[number, places], means[0, places]) for number in (1, 2)]
        assert [row["tau_b"] for row in outcome.rows if row["group"] == group] == taus
    plain = {row["run"]: row for row in unpooled(*given, depth=3, **how).rows}
    for row in unpooled(*given, depth=3, within=by_run, **how).rows:
        others = [one for name, one in plain.items() if by_run[name] == row["within"]]
        assert {name: row[name] for name in ("score", "unpooled_score")} == {
            name: plain[row["run"]][name] for name in ("score", "unpooled_score")
        }
        assert row["rank"] == 1 + sum(one["score"] > row["score"] for one in others)


def collection_topics() -> list[str]:
    """Topics of the embedded contracts with relevant text, in order."""
    judgments = read_judgments(collection.qrels())
    return [name for name, some in zip(judgments.topics, judgments.has_relevant, strict=True) if some]
