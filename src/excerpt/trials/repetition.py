"""Repetition of a trial from its record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError
from excerpt.experiments.outcome import InputFile, Record
from excerpt.notices import Notices
from excerpt.trials.trial import Trial, try_out


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
