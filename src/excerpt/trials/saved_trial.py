"""Trials that were written: read from their folder, and repeated from their record."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError
from excerpt.experiments.curves import Curve
from excerpt.experiments.outcome import InputFile, Record
from excerpt.files import read_bytes
from excerpt.notices import Notices
from excerpt.trials.trial import Trial, try_out

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


def again(
    record: Record,
    path: str,
    *,
    notices: Notices | None = None,
    progress: Callable[[int, int], None] | None = None,
    **_: Any,
) -> Trial:
    """Try the settings of a record again, without what is known of them; its files must be unchanged."""
    options = record.options
    try:
        documents, gold = list(options["documents"]), str(options["gold"])
        how = {name: options[name] for name in ("chunkers", "retrievers", "budget", "unplaced", "copies")}
    except (KeyError, TypeError):
        raise ExcerptError("found a record without the settings of excerpt try", path=path) from None
    named = {what: [_named(one) for one in how[what]] for what in ("chunkers", "retrievers")}
    if not gold or not all(documents) or not all(one for pairs in named.values() for _, one in pairs):
        message = "documents, questions or settings were values of Python, so the trial cannot be repeated"
        raise ExcerptError(message, path=path, hint="repeat the call of excerpt.try_out")
    for item in record.inputs:
        own = item.path in documents
        now = Corpus.read(item.path).fingerprint() if own else InputFile.of(item.path).sha256
        if now != item.sha256:
            noun = "documents have" if own else "file has"
            message = f"found digest {now[:12]}…, expected {item.sha256[:12]}… as in {path}"
            raise ExcerptError(message, path=item.path, hint=f"the {noun} changed since the trial")
    settings: dict[str, Any] = {what: dict(pairs) for what, pairs in named.items()}
    given = documents if len(documents) > 1 else documents[0]
    return try_out(given, gold, notices=notices, progress=progress, **{**how, **settings})


def _named(recorded: str | list[str]) -> tuple[str, str]:
    """Name and setting of a chunker or retriever in a record."""
    return (recorded, recorded) if isinstance(recorded, str) else (recorded[0], recorded[1])
