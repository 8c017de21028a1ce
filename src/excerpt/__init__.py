"""excerpt: exact evaluation of focused retrieval.

Every command is also one or two lines of Python:

>>> import excerpt
>>> judgments = excerpt.Judgments.of([("1", "A", 10, 50)])
>>> run = excerpt.Run.of("mine", [("1", "A", 0, 50)])
>>> excerpt.evaluate(judgments, [run], ["charP", "charR"]).means().tolist()
[[0.8, 1.0]]
"""

from __future__ import annotations

from excerpt._lazy import FORMATS, MEASURES, OFFERS, lazy

TYPE_CHECKING = False  # not from typing, which is half of what a start without numpy loads

__version__ = "0.4.0"

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
    "ScoreTable": "scores.score_table",
    "Span": "model",
    "agreement": "experiments.conclusions",
    "align": "placing.aligned_files",
    "anova": "experiments.power",
    "assert_not_worse": "experiments.gate",
    "build_index": "indexing.builder",
    "ceiling": "ceilings.losses",
    "check": "checking.validation",
    "citations": "answers.cited_quotes",
    "compare": "experiments.comparison",
    "convert": "checking.validation",
    "correlate": "experiments.correlation",
    "counterfactuals": "view.counterfactuals",
    "curve": "experiments.curves",
    "evaluate": "evaluation",
    "evaluate_chunks": "ceilings.losses",
    "explain": "view.explanation",
    "explore": "web.explorer",
    "funnel": "view.funnel",
    "gate": "experiments.gate",
    "inex_eval": "official",
    "judges": "judging.judge_comparison",
    "kept_evidence": "checking.evidence_kept",
    "load_scores": "score_files.saved_scores",
    "parse_measure": "measures:parse",
    "place": "placing.placement",
    "pool": "pooling.selection",
    "power": "experiments.power",
    "read_gold": "formats",
    "read_judgments": "formats",
    "read_pool": "pooling",
    "read_run": "formats",
    "read_topics": "queries",
    "report": "render.report",
    "rerun": "experiments.outcome",
    "save_scores": "score_files.saved_scores",
    "show": "render.terminal",
    "stability": "experiments.stability",
    "testerror": "experiments.conclusions:judge_tests",
    "topics": "queries.listing",
    "trec_eval": "official.trec",
    "try_out": "trials.trial",
    "write_judgments": "formats",
    "write_run": "formats",
}
_MODULES = {"collection", "corpus", "evaluation", "experiments", "formats", "index", "measures", "model"}
_MODULES |= {"nexi", "official", "placing", "pooling", "quantise", "render", "stats", "view"}

__all__ = list(_PUBLIC)

#: The core imports no app: what it loads from one, or finds under a name that it had before, is joined here.
OFFERS |= {
    "answers": "answers.citations",
    "campaign_judges": "assess.opinions:campaign_judges",
    "cluster": "cluster.dask_cluster:Cluster",
    "processes": "cluster.processes:Processes",
    "compare": "experiments.comparison:compare",
    "copies": "placing.duplicate_evidence",
    "benchmarks": "datasets.kinds",
    "datasets": "datasets.catalogue",
    "tracks": "datasets.kinds:is_of_track",
    "documents": "documents.sources",
    "estimates": "estimates.estimation:estimate",
    "inclusion": "estimates.inclusion:with_inclusion",
    "find_part": "placing.scattered:find_part",
    "judged_words": "checking.judged_words",
    "markup": "placing.markup",
    "metrics": "score_files.metric_names:metrics",
    "nearest": "placing.nearest:nearest",
    "offset_readings": "checking.offset_readings",
    "align": "placing.alignment:align",
    "aligned_pool": "pooling.aligned_pools:aligned_pool",
    "judged_lines": "bridges.judged_lines",
    "option": "options:as_option",
    "topic_groups": "grouping.topic_groups",
    "judgment_groups": "grouping.judgment_groups",
    "pooled_probabilities": "estimates.inclusion:of_pool",
    "pages": "documents.page_places",
    "place": "placing.placement:place_chunks",
    "read_folder": "bridges.tools:read_folder",
    "renderer": "render.tables",
    "scorers": "official.scorers:scorer_of",
    "score_files": "score_files.saved_scores",
    "targets": "queries.targets",
    "tool_of": "bridges.tools:tool_of",
    "topics": "queries.topic_files",
    "try_again": "trials.saved_trial:again",
    "unsupported": "checking.validation",
    "working_times": "assess.progress:working_times",
    "write_judgments": "formats.writer:write_judgments",
    "write_run": "formats.writer:write_run",
    "excerpt.formats.judgment_statistics": "checking.judgment_statistics:judgment_statistics",
    "excerpt.index.BuildReport": "indexing.builder:BuildReport",
    "excerpt.index.build_index": "indexing.builder:build_index",
    "excerpt.index.build_share": "indexing.builder:build_share",
    "excerpt.model.ScoreTable": "scores.score_table:ScoreTable",
}
#: Formats of apps: for which files they are loaded.
FORMATS |= {
    "answers.citations": ("run", "records"),
    "answers.contexts": ("run", "records"),
    "answers.traces": ("run", "records"),
    "bridges.tools": ("judgments", "ours"),
    "datasets.bioasq": ("run", "records"),
    "datasets.ikat": ("run", "records"),
    "datasets.indri": ("run", "ours"),
    "datasets.kilt": ("run", "records"),
    "datasets.kinds": ("judgments", "records"),
    "estimates.sampled_qrels": ("judgments", "ours"),
    "inex.assessments": ("judgments", "ours"),
    "inex.submissions": ("run", "ours"),
}

