"""excerpt: exact evaluation of focused retrieval.

Every command is also one or two lines of Python:

>>> import excerpt
>>> from excerpt import Judgments, Result, Run, Span
>>> judgments = Judgments.of([("1", Span("A", 10, 50))])
>>> run = Run.of("mine", [Result("1", "A", 0, 50)])
>>> excerpt.evaluate(judgments, [run], ["charP", "charR"]).means().tolist()
[[0.8, 1.0]]
"""

from __future__ import annotations

from excerpt._lazy import lazy

TYPE_CHECKING = False  # not from typing, which is half of what a start without numpy loads

__version__ = "0.3.0.dev0"

_PUBLIC = {
    "Chunks": "placing",
    "Corpus": "corpus",
    "ExcerptError": "errors",
    "ExcerptWarning": "errors",
    "Judgments": "model",
    "Measure": "measures",
    "Notices": "notices",
    "OffsetIndex": "index",
    "Policy": "model",
    "Pool": "pooling",
    "Result": "model",
    "Run": "model",
    "ScoreTable": "model",
    "Span": "model",
    "agreement": "experiments.conclusions",
    "anova": "experiments.power",
    "assert_not_worse": "experiments.gate",
    "build_index": "index",
    "check": "formats.validation",
    "compare": "experiments.comparison",
    "completion": "cli.completion",
    "config": "project",
    "convert": "formats.validation",
    "correlate": "experiments.correlation",
    "curve": "evaluation.curves",
    "evaluate": "evaluation",
    "evaluate_chunks": "evaluation.chunkers",
    "explain": "view.explanation",
    "explore": "web.explorer",
    "gate": "experiments.gate",
    "funnel": "view.funnel",
    "inex_eval": "official",
    "load_scores": "model.saved_scores",
    "parse_measure": "measures:parse",
    "place": "formats.quoted_text",
    "pool": "pooling.selection",
    "power": "experiments.power",
    "read_gold": "formats",
    "read_judgments": "formats",
    "read_pool": "pooling",
    "read_run": "formats",
    "read_topics": "formats.topics",
    "report": "render.report",
    "rerun": "experiments.outcome",
    "save_scores": "model.saved_scores",
    "show": "render.terminal",
    "stability": "experiments.stability",
    "testerror": "experiments.conclusions:judge_tests",
    "topics": "formats.topics.listing",
    "trec_eval": "official.trec",
    "write_judgments": "formats",
    "write_run": "formats",
}
_MODULES = {
    "collection",
    "corpus",
    "evaluation",
    "experiments",
    "formats",
    "index",
    "measures",
    "model",
    "nexi",
    "official",
    "placing",
    "pooling",
    "quantise",
    "render",
    "stats",
    "view",
}

__all__ = [
    "Chunks",
    "Corpus",
    "ExcerptError",
    "ExcerptWarning",
    "Judgments",
    "Measure",
    "Notices",
    "OffsetIndex",
    "Policy",
    "Pool",
    "Result",
    "Run",
    "ScoreTable",
    "Span",
    "agreement",
    "anova",
    "assert_not_worse",
    "build_index",
    "check",
    "compare",
    "completion",
    "config",
    "convert",
    "correlate",
    "curve",
    "evaluate",
    "evaluate_chunks",
    "explain",
    "explore",
    "funnel",
    "gate",
    "inex_eval",
    "load_scores",
    "parse_measure",
    "place",
    "pool",
    "power",
    "read_gold",
    "read_judgments",
    "read_pool",
    "read_run",
    "read_topics",
    "report",
    "rerun",
    "save_scores",
    "show",
    "stability",
    "testerror",
    "topics",
    "trec_eval",
    "write_judgments",
    "write_run",
]

if TYPE_CHECKING:
    from excerpt.cli.completion import completion
    from excerpt.corpus import Corpus
    from excerpt.errors import ExcerptError, ExcerptWarning
    from excerpt.evaluation import evaluate
    from excerpt.evaluation.chunkers import evaluate_chunks
    from excerpt.evaluation.curves import curve
    from excerpt.experiments.comparison import compare
    from excerpt.experiments.conclusions import agreement
    from excerpt.experiments.conclusions import judge_tests as testerror
    from excerpt.experiments.correlation import correlate
    from excerpt.experiments.gate import assert_not_worse, gate
    from excerpt.experiments.outcome import rerun
    from excerpt.experiments.power import anova, power
    from excerpt.experiments.stability import stability
    from excerpt.formats import read_gold, read_judgments, read_run, write_judgments, write_run
    from excerpt.formats.quoted_text import place
    from excerpt.formats.topics import read_topics
    from excerpt.formats.topics.listing import topics
    from excerpt.formats.validation import check, convert
    from excerpt.index import OffsetIndex
    from excerpt.index.build.builder import build_index
    from excerpt.measures import Measure
    from excerpt.measures import parse as parse_measure
    from excerpt.model import Judgments, Policy, Result, Run, ScoreTable, Span
    from excerpt.model.saved_scores import load_scores, save_scores
    from excerpt.notices import Notices
    from excerpt.official import inex_eval
    from excerpt.official.trec import trec_eval
    from excerpt.placing import Chunks
    from excerpt.pooling import Pool, read_pool
    from excerpt.pooling.selection import pool
    from excerpt.project import config
    from excerpt.render.report import report
    from excerpt.render.terminal import show
    from excerpt.view.explanation import explain
    from excerpt.view.funnel import funnel
    from excerpt.web.explorer import explore

__getattr__, __dir__ = lazy(__name__, _PUBLIC, _MODULES)
