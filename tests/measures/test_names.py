"""Names of measures: parsing, printing, suggestions."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import recall_levels, weights

from excerpt import (
    ExcerptError,
    Judgments,
    Measure,
    Policy,
    Result,
    Run,
    ScoreTable,
    Span,
    evaluate,
    parse_measure,
    read_judgments,
)
from excerpt.errors import UnknownName
from excerpt.measures import SETS, expand, parameters, parse, registry
from excerpt.measures.base import COUNT, RANK, RECALL_LEVEL, SHARE, SOME_SHARE, TRUTH, WEIGHT, Parameter
from excerpt.notices import Notices

#: Measures of characters and documents; the parameters of the others depend more on each other.
NAMES = (
    "iP",
    "AiP",
    "MAiP",
    "gP",
    "gR",
    "AgP",
    "MAgP",
    "charP",
    "charR",
    "charF",
    "IoU",
    "articleAP",
    "judged",
    "hit",
    "RR",
    "nDCG",
    "found",
    "allfound",
    "read",
)


def texts(kind: Parameter) -> st.SearchStrategy[str]:
    """Values of a parameter as a user may write them."""
    if kind in {RANK, COUNT}:
        return st.integers(1, 10**6).map(str)
    if kind is RECALL_LEVEL:
        return st.one_of(recall_levels(), st.sampled_from(("0", "1", "1.0", ".5", "1/3", "1e-2", "+0.5")))
    if kind is WEIGHT:
        return weights()
    if kind in {SHARE, SOME_SHARE}:
        return recall_levels().filter(lambda level: kind is SHARE or Fraction(level) > 0)
    if kind is TRUTH:
        return st.sampled_from(("true", "false", "True", "FALSE"))
    return st.sampled_from(re.split(", | or ", kind.values))


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    """A measure of the interface with generated parameters."""
    kind = registry()[draw(st.sampled_from(NAMES))]
    given_: dict[str, str] = {}
    for field, parameter in parameters(kind):
        if field.metadata.get("required") or draw(st.booleans()):
            given_[field.name] = draw(texts(parameter))
    # Each document score has a parameter of its own; the others must stay as they are.
    for score, own in {"F": "beta", "T2I": "irrelevant", "BEP": "n"}.items():
        if kind.name in {"gP", "gR", "AgP"} and given_.get("score", "F") != score:
            given_.pop(own, None)
    if given_.get("overlap", "exact") == "exact":  # only the published form of HiXEval has a weight
        given_.pop("alpha", None)
    else:
        given_.pop("budget", None)  # which is of whole characters
    if "budget" not in given_ and kind.name != "read":  # other units are those of a budget
        given_.pop("cost", None)
    if "alpha" in given_:
        given_["alpha"] = draw(st.sampled_from(("0", "0.5", "1", "1/3")))
    return kind(**given_)


@settings(max_examples=500)
@given(measures())
def test_parsing_and_printing_are_inverse(measure: Measure) -> None:
    """parse(str(m)) is m, and printing it again gives the same text."""
    assert parse_measure(str(measure)) == measure
    assert str(parse_measure(str(measure))) == str(measure)
    assert hash(parse_measure(str(measure))) == hash(measure)


@settings(max_examples=150)
@given(measures())
def test_both_spellings_of_a_cutoff_agree(measure: Measure) -> None:
    """`@x` and `[x]` mean the same, with or without spaces around the parts."""
    text = str(measure)
    assert parse_measure(text.replace("[", "@").replace("]", "")) == measure
    assert parse_measure(f" {text.replace('(', ' ( ').replace(')', ' ) ').replace(',', ' , ')} ") == measure


@pytest.mark.parametrize(
    ("given_", "printed"),
    [
        ("iP@0.01", "iP[0.01]"),
        ("iP[0.1]", "iP[0.10]"),
        ("iP[1]", "iP[1.00]"),
        ("iP[.5]", "iP[0.50]"),
        ("iP[1/3]", "iP[1/3]"),
        ("iP[0.125]", "iP[0.125]"),
        ("MAiP", "AiP"),
        ("MAgP(beta=0.25)", "AgP(beta=0.25)"),
        ("AgP(score=F, beta=1.00)", "AgP"),
        ("AgP(score=t2i)", "AgP(score=T2I)"),
        ("gP(score=BEP,n=1000)@10", "gP(score=BEP, n=1000)[10]"),
        ("gP(legacy=True)[5]", "gP(legacy=true)[5]"),
        ("charF(beta=2)[5]", "charF(beta=2)[5]"),
        ("charP", "charP"),
    ],
)
def test_printed_name(given_: str, printed: str) -> None:
    """Names print in INEX's spelling, without parameters that have their default."""
    assert str(parse_measure(given_)) == printed


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("AiPP", "AiP"),
        ("MAIP", "MAiP"),
        ("aip", "AiP"),
        ("ip[0.01]", "iP"),
        ("Agp", "AgP"),
        ("charp", "charP"),
        ("ioou", "IoU"),
        ("recal@5", "recall"),
        ("precison", "precision"),
        ("bprf", "bpref"),
        ("articleap", "articleAP"),
        ("artcleP", "articleP"),
        ("AgP(bta=1)", "beta"),
        ("AgP(scor=F)", "score"),
        ("gP(Legacy=true)[3]", "legacy"),
        ("AgP(irelevant=3)", "irrelevant"),
    ],
)
def test_unknown_names_suggest_the_nearest(wrong: str, right: str) -> None:
    """An unknown measure or parameter is an error that suggests the nearest one and lists the known ones."""
    with pytest.raises(UnknownName, match=f"did you mean '{right}'\\?"):
        parse_measure(wrong)


