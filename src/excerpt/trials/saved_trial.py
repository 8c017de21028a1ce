"""Trials that were written: read from their folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from excerpt.errors import ExcerptError
from excerpt.experiments.curves import Curve
from excerpt.files import read_bytes
from excerpt.trials.trial import Trial

_RECORD = "record.json"


def read_trial(folder: str) -> Trial:
    """Read the trial in a folder, or its record."""
    file = Path(folder) / _RECORD if Path(folder).is_dir() else Path(folder)
    hint = "excerpt try docs gold.jsonl -o tried writes one"
    if not file.is_file():
        raise ExcerptError(f"has no {_RECORD}, expected a folder of excerpt try", path=folder, hint=hint)
    try:
        return Trial.from_dict(json.loads(read_bytes(str(file))))
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ExcerptError("is not the record of excerpt try", path=str(file), hint=hint) from None


def saved_curve(folder: str, given: Sequence[str] = ()) -> Curve:
    """The curve of all settings of a trial; an error for options that would compute it again."""
    if not Path(folder).is_dir():
        raise ExcerptError(
            "no RUN given", hint="give run files after the judgments, or the folder of excerpt try"
        )
    trial = read_trial(folder)
    if given:
        options = trial.record.options
        gold, docs = options["gold"] or "GOLD", options["documents"][0] or "DOCS"
        hint = f"excerpt curve {gold} {folder}/runs ⟨corpus={docs}⟩"
        name = given[0].replace("_", "-")
        raise ExcerptError(f"{name} cannot be combined with the folder of a trial", hint=f"try {hint}")
    if trial.curve is None:
        raise ExcerptError("has no curve", path=folder)
    return trial.curve
