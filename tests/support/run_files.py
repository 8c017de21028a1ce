"""Generated submissions and JSON lines, usual, unusual and broken; and what reading one comes to.

Everything is drawn from one generator of random numbers, so a file is told by its seed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from excerpt.errors import ExcerptError
from excerpt.formats.source import Source
from excerpt.model.run import Run
from excerpt.notices import Faults, Notices

PATHS = ("/article[1]", "/article[1]/bdy[1]/p[2]", "/a[1]/text()[1].3", "/a/b")
NAMES = ("A", "12", "tc/2001/t0111", "a b", "Süß", "日本", "7", "B2")
ODD_NAMES = ("AT&amp;T", "a&#65;", "<![CDATA[x<y]]>", "a<!-- c -->b", " A ", "", "a'b", 'a"b', "x]]>y", "a>b")
NUMBERS = ("0", "1", "7", "42", "2147483647", "1500")
ODD_NUMBERS = ("+3", "007", " 5 ", "-1", "1.5", "2147483648", "", "x", "9" * 30, "\u0663", "0x1", "1_0")
SCORES = ("0.5", "12.25", "3", "-7.125", "1e-3", "0.1234567890123456789", "506.981765", "0")
ODD_SCORES = (
    "NaN",
    "inf",
    "-inf",
    "-0",
    "-0.0",
    ".5",
    "5.",
    "1e400",
    "",
    "x",
    "1_0",
    "05",
    "1.e5",
    "+1",
    "1E2",
)
ODD_VALUES = (
    *("null", "true", "-1", "1.5", '""', "[1]", "{}", "NaN", "Infinity", "-0", "007", '"a\\n"', '"\\ud800"'),
    *('"a', "\u0661", "1\uff123", "1\u0663.5", '"\u00a0"', '"/a\u00a0/b"', '"a\tb"', "1e5", "9" * 400),
)
ESCAPED = (
    "A\\u0042",
    '\\"',
    "a\\\\",
    "\\/b\\n",
    "\\ud83d\\ude00",
    "\\ud800",
    "\\u00E9",
    "\\x",
    "\\u00",
    "\\\\\\",
)
LISTS = ("[1, 2]", "[1, 2, 3]", "[]", "[0.5,-1e3 ]", "[1 2]", "[01]")
METADATA = (
    *(
        '{"source": "A", "start_index": 3, "end_index": 9}',
        '{"source": "B", "start_index": 4, "end_index": 7}',
    ),
    *('{"source": "A"}', '{"end": 3, "x": 1}', "{}", "7", "[]", '"a"', "null", '["a", {"b": 1.5}]', "[[[]]]"),
    *(
        '{"doc": null, "source": "C", "begin": 0}',
        '{"end": 3, "end": 4}',
        '{"topic": 5, "x": {"start": "1"}}',
    ),
    *(
        '{"run": "s", "rank": 07}',
        '{"score": NaN, "lost": 3}',
        '{"a\\"b": "c\\"d", "tokens": [1, 2]}',
        '{"x": "a" "b"}',
    ),
)
HEADS = (
    '<?xml version="1.0" encoding="ISO-8859-1"?>',
    '<?xml version="1.0" encoding="us-ascii"?>',
    '<?xml version="1.0" encoding="windows-1252"?>',
    '<?xml version="1.0" encoding="utf-16"?>',
    '<?xml version="1.1"?>',
    "<!DOCTYPE inex-submission SYSTEM 'inex-submission.dtd'>\n",
    "<!DOCTYPE inex-submission [<!ENTITY who 'A'>]>\n",
    "<!DOCTYPE inex-submission [<!ATTLIST fol offset CDATA '3'>]>\n",
    "<!DOCTYPE inex-submission [<!ENTITY r '<result><file>A</file><path>/a</path></result>'>]>\n",
    "<!-- <topic topic-id='1'><result><file>A</file><path>/a</path></result></topic> -->",
    "<?pi <result><file>A</file><path>/a</path></result> ?>",
    "\n",
)
#: What may stand in a topic beside results.
ODDITIES = (
    *("text", "text & ", "]]>", "&r;", "<x>y</x>", "<result/>", "<file>Z</file>", "<x><result>", "</topic>"),
    "<!-- <result><file>A</file><path>/a</path></result> -->",
    "<![CDATA[<result><file>A</file><path>/a</path></result>]]>",
    "<x a='<result><file>A</file><path>/a</path></result>'/>",
    "<x><result><file>A</file><path>/a</path></result></x>",
    "<topic topic-id='5'></topic>",
)
BYTES = b"<>&'\"/ \n\r\t=!?]x05-+.\\,{}:\x00\x01\x7f\x80\xc3\xff"
PIECES = (
    *(b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<result>", b"</result>", b"<topic topic-id='9'>", b"</topic>"),
    *(b"&amp;", b"&#60;", b"\xef\xbf\xbe", b"\xed\xa0\x80", b"\xc2\xa0", b"<file>", b"</file>", b" ", b"\n"),
    *(b"<excerpt-results/>", b"<result><file>A</file><path>/a</path></result>", b"\\u0041", b'"topic": 1, '),
    *(b'"', b"{", b"}", b"\\", b"\x85"),
)


def submission(rng: random.Random) -> bytes:
    """A submission of a few results, most of them alike."""
    quote, blank = rng.choice('""\''), rng.choice(("", "", "\n", "\n  ", " ", "\r\n\t", "\r"))
    layouts = [_parts(rng) for _ in range(rng.choice((1, 1, 2, 3)))]
    topics = []
    for _ in range(rng.choice((0, 1, 2, 2, 3))):
        results = [_result(rng, rng.choice(layouts), quote, blank) for _ in range(rng.randint(0, 6))]
        if rng.random() < 0.05:
            results.insert(rng.randrange(len(results) + 1), rng.choice(ODDITIES))
        inside = (blank or rng.choice(("", "\n"))).join(results)
        topics.append(f"<topic topic-id={quote}{rng.choice(NAMES)}{quote}>{blank}{inside}{blank}</topic>")
    head = rng.choice(("", "", "<?xml version='1.0'?>\n", '<?xml version="1.0" encoding="UTF-8"?>\n'))
    if rng.random() < 0.15:
        head = rng.choice(HEADS)
    between = rng.choice(("\n", "\n", "", "<description>free text</description>", "<!-- x -->"))
    text = f"{head}<inex-submission run-id={quote}r{quote}>{blank}{between.join(topics)}</inex-submission>\n"
    return (b"\xef\xbb\xbf" if rng.random() < 0.1 else b"") + text.encode()


def _parts(rng: random.Random) -> list[str]:
    """The fields of a result, in an order."""
    parts = ["file", rng.choice(("path", "passage", "fol"))]
    parts += [name for name in ("rank", "rsv", "in") if rng.random() < 0.6]
    if rng.random() < 0.3:
        rng.shuffle(parts)
    if rng.random() < 0.05:
        parts.append(rng.choice(parts))
    return parts


def _result(rng: random.Random, parts: list[str], quote: str, blank: str) -> str:
    odd = 0.05 if rng.random() < 0.15 else 0.0

    def pick(usual: tuple[str, ...], unusual: tuple[str, ...]) -> str:
        return rng.choice(unusual if rng.random() < odd else usual)

    def empty(name: str, one: tuple[str, str], two: tuple[str, str]) -> str:
        pairs = [f"{key}={quote}{value}{quote}" for key, value in (one, two)]
        if rng.random() < odd:
            pairs.reverse()
        return f"<{name} {' '.join(pairs)}{pick(('/>',), (f'></{name}>', ' />', '>'))}"

    texts = []
    for part in parts:
        if part == "fol":
            offset, length = pick(NUMBERS, (*ODD_NUMBERS, "X")), pick(NUMBERS, ODD_NUMBERS)
            texts.append(empty(part, ("offset", offset), ("length", length)))
        elif part == "passage":
            start, end = pick(PATHS, ODD_NAMES), pick(PATHS, ODD_NAMES)
            texts.append(empty(part, ("start", start), ("end", end)))
        elif part == "in":
            texts.append(f"<in>{pick(('wiki',), ODD_NAMES)}</in>")
        else:
            usual = {"file": NAMES, "path": PATHS, "rank": NUMBERS, "rsv": SCORES}[part]
            unusual = {"rank": ODD_NUMBERS, "rsv": ODD_SCORES}.get(part, ODD_NAMES)
            texts.append(f"<{part}>{pick(usual, unusual)}</{part}>")
    if rng.random() < odd:
        texts.insert(rng.randrange(len(texts) + 1), rng.choice(("<!-- <file>Z</file> -->", "text", "<x/>")))
    return f"{pick(('<result>',), ('<result >',))}{blank}{blank.join(texts)}{blank}</result>"


def json_lines(rng: random.Random) -> bytes:
    """Results as lines of JSON, most of them alike."""
    layouts = [_keys(rng) for _ in range(rng.choice((1, 1, 1, 2)))]
    separators = rng.choice(((", ", ": "), (",", ":"), (" , ", " : ")))
    lines = []
    for _ in range(rng.randint(0, 6)):
        pairs = [f"{json.dumps(key)}{separators[1]}{_json_value(rng, key)}" for key in rng.choice(layouts)]
        after = "" if rng.random() < 0.97 else rng.choice(" \t,")
        lines.append("{" + separators[0].join(pairs) + "}" + after)
    end = rng.choice(("\n", "\n", "\n", "\r\n", "\r"))
    text = end.join(lines) + (end if rng.random() < 0.8 else "")
    return (b"\xef\xbb\xbf" if rng.random() < 0.05 else b"") + text.encode()


def _keys(rng: random.Random) -> list[str]:
    keys = [rng.choice(("topic", "query")), rng.choice(("document", "doc"))]
    keys += rng.choice((["start", "end"], ["offset", "length"], ["path"], [], ["start", "end", "path"]))
    keys += [key for key in ("score", "rank", "run", "text", "size", "n") if rng.random() < 0.5]
    keys += [key for key in ("tokens", "word_count", "lost", "metadata", "meta") if rng.random() < 0.15]
    if rng.random() < 0.2:  # as some frameworks write it
        keys = [key for key in keys if rng.random() < 0.7] + ["metadata"]
    if rng.random() < 0.3:
        rng.shuffle(keys)
    if rng.random() < 0.05:
        keys.append(rng.choice((*keys, "start", "topic", "path")))
    return keys


def _json_value(rng: random.Random, key: str) -> str:
    if rng.random() < 0.03:
        return rng.choice((*ODD_VALUES, *filter(None, (*ODD_NUMBERS, *ODD_SCORES))))
    if key in {"topic", "query", "document", "doc"}:
        name = rng.choice(NAMES if rng.random() < 0.9 else ESCAPED)
        return name if name.isdigit() and rng.random() < 0.5 else f'"{name}"'
    if key in {"run", "text"}:
        return f'"{rng.choice((*NAMES[:4], *ESCAPED))}"' if rng.random() < 0.3 else '"r"'
    if key == "path":
        return f'"{rng.choice((*PATHS, "/a[1] /a[2]"))}"'
    if key in {"score", "n"}:
        return rng.choice(SCORES)
    numbers = (*METADATA, *METADATA[:2] * 3) if key in {"metadata", "meta"} else NUMBERS
    numbers = LISTS if key == "size" and rng.random() < 0.5 else numbers
    return {"start": "0", "end": "2147483647"}.get(key) or rng.choice(numbers)


def damaged(rng: random.Random, data: bytes) -> bytes:
    """A file with a few changes: bytes replaced, pieces deleted, doubled or moved."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        if not data:
            break
        one, two = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        if rng.random() < 0.5:
            two = min(one + rng.randint(1, 12), len(data))
        place = rng.randrange(len(data) + 1)
        piece = data[one:two]
        kind = rng.randrange(5)
        if kind == 0:
            data = data[:place] + bytes([rng.choice(BYTES)]) + data[place + 1 :]
        elif kind == 1:
            data = data[:one] + data[two:]
        elif kind == 2:
            data = data[:place] + piece + data[place:]
        elif kind == 3:
            data = data[:one] + data[two:]
            data = data[: min(place, len(data))] + piece + data[min(place, len(data)) :]
        else:
            data = data[:place] + rng.choice(PIECES) + data[place:]
    return data


def outcome(read: Callable[[Source], Run], data: bytes, **options: Any) -> tuple[Any, ...]:
    """All that can be seen of a run after reading it: columns, notices and faults, or the error."""
    source = Source("f", data, options.get("index"), Notices(), Faults("f", keep=options.get("keep", False)))
    try:
        run = read(source)
    except ExcerptError as error:
        return (str(error), list(source.notices))
    columns = (run.topic_code, run.document_code, run.start, run.end, run.rank, run.element, run.line)
    return (
        (run.name, run.topics, run.documents, run.paths, run.kind, run.source),
        [column.tolist() for column in columns],
        [column.dtype.kind for column in columns],
        [repr(score) for score in run.score.tolist()],
        None if run.text.lost is None else run.text.lost.tolist(),
        None if run.text.quotes is None else [(type(quote), quote) for quote in run.text.quotes.tolist()],
        {name: column.tolist() for name, column in run.text.costs.items()},
        list(source.notices),
        [str(fault) for fault in source.faults.found],
    )