MALFORMED = """
    ||  |iP|gP|gR|MAnothing|AiP[0.1]|MAiP@0.1|AgP[3]|articleRprec[3]|articleBpref@5|iP[]|iP@|iP[ ]|iP[1.01]
    |iP[-0.01]|iP[2]|iP[nan]|iP[inf]|iP[x]|iP[0,5]|iP[1/0]|iP[0.1.2]|iP[1e400]|iP[--1]|iP[.]|iP[e5]
    |iP[1/]|iP[/2]|iP[0x1]|iP[50%]|iP[0.1|iP0.1]|iP[0.1]]|iP[[0.1]]|iP[0.1]@0.1|iP[0.1][0.1]
    |iP@0.1@0.2|iP[0.1]x|iP(0.1)|iP(at=0.1)|iP(at=0.1)[0.1]|iP(beta=1)[0.1]|gP[0]|gP[-1]|gP[1.5]
    |gP[x]|gP[]|gP[1e3]|gP[+-1]|gP[10 20]|gP[inf]|gR[0]|gR[0.5]|gR(gamma=1)[3]|gP(top=3)|charP[0]
    |charR[-5]|charF[2.0]|IoU[nan]|charP(beta=1)|charF(beta=-1)|charF(beta=x)|charF(beta=)
    |charF(beta=nan)|charF(beta=inf)|charF(beta)|charF(=1)|charF(beta=1=2)|charF(beta=1, beta=2)
    |charF(beta=1 2)|charF((beta=1))|charF(beta=1|charF beta=1)|charF(beta=1))|charF[2](beta=1)
    |charF(beta==1)|charF(beta=1;)|charF(beta=True)|AgP(score=G)|AgP(score=)|AgP(score=F,T2I)
    |AgP(score=T2I, beta=2)|AgP(score=BEP, irrelevant=5)|AgP(n=5)|AgP(irrelevant=5)
    |AgP(score=T2I, irrelevant=0)|AgP(score=T2I, irrelevant=-3)|AgP(score=T2I, irrelevant=1.5)
    |AgP(score=BEP, n=0)|AgP(score=BEP, n=x)|AgP(legacy=true)|gP(legacy=1)[3]|gP(legacy=maybe)[3]
    |gP(legacy=)[3]|Ai P|AiP AiP|AiP,gP[3]|AiP;|AiP!|(beta=1)|[3]|@3|@|()|[]|-|A-iP|AiP\\0|AiP(\\n)x
    |*|Ai*|../AiP|None|1|0.5|AP[0]|recall[x]|P_0|Rprec@5|rag[3]|recall(beta=1)
"""


@pytest.mark.parametrize(
    "text", [part for line in MALFORMED.strip("\n").splitlines() for part in line.strip().split("|")]
)
def test_malformed_names_are_refused(text: str) -> None:
    """A malformed name is an ExcerptError of one line, never another exception."""
    with pytest.raises(ExcerptError) as caught:
        parse_measure(text)
    assert str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "each"),
    [
        ("AP,MAiP", ["AP", "MAiP"]),
        ("iP@0.01, MAiP", ["iP@0.01", "MAiP"]),
        ("MAiP charF", ["MAiP", "charF"]),
        (
            "nxCG(quantisation=strict, ideal=focused)[5],AP",
            ["nxCG(quantisation=strict, ideal=focused)[5]", "AP"],
        ),
    ],
)
def test_measures_in_one_text_are_named_apart(text: str, each: list[str]) -> None:
    """A list of measures where one is expected is answered by its parts."""
    with pytest.raises(ExcerptError) as raised:
        parse(text)
    assert raised.value.message == f"found {text!r}, expected one measure"
    assert raised.value.hint == "name each by itself: " + " ".join(f"⟨measures={name}⟩" for name in each)


