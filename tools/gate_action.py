"""The steps of action.yml: the gate of excerpt, a comment with its verdict at every status, and the status.

Values come from environment variables, as text that no shell reads.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

PAGE = Path("gate.md")
VERDICTS = {0: "passed", 1: "failed", 2: "cannot tell"}


def given(name: str) -> str:
    """A value of the step."""
    return os.environ.get(f"GATE_{name}", "").strip()


def tell(file: str, text: str) -> None:
    """Append to a file that GitHub names in a variable."""
    if path := os.environ.get(file):
        with Path(path).open("a", encoding="utf-8") as stream:
            stream.write(text)


def excerpt(*words: str) -> subprocess.CompletedProcess[str]:
    """Run excerpt, and show what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "excerpt", *words], capture_output=True, text=True, check=False
    )
    print(done.stdout, end="")
    print(done.stderr, end="", file=sys.stderr, flush=True)
    return done


def tried(settings: str) -> tuple[str, str]:
    """Saved scores of the settings of a file, or the error."""
    done = excerpt("try", settings)
    if done.returncode:
        return "", done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "excerpt try failed"
    output = tomllib.loads(Path(settings).read_text(encoding="utf-8")).get("output", "")
    return str(Path(settings).parent / output / "scores.json"), ""


def gate() -> None:
    """Write gate.md, the status and the verdict; the step itself never fails."""
    PAGE.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        baseline, run, error = given("BASELINE"), given("RUN"), ""
        if given("TRY"):
            if Path(baseline).is_file():  # a trial may write scores of the same name
                baseline = shutil.copy(baseline, folder)
            run, error = tried(given("TRY"))
        words = ["gate", baseline, run, "-o", str(PAGE)]
        for option, value in (("--qrels", given("GOLD")), ("--corpus", given("CORPUS"))):
            words += [option, value] if value and not given("TRY") else []
        for measure in filter(None, map(str.strip, given("MEASURES").splitlines())):
            words += ["-m", measure]
        words += ["--run-name", given("SETTING")] if given("SETTING") else []
        status = 2 if error else excerpt(*words, *shlex.split(given("ARGUMENTS"))).returncode
    if error or not PAGE.is_file():
        PAGE.write_text(f"**No verdict.** {error or 'excerpt gate failed'}\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    verdict = "error" if page.startswith("**No verdict.**") else VERDICTS.get(status, "error")
    tell("GITHUB_OUTPUT", f"status={status}\nverdict={verdict}\n")
    tell("GITHUB_STEP_SUMMARY", page)


def comment() -> None:
    """Comment on the pull request, if there is one; a comment that fails is a warning."""
    if given("COMMENT") != "true" or not given("NUMBER").isdecimal():
        return
    program = shutil.which("gh") or "gh"
    done = subprocess.run([program, "pr", "comment", given("NUMBER"), "--body-file", str(PAGE)], check=False)
    if done.returncode:
        print("::warning::the comment on the pull request failed")


def end() -> None:
    """End with the status of the gate."""
    sys.exit(int(given("STATUS") or 2))


if __name__ == "__main__":
    {"gate": gate, "comment": comment, "end": end}[sys.argv[1]]()
