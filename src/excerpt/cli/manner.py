"""How the command that runs speaks: one value, set by its options, asked by whatever says something."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass
class Manner:
    """Whether only errors are said, warnings are errors, there was one, and nothing has colours."""

    quiet: bool = False
    strict: bool = False
    warned: bool = False
    plain: bool = False

    def begin(self) -> None:
        """A new command speaks as commands do."""
        for item in fields(self):
            setattr(self, item.name, item.default)


MANNER = Manner()