@settings(max_examples=150)
@given(st.one_of(st.text(max_size=20), st.text("iPgR AMc[]()@=.,/+-0123eE_b", max_size=14)))
def test_any_text_is_a_measure_or_an_error(text: str) -> None:
    """Whatever is typed, the answer is a measure that prints and parses, or an ExcerptError."""
    try:
        measure = parse_measure(text)
    except ExcerptError:
        return
    assert parse_measure(str(measure)) == measure


@pytest.mark.parametrize("rank", [0, -1, 1.5, "x", True, float("nan"), [3]])
def test_python_values_are_checked_like_text(rank: object) -> None:
    """A measure made in Python refuses the same values as a measure that was typed."""
    with pytest.raises(ExcerptError):
        registry()["charP"](rank)  # type: ignore[call-arg]


def test_python_values_are_read_like_text() -> None:
    """Numbers given in Python become the exact numbers they print as."""
    assert registry()["iP"](at=0.29) == parse_measure("iP[0.29]")  # type: ignore[call-arg]
    assert registry()["charF"](beta=0.1) == parse_measure("charF(beta=0.1)")  # type: ignore[call-arg]
    assert registry()["AgP"](beta=Fraction(1, 3)) == parse_measure("AgP(beta=1/3)")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("asked", "ours"),
    [
        ("gMAP", "excerpt.trec_eval(qrels, run) prints"),
        ("gm_map", "excerpt.trec_eval(qrels, run) prints"),
        ("iprec_at_recall", "excerpt.trec_eval(qrels, run) prints"),
        ("f@5", "f1@5"),
        ("DCG@10", "excerpt.trec_eval(qrels, run) prints"),
        ("hit_rate@1", "hit@1"),
        ("omega", "excerpt chunks and evaluate_chunks"),
    ],
)
def test_names_of_other_tools_are_answered_not_mistaken(asked: str, ours: str) -> None:
    """A measure of other tools is no slip of the pen: we say that we lack it, and what we have."""
    with pytest.raises(UnknownName) as caught:
        parse_measure(asked)
    assert f"; {ours} " in str(caught.value)
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "tool"),
    [
        ("alpha-nDCG@20", "ndeval"),
        ("alpha_nDCG@20", "ndeval"),
        ("ERR-IA@10", "ndeval"),
        ("infNDCG", "sample_eval.pl"),
        ("INST", "ir_measures"),
        ("MSnDCG@10", "NTCIREVAL"),
    ],
)
def test_measures_that_only_others_have(asked: str, tool: str) -> None:
    """They are named with the tool that has them; nothing else is suggested."""
    with pytest.raises(ExcerptError) as caught:
        parse_measure(asked)
    assert re.fullmatch(
        rf"excerpt does not have the measure {asked.partition('@')[0]}\S*; {re.escape(tool)}.* has it",
        str(caught.value),
    )


def test_lists_of_known_names_are_short() -> None:
    """An unknown name does not drown its answer in everything there is."""
    with pytest.raises(UnknownName) as caught:
        parse_measure("zzz")
    assert len(str(caught.value)) < 160


def test_a_measure_stands_for_itself() -> None:
    """Functions that take names of measures also take measures, but none without the cut-off it needs."""
    measure = parse_measure("iP[0.01]")
    assert parse_measure(measure) is measure
    with pytest.raises(ExcerptError, match=r"^gP\(score=BEP\) needs a cut-off, .* try gP\(score=BEP\)\[10\]"):
        parse_measure(registry()["gP"](score="BEP"))  # type: ignore[call-arg]


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
    """A name alone is of text if there is a choice; with judgments of documents it is of documents."""
    assert str(parse(name)) == text
    assert str(parse(name, documents=True)) == documents


@pytest.mark.parametrize("name", ["charR[5]", "articleR[5]", "charP", "articleAP", "AiP", "iP[0.01]", "MAiP"])
def test_own_names_never_change(name: str) -> None:
    """A name that is not an everyday name has one meaning under all judgments."""
    assert parse(name) == parse(name, documents=True)


