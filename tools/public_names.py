"""Public names of this checkout against those of the last release: `python tools/public_names.py [TAG]`.

griffe reads the sources of both. A break is a name of `excerpt.__all__`, or a method, parameter or option of
one, that is gone or has another default. It is allowed if a line of the newest section of CHANGELOG.md has it
in backticks: `ScoreTable.page`, or `evaluate(ids)` for a parameter.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import griffe

ROOT = Path(__file__).resolve().parents[1]


def last_tag(root: Path) -> str:
    """Return the tag of the release before this commit; empty if there is none."""
    described = ("git", "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD^")
    return subprocess.run(described, cwd=root, capture_output=True, text=True, check=False).stdout.strip()


def public(package: griffe.Object | griffe.Alias) -> dict[str, griffe.Object]:
    """Return the public objects by name, from the package's table of names and their modules."""
    table: dict[str, str] = ast.literal_eval(str(package["_PUBLIC"].value))
    found = {}
    for name, place in table.items():
        module, _, other = place.partition(":")
        item = package[f"{module}.{other or name}"]
        found[name] = target(item)
        found.update(options(name, found[name]))
    return found


def target(item: griffe.Object | griffe.Alias) -> griffe.Object:
    """Return the object itself, for a name that was imported."""
    return item.final_target if isinstance(item, griffe.Alias) else item


def load(root: Path, tag: str = "") -> griffe.Object | griffe.Alias:
    """Read the package of a checkout, or of a tag in it."""
    if tag:
        return griffe.load_git("excerpt", ref=tag, repo=root, search_paths=["src"], resolve_aliases=True)
    return griffe.load("excerpt", search_paths=[root / "src"], resolve_aliases=True)


def options(name: str, item: griffe.Object) -> Iterator[tuple[str, griffe.Object]]:
    """Return the table of a function's options, for `**options: Unpack[Table]`."""
    for parameter in item.parameters if isinstance(item, griffe.Function) else ():
        table = re.fullmatch(r"(?:\w+\.)?Unpack\[(\w+)\]", str(parameter.annotation))
        if table:
            yield f"{name}()", target(item.modules_collection[item.resolve(table[1])])


def breaks(old: dict[str, griffe.Object], new: dict[str, griffe.Object]) -> Iterator[tuple[str, str]]:
    """Return what users of the old names find changed: the name, and how."""
    for name, item in old.items():
        if name not in new:
            yield name, griffe.BreakageKind.OBJECT_REMOVED.value
            continue
        for found in griffe.find_breaking_changes(holder(item), holder(new[name])):
            inside = "" if found.obj.path in {item.path, new[name].path} else f".{found.obj.name}"
            value = found.old_value or found.new_value
            parameter = f"({value.name})" if isinstance(value, griffe.Parameter) else ""
            yield f"{name}{inside}{parameter}", found.kind.value


def holder(item: griffe.Object) -> griffe.Module:
    """Return a module with nothing but this object, since griffe compares what modules have."""
    module = griffe.Module("excerpt")
    module.members["item"] = griffe.Alias("item", item, parent=module)
    return module


def announced(name: str, changelog: str) -> bool:
    """Return whether a line of the newest section has every word of a name in backticks."""
    words = set(re.findall(r"\w+", name))
    section = re.split(r"^## ", changelog, flags=re.MULTILINE)[1]
    return any(
        words <= set(re.findall(r"\w+", " ".join(re.findall("`(.*?)`", line))))
        for line in section.splitlines()
    )


def main(arguments: list[str]) -> int:
    """Print the breaks since a tag (default: the last release); 1 if the changelog lacks one."""
    tag = arguments[0] if arguments else last_tag(ROOT)
    if not tag:
        print("no release to compare with")
        return 0
    before, now = public(load(ROOT, tag)), public(load(ROOT))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = [(name, how, announced(name, changelog)) for name, how in sorted(set(breaks(before, now)))]
    for name, how, known in found:
        print(f"{'named  ' if known else 'MISSING'} `{name}`: {how}")
    lacking = sum(not known for _, _, known in found)
    print(f"{len(found)} breaks since {tag}; {lacking} of them missing in the newest section of CHANGELOG.md")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
