"""Evaluate a run by two workers of a Dask cluster on loopback; print the bytes handed over, as JSON.

python hand_over.py QRELS RUN MEASURE
"""

from __future__ import annotations

import json
import sys
from typing import Any

from distributed import LocalCluster

from excerpt import evaluate
from excerpt.cluster import dask_cluster
from excerpt.engine import Call, pack


def main(qrels: str, run: str, measure: str) -> None:
    """Count what is packed for the cluster: the judgments once, and the groups."""
    sent: dict[str, list[int]] = {"judgments": [], "groups": []}

    def counted(value: object, dumps: Any) -> bytes:
        packed = pack(value, dumps)
        sent["judgments" if isinstance(value, Call) else "groups"].append(len(packed))
        return packed

    dask_cluster.pack = counted  # type: ignore[attr-defined]
    options: dict[str, Any] = {"host": "127.0.0.1", "dashboard_address": None}
    with LocalCluster(n_workers=2, threads_per_worker=1, **options) as cluster:
        table = evaluate(qrels, run, measure, cluster=cluster.scheduler_address)
    bytes_ = {name: sum(sizes) for name, sizes in sent.items()}
    print(json.dumps({**bytes_, "count": len(sent["groups"]), "mean": float(table.means()[0][0])}))


if __name__ == "__main__":
    main(*sys.argv[1:])
