"""What a gate found: a verdict by every measure, and the questions behind it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from excerpt.errors import plural, short, short_list
from excerpt.experiments.verdicts import Change, Rule, Verdict
from excerpt.model.display import Showable


@dataclass(frozen=True, eq=False)
class Gate(Showable):
    """The verdict on a run beside a baseline, by every measure; `worse` if it is by any."""

    baseline: str
    run: str
    rule: Rule
    verdicts: tuple[Verdict, ...]
    #: How many of the questions that lost and won most are shown, by each measure.
    shown: int = 5
    aliases: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def worse(self) -> bool:
        """Whether the run is worse by any measure."""
        return any(verdict.worse for verdict in self.verdicts)

    @property
    def said(self) -> str:
        """The verdict in one line."""
        worse = [verdict.measure for verdict in self.verdicts if verdict.worse]
        found = f"worse by {short_list(worse)}" if worse else "not worse"
        than = "before" if self.run == self.baseline else short(self.baseline)
        return f"{short(self.run)} is {found} than {than} ({self.rule.said()})"

    def __repr__(self) -> str:
        return f"<Gate: {'worse' if self.worse else 'not worse'} by {plural(len(self.verdicts), 'measure')}>"

    def changes(self) -> list[tuple[str, tuple[Change, ...]]]:
        """The questions that lost most and won most, by each measure, with a title."""
        found = []
        for verdict in self.verdicts:
            for word, changes in (("lost", verdict.lost), ("won", verdict.won)):
                if changes[: self.shown]:
                    of = f"{min(self.shown, len(changes))} of {len(changes)}"
                    found.append(
                        (f"{verdict.measure}: questions that {word} most ({of})", changes[: self.shown])
                    )
        return found

    def notes(self) -> tuple[str, ...]:
        """What everyday names stand for, and where there are too few questions."""
        found: dict[str, list[str]] = {}
        for verdict in self.verdicts:
            if note := verdict.note(self.rule):
                found.setdefault(note, []).append(verdict.measure)
        return (*self.aliases, *(f"{short_list(names, 3)}: {note}" for note, names in found.items()))

    def to_dict(self) -> dict[str, Any]:
        """The object that `excerpt gate --format json` prints."""
        return {
            "verdict": "worse" if self.worse else "not worse",
            "worse": self.worse,
            "baseline": self.baseline,
            "run": self.run,
            **asdict(self.rule),
            "measures": [verdict.to_dict(self.rule) for verdict in self.verdicts],
            "lost": [change.to_dict() for verdict in self.verdicts for change in verdict.lost[: self.shown]],
            "won": [change.to_dict() for verdict in self.verdicts for change in verdict.won[: self.shown]],
            "notes": list(self.notes()),
            "warnings": list(self.warnings),
        }

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """One row per measure."""
        return ("measure", "before", "after", "difference", "p", "verdict"), [
            (one.measure, one.before, one.after, one.difference, one.p, one.said) for one in self.verdicts
        ]

    def page(self, format_: str) -> str | None:
        """Rows, verdict, notes and questions, for people."""
        known = {"table": "text", "markdown": "markdown", "html": "notebook"}
        return f"render.gates:{known[format_]}" if format_ in known else None
