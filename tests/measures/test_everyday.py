"""Everyday names of measures: what they stand for goes by the judgments."""

from __future__ import annotations

import pytest

from excerpt import ExcerptError, Judgments, Policy, Result, Run, Span, evaluate, read_judgments
from excerpt.measures import SETS, expand, parse
from excerpt.notices import Notices

TEXT = Judgments.of([("1", Span("A", 0, 60)), ("1", Span("B", 0, 20))], irrelevant=[("1", "C")])
RUN = Run.of("r", [Result("1", "A", 0, 40), Result("1", "C", 0, 10), Result("1", "B", 0, 10)])
QRELS = b"1 0 A 2\n1 0 B 1\n1 0 C 0\n"
DOCUMENTS = b"1 Q0 A 1 3 r\n1 Q0 C 2 2 r\n1 Q0 B 3 1 r\n"
MEANINGS = [
    ("recall@2", "charR[2]", "articleR[2]"),
    ("Precision[3]", "charP[3]", "articleP[3]"),
    ("F1", "charF", "articleF"),
    ("IOU@5", "IoU[5]", "IoU[5]"),
    ("p@10", "articleP[10]", "articleP[10]"),
    ("AP", "articleAP", "articleAP"),
    ("map@3", "articleAP[3]", "articleAP[3]"),
    ("rprec", "articleRprec", "articleRprec"),
    ("Bpref", "articleBpref", "articleBpref"),
    ("P_10", "articleP[10]", "articleP[10]"),
    ("recall_100", "charR[100]", "articleR[100]"),
    ("RR", "RR", "articleRR"),
    ("mrr@10", "RR[10]", "articleRR[10]"),
    ("MRR", "RR", "articleRR"),
    ("recip_rank", "RR", "articleRR"),
    ("nDCG@10", "nDCG[10]", "articleNDCG[10]"),
    ("ndcg_cut_10", "nDCG[10]", "articleNDCG[10]"),
    ("hit@1", "hit[1]", "articleHit[1]"),
    ("success_5", "hit[5]", "articleHit[5]"),
    ("infAP", "articleInfAP", "articleInfAP"),
    ("Judged@10", "judged[10]", "judged[10]"),
    ("R@1000", "charR[1000]", "articleR[1000]"),
    ("SetP", "articleP", "articleP"),
    ("set_recall", "articleR", "articleR"),
    ("R", "R", "R"),
]


@pytest.mark.parametrize(("name", "text", "documents"), MEANINGS)
def test_names_go_by_what_was_judged(name: str, text: str, documents: str) -> None:
    """A name alone is of text where there is a choice; beside judgments of documents it is of documents."""
    assert str(parse(name)) == text
    assert str(parse(name, documents=True)) == documents


@pytest.mark.parametrize("name", ["charR[5]", "articleR[5]", "charP", "articleAP", "AiP", "iP[0.01]", "MAiP"])
def test_own_names_never_change(name: str) -> None:
    """What is no everyday name means the same beside all judgments."""
    assert parse(name) == parse(name, documents=True)


def test_scores_keep_the_names_given_and_say_what_they_stand_for() -> None:
    """Beside text: recall of characters, P of documents; own names have no alias."""
    table = evaluate(TEXT, RUN, ["Recall@2", "P@2", "charR@2", "MAiP"])
    assert table["r"] == {"Recall@2": 0.5, "P@2": 0.5, "charR@2": 0.5, "MAiP": table.mean("r", "AiP")}
    assert table.aliases == {"Recall@2": "charR@2", "P@2": "articleP@2"}
    assert table.to_dict()["aliases"] == table.aliases
    assert str(table).splitlines()[-3:] == ["", "Recall@2 = charR@2", "P@2 = articleP@2"]
    assert str(table.by_topic()).endswith("P@2 = articleP@2")
    assert "Recall@2 = charR@2" in table.to_markdown()
    assert "Recall@2 = charR@2" in table._repr_html_()
    assert "charP" not in table.select(["Recall@2"]).to_dict()["aliases"]


def test_beside_trec_qrels_names_are_of_documents() -> None:
    """The same names, and every spelling of them finds its column."""
    table = evaluate(QRELS, DOCUMENTS, ["recall@2", "charR@2", "RR", "nDCG@2"], policy=Policy())
    assert table.aliases == {"recall@2": "articleR@2", "RR": "articleRR", "nDCG@2": "articleNDCG@2"}
    spellings = ("recall@2", "Recall[2]", "articleR[2]", "RECALL@2", "recall_2")
    assert [table.place("measure", name) for name in spellings] == [0] * len(spellings)
    assert table.place("measure", "charR[2]") == 1
    assert table.place("measure", "mrr") == table.place("measure", "articleMRR") == 2
    assert table.place("measure", "ndcg_cut_2") == 3
    text = evaluate(TEXT, RUN, ["articleR@2", "recall@2"])
    assert [text.place("measure", name) for name in ("Recall[2]", "charR@2", "articleR[2]")] == [1, 1, 0]


def test_text_is_not_asked_of_documents() -> None:
    """A set or a parameter for judgments of text beside TREC qrels: which set is for which."""
    for names in ("rag", ["recall(budget=9)"]):
        with pytest.raises(ExcerptError) as error:
            evaluate(QRELS, DOCUMENTS, names, notices=Notices())
        assert "beside judgments of whole documents, expected measures of documents" in str(error.value)
        assert "the set rag is for judgments of text, trec for these" in str(error.value)
    with pytest.raises(ExcerptError, match="unknown parameter of articleR 'bugdet'"):
        evaluate(QRELS, DOCUMENTS, "articleR(bugdet=9)")


def test_a_table_of_own_names_is_found_by_everyday_ones() -> None:
    """A saved table may have had no everyday name: what names mean beside text comes first."""
    both = evaluate(read_judgments(QRELS), DOCUMENTS, ["charR@2", "articleR@2", "articleAP"])
    assert [both.place("measure", name) for name in ("recall@2", "map")] == [0, 2]
    assert evaluate(QRELS, DOCUMENTS, "articleRR").place("measure", "RR") == 0


def test_sets_stand_for_their_measures() -> None:
    """A set may be given in any case beside other measures; a mistake in a name comes before any reading."""
    assert expand(["charP", "RAG"]) == ["charP", *SETS["rag"]]
    said = "recall@5 precision@5 iou@5 hit@5 mrr recall(budget=4000) found@5 read@5"
    assert " ".join(SETS["rag"]) == said
    table = evaluate(QRELS, DOCUMENTS, ["trec", "AP"], notices=Notices())
    assert table.measures == SETS["trec"]
    with pytest.raises(ExcerptError, match="found inex, a set of measures, expected one measure; its are iP"):
        parse("inex")
    with pytest.raises(ExcerptError, match="unknown measure 'zzz'"):
        evaluate("no such file", "nor this", ["trec", "zzz"])
