"""Sentences of pages that draw a conclusion are recomputed from the output of the commands."""

from __future__ import annotations

import gzip
import itertools
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from excerpt import (
    Notices,
    Policy,
    ScoreTable,
    collection,
    compare,
    counterfactuals,
    evaluate,
    gate,
    stability,
)
from excerpt.cli import main
from excerpt.experiments.stability import errors, topics
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


# --- the stability paper: scores and samples of the two collections, kept in tests/data/stability ---------

STABILITY = "docs/papers/stability.md"
KEPT = ROOT / "tests" / "data" / "stability"
EARLY = ("iP@0.00", "iP@0.01", "iP@0.05", "iP@0.10")
#: A value of a table by measure and level: `rows[measure, level]`.
Rows = dict[tuple[str, int], dict[str, Any]]


@pytest.fixture(scope="module")
def kept() -> dict[str, Rows]:
    """Rows of `stability pool` and `depth` on CUAD and Evidence, 100 samples, with every sample's tau."""
    found = json.loads(gzip.decompress((KEPT / "passages.json.gz").read_bytes()))
    levels = {"cuad-depth": "depth"}
    return {
        name: {(row["measure"], row[levels.get(name, "level")]): row for row in rows}
        for name, rows in found.items()
        if name != "cuad-unpooled"
    }


def of_scores(study: Any, name: str, **how: Any) -> Rows:
    """Rows of an experiment on the scores of a collection."""
    rows = study(KEPT / f"{name}-scores.json.gz", notices=Notices(), **how).rows
    return {(row["measure"], row["level"]): row for row in rows}


def table_of(text: str, heading: str) -> dict[str, list[str]]:
    """Cells of a table of a page by the first cell of its rows, from the line of its heading."""
    lines = text[text.index(heading) :].splitlines()[2:]
    rows = (re.split(r" *\| *", line.strip("| ")) for line in itertools.takewhile(str.strip, lines))
    return {
        name.replace("[", "@").rstrip("]"): [cell.strip("* %") for cell in cells] for name, *cells in rows
    }


def bold_of(text: str, heading: str) -> list[str]:
    """Name of the row with the bold cell in each column of a table."""
    below = text[text.index(heading) :].partition("\n\n")[0]
    lines = [line.strip("| ").split(" | ") for line in below.splitlines()[2:]]
    return [
        next(row[0] for row in lines if row[column].startswith("**")).replace("[", "@").rstrip("]")
        for column in range(1, len(lines[0]))
    ]


def errors_apart(one: dict[str, Any], other: dict[str, Any]) -> float:
    """Mean difference of two measures over the same samples, in standard errors of it."""
    differences = np.array(one["values"]) - np.array(other["values"])
    return float(differences.mean() / (differences.std(ddof=1) / math.sqrt(len(differences))))


def raw(name: str) -> str:
    """A page with its lines."""
    return (ROOT / name).read_text(encoding="utf-8")


def test_tables_of_fewer_passages(kept: dict[str, Rows]) -> None:
    """Every cell, and the measure that is best in each column."""
    for heading, name in (
        ("| CUAD, mean tau-b |", "cuad-pool"),
        ("| Evidence, mean tau-b |", "evidence-pool"),
        ("| CUAD, 41 runs of elements, mean tau-b |", "cuad-elements"),
    ):
        cells = table_of(raw(STABILITY), heading)
        for measure, row in cells.items():
            assert row == [f"{kept[name][measure, level]['mean']:.3f}" for level in (80, 60, 40, 20)], measure
        best = [max(cells, key=lambda one: kept[name][one, level]["mean"]) for level in (80, 60, 40, 20)]
        assert bold_of(raw(STABILITY), heading) == best, name


