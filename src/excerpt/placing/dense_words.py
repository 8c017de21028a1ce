"""The stretch of a text with most of some words."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Sequence


def densest(asked: Sequence[Hashable], given: Sequence[Hashable]) -> tuple[int, int, int]:
    """First and last word of the stretch with most words of those asked, in their number, and how many.

    A stretch is at most a quarter longer than what is asked; of equal ones the shortest, then the first.

    >>> densest(["a", "b", "c"], ["x", "b", "a", "c", "a"])
    (1, 3, 3)
    """
    need, width = Counter(asked), len(asked) + max(2, len(asked) // 4)
    places: deque[int] = deque()
    inside: Counter[Hashable] = Counter()
    count, best = 0, (0, 0, 0)
    for number, word in enumerate(given):
        if word not in need:
            continue
        places.append(number)
        inside[word] += 1
        count += inside[word] <= need[word]
        while places[0] <= number - width or inside[given[places[0]]] > need[given[places[0]]]:
            gone = given[places.popleft()]
            count -= inside[gone] <= need[gone]
            inside[gone] -= 1
        low, high, most = best
        if (count, places[0] - number) > (most, low - high):
            best = places[0], number, count
    return best
