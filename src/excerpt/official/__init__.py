"""Drop-ins for official tools, with their bugs reproduced: inex_eval 3.1, trec_eval 10, scorers of tracks.

They follow the behaviour of the tools, `excerpt.evaluate` the definitions of the measures. Differences from
inex_eval are few: rejected runs and bad numbers also raise an error, the blocks of a topic are joined, and
sizes do not wrap at 32 bits. What stops the program of a track is an error here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from excerpt._lazy import lazy

if TYPE_CHECKING:
    from excerpt.official.bioasq_phase_a import bioasq as bioasq
    from excerpt.official.epic_eval import epicqa as epicqa
    from excerpt.official.inex_lines import InexEvalOptions as InexEvalOptions
    from excerpt.official.inex_lines import evaluate_run as evaluate_run
    from excerpt.official.inex_lines import inex_eval as inex_eval
    from excerpt.official.inex_lines import no_qrels as no_qrels
    from excerpt.official.inex_lines import read_qrels as read_qrels
    from excerpt.official.kilt_retrieval import kilt as kilt
    from excerpt.official.nuggetizer import nuggets as nuggets
    from excerpt.official.printout import Printout as Printout
    from excerpt.official.printout import Printouts as Printouts
    from excerpt.official.trecgen2007 import genomics as genomics

_PUBLIC = {
    **dict.fromkeys(("InexEvalOptions", "evaluate_run", "inex_eval", "no_qrels", "read_qrels"), "inex_lines"),
    **dict.fromkeys(("Printout", "Printouts"), "printout"),
    "bioasq": "bioasq_phase_a",
    "epicqa": "epic_eval",
    "genomics": "trecgen2007",
    "kilt": "kilt_retrieval",
    "nuggets": "nuggetizer",
}
__all__ = list(_PUBLIC)
__getattr__, __dir__ = lazy(__name__, _PUBLIC, {"trec"})