def test_who_is_more_stable_with_fewer_passages(kept: dict[str, Rows]) -> None:
    """MAiP on CUAD by so many standard errors; on Evidence as the page says; of elements at every level."""
    text, levels = page(STABILITY), (80, 60, 40, 20)
    cuad, evidence, elements = (kept[name] for name in ("cuad-pool", "evidence-pool", "cuad-elements"))
    ahead = [errors_apart(cuad["MAiP", level], cuad[one, level]) for level in levels for one in EARLY]
    said = f"it is ahead of each iP by {min(ahead):.0f} to {max(ahead):.0f} standard errors"
    assert min(ahead) > 2
    assert said in text
    assert all(max(EARLY, key=lambda one: cuad[one, level]["mean"]) == "iP@0.00" for level in levels)
    assert "iP[0.00] is the best of them" in text
    against = {
        one: [errors_apart(evidence["MAiP", level], evidence[one, level]) for level in levels]
        for one in EARLY
    }
    assert min(against["iP@0.05"]) > 2
    assert against["iP@0.10"][0] < 2 < min(against["iP@0.10"][1:])
    first, second, third, fourth = against["iP@0.00"]
    assert (round(-first), f"{third:.2g}") == (3, "2.5")
    assert max(abs(second), abs(fourth)) < 2
    assert "ahead by 3 standard errors at 80 per cent, behind by 2.5 at 40, and at 60 and 20 per cent" in text
    for level in levels:
        order = sorted(("nxCG@10", "MAep", "MAiP"), key=lambda one: -elements[one, level]["mean"])
        assert order == ["MAiP", "nxCG@10", "MAep"]
        assert errors_apart(elements["MAiP", level], elements["nxCG@10", level]) > 2
    assert "MAiP is the most stable at every level, then nxCG[10], then MAep" in text


def test_fewer_topics() -> None:
    """Cells and bold cells of the table, and by how many standard errors MAiP is ahead."""
    rows = {name: of_scores(topics, name, samples=100) for name in ("cuad", "evidence")}
    columns = [("cuad", 80), ("cuad", 20), ("evidence", 80), ("evidence", 20)]
    heading = "| mean tau-b | CUAD 80 % |"
    for measure, cells in table_of(raw(STABILITY), heading).items():
        assert cells == [f"{rows[name][measure, level]['mean']:.3f}" for name, level in columns], measure
    assert bold_of(raw(STABILITY), heading) == ["MAiP"] * 4
    ahead = [
        errors_apart(found["MAiP", level], found[one, level])
        for found in rows.values()
        for level in (80, 60, 40, 20)
        for one in EARLY
    ]
    assert f"at every level, by {min(ahead):.0f} standard errors or more" in page(STABILITY)


def test_error_rates() -> None:
    """Cells of the table; MAiP has the lowest rate in every column."""
    rows = {name: of_scores(errors, name, samples=100) for name in ("cuad", "evidence")}
    rows["disjoint"] = of_scores(errors, "cuad", samples=100, levels=(40, 20), disjoint=True)
    columns = [("cuad", 80), ("cuad", 40), ("cuad", 20), ("disjoint", 40), ("disjoint", 20)]
    columns += [("evidence", 80), ("evidence", 20)]
    heading = "| error rate | CUAD 80 % |"
    cells = table_of(raw(STABILITY), heading)
    for measure, own in cells.items():
        assert own == [f"{100 * rows[name][measure, level]['error_rate']:.1f}" for name, level in columns], (
            measure
        )
    for name, level in columns:
        assert min((*EARLY, "MAiP"), key=lambda one: rows[name][one, level]["error_rate"]) == "MAiP"
    assert bold_of(raw(STABILITY), heading) == ["MAiP"] * 7


def test_the_reversal_that_the_paper_left_open() -> None:
    """Differences on 1,600 samples with their standard errors, as the command on the page prints them."""
    text = page(STABILITY)
    how: dict[str, Any] = {"samples": 1600, "versus": "iP@0.00", "levels": (80, 70, 60, 40, 20)}
    cuad = of_scores(errors, "cuad", **how)

    def points(measure: str, level: int, rows: Rows = cuad) -> tuple[float, float]:
        row = rows[measure, level]
        return 100 * row["difference"], row["difference"] / row["difference_standard_error"]

    high = [points(one, level) for one in ("iP@0.05", "iP@0.10") for level in (80, 70)]
    sizes, apart = zip(*high, strict=True)
    assert min(apart) > 2
    assert f"by {min(sizes):.2f} to {max(sizes):.2f} points and {min(apart):.1f} to {max(apart):.0f}" in text
    assert f"by {max(sizes):.2f} points at most" in text
    assert all(abs(points(one, 60)[1]) < 1 for one in ("iP@0.05", "iP@0.10"))
    assert all(points(one, level)[1] < -5 for one in ("iP@0.05", "iP@0.10") for level in (40, 20))
    assert max(abs(points("iP@0.01", level)[0]) for level in (80, 70, 60, 40)) < 0.05
    assert all(points("MAiP", level)[1] < -5 for level in (80, 70, 60, 40, 20))
    assert abs(1 / (max(sizes) / 100) - 1500) < 100
    evidence = of_scores(errors, "evidence", **how)
    assert all(points("iP@0.05", level, evidence)[1] > 5 for level in (80, 70, 60, 40, 20))
    assert all(points("iP@0.10", level, evidence)[1] > 2 for level in (70, 60, 40, 20))
    assert points("iP@0.10", 80, evidence)[1] < -2


