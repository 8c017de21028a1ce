"""A storage as browsers have it, for tests of modules that are given one."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

EASY = settings(max_examples=40, suppress_health_check=list(HealthCheck))

#: A storage for tests, as browsers have it, with what is in it at first; `room` entries fit.
STORAGE = """(first, room = Infinity) => {
  const kept = new Map(first);
  return {kept, get length() { return kept.size; }, key: i => [...kept.keys()][i],
    getItem: key => kept.get(key) ?? null, removeItem: key => kept.delete(key),
    setItem(key, value) {
      if (kept.size >= room && !kept.has(key)) throw new Error("full");
      kept.set(key, value);
    }};
}"""
TOOLS = "{now: () => 7, fill: bytes => crypto.getRandomValues(bytes)}"
