"""Files of a trial: table, report, runs, scores, record, and how to go on."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from excerpt.errors import json_text
from excerpt.formats.writer import write_run
from excerpt.model.run import Run
from excerpt.notices import Notices
from excerpt.options import as_option
from excerpt.render.layout import markdown
from excerpt.render.trial_page import page
from excerpt.trials.advice import gate_command
from excerpt.trials.trial_cells import CellResult

if TYPE_CHECKING:
    from excerpt.trials.trial import Trial


def files_of(trial: Trial, results: Sequence[CellResult], folder: str) -> dict[str, bytes]:
    """Content of each file by its path in the folder; the record comes last."""
    assert trial.scores is not None
    names = {row["run"] for row in trial.rows}
    runs = {f"runs/{one.cell.run}.jsonl": _run(one) for one in results if one.run and one.cell.run in names}
    return {
        **runs,
        "table.csv": trial.to_csv().encode(),
        "scores.json": replace(trial.scores, warnings=()).to_json().encode(),
        "report.html": page(trial).encode(errors="backslashreplace"),
        "README.md": readme(trial, folder).encode(errors="backslashreplace"),
        "record.json": (json_text(trial.to_dict(), indent=2) + "\n").encode(),
    }


def _run(result: CellResult) -> bytes:
    """The run as JSON Lines."""
    if not isinstance(result.run, Run):
        return Path(str(result.run)).read_bytes()
    import tempfile

    with tempfile.TemporaryDirectory(prefix="excerpt-") as folder:
        file = Path(folder) / "run.jsonl"
        write_run(result.run, file, notices=Notices())
        return file.read_bytes()


def readme(trial: Trial, folder: str) -> str:
    """What the folder has, and how to gate with it."""
    options = trial.record.options
    docs, gold = options["documents"][0] or "DOCS", options["gold"] or "GOLD"
    best = trial.rows[0]["run"]
    name = shlex.quote(folder)
    command = gate_command(folder, gold, docs, trial.details["measure"], best)
    listed = "\n".join(f"- {markdown(sentence)}" for sentence in trial.sentences)
    return f"""# Chunkers and retrievers, tried on {markdown(docs)}

{listed}

| file | has |
| --- | --- |
| `table.csv` | a row per setting: recall within {trial.budget:,} characters, interval and cost |
| `report.html` | the same for reading, with the curve of recall by characters read |
| `runs/` | what each setting retrieved, for any command of excerpt |
| `scores.json` | the scores of every question, the baseline of a gate |
| `record.json` | settings, rows; `excerpt rerun {name}/record.json {as_option("check", "")}` repeats them |
| `cache/` | settings that are known; a further `excerpt try` computes only what changed |

## In continuous integration

Commit `scores.json` and the questions. Let each build retrieve again, write `new.jsonl` (one result a line:
`topic`, `document`, `start`, `end`, or `text` instead of offsets), and run

```sh
{command}
```

It ends with status 0 if the run is not worse, 1 if it is, and 2 if it cannot tell. Without
`{as_option("baseline", "")}` the run is compared with the setting of its own name.
`-o gate.md` writes the verdict for a comment.

## Further

```sh
excerpt curve {name}
excerpt compare {name}/scores.json
excerpt report {shlex.quote(gold)} {name}/runs {as_option("corpus", shlex.quote(docs))} -o topics.html
```
"""