def test_shallow_pools(kept: dict[str, Rows]) -> None:
    """Tau of the measures by depth, the share of passages, and runs that change their rank."""
    text, depth = page(STABILITY), kept["cuad-depth"]
    ten, early = depth["MAiP", 10], depth["iP@0.01", 10]
    share = f"{100 * ten['share']:.0f} per cent of CUAD's relevant passages"
    taus = f"ranks by MAiP with a tau of {ten['tau_b']:.3f}, by iP[0.01] with {early['tau_b']:.3f}"
    assert f"a pool of depth 10 has {share}, and {taus}" in text
    one = {name: depth[name, 1] for name in ("MAiP", "iP@0.00")}
    assert (
        f"at depth 1 ({100 * one['MAiP']['share']:.0f} per cent of the passages) iP[0.00] still has "
        f"{one['iP@0.00']['tau_b']:.3f}, MAiP only {one['MAiP']['tau_b']:.3f}" in text
    )
    assert all(depth["MAiP", 1]["tau_b"] < depth[other, 1]["tau_b"] for other in EARLY)
    rows = json.loads(gzip.decompress((KEPT / "passages.json.gz").read_bytes()))["cuad-unpooled"]
    moved = {
        name: [row for row in rows if row["measure"] == name and row["rank_change"]]
        for name in ("MAiP", "iP@0.01")
    }
    most = max(abs(row["rank_change"]) for own in moved.values() for row in own)
    loss = -min(row["change"] for row in rows if row["measure"] == "MAiP")
    assert (
        f"{len(moved['MAiP'])} change their rank by MAiP and {len(moved['iP@0.01'])} by iP[0.01], by "
        f"{ {1: 'one rank', 2: 'two ranks'}[most] } at most; the largest loss of MAiP is {loss:.3f}" in text
    )


# --- the other papers: sentences against the outputs that the pages show, which test_docs.py runs ----------


def outputs(name: str) -> str:
    """What the commands of a page print."""
    return "\n".join(re.findall(r"^```console\n(.*?)^```$", raw(name), re.MULTILINE | re.DOTALL))


MATRIX = re.compile(r"^(?:\d+  )?(\S+) +(\d+) % +([-\d. ]+)$", re.MULTILINE)


def matrices(name: str, heading: str) -> list[dict[str, list[str]]]:
    """Matrices of `agreement` with a heading on a page: share of pairs, then a cell per measure, by row."""
    found = []
    for block in outputs(name).split(heading + "\n")[1:]:
        rows = MATRIX.findall(block.lstrip("\n").partition("\n\n")[0])
        size = len(rows[0][2].split())
        found.append({row[0]: [row[1], *row[2].split()] for row in rows[:size]})
    return found


