"""The JSON that programs send: read strictly, so that no two readers could take it for different things."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from excerpt.errors import short
from excerpt.web.answers import Refusal


def read_json(body: bytes) -> Any:
    """What a body says; a refusal for what is no JSON, has a name twice, or numbers that are none.

    >>> read_json(b'{"start": 1}')
    {'start': 1}
    """
    try:
        return json.loads(
            body.decode("utf-8"),
            object_pairs_hook=_once,
            parse_constant=_no_number,
            parse_float=_finite,
        )
    except UnicodeDecodeError:
        raise Refusal(400, "found bytes that are not UTF-8, expected JSON") from None
    except RecursionError:
        raise Refusal(400, "found JSON that is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise Refusal(400, f"found no JSON ({error.msg} at character {error.pos})") from None
    except ValueError:  # a number of thousands of digits
        raise Refusal(400, "found a number that is too long, expected a small one") from None


def read_object(body: bytes, *names: str) -> dict[str, Any]:
    """A body that is an object with these names, and maybe others."""
    found = read_json(body)
    if not isinstance(found, dict):
        raise Refusal(422, f"found {kind_of(found)}, expected an object")
    for name in names:
        if name not in found:
            raise Refusal(422, f"found no {name}, expected one")
    return found


def kind_of(value: object) -> str:
    """What a value of JSON is called.

    >>> kind_of([]), kind_of("x"), kind_of(None), kind_of(True), kind_of(1.5)
    ('a list', 'a text', 'null', 'true or false', 'a number')
    """
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise Refusal(400, f"found “{short(name)}” twice in one object, expected it once")
        found[name] = value
    return found


def _no_number(text: str) -> NoReturn:
    raise Refusal(400, f"found {text}, expected a number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise Refusal(400, f"found {short(text)}, expected a smaller number")
    return number
