"""Small valid files of every format that excerpt reads: what the mutations start from."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

DOCUMENTS = {
    "A": "<?xml version='1.0'?>\n<article><name id='n'>Ab c</name><bdy><p>One &amp; <b>two</b> three</p>"
    "<p>Four<!-- five --> six</p></bdy></article>\n",
    "B": '<!DOCTYPE article [<!ENTITY e "text"><!ATTLIST p kind CDATA "plain">]>\n'
    '<article><bdy><p kind="x">&e;</p><p><![CDATA[<seven>]]> &#233;\u00e9 \u65e5</p></bdy></article>',
    "C": "<article>" + "".join(f"<p>{number} words of text</p>" for number in range(12)) + "</article>",
}

LINES = "".join(
    f'{{"_id": "{name}", "title": "Of {name}", "text": "{40 * f"{name} é "}"}}\n' for name in DOCUMENTS
)

RUNS = {
    "fol": "1 Q0 A 1 9.5 mine 0 12\n1 Q0 C 2 8 mine 0 30\n1 Q0 B 3 7e-1 mine 2 8\n1 Q0 A 4 0.6 mine 14 5\n"
    "2 Q0 C 1 9 mine 35 100\n2 Q0 A 2 8 mine 0 10\n",
    "path": "1 Q0 A 1 9 mine /article[1]/bdy[1]/p[1]\n1 Q0 C 2 8 mine /article[1]/p[3]\n"
    "2 Q0 B 1 9 mine /article[1]/bdy[1]\n2 Q0 A 2 8 mine /article[1]/name[1]\n",
    "range": "1 Q0 A 1 9 mine /article[1]/bdy[1]/p[1] /article[1]/bdy[1]/p[2]\n"
    "2 Q0 C 1 9 mine /article[1]/p[3] /article[1]/p[5]\n",
    "bep": "1 Q0 A 1 9 mine 3\n1 Q0 C 2 8 mine 0\n2 Q0 C 1 9 mine 35\n",
    "trec": "1 Q0 A 1 9.5 mine\n1 Q0 C 2 8 mine\n2 Q0 C 1 9 mine\n2 Q0 B 2 7 mine\n",
    "inex": '<?xml version="1.0"?>\n<inex-submission participant-id="3" run-id="mine" task="Focused">\n'
    '<topic-fields title="yes"/><description>free</description>\n<topic topic-id="1">\n'
    "<result><file>A</file><path>/article[1]/bdy[1]/p[1]</path><rank>1</rank><rsv>0.9</rsv></result>\n"
    "<result><file>C</file><path>/article[1]/p[2]</path><rank>2</rank><rsv>0.8</rsv></result>\n"
    '</topic>\n<topic topic-id="2">\n'
    '<result><file>C</file><passage start="/article[1]/p[1]/text()[1].0" '
    'end="/article[1]/p[2]/text()[1].4"/>'
    "<rank>1</rank></result>\n"
    "<result><file>A</file><fol offset='0' length='10'/><rank>2</rank></result>\n"
    "</topic></inex-submission>\n",
    "jsonl": '{"topic": "1", "document": "A", "start": 0, "end": 12, "score": 9.5, "run": "mine"}\n'
    '{"topic": "1", "document": "C", "path": "/article[1]/p[2]", "score": 8, "rank": 2}\n'
    '{"topic": 2, "document": "C", "start": 35, "end": 60, "score": 1e-3}\n',
}

#: The same kinds of rows as tables, of runs and of judgments.
TABLES = {
    "run": "topic,document,start,end,score,rank,run\n1,A,0,12,9.5,1,mine\n1,C,0,30,8,2,mine\n"
    "2,C,35,60,1e-3,1,mine\n",
    "judgments": "query_id;doc_id;spans;size;bep;relevance\n"
    '1;A;"[[3, 8], [10, 14]]";22;3;1\n1;B;"[[0, 4]]";17;;1\n2;C;"[[40, 80]]";204;40;yes\n3;A;;;;no\n',
}

JUDGMENTS = {
    "beir": "query-id\tcorpus-id\tscore\n1\tA\t1\n1\tB\t0\n2\tC\t2\n",
    "fol": "1 Q0 A 9 22 3 3:5 10:4\n1 Q0 B 4 17 0 0:4\n1 Q0 C 0 204\n2 Q0 C 40 204 40 40:40\n3 Q0 A 0 22\n",
    "trec": "1 0 A 1\n1 0 B 0\n1 0 C 2\n2 0 C 1\n3 0 A 0\n",
    "jsonl": '{"topic": "1", "document": "A", "spans": [[3, 8], [10, 14]], "size": 22, "bep": 3}\n'
    '{"topic": "1", "document": "B", "spans": [[0, 4]], "size": 17}\n'
    '{"topic": "2", "document": "C", "spans": [[40, 80]], "size": 204}\n'
    '{"topic": "3", "document": "A", "spans": []}\n',
    "inex": '<?xml version="1.0"?>\n<assessments pool="417" topic="1" version="2">\n'
    '<file collection="wikipedia" name="A">\n'
    '<best-entry-point path="/article[1]/bdy[1]/p[1]/text()[1].2"/>\n'
    '<passage start="/article[1]/bdy[1]/p[1]/text()[1].1" end="/article[1]/bdy[1]/p[2]" size="15"/>\n'
    '<element path="/article[1]" exhaustivity="2" size="22" rsize="15"/>\n'
    '<element path="/article[1]/bdy[1]/p[1]" exhaustivity="?" size="10" rsize="10"/>\n'
    '</file>\n<file collection="wikipedia" name="B"></file>\n</assessments>\n',
    "graded": "<?xml version='1.0'?>\n<assessments pool='203' topic='1'>\n<file file='A'>\n"
    "<path path='/article[1]' exhaustiveness='2' specificity='1' inferred='true'/>\n"
    "<path path='/article[1]/bdy[1]/p[1]' exhaustiveness='3' specificity='3'/>\n"
    "<path path='/article[1]/bdy[1]/p[2]' exhaustiveness='U' specificity='U'/>\n</file>\n"
    "<file file='C'><path path='/article[1]/p[3]' exhaustiveness='1' specificity='2'/></file>\n"
    "</assessments>\n",
    "coverage": "<assessments topic='1'><file file='A'>\n"
    "<path path='/article[1]' relevance='2' coverage='L'/>\n"
    "<path path='/article[1]/bdy[1]' relevance='3' coverage='E'/>\n</file></assessments>\n",
}

QUANTISATIONS = (
    '[steep]\nscale = "exhaustivity and specificity"\nvalues = { "33" = 1, "32" = 0.5, "23" = 0.25 }\n'
    '\n[flat]\nscale = "relevance and coverage"\nvalues = { "3E" = 1, "2L" = 0.5 }\n'
    '\n[lifted]\nscale = "exhaustivity 0-2"\nfully_specific = true\nvalues = { "2" = 1, "?" = 0.5 }\n'
)
GROUPS = "mine first\nother second\n"
#: Groups of `--within`: each has two runs, or two topics.
WITHIN = ("mine best\nother best\n", "1 easy\n2 easy\n")

CHUNKS = (
    (
        '{"document": "A", "text": "Ab c", "start": 0, "end": 4, "tokens": 2}\n'
        '{"document": "A", "text": "One & two three"}\n{"document": "A", "text": "Four six", "start": 3}\n'
        '{"document": "C", "text": "3 words  of text", "id": 7}\n'
    ),
    (
        '{"page_content": "One & two", "metadata": {"source": "A", "start_index": 4}}\n'
        '{"page_content": "7 words of text8", "metadata": {"source": "C"}}\n'
    ),
)
TOPICS = (
    '1\tarches of stone\n2\tOld "bridges"\n',
    (
        '{"id": "1", "title": "arches", "query": "how are arches built", "kind": "CO"}\n'
        '{"_id": 2, "text": "bridges", "castitle": "//article[about(., bridges)]"}\n'
    ),
    "<parameters><query><number>1</number><text>#combine(stone arch)</text></query></parameters>\n",
)
POOL = (
    (
        "# excerpt pool 1\n# unit document\n# depth 2\n# run - mine run.fol\n# run - other other.fol\n"
        "# results 1 4*2\n# results 2 2 2\n"
        "topic\tdocument\torder\tstratum\tprobability\truns\tpassages\n"
        "1\tA\t1\tdepth\t1\tmine,other\t1:0-12;4:14-19,1:0-12\n1\tC\t2\tsample\t0.25\tother\t2:0-30\n"
        "2\tC\t1\tdepth\t1\tmine\t1:35-135\n"
    ),
    "topic\tdocument\n1\tA\n2\tC\n",
)
SUGGESTIONS = (
    '{"topic": "1", "document": "A", "start": 4, "end": 7, "quote": "One", "model": "m-1", "prompt": "ab"}\n'
    '{"topic": 2, "document": "C", "offset": 0, "length": 7, "model": "m", "prompt": "p", '
    '"label": "supports"}\n'
)
CITATIONS = (
    (
        '{"topic": "1", "documents": ["A", "C"], "run": "mine", "response": {"content": [{"type": "text", '
        '"text": "So.", "citations": [{"type": "char_location", "document_index": 0, "start_char_index": 4, '
        '"end_char_index": 7, "cited_text": "One"}]}]}}\n'
        '{"topic": "2", "documents": [{"document": "C", "blocks": [[0, 15], [15, 30]]}], "response": '
        '{"content": [{"type": "text", "text": "Yes.", "citations": [{"type": "content_block_location", '
        '"document_index": 0, "start_block_index": 0, "end_block_index": 2, '
        '"cited_text": "0 words of text1 words of text"}]}]}}\n'
    ),
    (
        '{"metadata": {"run_id": "mine", "topic_id": "1"}, "references": ["A", "B"], "responses": '
        '[{"text": "Yes.", "citations": ["A"]}, {"text": "No.", "citations": ["B", "A"]}]}\n'
    ),
)


def parquet(lines: str) -> bytes:
    """The objects of lines as a Parquet file."""
    return parquet_of([{**row, "topic": str(row["topic"])} for row in map(json.loads, lines.splitlines())])


def parquet_of(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Rows as a Parquet file with a column for each key."""
    stream = io.BytesIO()
    pq.write_table(pa.table({key: [row.get(key) for row in rows] for row in rows for key in row}), stream)
    return stream.getvalue()


def tar(mode: str) -> bytes:
    """The documents as a tar archive."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:  # type: ignore[call-overload]
        for name, text in DOCUMENTS.items():
            member = tarfile.TarInfo(f"docs/{name}.xml")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return stream.getvalue()


def zipped(method: int) -> bytes:
    """The documents as a zip archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, text in DOCUMENTS.items():
            archive.writestr(zipfile.ZipInfo(f"docs/{name}.xml"), text, method)
    return stream.getvalue()
