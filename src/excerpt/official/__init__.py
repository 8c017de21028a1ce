"""Drop-in for the official tool inex_eval 3.1, with its bugs reproduced.

It follows the tool's behaviour, `excerpt.evaluate` the definitions of the measures. Differences from the tool
are few: rejected runs and bad numbers also raise an error, the blocks of a topic are joined, and sizes do not
wrap at 32 bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from excerpt._lazy import lazy

if TYPE_CHECKING:
    from excerpt.official.inex_lines import InexEvalOptions, evaluate_run, inex_eval, no_qrels, read_qrels
    from excerpt.official.printout import Printout, Printouts

__all__ = ["InexEvalOptions", "Printout", "Printouts", "evaluate_run", "inex_eval", "no_qrels", "read_qrels"]

__getattr__, __dir__ = lazy(
    __name__,
    {name: "printout" if name.startswith("Printout") else "inex_lines" for name in __all__},
    {"trec"},
)
