"""excerpt stability: the experiments of Pal et al. on pools, topics and error rates, and further ones."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from excerpt.cli import Parser
from excerpt.cli.experiment import add_outcome, check_figure, present, record
from excerpt.cli.options import add_files, add_policies, chosen_policy, count, open_index, read_quantisations
from excerpt.cli.progress import Progress
from excerpt.cli.scored import scores
from excerpt.errors import ExcerptError
from excerpt.files import describe

if TYPE_CHECKING:
    from excerpt.experiments import Outcome, Record
    from excerpt.experiments.variants import Study

_EXPERIMENTS = {
    "pool": "tau between rankings on samples of the relevant passages and the full ranking (Figure 1)",
    "topics": "the same on samples of the topics (Figure 2)",
    "errors": "how often samples of topics disagree about two systems (Figure 3)",
    "depth": "rankings with pools of the top n results of every run",
    "unpooled": "score and rank of each run when it (or its group) did not enter the pool",
}


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "stability",
        example="excerpt stability pool qrels.fol runs/*.fol -m MAiP -m iP@0.01 --figure stability.svg",
    )
    listed = "; ".join(f"{name}: {text}" for name, text in _EXPERIMENTS.items())
    result.add_argument("experiment", choices=tuple(_EXPERIMENTS), metavar="EXPERIMENT", help=listed)
    add_files(result)
    result.add_argument(
        "-m", "--measure", dest="measures", action="append", metavar="NAME", help="may be repeated"
    )
    group = result.add_argument_group("samples")
    group.add_argument(
        "--levels",
        type=_numbers,
        default=(80, 60, 40, 20),
        metavar="LIST",
        help="per cent (default: 80,60,40,20)",
    )
    group.add_argument("--samples", type=count, default=10, metavar="N", help="per level (default: 10)")
    group.add_argument(
        "--least",
        type=count,
        default=10,
        metavar="N",
        help="pool: leave out topics with fewer passages (default: 10)",
    )
    group.add_argument(
        "--fuzziness",
        type=float,
        default=0.05,
        metavar="X",
        help="errors: scores this close tie (default: 0.05)",
    )
    group.add_argument(
        "--absolute", action="store_true", help="errors: fuzziness is a difference, not a share of the score"
    )
    group.add_argument(
        "--disjoint", action="store_true", help="errors: samples share no topics (upper bound)"
    )
    group.add_argument(
        "--depths",
        type=_numbers,
        default=(1, 5, 10, 20, 50, 100),
        metavar="LIST",
        help="depth: pool depths (default: 1,5,10,20,50,100)",
    )
    group.add_argument(
        "--unit",
        default="document",
        choices=("document", "passage"),
        help="what enters a pool (default: document)",
    )
    group.add_argument(
        "--groups", metavar="FILE", help="unpooled: lines of run name and group, left out together"
    )
    group.add_argument(
        "--depth", type=count, default=100, metavar="N", help="unpooled: depth of the pool (default: 100)"
    )
    group.add_argument("--keep", metavar="FOLDER", help="keep finished parts there; interrupted, it goes on")
    add_outcome(result)
    add_policies(result)
    return result


def _numbers(text: str) -> tuple[int, ...]:
    try:
        found = tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError:
        found = ()
    if not found or min(found) < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected whole numbers with commas between them")
    return found


def main(given: Sequence[str]) -> None:
    """Run an experiment and print its rows."""
    arguments = parser().parse(given)
    if arguments.experiment in {"pool", "topics", "errors"} and max(arguments.levels) > 100:
        raise ExcerptError(f"found level {max(arguments.levels)}, expected per cent, up to 100")
    check_figure(arguments.figure)
    read_quantisations(arguments.quantisations)
    arguments.levels = tuple(dict.fromkeys(arguments.levels))
    kept = record(arguments, "stability", given)
    from excerpt.report.figures_stability import changes, lines

    over_topics = arguments.experiment in {"topics", "errors"}
    outcome = _over_topics(arguments, kept) if over_topics else _over_pools(arguments, kept)
    figures: dict[str, Callable[[], Callable[[Any], None]]] = {
        "pool": lambda: lines(outcome, "level", "mean"),
        "topics": lambda: lines(outcome, "level", "mean"),
        "errors": lambda: lines(outcome, "level", "error_rate"),
        "depth": lambda: lines(outcome, "depth", "tau_b"),
        "unpooled": lambda: changes(outcome),
    }
    present(outcome, arguments, figures[arguments.experiment]())


def _over_topics(arguments: argparse.Namespace, kept: Record) -> Outcome:
    from excerpt.evaluation import DEFAULT_MEASURES
    from excerpt.experiments import stability

    table = scores(arguments, arguments.measures or DEFAULT_MEASURES)
    common = {
        "levels": arguments.levels,
        "samples": arguments.samples,
        "seed": arguments.seed,
        "record": kept,
    }
    if arguments.experiment == "topics":
        return stability.topics(table, **common)
    return stability.errors(
        table,
        fuzziness=arguments.fuzziness,
        absolute=arguments.absolute,
        disjoint=arguments.disjoint,
        **common,
    )


def _over_pools(arguments: argparse.Namespace, kept: Record) -> Outcome:
    study = _study(arguments)
    try:
        return _pooled(arguments, study, kept)
    finally:
        if isinstance(study.progress, Progress):
            study.progress.erase()


def _pooled(arguments: argparse.Namespace, study: Study, kept: Record) -> Outcome:
    from excerpt.experiments import stability

    if arguments.experiment == "pool":
        return stability.pool(
            study,
            levels=arguments.levels,
            samples=arguments.samples,
            least=arguments.least,
            seed=arguments.seed,
            record=kept,
        )
    if arguments.experiment == "depth":
        return stability.depth(study, depths=arguments.depths, unit=arguments.unit, record=kept)
    groups = _groups(arguments.groups)
    return stability.unpooled(study, n=arguments.depth, unit=arguments.unit, groups=groups, record=kept)


def _study(arguments: argparse.Namespace) -> Study:
    from excerpt.evaluation import DEFAULT_MEASURES
    from excerpt.experiments.variants import Study
    from excerpt.formats import read_judgments

    index = open_index(arguments.index)
    return Study(
        judgments=read_judgments(arguments.qrels, format=arguments.qrels_format, index=index),
        runs=tuple(arguments.runs),
        measures=tuple(dict.fromkeys(arguments.measures or DEFAULT_MEASURES)),
        policy=chosen_policy(arguments),
        index=index,
        order=arguments.order,
        run_format=arguments.run_format,
        workers=arguments.workers,
        cluster=arguments.cluster,
        progress=Progress("scoring"),
        keep=_folder(arguments.keep),
    )


def _folder(name: str | None) -> str | None:
    """A folder for finished parts, made if it is not there."""
    if name is not None:
        try:
            Path(name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ExcerptError(f"cannot be made: {describe(error)}", path=name) from None
    return name


def _groups(path: str | None) -> dict[str, str] | None:
    if path is None:
        return None
    from excerpt.files import read_bytes

    rows = [line.split() for line in read_bytes(path).decode("utf-8", "replace").splitlines() if line.strip()]
    for number, row in enumerate(rows, start=1):
        if len(row) != 2:
            raise ExcerptError(f"found {len(row)} columns, expected run and group", path=path, line=number)
    return dict(rows)
