"""Our measures inside ir_measures and PyTerrier give what they give here."""

from __future__ import annotations

import importlib
import math
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from support.strategies import Case, cases

import excerpt
from excerpt import ExcerptError, ExcerptWarning, Policy
from excerpt import ir_measures as inside
from excerpt.render.reference import distinct_measures

#: Reading a number in the name of a measure, ir_measures asks for what Python 3.12 wants to drop.
pytestmark = pytest.mark.filterwarnings("ignore:.*ast:DeprecationWarning")

QRELS = ["query_id", "doc_id", "relevance", "start", "end"]
RUN = ["query_id", "doc_id", "score", "start", "end"]
TEXT = pd.DataFrame(
    [("1", "A", 1, 10, 50), ("1", "B", 0, None, None), ("2", "C", 1, 0, 10), ("3", "C", 0, None, None)],
    columns=QRELS,
)
FOUND = pd.DataFrame([("1", "A", 0.9, 0, 50), ("1", "A", 0.95, 60, 70)], columns=RUN)


@pytest.fixture
def as_it_was() -> Iterator[None]:
    """After the test nothing is configured."""
    yield
    inside.configure()


def tables(case: Case) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A generated case as a user of ir_measures has it."""
    qrels = [(topic, document, 1, start, end) for topic, document, start, end in case.highlights]
    qrels += [(topic, document, 0, 0, 0) for topic, document in case.irrelevant]
    rows = [(*row[:2], -place, *row[2:]) for place, row in enumerate(case.results)]
    return pd.DataFrame(qrels, columns=QRELS), pd.DataFrame(rows, columns=RUN)


NAMES = ["charP", "charR[3]", "charF(beta=2)", "IoU[2]", "AiP", "iP[0.10]", "articleAP", "judged[5]", "gR[2]"]


@settings(max_examples=25)
@given(case=cases())
def test_scores_are_those_of_evaluate(case: Case) -> None:
    """Topic by topic and in the mean, for generated runs of text; a topic without any score is left out."""
    policy = Policy(overlap="first", interleaved="regroup", include_empty=False)
    if not case.matches or not case.judgments().topics:
        return
    table = excerpt.evaluate(case.judgments(), case.run(), NAMES, policy=policy)
    measures = [inside.parse(name) for name in NAMES]
    try:
        inside.configure(policy=policy)
        found = ir_measures.calc(measures, *tables(case))
    finally:
        inside.configure()
    values = {(metric.query_id, metric.measure): metric.value for metric in found.per_query}
    for topic, scores in zip(table.topics, table.values[0], strict=True):  # noqa: PD011  no data frame
        scored = not np.isnan(scores).all()
        assert {key[0] for key in values} >= {topic} or not scored
        for name, measure in zip(NAMES, measures, strict=True):
            expected = table["run", topic, name]
            assert np.array_equal(values.get((topic, measure), math.nan), expected, equal_nan=True)
    assert isinstance(found.aggregated, dict)
    means = [found.aggregated[measure] for measure in measures]
    assert np.array_equal(means, table.means()[0], equal_nan=True)


def test_every_measure_is_known_there_by_its_names() -> None:
    """Each parses from what it prints, and their own measures are what they were."""
    known = ir_measures.measures.registry
    for kind in distinct_measures():
        for name in filter(None, (kind.name, kind.mean_name)):
            own = getattr(ir_measures, name, None)
            taken = isinstance(own, ir_measures.Measure)
            measure = known[f"excerpt_{name}" if taken else name]
            assert isinstance(measure, inside.FocusedMeasure)
            assert measure.measure == kind()
            assert not taken or known[name] is own
            assert inside.provider.SUPPORTED_MEASURES.count(measure) == 1


@pytest.mark.skipif(
    sys.version_info >= (3, 14),
    reason="ir-measures 0.4.3 parses parameters by ast.Num, which Python 3.14 lacks",
)
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("charP", "charP"),
        ("charP[10]", "charP@10"),
        ("iP@0.10", "iP@0.1"),
        ("AgP(beta=0.25)", "AgP(beta=0.25)"),
        ("MAgP(beta=1)", "AgP"),
        ("charF(beta=1/3)[5]", "charF(beta='1/3')@5"),
        ("charR(overlap=lambda)", "charR(overlap='lambda')"),
        ("gP(score=T2I, legacy=true)[10]", "gP(score='T2I',legacy=True)@10"),
        ("R", "excerpt_R"),
        ("mrr@10", "excerpt_RR@10"),
        ("nDCG[5]", "excerpt_nDCG@5"),
        ("recall(budget=400)", "charR(budget=400)"),
        ("read(cost=tokens)@5", "read(cost='tokens')@5"),
    ],
)
def test_measures_print_what_ir_measures_parses(name: str, shown: str) -> None:
    """One spelling for one measure, so that equal ones are equal there too."""
    measure = inside.parse(name)
    assert str(measure) == shown
    parsed = ir_measures.parse_measure(shown)
    assert parsed == measure
    assert isinstance(parsed, inside.FocusedMeasure)
    assert parsed.measure == excerpt.parse_measure(name)


def test_measures_are_made_as_ir_measures_does() -> None:
    """Parameters and cut-offs are given by calls, by @ and by `cutoff`."""
    from excerpt.ir_measures import R, charF, charP

    assert charP(cutoff=5) == charP @ 5 != charP
    assert (charF(beta=2) @ 5)["beta"] == 2
    assert (charF @ 5)["cutoff"] == 5
    assert R == inside.parse("R") != ir_measures.R
    with pytest.raises(ExcerptError, match="unknown parameter of charP 'rel'"):
        charP(rel=2)
    with pytest.raises(ExcerptError, match="found '0' as cut-off of charP"):
        charP @ 0
    with pytest.raises(ExcerptError, match="iP needs a cut-off"):
        ir_measures.calc_aggregate([inside.parse("iP[0.1]"), inside.iP], TEXT, FOUND)
    with pytest.raises(AttributeError, match=r"module 'excerpt\.ir_measures' has no attribute 'nothing'"):
        inside.nothing  # noqa: B018


def test_topics_without_relevant_text_stay_out_of_the_mean() -> None:
    """Also together with measures of others, which score them 0."""
    alone = ir_measures.calc_aggregate([inside.charP, inside.charR], TEXT, FOUND)
    assert alone == {inside.charP: 1 / 3, inside.charR: 0.5}
    beside = ir_measures.calc_aggregate([inside.charP, ir_measures.P @ 1], TEXT, FOUND)
    assert beside == {inside.charP: 1 / 3, ir_measures.P @ 1: 1 / 3}
    single = list(ir_measures.iter_calc([inside.charR], TEXT, FOUND))
    assert [(metric.query_id, metric.value) for metric in single] == [("1", 1.0), ("2", 0.0)]
    assert math.isnan(ir_measures.calc_aggregate([inside.charR], TEXT[1:2], FOUND)[inside.charR])


def test_topics_keep_the_ids_that_they_have() -> None:
    """Numbers stay numbers, as for other measures."""
    numbered: Any = {1: {"A": 1}, 2: {"B": 1}}
    run: Any = {1: {"A": 2.0}}
    found: list[Any] = list(ir_measures.iter_calc([inside.articleAP], numbered, run))
    assert [(metric.query_id, metric.value) for metric in found] == [(1, 1.0), (2, 0.0)]


def test_whole_documents_are_judged_as_others_judge_them() -> None:
    """articleAP of plain qrels and runs is their AP."""
    qrels = {"1": {"A": 2, "B": 0, "C": 1, "E": -1}, "2": {"A": 1}}
    run = {"1": {"A": 1.0, "B": 1.0, "C": 0.5, "D": 2.0}, "2": {"C": 1.0, "A": 0.5}}
    found = ir_measures.calc_aggregate([inside.articleAP, ir_measures.AP], qrels, run)
    assert found[inside.articleAP] == pytest.approx(found[ir_measures.AP], abs=1e-15)
    assert 0 < found[inside.articleAP] < 1


def test_doubts_are_warnings(as_it_was: None) -> None:
    """A run without judged topics scores 0 here, since a batch of topics may be such; evaluate rejects it."""
    strange = pd.DataFrame([("1", "A.xml", 1.0, 0, 9)], columns=RUN)
    with pytest.warns(ExcerptWarning) as caught:
        assert ir_measures.calc_aggregate([inside.charR], TEXT, strange) == {inside.charR: 0}
    told = [str(warning.message) for warning in caught]
    assert any("found 1 document that would match without the ending (A.xml as A)" in text for text in told)
    assert any(text.startswith("1 topic has no relevant text and is left out") for text in told)
    assert any(text.startswith("1 judged topic has no results in a run") for text in told)


def test_what_evaluate_is_told_can_be_told_here(as_it_was: None) -> None:
    """A policy, and a corpus, for all that follows."""
    twice = pd.concat([FOUND, FOUND])
    with pytest.raises(ExcerptError, match="overlap"):
        ir_measures.calc_aggregate([inside.AiP], TEXT, twice)
    inside.configure(policy=Policy(overlap="first"))
    once = ir_measures.calc_aggregate([inside.AiP], TEXT, twice)
    inside.configure()
    assert once == ir_measures.calc_aggregate([inside.AiP], TEXT, FOUND)
    whole = FOUND[["query_id", "doc_id", "score"]][:1]
    with pytest.raises(ExcerptError, match="length"):
        ir_measures.calc_aggregate([inside.charP], TEXT, whole)
    inside.configure(corpus={"A": 80 * "a", "B": "", "C": 10 * "c"})
    assert ir_measures.calc_aggregate([inside.charP], TEXT, whole) == {inside.charP: 0.25}


def test_what_a_measure_needs_and_has_not_is_said() -> None:
    """Measures of elements are known, and say what they lack."""
    with pytest.raises(ExcerptError, match=r"nxCG\[10\] needs"):
        ir_measures.calc_aggregate([inside.nxCG @ 10], TEXT, FOUND)


def test_columns_that_are_asked_for() -> None:
    """Measures of text need start and end, those of documents do not."""
    assert set(ir_measures.run_inputs([inside.charP, ir_measures.AP])) == {*RUN}
    assert set(ir_measures.run_inputs([inside.articleAP])) == {*RUN[:3]}
    assert set(ir_measures.qrel_inputs([inside.charP])) == {*QRELS}


def test_an_evaluator_takes_one_run_after_the_other() -> None:
    """Judgments are read once; measures may be asked by themselves."""
    evaluator = (inside.charR @ 1).evaluator(TEXT)
    assert [evaluator.calc_aggregate(run)[inside.charR @ 1] for run in (FOUND, FOUND[:1])] == [0, 0.5]
    assert inside.charR.calc(TEXT, FOUND).aggregated == 0.5
    assert inside.provider.calc_aggregate([inside.charR, inside.charR], TEXT, FOUND) == {inside.charR: 0.5}


TOPICS = pd.DataFrame([("1", "one"), ("2", "two")], columns=["qid", "query"])


@pytest.fixture(scope="module")
def pyterrier() -> Any:
    """The package; what it warns of when it is imported is its own affair."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module("pyterrier")


