"""Output lines of inex_eval 3.1, in its order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import get_args

import numpy as np

from excerpt.errors import UnknownName
from excerpt.files import STDIN, Input, display_name, read_bytes
from excerpt.formats.source import Source
from excerpt.model.spans import FloatArray, IntArray
from excerpt.notices import Faults, Notices
from excerpt.official import inputs, tasks
from excerpt.official.inputs import IN_CONTEXT, ArticleQrels, OfficialRun, TaskLetter
from excerpt.official.java_doubles import double_text
from excerpt.official.printout import Printout, Printouts, each_run
from excerpt.records.fingerprints import beside, compare_files

_SHOWN_LEVELS = (0, 1, 5, 10)


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


@dataclass
class _RunLines:
    """Output lines of one run."""

    topics: list[tuple[str, int]]
    options: InexEvalOptions
    lines: list[str] = field(default_factory=list)

    def add(self, name: str, topic: str, value: float) -> None:
        tabs = "\t\t" if len(name) < 8 else "\t"
        text = double_text(value) if isinstance(value, float) else str(value)
        self.lines.append(f"{name}{tabs}{topic}\t{text}")

    def mean(self, values: FloatArray) -> float:
        """Mean over the topics that count, added in their order."""
        total = 0.0
        for _, code in self.topics:
            total += float(values[code])
        return total / len(self.topics) if self.topics else float("nan")


def read_qrels(path: Input) -> ArticleQrels:
    """Read qrels as the official tool does."""
    return inputs.read_qrels(_source(path))


def no_qrels() -> ArticleQrels:
    """Return qrels without topics, with which the official tool continues if the file is missing."""
    return inputs.read_qrels(Source("", b"", None, Notices(), Faults("")))


def _source(path: Input) -> Source:
    name = display_name(path)
    return Source(name, read_bytes(path), None, Notices(), Faults(name, keep=False))


def evaluate_run(judged: ArticleQrels, path: Input, options: InexEvalOptions) -> Printout:
    """Evaluate one run; a rejected run has the tool's message instead of values.

    A run whose offsets belong to another version of a document than those of the judgments is an error.
    """
    name = STDIN if path == STDIN else display_name(path)
    compare_files([(judged.source, judged.fingerprints), (name, beside(name))])
    results, rejection = inputs.read_run(_source(path), name, judged, options.task)
    present = set(results.topic.tolist())
    counted = [(name, code) for code, name in enumerate(judged.topics) if options.complete or code in present]
    block = _RunLines(sorted(counted, key=lambda topic: sort_key(topic[0])), options)
    before: Iterable[str] = ()
    if options.task not in IN_CONTEXT:
        before = _write_focused(results, judged, block)
    elif not rejection:
        _write_in_context(results, judged, block)
    if rejection:
        text = rejection.text
        fault = f"{name}:{rejection.line}: {' '.join(text.split())}"
        return Printout(name, (*before, *text.split("\n")), fault=fault)
    warnings = tuple(
        f"{name}: the lines of topic {topic} are not adjacent and were joined"
        for topic in results.joined_topics
    )
    head = f'<eval run-id="{results.run_id}" file="{name}">'
    return Printout(name, (*before, head, *block.lines, "</eval>"), warnings)


def _ratio(over: IntArray, under: IntArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(over / under)


def _f1(precision: FloatArray, recall: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(precision == 0, 0.0, 2 * precision * recall / (precision + recall))


def _counts(returned: tasks.ReturnedCounts, judged: ArticleQrels) -> dict[str, IntArray]:
    return {
        "num_ret": returned.num_ret,
        "num_rel": judged.num_rel,
        "num_rel_ret": returned.num_rel_ret,
        "ret_size": returned.ret_size,
        "rel_size": judged.rel_size,
        "rel_ret_size": returned.rel_ret_size,
    }


def _write_focused(results: OfficialRun, judged: ArticleQrels, block: _RunLines) -> Iterable[str]:
    """Write the values of -t and -f; return the lines printed before them, or before a rejection."""
    focused = tasks.count(results, judged, thorough=block.options.task == "t")
    counts = _counts(focused, judged)
    art_prec = np.where(focused.num_ret > 0, _ratio(focused.num_rel_ret, focused.num_ret), 0.0)
    art_rec = _ratio(focused.num_rel_ret, judged.num_rel)
    char_prec = np.where(focused.ret_size > 0, _ratio(focused.rel_ret_size, focused.ret_size), 0.0)
    char_rec = _ratio(focused.rel_ret_size, judged.rel_size)
    # The 101 levels are added sequentially; np.sum would add them in pairs.
    average = np.cumsum(focused.levels, axis=1)[:, -1] / tasks.LEVELS
    measures: list[tuple[str, FloatArray]] = [
        ("art_prec", art_prec),
        ("art_rec", art_rec),
        ("art_f1", _f1(art_prec, art_rec)),
        ("char_prec", char_prec),
        ("char_rec", char_rec),
        ("char_f1", _f1(char_prec, char_rec)),
        *((f"iP[{level / 100:.2f}]", focused.levels[:, level]) for level in _SHOWN_LEVELS),
    ]
    _write_topics(block, counts, [*measures, ("AiP", average)])
    _write_totals(block, counts, [code for _, code in block.topics])
    for name, values in (*measures, ("MAiP", average)):
        block.add(name, "all", block.mean(values))
    for level in range(tasks.LEVELS):
        block.add(f"ircl_prn.{level / 100:.2f}", "all", block.mean(focused.levels[:, level]))
    return (f"Impossible recall point: {level}" for level in focused.impossible)


def _write_in_context(results: OfficialRun, judged: ArticleQrels, block: _RunLines) -> None:
    """Write the values of -r, -b and -i."""
    options = block.options
    score: dict[TaskLetter, Callable[[], FloatArray]] = {
        "r": lambda: tasks.relevance_scores(results, judged, options.beta),
        "b": lambda: tasks.entry_point_scores(results, judged, options.n),
        "i": lambda: tasks.tolerance_scores(results, judged, options.irrelevant),
    }
    summary = tasks.summarise(results, judged, score[options.task](), sizes=options.task != "b")
    counts = _counts(summary, judged)
    ranked: list[tuple[str, FloatArray]] = []
    for place, rank in enumerate(tasks.RANKS):
        ranked += [(f"gP[{rank}]", summary.precision[:, place]), (f"gR[{rank}]", summary.recall[:, place])]
    _write_topics(block, counts, [*ranked, ("AgP", summary.average)])
    _write_totals(block, counts, range(len(judged.topics)))
    for name, values in (("MAgP", summary.average), *ranked):
        block.add(name, "all", block.mean(values))
    for level in range(tasks.TENTHS):
        block.add(f"ircl_prn.{level / 10:.2f}", "all", block.mean(summary.levels[:, level]))


def _write_topics(
    block: _RunLines, counts: dict[str, IntArray], measures: list[tuple[str, FloatArray]]
) -> None:
    for topic, code in block.topics if block.options.per_topic else ():
        for name, numbers in counts.items():
            block.add(name, topic, int(numbers[code]))
        for name, values in measures:
            block.add(name, topic, float(values[code]))


def _write_totals(block: _RunLines, counts: dict[str, IntArray], codes: Iterable[int]) -> None:
    """Write sums over topics; the in-context tasks add up all judged topics, also without results."""
    chosen = np.array(list(codes), np.int64)
    block.add("num_q", "all", len(block.topics))
    for name, numbers in counts.items():
        block.add(name, "all", int(numbers[chosen].sum()))


def sort_key(text: str) -> bytes:
    """Key that sorts strings as Java does: by UTF-16 code units."""
    return text.encode("utf-16-be", "surrogatepass")
