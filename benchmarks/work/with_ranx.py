"""Evaluate a TREC run with ranx; print means as JSON.

python with_ranx.py QRELS RUN MEASURE [MEASURE ...]
"""

from __future__ import annotations

import json
import sys

from ranx import Qrels, Run, evaluate


def main() -> None:
    """Read, evaluate and print the means over topics."""
    qrels_name, run_name, *measures = sys.argv[1:]
    qrels, run = Qrels.from_file(qrels_name, kind="trec"), Run.from_file(run_name, kind="trec")
    means = evaluate(qrels, run, measures)
    print(json.dumps({name: float(means[name]) for name in measures}))


if __name__ == "__main__":
    main()
