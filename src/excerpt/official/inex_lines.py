"""Output lines of inex_eval 3.1, in its order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import get_args

from excerpt.errors import UnknownName
from excerpt.files import STDIN, Input, display_name, read_bytes
from excerpt.formats.source import Source
from excerpt.notices import Faults, Notices
from excerpt.official import inputs, tasks
from excerpt.official.inputs import (
    IN_CONTEXT,
    LEVELS,
    ArticleQrels,
    OfficialRun,
    ReturnedTopic,
    TaskLetter,
    TopicQrels,
)
from excerpt.official.java_doubles import added, divided, double_text
from excerpt.official.printout import Printout, Printouts, each_run
from excerpt.records.fingerprints import beside, compare_files


@dataclass(frozen=True)
class InexEvalOptions:
    """Options of inex_eval; `complete` is -c, `per_topic` -q."""

    task: TaskLetter
    per_topic: bool = False
    complete: bool = False
    n: int = 500
    beta: float = 0.25
    irrelevant: int = 300


def inex_eval(
    qrels: Input,
    runs: Iterable[Input] | Input,
    task: TaskLetter,
    *,
    per_topic: bool = False,
    complete: bool = False,
    n: int = 500,
    beta: float = 0.25,
    irrelevant: int = 300,
) -> Printouts:
    """Evaluate runs against FOL qrels as the official tool inex_eval 3.1 does, with the same output lines.

    `task` is the tool's letter: `t` thorough, `f` focused, `r` relevant in context, `b` best in context, `i`
    relevant in context by tolerance to irrelevance. A rejected run has a `fault` instead of values.

    >>> from excerpt import collection
    >>> run = collection.folder() / "runs" / "p-bm25.fol.gz"
    >>> printed = inex_eval(collection.qrels(), run, "f")
    >>> printed[0].values["MAiP", "all"]
    0.1191214809399497
    >>> print(printed)  # doctest: +ELLIPSIS
    <eval run-id="p-bm25" file="...p-bm25.fol.gz">
    num_q...all...41
    ...
    </eval>
    """
    if task not in get_args(TaskLetter):
        raise UnknownName("task", str(task), get_args(TaskLetter))
    options = InexEvalOptions(task, per_topic, complete, n, beta, irrelevant)
    each, judged = each_run(runs), read_qrels(qrels)
    return Printouts(evaluate_run(judged, run, options) for run in each)


def read_qrels(path: Input) -> ArticleQrels:
    """Read qrels as the official tool does."""
    return inputs.read_qrels(_source(path))


def no_qrels() -> ArticleQrels:
    """Return qrels without topics, with which the official tool continues if the file is missing."""
    return ArticleQrels({})


def _source(path: Input) -> Source:
    name = display_name(path)
    return Source(name, read_bytes(path), None, Notices(), Faults(name, keep=False))


def evaluate_run(judged: ArticleQrels, path: Input, options: InexEvalOptions) -> Printout:
    """Evaluate one run; a rejected run has the tool's message instead of values.

    A run whose offsets belong to another version of a document than those of the judgments is an error.
    """
    name = STDIN if path == STDIN else display_name(path)
    compare_files([(judged.source, judged.fingerprints), (name, beside(name))])
    run = inputs.read_run(_source(path), name, judged, options.task)
    before = [f"Impossible recall point: {level}" for level in run.impossible]
    if run.rejection:
        fault = f"{name}:{run.rejection.line}: {' '.join(run.rejection.text.split())}"
        return Printout(name, (*before, *run.rejection.text.split("\n")), fault=fault)
    joined = [topic.decode() for topic in run.topics if topic in run.joined]
    warnings = [f"{name}: the lines of topic {topic} are not adjacent and were joined" for topic in joined]
    head = f'<eval run-id="{run.run_id.decode()}" file="{name}">'
    return Printout(name, (*before, head, *_lines(run, options), "</eval>"), tuple(warnings))


def _lines(run: OfficialRun, options: InexEvalOptions) -> Iterator[str]:
    """Yield the lines of topics and of totals; the in-context tasks add up all judged topics."""
    counted = {name.decode(): one for name, one in run.topics.items() if options.complete or one.articles}
    counted = dict(sorted(counted.items(), key=lambda topic: sort_key(topic[0])))
    if options.task in IN_CONTEXT:
        score = _SCORES[options.task](options)
        values = {name: tasks.in_context(topic, score) for name, topic in counted.items()}
        names, summed, steps = tasks.RANKED, list(run.topics.values()), tasks.TENTHS
    else:
        values = {name: tasks.focused(topic) for name, topic in counted.items()}
        names, summed, steps = tasks.FOCUSED, list(counted.values()), LEVELS
    of_task = [topic.counts(sizes=options.task != "b") for topic in (*summed, ReturnedTopic(TopicQrels()))]
    for name, topic in counted.items() if options.per_topic else ():
        for key, number in topic.counts(sizes=options.task != "b").items():
            yield _line(key, name, number)
        for key, value in zip(names, values[name].measures, strict=True):
            yield _line(key, name, value)
    yield _line("num_q", "all", len(counted))
    for key in of_task[0]:
        yield _line(key, "all", sum(counts[key] for counts in of_task))
    means = [_mean(one.measures[place] for one in values.values()) for place in range(len(names))]
    rows = list(zip((*names[:-1], f"M{names[-1]}"), means, strict=True))
    for key, mean in rows if options.task not in IN_CONTEXT else (rows[-1], *rows[:-1]):
        yield _line(key, "all", mean)
    for level in range(steps):
        mean = _mean(one.levels[level] for one in values.values())
        yield _line(f"ircl_prn.{level / (steps - 1):.2f}", "all", mean)


_SCORES: dict[TaskLetter, Callable[[InexEvalOptions], tasks.ArticleScore]] = {
    "r": lambda options: lambda article: tasks.relevance_score(article, options.beta),
    "b": lambda options: lambda article: tasks.entry_point_score(article, options.n),
    "i": lambda options: lambda article: tasks.tolerance_score(article, options.irrelevant),
}


def _line(name: str, topic: str, value: float) -> str:
    tabs = "\t\t" if len(name) < 8 else "\t"
    return f"{name}{tabs}{topic}\t{double_text(value) if isinstance(value, float) else value}"


def _mean(values: Iterable[float]) -> float:
    """Mean over the topics that count, added in their order."""
    listed = list(values)
    return divided(added(listed), len(listed))


def sort_key(text: str) -> bytes:
    """Key that sorts strings as Java does: by UTF-16 code units."""
    return text.encode("utf-16-be", "surrogatepass")
