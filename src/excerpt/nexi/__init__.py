"""NEXI, the query language of INEX: titles with structure read, checked, printed; what they ask for."""

from excerpt.nexi.parsing import parse_nexi
from excerpt.nexi.query import About, Clauses, Comparison, Query, Step, Term
from excerpt.nexi.targets import EQUIVALENT, Target, bare_path

__all__ = [
    "EQUIVALENT",
    "About",
    "Clauses",
    "Comparison",
    "Query",
    "Step",
    "Target",
    "Term",
    "bare_path",
    "parse_nexi",
]
