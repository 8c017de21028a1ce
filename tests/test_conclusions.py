"""Sentences of pages that draw a conclusion are recomputed from the output of the commands."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from excerpt import Notices, Policy, ScoreTable, collection, compare, counterfactuals, evaluate, gate
from excerpt.cli import main
from excerpt.measures import SETS

ROOT = Path(__file__).parents[1]
RUNS = {run.name: run.path for run in collection.runs()}


def page(name: str) -> str:
    """A page as one line of words."""
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def table(*names: str, measures: Any = None, **how: Any) -> ScoreTable:
    """Scores of embedded runs."""
    runs = [RUNS[name] for name in names or RUNS]
    return evaluate(collection.qrels(), runs, measures, notices=Notices(), **how)


@pytest.fixture(scope="module")
def every() -> ScoreTable:
    """All embedded runs by the default measures, as a report has them."""
    return table(policy=Policy(overlap="first"))


def recomputed(sentence: str) -> str:
    """The verdict that a page quotes, from the comparison of the runs that it is about."""
    measure = re.search(r" by ([\w@]+) over ", sentence)
    asked = None if "since the judgments are" in sentence else measure and measure[1]
    named = next(runs for words, runs in QUOTED.items() if words in sentence)
    how: dict[str, Any] = (
        {"test": "tukey"} if "Tukey" in sentence else {"test": "t"} if " t test" in sentence else {}
    )
    baseline = re.search(r" differ significantly from ([\w-]+) by ", sentence)
    scores = table(*named, measures=asked)
    return compare(scores, baseline=baseline and baseline[1], notices=Notices(), **how).verdict


LEAST = "recall@10=0.2"
#: Runs that verdicts on the pages are about, by words of the sentences.
QUOTED = {
    "sent-bm25 is significantly better than p-bm25 ": ("p-bm25", "sent-bm25"),
    "each of the three other runs": ("p-bm25", "sent-bm25", "sec-bm25", "art-bm25"),
}
SENTENCE = re.compile(
    r"(sent-bm25 is [^.|]*? by \w+ over \d+ topics \([^)]*\)[^.]*\. \w+ decides, since [^.]*\.)"
)


@pytest.mark.parametrize("name", ["README.md", "docs/tour.md", "docs/report.md"])
def test_verdicts_of_pages_are_those_of_today(name: str) -> None:
    """Runs, measure, number of topics, test and reason."""
    found = [one for one in SENTENCE.findall(page(name)) if any(words in one for words in QUOTED)]
    assert found
    for sentence in found:
        expected = recomputed(sentence)
        if "each of the three other runs" in sentence:
            assert sentence.startswith("sent-bm25 is significantly better than each of the three other runs")
        else:
            assert sentence == expected


def test_the_same_files_have_one_verdict(every: ScoreTable, capsys: pytest.CaptureFixture[str]) -> None:
    """Whole contracts lead at five results, with 132 times the text, and lose otherwise."""
    said = "sent-bm25 is significantly better than each of the 13 other runs by MAiP"
    assert compare(every).verdict.startswith(said)
    cut = compare(table(measures="recall@5", policy=Policy(overlap="first")))
    means = dict(zip(cut.details["comparisons"][0].runs, cut.details["comparisons"][0].means, strict=True))
    assert max(means, key=lambda run: means[run]) == "art-bm25"
    beside = table(measures=["recall(budget=4000)", "read@5"], policy=Policy(overlap="first"))
    equal = {run: beside[run]["recall(budget=4000)"] for run in beside.runs}
    assert max(equal, key=lambda run: equal[run]) == "sent-bm25"
    ratio = beside["art-bm25"]["read@5"] / beside["sent-bm25"]["read@5"]
    assert round(ratio) == 132
    assert (
        f"; its five results have {ratio:.0f} \u00d7 the text of those of sent-bm25, "
        "which leads at equal text (4,000 characters)" in cut.verdict
    )
    assert main(["demo", "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["focused"]["headline"] == every.headline == "MAiP"


def test_the_causes_on_the_page_of_explanations() -> None:
    """The sentence on topic CU27, and its shares, from lists that are scored again."""
    text = page("docs/explain.md")
    pair = RUNS["sent-bm25"], RUNS["sec-bm25"]
    made = counterfactuals(collection.qrels(), *pair, "MAiP", only="CU27", notices=Notices())
    (one,) = made.topics
    assert one.sentence(*made.names(one)) in text
    shares = "  ".join(f"{cause.cause} {100 * cause.share:.0f} %" for cause in one.causes)
    assert " ".join(f"each alone: {shares}".split()) in text


@pytest.mark.parametrize(
    ("new", "options", "verdict"),
    [
        ("win400-bm25", {"measures": "recall@10"}, "failed"),
        ("p-bm25", {"measures": "recall@10"}, "passed"),
        ("sent-bm25", {"measures": "recall@10", "test": "none", "max_drop": 0.2, "min": LEAST}, "failed"),
    ],
)
def test_answers_of_the_gate(new: str, options: dict[str, Any], verdict: str) -> None:
    """The page has the word of the verdict and its first sentence."""
    measures = options.pop("measures")
    before = table("p-bm25", measures=["recall@10", "hit@5"])
    found = gate(before, RUNS[new], measures, qrels=collection.qrels(), notices=Notices(), **options)
    assert found.verdict == verdict
    if new != "p-bm25":
        assert f"{verdict}: {found.summary}".partition(";")[0] in page("docs/gate.md")


def test_sets_and_their_headlines() -> None:
    """The page on measures lists the sets with their headlines first."""
    text = page("docs/measures/documents.md")
    first = {name: text.partition(f"| `{name}` | `")[2].partition(" ")[0] for name in ("rag", "inex", "trec")}
    assert first == {name: SETS[name][0] for name in first}
    assert list(first.values()) == ["recall(budget=4000)", "MAiP", "AP"]