def renamed(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame with the names of columns that PyTerrier has."""
    return frame.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})


def test_experiment_of_pyterrier(pyterrier: Any) -> None:
    """Means, together with those of other measures, and the test against a baseline."""
    qrels, runs = renamed(TEXT[:3]), [renamed(FOUND), renamed(FOUND[:1])]
    measures = [inside.charP @ 1, inside.parse("charR[1]"), ir_measures.P @ 1]
    table = pyterrier.Experiment(runs, TOPICS, qrels, measures, names=["one", "two"], baseline=0)
    assert table[["charP@1", "charR@1", "P@1"]].to_numpy().tolist() == [[0, 0, 0.5], [0.4, 0.5, 0.5]]
    assert table["charR@1 +"].tolist()[1] == 1


def test_experiment_of_pyterrier_by_query_and_in_batches(pyterrier: Any) -> None:
    """A transformer gives the results; in a batch of one topic there may be no judged document."""
    more = pd.concat([FOUND, pd.DataFrame([("2", "Z", 1.0, 0, 9)], columns=RUN)])
    system = pyterrier.Transformer.from_df(renamed(more))
    how = {"names": ["one"], "perquery": True, "batch_size": 1}
    table = pyterrier.Experiment([system], TOPICS, renamed(TEXT[:3]), [inside.charR @ 2], **how)
    assert dict(zip(table["qid"], table["value"], strict=True)) == {"1": 1.0, "2": 0.0}


def test_only_this_module_knows_ir_measures() -> None:
    """No other module imports it, so that it stays optional."""
    package = Path(excerpt.__file__).parent
    line = re.compile(r"^ *(import|from) (excerpt\.)?ir_measures\b", re.MULTILINE)
    importing = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if line.search(re.sub(r'""".*?"""', "", path.read_text(encoding="utf-8"), flags=re.DOTALL))
    }
    assert importing == {"ir_measures.py"}


def test_without_ir_measures_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra of the package is named."""
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    monkeypatch.delitem(sys.modules, "excerpt.ir_measures")
    with pytest.raises(ImportError, match=r"pip install 'excerpt\[ir\]'"):
        importlib.import_module("excerpt.ir_measures")
