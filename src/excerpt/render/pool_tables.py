"""A pool in numbers as tables for a terminal: topics, runs, and what pairs of runs share."""

from __future__ import annotations

import numpy as np

from excerpt.errors import plural
from excerpt.pooling.statistics import PoolInfo
from excerpt.render.tables import PLAIN, Look, Table, render


def pages(info: PoolInfo, look: Look = PLAIN) -> str:
    """All three, one below the other."""
    tables = [_topics(info)]
    if info.runs:
        tables += [_runs(info), _overlap(info)]
    return "\n".join(render(table, "table", look) for table in tables)


def _topics(info: PoolInfo) -> Table:
    """A row per topic, the items of each stratum beside all of them."""
    items = f"{info.unit}s"
    strata = info.strata if len(info.strata) > 1 else ()
    rows = [
        (topic, *_title(info, topic), str(sum(counts)), *(map(str, counts) if strata else ()))
        for topic, counts in zip(info.topics, info.sizes.tolist(), strict=True)
    ]
    sums = info.sizes.sum(axis=0).tolist()
    rows.append(("all", *_title(info, "all"), str(info.items), *(map(str, sums) if strata else ())))
    made = ", ".join(f"{name} {value}" for name, value in info.settings.items())
    whole = f"{plural(info.items, info.unit)} on {plural(len(info.topics), 'topic')}"
    titled = ("title",) if info.titles else ()
    return Table(("topic", *titled, items, *strata), tuple(rows), whole + (f" ({made})" if made else ""))


def _title(info: PoolInfo, topic: str) -> tuple[str, ...]:
    """The title of a topic, where titles are known."""
    return (info.titles.get(topic, ""),) if info.titles else ()


def _runs(info: PoolInfo) -> Table:
    """A row per run: its items, those of it alone, and its judged share."""
    rows = tuple((run, str(items), str(unique), judged) for run, items, unique, judged in info.rows())
    return Table(("run", f"{info.unit}s", "unique", f"judged@{info.depth}"), rows)


def _overlap(info: PoolInfo) -> Table:
    """A row and a column per run: the items that both put into the pool; columns have the places of runs."""
    pooled = np.flatnonzero(np.diag(info.overlap))  # the others share nothing
    places = tuple(str(place + 1) for place in pooled.tolist())
    rows = tuple(
        (place, info.runs[number], *map(str, info.overlap[number, pooled].tolist()))
        for place, number in zip(places, pooled.tolist(), strict=True)
    )
    return Table(("", f"{info.unit}s in common", *places), rows)
