"""Table of experiments, from which commands, help, records and figures follow; imports nothing else.

A new experiment is a module with a function, and an entry here. The function takes a table of scores, or
judgments, runs and measures, then the fields of its options as keyword arguments, and gives an `Outcome`.
"""

from __future__ import annotations

from collections import namedtuple
from importlib import import_module
from operator import itemgetter

TYPE_CHECKING = False  # as in typing, whose import would double the start-up time
if TYPE_CHECKING:
    from typing import Any


_Parts = namedtuple(  # noqa: PYI024 - typing is not imported
    "_Parts",
    "name help example options function figure page latex markdown measures passages",
    defaults=(None, None, None, 0, False),
)


class Experiment(_Parts):
    """Entry of the table: name of an experiment, and its parts as `module:name` inside the package.

    `example` has options of an example, with their values as text; `page` renders the outcome as text,
    `latex` and `markdown` in their formats, if not by its rows. `measures` is the number of measures it
    needs; if 0, those of the focused task are the default. With `passages` runs are scored on parts of the
    judgments, so saved scores are not enough.
    """

    __slots__ = ()

    def load(self, part: str) -> Any:
        """Load a part: the options, the function, the figure or the page."""
        return find(getattr(self, part))


def find(address: str) -> Any:
    """Import the object at `module:name` inside the package."""
    module, _, name = address.partition(":")
    return getattr(import_module(f"excerpt.{module}"), name)


_LIST = (
    Experiment(
        "compare",
        "which runs are significantly better than others?",
        {"test": "t", "correction": "holm"},
        "experiments.parameters:CompareOptions",
        "experiments.comparison:compare",
        "render.figures.differences:compared",
        page="render.paper_tables:comparison_matrices",
        latex="render.paper_tables:comparison_latex",
        markdown="render.paper_tables:comparison_markdown",
        measures=1,
    ),
    Experiment(
        "anova",
        "how much of the scores is due to runs, how much to topics?",
        {"figure": "variance.svg"},
        "experiments.parameters:VarianceOptions",
        "experiments.power:anova",
        "render.figures.levels:shares",
        measures=1,
    ),
    Experiment(
        "power",
        "how many topics would show a difference?",
        {"difference": "0.02"},
        "experiments.parameters:PowerOptions",
        "experiments.power:power",
        "render.figures.levels:chances",
        measures=1,
    ),
    Experiment(
        "correlate",
        "do two measures, or two qrels, rank the runs the same way?",
        {"figure": "scatter.svg"},
        "experiments.parameters:CorrelateOptions",
        "experiments.correlation:correlate",
        "render.figures.scatters:scatters",
        measures=1,
    ),
    Experiment(
        "agreement",
        "do two measures or quantisations draw the same conclusions?",
        {"alpha": "0.01"},
        "experiments.parameters:AgreementOptions",
        "experiments.conclusions:agreement",
        "render.figures.scatters:differences",
        page="render.paper_tables:conclusion_matrices",
        latex="render.paper_tables:conclusion_latex",
        measures=2,
    ),
    Experiment(
        "testerror",
        "how often is a significance test wrong?",
        {"tests": "bootstrap,t"},
        "experiments.parameters:JudgingOptions",
        "experiments.conclusions:judge_tests",
        "render.figures.scatters:error_bars",
        measures=1,
    ),
    Experiment(
        "stability pool",
        "is the ranking the same with fewer relevant passages? (Pal et al., Figure 1)",
        {"figure": "pool.svg"},
        "experiments.parameters:PoolOptions",
        "experiments.stability:pool",
        "render.figures.levels:mean_lines",
        passages=True,
    ),
    Experiment(
        "stability topics",
        "is the ranking the same with fewer topics? (Pal et al., Figure 2)",
        {"levels": "80,20"},
        "experiments.parameters:TopicsOptions",
        "experiments.stability:topics",
        "render.figures.levels:mean_lines",
    ),
    Experiment(
        "stability errors",
        "how often do samples of topics disagree about two runs? (Pal et al., Figure 3)",
        {"levels": "50", "disjoint": ""},
        "experiments.parameters:ErrorsOptions",
        "experiments.stability:errors",
        "render.figures.levels:error_lines",
    ),
    Experiment(
        "stability depth",
        "is the ranking the same when only the top n results of every run are judged?",
        {"depths": "10,100"},
        "experiments.parameters:DepthOptions",
        "experiments.pool_depth:depth",
        "render.figures.levels:depth_lines",
        passages=True,
    ),
    Experiment(
        "stability unpooled",
        "what does a run lose by not being in the pool?",
        {"depth": "20"},
        "experiments.parameters:UnpooledOptions",
        "experiments.pool_depth:unpooled",
        "render.figures.levels:changes",
        passages=True,
    ),
)
EXPERIMENTS = dict(zip(map(itemgetter(0), _LIST), _LIST, strict=True))
