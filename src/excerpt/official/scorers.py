"""Official scorers of other focused tracks: programs, meanings of measures, and rules that surprise."""

from __future__ import annotations

from typing import NamedTuple


class Scorer(NamedTuple):
    """An official scorer, `excerpt official NAME`."""

    name: str
    #: The track, and the program whose lines it has.
    track: str
    program: str
    reference: str
    #: What each measure means, by name.
    measures: dict[str, str]
    #: Rules that few expect; each changes figures, and gives a warning where it does.
    surprises: tuple[str, ...]


_GENOMICS = Scorer(
    "genomics",
    "TREC Genomics 2006, 2007",
    "trecgen2007_score.py",
    "W. Hersh, A. Cohen, L. Ruslen, P. Roberts: TREC 2007 Genomics Track Overview. TREC 2007",
    {
        "DOCUMENT": "Average precision of documents, each at its first result; a document is relevant if the "
        "gold has a passage of it.",
        "PASSAGE": "At each result that hits a gold passage, characters found over characters read; summed, "
        "over the number of hits and of gold passages that were never hit.",
        "ASPECT": "At each result with k new aspects, k times the proportion of such results among those "
        "read; summed, over the number of aspects. Hits without a new aspect are not read.",
        "PASSAGE2": "At each relevant character that is new, characters found over characters read; summed, "
        "over the number of relevant characters. Relevant characters seen before are not read.",
    },
    (
        "results of equal rank are ordered by document id as text, offset and length, not as in the file",
        "a result hits only the first gold passage, in the order of the gold, with which it shares text",
        "PASSAGE counts relevant text that is returned again in full",
        "an empty aspect is an aspect",
    ),
)
_BIOASQ = Scorer(
    "bioasq",
    "BioASQ task B, phase A",
    "BioASQ Evaluation-Measures",
    "P. Malakasiotis, I. Pavlopoulos, I. Androutsopoulos, A. Nentidis: Evaluation Measures for Task B. "
    "BioASQ, 2018",
    {
        "MPrec": "Mean precision, of concepts, documents, snippets (in characters) and triples.",
        "MRec": "Mean recall, of the same.",
        "MF1": "Mean over questions of the harmonic mean of precision and recall.",
        "MAP": "Mean average precision: precisions at right items, summed, over the number of right items "
        "(-e 2), over 10 (-e 3 and 5), or over the smaller of both (-e 8 and 9). In snippets, precision is "
        "in characters, and every snippet of a document with gold snippets counts.",
        "GMAP": "Geometric mean of average precisions plus 0.00001.",
    },
    (
        "questions that the system does not answer are left out of the means",
        "of two answers to a question the first counts",
        "lists are not cut at 10 although average precision is divided by 10, so that it may exceed 1",
        "wrong triples are removed before precision is computed, which is 1 or 0",
        "the end of a snippet counts as one of its characters",
        "section 0 of an answer is the abstract of the gold, but not the other way round",
        "pieces of a document that is written in two ways are not merged, so that recall may exceed 1",
        "average precision of snippets compares documents as whole texts, precision by their last part",
        "a snippet counts in average precision if the gold has its document, even if they share nothing",
        "pieces of one gold snippet count each, so that three of them have an average precision of 3",
        "an undefined average precision counts as 1 in the geometric mean of snippets",
    ),
)
_KILT = Scorer(
    "kilt",
    "KILT, retrieval",
    "kilt/eval_retrieval.py",
    "F. Petroni et al.: KILT: a Benchmark for Knowledge Intensive Language Tasks. NAACL 2021",
    {
        "Rprec": "Best proportion, over the outputs of the gold, of the R pages of an output among the first "
        "R pages of the guess.",
        "precision@k": "Evidence sets that are complete within the first k entries of the rank list, over k.",
        "recall@k": "Evidence sets that are complete within the first k entries, over the number of sets.",
        "success_rate@k": "1 if an evidence set is complete within the first k entries.",
        "answer_in_context@k": "1 if one of the first k texts contains an answer of the gold.",
        "entity_in_context@k": "1 if one of the first k texts contains a title of the gold.",
        "answer_and_ent_in_context@k": "1 if one of the first k texts contains both.",
        "entity_in_input": "1 if the question contains a title of the gold.",
    },
    (
        "an output with empty or incomplete provenance is an evidence set that no guess can complete",
        "a page has an entry in the rank list for each set that needs it, which replaces an earlier entry",
        "an answer or a title without letters, such as The, is in every text",
    ),
)
_NUGGETS = Scorer(
    "nuggets",
    "TREC RAG 2024 to 2026",
    "nuggetizer",
    "R. Pradeep et al.: The Great Nugget Recall: Automating Fact Extraction and RAG Evaluation with Large "
    "Language Models. SIGIR 2025",
    {
        "strict_vital_score": "Proportion of the vital nuggets that the answer supports.",
        "strict_all_score": "Proportion of all nuggets that the answer supports.",
        "vital_score": "As strict_vital_score; a nugget that is supported in part counts one half.",
        "all_score": "As strict_all_score; a nugget that is supported in part counts one half.",
    },
    (
        "a topic without vital nuggets scores 0 and counts in the means",
        "means are over records: a repeated topic counts twice, a topic without a record does not count",
    ),
)
_EPICQA = Scorer(
    "epicqa",
    "EPIC-QA",
    "epic_eval.py",
    "T. R. Goodwin et al.: Automatic Question Answering for Multiple Stakeholders, the Epidemic Question "
    "Answering Dataset. Scientific Data 9, 2022",
    {
        "NDNS-Partial": "Discounted gains of the answers over those of an ideal list. An answer with n new "
        "nuggets gains n(n+1)/(n+f); f is its sentences without nuggets, and 1 if others have new ones.",
        "NDNS-Relaxed": "As NDNS-Partial; sentences whose nuggets were all seen before are in f as well.",
        "NDNS-Exact": "As NDNS-Relaxed; f has every sentence with a new nugget.",
    },
    (
        "scores of answers are compared as texts: 9 is before 10",
        "the ideal is the best of the longest lists that a search with ten lists finds, not the best list",
    ),
)
#: Every scorer by name.
SCORERS = {one.name: one for one in (_GENOMICS, _BIOASQ, _KILT, _NUGGETS, _EPICQA)}


#: Measures that are meant only by their exact names, since other tools have them in lower case.
_EXACT = {"MAP", "GMAP"}


def scorer_of(name: str) -> Scorer | None:
    """Return the scorer with a name, or with a measure of that name, which may have a rank; else None.

    >>> [scorer.name for scorer in map(scorer_of, ("genomics", "success_rate@5", "NDNS", "GMAP")) if scorer]
    ['genomics', 'kilt', 'epicqa', 'bioasq']
    >>> scorer_of("gmap"), scorer_of("AiP")
    (None, None)
    """
    asked = name.partition("@")[0]
    for scorer in SCORERS.values():
        bases = [measure.partition("@")[0] for measure in scorer.measures]
        folded = {
            _folded(part) for base in bases for part in (base, base.partition("-")[0]) if base not in _EXACT
        }
        if asked in bases or _folded(asked) in {scorer.name, *folded}:
            return scorer
    return None


def _folded(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
