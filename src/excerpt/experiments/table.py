"""Table of experiments, from which commands, help and records follow; imports nothing else.

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


_EntryParts = namedtuple(  # noqa: PYI024 - typing is not imported
    "_EntryParts",
    "name help example options function measures passages headline",
    defaults=(0, False, False),
)


class Experiment(_EntryParts):
    """Entry of the table: name of an experiment, and its parts as `module:name` inside the package.

    `example` has options of an example, with their values as text. `measures` is the number of measures it
    needs; if 0, those of the focused task are the default, or with `headline` the measure that decides. With
    `passages` runs are scored on parts of the judgments, so saved scores are not enough. What draws the
    outcome stands in `render/tables`.
    """

    __slots__ = ()

    def load(self, part: str) -> Any:
        """Load a part: the options or the function."""
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
        headline=True,
    ),
    Experiment(
        "anova",
        "how much of the scores is due to runs, how much to topics?",
        {"figure": "variance.svg"},
        "experiments.parameters:VarianceOptions",
        "experiments.power:anova",
        measures=1,
    ),
    Experiment(
        "power",
        "how many topics would show a difference?",
        {"difference": "0.02"},
        "experiments.parameters:PowerOptions",
        "experiments.power:power",
        measures=1,
    ),
    Experiment(
        "correlate",
        "do two measures, or two qrels, rank the runs the same way?",
        {"figure": "scatter.svg"},
        "experiments.parameters:CorrelateOptions",
        "experiments.correlation:correlate",
        measures=1,
    ),
    Experiment(
        "agreement",
        "do two measures or quantisations draw the same conclusions?",
        {"alpha": "0.01"},
        "experiments.parameters:AgreementOptions",
        "experiments.conclusions:agreement",
        measures=2,
    ),
    Experiment(
        "testerror",
        "how often is a significance test wrong?",
        {"tests": "bootstrap,t"},
        "experiments.parameters:JudgingOptions",
        "experiments.conclusions:judge_tests",
        measures=1,
    ),
    Experiment(
        "stability pool",
        "is the ranking the same with fewer relevant passages? (Pal et al., Figure 1)",
        {"figure": "pool.svg"},
        "experiments.parameters:PoolOptions",
        "experiments.stability:pool",
        passages=True,
    ),
    Experiment(
        "stability topics",
        "is the ranking the same with fewer topics? (Pal et al., Figure 2)",
        {"levels": "80,20"},
        "experiments.parameters:TopicsOptions",
        "experiments.stability:topics",
    ),
    Experiment(
        "stability errors",
        "how often do samples of topics disagree about two runs? (Pal et al., Figure 3)",
        {"levels": "50", "disjoint": ""},
        "experiments.parameters:ErrorsOptions",
        "experiments.stability:errors",
    ),
    Experiment(
        "stability depth",
        "is the ranking the same when only the top n results of every run are judged?",
        {"depths": "10,100"},
        "experiments.parameters:DepthOptions",
        "experiments.pool_depth:depth",
        passages=True,
    ),
    Experiment(
        "stability unpooled",
        "what does a run lose by not being in the pool?",
        {"depth": "20"},
        "experiments.parameters:UnpooledOptions",
        "experiments.pool_depth:unpooled",
        passages=True,
    ),
    Experiment(
        "stability effort",
        "what should a budget of judgments buy: many topics or deep pools?",
        {"budget": "100,400"},
        "experiments.parameters:EffortOptions",
        "experiments.effort:effort",
        passages=True,
    ),
    Experiment(
        "stability sampled",
        "how near do estimates from sampled judgments come?",
        {"rates": "0.1,0.5"},
        "experiments.parameters:SampledOptions",
        "experiments.sampled_judgments:sampled",
        passages=True,
    ),
)
EXPERIMENTS = dict(zip(map(itemgetter(0), _LIST), _LIST, strict=True))