#: Measures of apps, by their modules.
MEASURES |= dict.fromkeys(("relevant", "recallbase"), "estimates.recall_bases")
MEASURES |= dict.fromkeys(("statAP", "statMAP", "xinfAP"), "estimates.sampled_precision")

if TYPE_CHECKING:
    from excerpt import measures
    from excerpt.answers.cited_quotes import citations as citations
    from excerpt.ceilings.losses import ceiling as ceiling
    from excerpt.ceilings.losses import evaluate_chunks as evaluate_chunks
    from excerpt.checking.evidence_kept import kept_evidence as kept_evidence
    from excerpt.checking.validation import check as check
    from excerpt.checking.validation import convert as convert
    from excerpt.corpus import Corpus as Corpus
    from excerpt.errors import ExcerptError as ExcerptError
    from excerpt.errors import ExcerptWarning as ExcerptWarning
    from excerpt.evaluation import evaluate as evaluate
    from excerpt.experiments import conclusions
    from excerpt.experiments.comparison import compare as compare
    from excerpt.experiments.conclusions import agreement as agreement
    from excerpt.experiments.correlation import correlate as correlate
    from excerpt.experiments.curves import curve as curve
    from excerpt.experiments.gate import assert_not_worse as assert_not_worse
    from excerpt.experiments.gate import gate as gate
    from excerpt.experiments.outcome import rerun as rerun
    from excerpt.experiments.power import anova as anova
    from excerpt.experiments.power import power as power
    from excerpt.experiments.stability import stability as stability
    from excerpt.formats import read_gold as read_gold
    from excerpt.formats import read_judgments as read_judgments
    from excerpt.formats import read_run as read_run
    from excerpt.formats import write_judgments as write_judgments
    from excerpt.formats import write_run as write_run
    from excerpt.index import OffsetIndex as OffsetIndex
    from excerpt.indexing.builder import build_index as build_index
    from excerpt.judging.judge_comparison import judges as judges
    from excerpt.measures import Measure as Measure
    from excerpt.model import Judgments as Judgments
    from excerpt.model import Policy as Policy
    from excerpt.model import Result as Result
    from excerpt.model import Run as Run
    from excerpt.model import Span as Span
    from excerpt.notices import Notices as Notices
    from excerpt.official import inex_eval as inex_eval
    from excerpt.official.trec import trec_eval as trec_eval
    from excerpt.placing import Chunks as Chunks
    from excerpt.placing.aligned_files import align as align
    from excerpt.placing.placement import place as place
    from excerpt.pooling import Pool as Pool
    from excerpt.pooling import read_pool as read_pool
    from excerpt.pooling.selection import pool as pool
    from excerpt.queries import read_topics as read_topics
    from excerpt.queries.listing import topics as topics
    from excerpt.render.report import report as report
    from excerpt.render.terminal import show as show
    from excerpt.score_files.saved_scores import load_scores as load_scores
    from excerpt.score_files.saved_scores import save_scores as save_scores
    from excerpt.scores.score_table import ScoreTable as ScoreTable
    from excerpt.trials.trial import try_out as try_out
    from excerpt.view.counterfactuals import counterfactuals as counterfactuals
    from excerpt.view.explanation import explain as explain
    from excerpt.view.funnel import funnel as funnel
    from excerpt.web.explorer import explore as explore

    parse_measure, testerror = measures.parse, conclusions.judge_tests

#: Functions of the command line that were public names; they go in the next version.
_DEPRECATED = {"completion": "cli.completion", "config": "project"}

__getattr__, __dir__ = lazy(__name__, _PUBLIC, _MODULES, deprecated=_DEPRECATED)