def test_exhaustivity_tables() -> None:
    """Cells of Tables 3 and 4 are those of the matrices; the order of the first rows is the paper's."""
    name = "docs/papers/exhaustivity.md"
    text, graded = page(name), matrices(name, "F1 of inex_eval")[0]
    order = {"Strict₄": 1, "Gen₄": 2, "SOG": 3, "Any Rel": 4}
    keys = dict(zip(order, graded, strict=True))
    for pair, (here, _) in table_of(raw(name), "| F1 | here | paper |").items():
        one, two = pair.split(" and ")
        assert graded[keys[one]][order[two]] == here, pair
    assert f"F1 {graded['generalised'][4]} (paper: 0.97)" in text
    assert min(graded, key=lambda row: int(graded[row][0])) == "strict"
    lists = [matrices(name, f"F1 of {measure}")[0] for measure in ("nxCG@25", "MAep")]
    places = {"Strict₅": 1, "Fully Spec": 2, "Gen₅": 3, "Gen Lifted": 4, "Bin Exh": 5}
    rows = dict(zip(places, lists[0], strict=True))
    table = table_of(raw(name), "| F1 | nxCG@25 | paper | MAep | paper |")
    for pair, cells in table.items():
        one, two = pair.split(" and ")
        for matrix, cell in zip(lists, cells[::2], strict=True):
            assert matrix[rows[one]][places[two]] == cell.replace("\u2013", "-"), pair
    for column in range(4):  # here and in the paper, by both measures
        first, second, least = (float(cells[column]) for cells in list(table.values())[:3])
        assert least < min(first, second)
    assert f"F1 {lists[0]['generalised'][4]} by nxCG@25 and {lists[1]['generalised'][4]} by MAep" in text
    lifted = [matrix["binary_exhaustivity"][4] for matrix in lists]
    assert f"F1 {lifted[0]} and {lifted[1]} with the lifted one" in text
    assert int(lists[1]["generalised"][0]) > int(lists[0]["generalised"][0])
    assert all(matrix["fully_specific"][0] == "0" for matrix in lists)


def test_exhaustivity_errors_of_tests() -> None:
    """How many more pairs the bootstrap finds, its error rate beside the others', and its agreement."""
    name = "docs/papers/exhaustivity.md"
    lines = re.findall(r"^(\S+) +(bootstrap|t|wilcoxon|sign) +50 +6800 +(.*)$", outputs(name), re.MULTILINE)
    first = {(measure, test): [*map(float, cells.split()[:-1])] for measure, test, cells in lines[:16]}
    others = ("t", "wilcoxon", "sign")

    def times(measure: str) -> float:
        return first[measure, "bootstrap"][0] / (sum(first[measure, test][0] for test in others) / 3)

    ratios = [f"{times(f'nxCG@{k}'):.2g}" for k in (10, 25, 50)]
    assert f"{times('MAep'):.1f} times as many as they do on average by MAep (paper: 2.1)" in page(name)
    assert f"{ratios[0]}, {ratios[1]} and {ratios[2]} times by nxCG at 10, 25 and 50" in page(name)
    rates = [first["MAep", "bootstrap"][2] / first["MAep", test][2] for test in others]
    assert f"Here it is {min(rates):.0f} to {max(rates):.0f} times theirs by MAep" in page(name)
    for measure in ("MAep", "nxCG@10", "nxCG@25", "nxCG@50"):
        assert max(("bootstrap", *others), key=lambda test: first[measure, test][-1]) == "bootstrap"
    alike = {test: cells.split()[:2] for measure, test, cells in lines[16:] if measure == "MAep"}
    counts = {test: tuple(map(int, cells)) for test, cells in alike.items()}
    shown = {test: f"{wrong} in {pairs:,}" for test, (pairs, wrong) in counts.items()}
    said = f"the others {shown['t']}, {shown['wilcoxon']} and {shown['sign']}"
    assert f"{shown['bootstrap'].replace(' in', ' errors in')} pairs, {said}" in page(name)


def test_exhaustivity_threshold() -> None:
    """F1 of the thresholds, with and without careless assessors."""
    name = "docs/papers/exhaustivity.md"
    rows = re.findall(r"^ *(\d+)((?:  +\d\.\d\d){4})$", outputs(name), re.MULTILINE)
    honest = {int(size): [*map(float, cells.split())] for size, cells in rows[:8]}
    assert list(honest) == [1, 10, 20, 50, 100, 200, 400, 1000]
    middle = [value for size in (10, 20, 50, 100, 200) for value in honest[size]]
    assert (min(middle), max(middle)) == (0.98, 0.99)
    assert f"none {honest[1][0]:.2f} and {honest[1][1]:.2f}" in page(name)
    assert max(honest[400]) < 0.9
    assert f"{honest[400][0]} and {honest[400][1]}, then {honest[1000][0]} and {honest[1000][1]}" in page(
        name
    )