def test_scores_keep_the_names_given_and_say_what_they_stand_for() -> None:
    """With judgments of text: recall of characters, P of documents; own names have no alias."""
    table = evaluate(TEXT, RUN, ["Recall@2", "P@2", "charR@2", "MAiP"])
    assert table["r"] == {"Recall@2": 0.5, "P@2": 0.5, "charR@2": 0.5, "MAiP": table.mean("r", "AiP")}
    assert table.aliases == {"Recall@2": "charR@2", "P@2": "articleP@2"}
    assert table.to_dict()["aliases"] == table.aliases
    assert str(table).splitlines()[-2:] == ["", "Recall@2 = charR@2, P@2 = articleP@2"]
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
    """A set or a parameter for judgments of text with TREC qrels: the message names the right set."""
    for names in ("rag", ["recall(budget=9)"]):
        with pytest.raises(ExcerptError) as error:
            evaluate(QRELS, DOCUMENTS, names, notices=Notices())
        assert "needs judgments of text, but these are of whole documents" in str(error.value)
        assert "the set rag is for judgments of text, trec for judgments of documents" in str(error.value)
    with pytest.raises(ExcerptError, match="unknown parameter of articleR 'bugdet'"):
        evaluate(QRELS, DOCUMENTS, "articleR(bugdet=9)")


def test_a_table_of_own_names_is_found_by_everyday_ones() -> None:
    """A saved table may have no everyday names: meanings for text come first."""
    both = evaluate(read_judgments(QRELS), DOCUMENTS, ["charR@2", "articleR@2", "articleAP"])
    assert [both.place("measure", name) for name in ("recall@2", "map")] == [0, 2]
    assert evaluate(QRELS, DOCUMENTS, "articleRR").place("measure", "RR") == 0


def test_sets_stand_for_their_measures() -> None:
    """A set may be given in any case among other measures; an error in a name comes before any reading."""
    assert expand(["charP", "RAG"]) == ["charP", *SETS["rag"]]
    said = "recall(budget=4000) recall@5 precision@5 iou@5 hit@5 mrr found@5 read@5"
    assert " ".join(SETS["rag"]) == said
    table = evaluate(QRELS, DOCUMENTS, ["trec", "AP"], notices=Notices())
    assert table.measures == SETS["trec"]
    with pytest.raises(
        ExcerptError, match="found inex, a set of measures, expected one measure; the set contains MAiP"
    ):
        parse("inex")
    with pytest.raises(ExcerptError, match="unknown measure 'zzz'"):
        evaluate("no such file", "nor this", ["trec", "zzz"])


def test_hixeval_stands_for_its_measures_at_all_cutoffs() -> None:
    """Precision, recall and F at 5, 10, 25, 50, 100 and at the end."""
    names = expand(["hixeval"])
    assert names[:6] == ["charP@5", "charP@10", "charP@25", "charP@50", "charP@100", "charP"]
    assert names == [name.replace("P", kind) for kind in "PRF" for name in names[:6]]


@pytest.mark.parametrize(("given_", "other"), [("gr", "gR"), ("gR", "gr")])
def test_gain_recall_is_not_generalised_recall(given_: str, other: str) -> None:
    """Two measures whose names differ in case only: neither is taken or suggested for the other."""
    assert type(parse(f"{given_}@5")) is not type(parse(f"{other}@5"))
    known = {"mine": {f"{other}[5]": 0.5, f"{other}(quantisation=strict)@5": 0.5, "zzz": 0.5}}
    table = ScoreTable.from_scores(
        {(run, "1", name): value for run, of in known.items() for name, value in of.items()}
    )
    for name in (given_, f"{given_}[5]", f"{given_}@5"):
        with pytest.raises(UnknownName) as caught:
            table.place("measure", name)
        assert "did you mean" not in str(caught.value)
    assert f"did you mean '{given_}'?" in str(UnknownName("measure", "G" + given_[1:], [given_, "zzz"]))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("MAP@5x", "found '5x' as cut-off of MAP, expected a rank"),
        ("recall@x", "found 'x' as cut-off of recall, expected a rank"),
        ("IPrec@0.1", "prints it as iprec_at_recall"),
        ("NDNS", "has it"),
        ("PASSAGE2", "has it"),
        ("GMAP", "has it"),
    ],
)
def test_what_is_not_there_is_named_in_the_words_of_the_user(name: str, said: str) -> None:
    """Wrong cut-offs by the name as written; measures of other tools with what has them."""
    with pytest.raises(ExcerptError, match=said):
        parse(name, documents=True)
