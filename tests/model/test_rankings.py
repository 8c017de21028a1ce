"""Rankings of documents: `evaluate` and `trec_eval` come to the same last digit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.ranked_documents import GRADES, ranking

from excerpt import Notices, evaluate
from excerpt.official.trec.names import ask
from excerpt.official.trec.ranked_run import TrecEvalOptions, rank_run, read_qrels

#: Measures by their names here and there, the second with what is printed.
SAME = {
    "articleAP": ("map", "map"),
    "articleAP[3]": ("map_cut.3", "map_cut_3"),
    "articleRR": ("recip_rank", "recip_rank"),
    "articleRprec": ("Rprec", "Rprec"),
    "articleBpref": ("bpref", "bpref"),
    "articleNDCG": ("ndcg", "ndcg"),
    "articleNDCG[4]": ("ndcg_cut.4", "ndcg_cut_4"),
    "articleP[5]": ("P.5", "P_5"),
    "articleP": ("set_P", "set_P"),
    "articleR[2]": ("recall.2", "recall_2"),
    "articleHit[2]": ("success.2", "success_2"),
    "articleRBP(p=0.9)": ("rbp", "rbp"),
    "articleRBP(p=0.35)": ("rbp.p=0.35", "rbp_p=0.35"),
}
TOPICS = st.lists(
    st.tuples(
        st.lists(st.integers(-3, 4), min_size=1, max_size=14), st.lists(st.integers(0, 5), max_size=20)
    ),
    min_size=1,
    max_size=4,
)


@given(TOPICS)
@settings(max_examples=50)
def test_evaluate_and_trec_eval_share_the_last_digit(topics: list[tuple[list[int], list[int]]]) -> None:
    """For any grades and ties: documents with negative grades, and some unjudged ones."""
    qrels = "1000 0 d0 1\n" + "".join(
        f"{topic} 0 d{number} {grade}\n"
        for topic, (grades, _) in enumerate(topics)
        for number, grade in enumerate(grades)
    )
    run = "1000 Q0 d0 1 1 r\n" + "".join(
        f"{topic} Q0 d{number * 3 % 20} 0 {score} r\n"
        for topic, (_, scores) in enumerate(topics)
        for number, score in enumerate(scores)
    )
    options = TrecEvalOptions(complete=True)
    ranked = rank_run(run.encode(), read_qrels(qrels.encode()), options)
    table = evaluate(qrels.encode(), run.encode(), [*SAME, "articleInfAP"], order="score", notices=Notices())
    place = [table.topics.index(topic) for topic in ranked.topics if topic in table.topics]
    here = np.nan_to_num(table.values[0, place])
    for number, (asked, printed) in enumerate([*SAME.values(), ("infAP", "infAP")]):
        ((name, there),) = ask([asked])[0].values(ranked)
        assert name == printed
        known = np.array([topic in table.topics for topic in ranked.topics])
        same = np.testing.assert_allclose if name == "infAP" else np.testing.assert_array_equal
        same(here[:, number], there[known], err_msg=name)


@given(GRADES, GRADES)
def test_precision_and_recall(grades: list[int], unseen: list[int]) -> None:
    """Without a rank all that was returned counts; a rank beyond the end is divided by all the same."""
    ranked = ranking(grades, unseen)
    hits, total = sum(grade > 0 for grade in grades), sum(grade > 0 for grade in [*grades, *unseen])
    assert ranked.precision()[0] == pytest.approx(hits / max(len(grades), 1))
    assert ranked.precision(20)[0] == hits / 20
    assert ranked.recall()[0] == ranked.recall(20)[0] == pytest.approx(hits / max(total, 1))
    assert ranked.success()[0] == (hits > 0)
