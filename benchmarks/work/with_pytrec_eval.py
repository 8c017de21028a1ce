"""Evaluate a TREC run with pytrec_eval and its readers; print means as JSON.

python with_pytrec_eval.py QRELS RUN MEASURE [MEASURE ...]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytrec_eval


def main() -> None:
    """Read, evaluate and print the means over topics."""
    qrels_name, run_name, *measures = sys.argv[1:]
    with Path(qrels_name).open(encoding="utf-8") as file:
        qrels = pytrec_eval.parse_qrel(file)
    with Path(run_name).open(encoding="utf-8") as file:
        run = pytrec_eval.parse_run(file)
    scores = pytrec_eval.RelevanceEvaluator(qrels, set(measures)).evaluate(run)
    means = {name: sum(topic[name] for topic in scores.values()) / len(scores) for name in measures}
    print(json.dumps(means))


if __name__ == "__main__":
    main()