def test_measures_of_2002() -> None:
    """Correlations of the figures, rounded as in the conclusions, and their order."""
    name = "docs/papers/measures_2002.md"
    found = [float(value) for value in re.findall(r"\t(-?0\.\d+)\t[\d.e-]+$", outputs(name), re.MULTILINE)]
    overlap, strict_overlap, quantisation, generalised, strict = found
    text = page(name)
    assert f"with and without it is {overlap:.2f} and {strict_overlap:.2f} (paper" in text
    assert f"r is {generalised:.2f} and {strict:.2f} (paper: 0.73 and 0.92)" in text
    assert generalised < strict
    assert f"(r \u2212{-quantisation:.2f})" in text
    exact = re.search(r"^3E +18 +(\d+) +(\d+)$", outputs(name), re.MULTILINE)
    assert exact
    assert (exact[1], exact[2]) == ("0", "18")


def test_measures_of_2006() -> None:
    """Tables 1 and 2 with their ranges, and what A changes."""
    name = "docs/papers/measures_2006.md"
    text = page(name)
    with_links = r"^(?:nxCG\S+|MAep)\t(?:11|17)\t([\d.]+)\t"
    links = [float(tau) for tau in re.findall(with_links, outputs(name), re.MULTILINE)]
    ideal = [float(tau) for tau in re.findall(r"full\)@\d+\t11\t([\d.]+)", outputs(name))]
    assert (len(links), len(ideal)) == (5, 4)
    for heading, taus in (
        ("| tau | nxCG[5] | nxCG[10] | nxCG[25] | nxCG[50] | MAep |", links),
        ("| tau | nxCG[5] | nxCG[10] | nxCG[25] | nxCG[50] |\n", ideal),
    ):
        assert table_of(raw(name), heading)["here"] == [f"{tau:.2f}" for tau in taus]
    assert f"tau is {min(links):.2f} to {max(links):.2f} here, 0.87 to 0.95 in the paper" in text
    assert f"tau is {min(ideal):.2f} to {max(ideal):.2f} here, 0.80 to 0.84 in the paper, and lowest" in text
    assert ideal.index(min(ideal)) == 1
    assert [one < other for one, other in zip(ideal, links, strict=False)] == [False, True, True, True]
    tags = dict(re.findall(r"^(\w+) +(\d+) +[01]\.\d+$", outputs(name), re.MULTILINE))
    assert round(5 * int(tags["xref"]) / int(tags["all"])) == 1
    rows = dict(re.findall(r"^(bic-best-p|art-bm25) +((?:0\.\d+ *){5})$", outputs(name), re.MULTILINE))
    best, art = ([*map(float, rows[run].split())] for run in ("bic-best-p", "art-bm25"))
    assert round(best[0] / art[0]) == 3
    assert min(best[-1], art[-1]) > 0.99


def test_what_a_budget_should_buy() -> None:
    """The page says what is best for 100 documents, and how much worse few topics are."""
    runs = [RUNS[f"{name}-bm25"] for name in ("art", "mix", "p", "sec", "sent", "win400")]
    how: dict[str, Any] = {"policy": Policy(overlap="first"), "notices": Notices(), "strategies": ("depth",)}
    rows = stability("effort", collection.qrels(), runs, ["MAiP"], budget=(100,), **how).rows
    (best,), (deep,) = (
        [row for row in rows if row[key] == value] for key, value in (("best", True), ("depth", 10))
    )
    assert best["depth"] == 1
    said = f"on {best['topics']} topics (tau {best['tau']:.2f}), not the first ten on {deep['topics']} topics"
    assert f"{said} (tau {deep['tau']:.2f})" in page("docs/experiments.md")


def test_totals_of_samples_have_no_bias() -> None:
    """The page says that estimates of totals and of charP are unbiased: within three standard errors."""
    runs = [RUNS["sent-bm25"], RUNS["p-bm25"]]
    found = stability(
        "sampled",
        collection.qrels(),
        runs,
        ["relevant", "recallbase", "charP[100]"],
        rates=(0.3,),
        samples=2000,
        notices=Notices(),
    )
    assert "The estimates of totals and of `charP` have no bias." in page("docs/pooling.md")
    for row in found.rows:
        assert abs(row["bias"]) <= 3 * row["deviation"] / 2000**0.5, row
        assert 0.9 <= row["coverage"] <= 0.97, row
