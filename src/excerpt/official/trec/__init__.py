"""What trec_eval 10 prints for runs of whole documents beside TREC qrels, line by line.

The rules are those of the tool, oddities included; `excerpt.evaluate` follows the definitions of the measures
and averages over all judged topics. Differences from the tool: topics that the run does not have are left out
without `-c`, as its manual says (release 10.0 stops there), scores are compared in single precision, as
releases up to 9.0.8 and pytrec_eval do (10.0 compares doubles), and what is no number is an error.
"""

from excerpt.official.trec.asked import ask
from excerpt.official.trec.printing import evaluate_run, trec_eval
from excerpt.official.trec.rankings import Options, read_qrels

__all__ = ["Options", "ask", "evaluate_run", "read_qrels", "trec_eval"]
