"""INEX submissions: the examples of the format notes, mixed results, an index, faults with their lines."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import pytest

from excerpt.errors import FormatError, MissingData
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex
from excerpt.inex import submissions
from excerpt.inex.submissions import submission_lines
from excerpt.model import Result, Run

Open = Callable[..., Source]

OF_2005 = """<inex-submission participant-id="12" run-id="VSM_Aggr" task="CO.Focused" query="automatic">
  <topic-fields title="yes" castitle="no" description="no" narrative="no" ontopic_keywords="no"/>
  <description>free text</description>
  <collections><collection>ieee</collection></collections>
  <topic topic-id="202">
    <result>
      <file>tc/2001/t0111</file>
      <path>/article[1]/bm[1]/ack[1]</path>
      <rank>1</rank>
      <rsv>0.67</rsv>
    </result>
  </topic>
</inex-submission>
"""
OF_2008 = """<?xml version="1.0"?>
<!DOCTYPE inex-submission [<!ENTITY who "A">]>
<inex-submission participant-id="19" run-id=" r1 " task="RelevantInContext " result-type="element">
  <topic topic-id=" 414 ">
    <result><in>x</in><file> &who; </file><path>
        /article[1]/bdy[1] /p[1]
      </path><rank> 0 </rank><rsv>0.9</rsv></result>
    <result><file>A</file>
      <passage start="/article[1]/bdy[1]/p[1]/text()[2].1" end="/article[1]/bdy[1]/p[2]"/>
      <rsv>-inf</rsv></result>
    <result><file>A</file><fol offset="465" length="3426"/></result>
  </topic>
  <topic topic-id="415"></topic>
</inex-submission>
"""


def submission(*results: str, topic: str = "1") -> str:
    """A submission with one result per line, from line 3 on."""
    lines = "".join(f"<result>{result}</result>\n" for result in results)
    return f"<inex-submission run-id='r'>\n<topic topic-id='{topic}'>\n{lines}</topic>\n</inex-submission>\n"


def test_example_of_2005(opened: Open) -> None:
    """Element, rank and score are read, the rest is ignored."""
    run = submissions.read(opened(OF_2005))
    assert (run.name, run.kind) == ("VSM_Aggr", "elements")
    assert list(run) == [Result("202", "tc/2001/t0111", -1, -1, 0.67, "/article[1]/bm[1]/ack[1]")]
    assert (run.rank.tolist(), run.line.tolist(), run.source) == ([1], [6], "f")


def test_mixed_results_without_an_index(opened: Open) -> None:
    """Paths and passages are kept as text without stray blanks; offsets keep their span."""
    run = submissions.read(opened(OF_2008))
    assert (run.name, run.kind, run.topics) == ("r1", "elements", ("414",))
    assert list(run) == [
        Result("414", "A", -1, -1, 0.9, "/article[1]/bdy[1]/p[1]"),
        Result(
            "414", "A", -1, -1, float("-inf"), "/article[1]/bdy[1]/p[1]/text()[2].1 /article[1]/bdy[1]/p[2]"
        ),
        Result("414", "A", 465, 3891),
    ]
    assert run.rank.tolist() == [0, -1, -1]
    assert run.line.tolist() == [5, 8, 11]


def test_mixed_results_with_an_index(opened: Open, index: OffsetIndex) -> None:
    """Everything is a span."""
    run = submissions.read(opened(OF_2008, index=index))
    assert run.kind == "spans"
    assert list(zip(run.start.tolist(), run.end.tolist(), strict=True)) == [(5, 20), (15, 22), (465, 3891)]


def test_only_offsets_need_no_index(opened: Open) -> None:
    """A run of offsets is one of spans; X is a result that does not exist."""
    run = submissions.read(
        opened(
            submission(
                "<file>A</file><fol offset='3' length='4'/>", "<file>A</file><fol offset='X' length='0'/>"
            )
        )
    )
    assert run.kind == "spans"
    assert [(result.start, result.end) for result in run] == [(3, 7), (-1, -1)]


def test_unknown_elements_are_kept_as_unknown(opened: Open, index: OffsetIndex) -> None:
    """Elements that are not in the index are left to the evaluation."""
    text = submission("<file>A</file><path>/article[1]/p[9]</path>", "<file>Z</file><path>/article[1]</path>")
    run = submissions.read(opened(text, index=index))
    assert run.kind == "spans"
    assert run.start.tolist() == run.end.tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("attributes", "name"), [("run-id='' participant-id='7'", "7"), ("", "f"), ("run-id='a b'", "a b")]
)
def test_name(opened: Open, attributes: str, name: str) -> None:
    """Without a run id the participant gives the name, else the file."""
    assert submissions.read(opened(f"<inex-submission {attributes}></inex-submission>")).name == name


def test_blocks_of_a_topic_are_joined(opened: Open) -> None:
    """As in columns, with the same notice."""
    block = "<topic topic-id='{}'><result><file>{}</file><path>/a[1]</path></result></topic>"
    blocks = "".join(block.format(*pair) for pair in ("1A", "2B", "1C"))
    source = opened(f"<inex-submission run-id='r'>{blocks}</inex-submission>")
    assert [result.document for result in submissions.read(source)] == ["A", "C", "B"]
    assert list(source.notices) == [
        "1 topic has its results in several blocks, which are joined (topic 1 of f)"
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
def test_encodings(opened: Open, encoding: str) -> None:
    """XML says its encoding itself."""
    declared = "utf-8" if encoding == "utf-8-sig" else encoding
    text = f"<?xml version='1.0' encoding='{declared}'?>\n" + submission("<file>Süß</file><path>/a[1]</path>")
    source = opened(text.encode(encoding))
    assert submissions.recognise(source) > 0
    assert source.head == []
    assert submissions.read(source)[0].document == "Süß"


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ("<path>/a[1]</path>", "<file> is missing in a result, expected one with a document id"),
        (
            "<file> </file><path>/a[1]</path>",
            "<file> is missing in a result, expected one with a document id",
        ),
        ("<file>A</file>", "a result has no location, expected one <path>, <passage> or <fol>"),
        (
            "<file>A</file><path>/a[1]</path><fol offset='1' length='2'/>",
            "found a result with 2 locations, expected one <path>, <passage> or <fol>",
        ),
        ("<file>A</file><file>B</file><path>/a[1]</path>", "found a second <file> in a result, expected one"),
        ("<file>A</file><path>a[1]</path>", "found path 'a[1]', expected a path such as /article[1]/p[2]"),
        (
            "<file>A</file><passage start='/a[1]'/>",
            "passage end is missing, expected a path such as /article[1]/p[2]",
        ),
        (
            "<file>A</file><fol offset='-1' length='2'/>",
            "found offset '-1', expected a number that is not negative",
        ),
        ("<file>A</file><fol offset='1'/>", "length is missing, expected a whole number"),
        (
            "<file>A</file><fol offset='1' length='2147483648'/>",
            "found length '2147483648', expected a number up to 2147483647",
        ),
        (
            f"<file>A</file><fol offset='{10**30}' length='1'/>",
            f"found offset '{10**30}', expected a number up to 2147483647",
        ),
        ("<file>A</file><path>/a[1]</path><rank>1.5</rank>", "found rank '1.5', expected a whole number"),
        (
            "<file>A</file><path>/a[1]</path><rank>-1</rank>",
            "found rank '-1', expected a number that is not negative",
        ),
        ("<file>A</file><path>/a[1]</path><rsv>NaN</rsv>", "found rsv 'NaN', expected a number"),
        ("<file>A</file><path>/a[1]</path><rsv>1_0</rsv>", "found rsv '1_0', expected a number"),
        ("<file>A</file><path>/a[1]</path><rsv>٣</rsv>", "found rsv '٣', expected a number"),
        ("<file>A</file><path>/a[1]</path><rsv/>", "found rsv '', expected a number"),
    ],
)
def test_faults_of_a_result(opened: Open, result: str, message: str) -> None:
    """Each fault has the line of its result and is the only one."""
    source = opened(submission("<file>A</file><path>/a[1]</path>", result), keep=True)
    submissions.read(source)
    assert [str(fault) for fault in source.faults.found] == [f"f:4: {message}"]


def test_a_result_in_a_result(opened: Open) -> None:
    """A result that does not end is not dropped silently."""
    inner = "<result><file>B</file><path>/a[1]</path></result>"
    with pytest.raises(FormatError) as caught:
        submissions.read(opened(submission(f"<file>A</file>\n{inner}")))
    assert str(caught.value) == "f:4: found a result in a result, expected </result> before it"


def test_text_around_other_markup(opened: Open) -> None:
    """Comments, sections and elements inside a field do not cut it."""
    text = submission("<file>a<!-- x -->b<![CDATA[<]]><i>c</i>d</file><path>/a[1]</path>")
    assert submissions.read(opened(text))[0].document == "ab<cd"


def test_numbers_have_their_own_line(opened: Open) -> None:
    """A bad rank is reported in its own line, not in the first line of its result."""
    text = submission("<file>A</file>\n<path>/a[1]</path>\n<rank>x</rank>")
    with pytest.raises(FormatError) as caught:
        submissions.read(opened(text))
    assert str(caught.value) == "f:5: found rank 'x', expected a whole number"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "<inex-submission>\n<result><file>A</file><path>/a[1]</path></result></inex-submission>",
            "f:2: found a result outside a topic, expected it in <topic topic-id=…>",
        ),
        (
            "<inex-submission>\n\n<topic><result><file>A</file><path>/a[1]</path></result></topic></inex-submission>",
            "f:3: topic-id of a topic is missing, expected <topic topic-id=…>",
        ),
        (
            "\n<assessments topic='1'/>",
            "f:2: found root element <assessments>, expected <inex-submission> or <efficiency-submission>",
        ),
        (
            "<inex-submission>\n<topic topic-id='1'>\n</inex-submission>",
            "f:3: found XML that is broken here (mismatched tag), expected well-formed XML",
        ),
        (
            "<inex-submission>\n<topic topic-id='1'>\n",
            "f:3: found XML that is broken here (no element found), expected well-formed XML",
        ),
    ],
)
def test_faults_of_the_file(opened: Open, text: str, message: str) -> None:
    """Faults outside of results are reported as well."""
    with pytest.raises(FormatError) as caught:
        submissions.read(opened(text))
    assert str(caught.value) == message


def test_all_faults_are_kept(opened: Open) -> None:
    """A check sees every fault, in order, and the good results before what is not well-formed."""
    text = submission("<file>A</file>", "<path>/a[1]</path>", "<file>A</file><path>/a[1]</path>") + "</x>"
    source = opened(text, keep=True)
    run = submissions.read(source)
    assert [fault.line for fault in source.faults.found] == [3, 4, 8]
    assert len(run) == 1


def test_recognise(opened: Open) -> None:
    """The root element decides, whatever comes before it."""
    assert submissions.recognise(opened(OF_2005)) > 0
    assert submissions.recognise(opened(f"\ufeff<!-- <assessments> -->\n{OF_2005}")) > 0
    for other in ("<assessments topic='1'/>", "1 Q0 A 1 1 r 0 5\n", '{"topic": 1}', "<inex-submission", "<"):
        assert submissions.recognise(opened(other)) == 0


def test_submissions_to_the_efficiency_track(opened: Open) -> None:
    """Another root element, and times of topics; the results are read the same, in bulk or one by one."""
    text = OF_2005.replace("inex-submission", "efficiency-submission").replace(
        'topic-id="202"', 'topic-id="202" total_time_ms="35" cpu_time_ms="30"'
    )
    roots = (submissions.ROOT, submissions.EFFICIENCY)
    assert [submissions.recognise(opened(text), root) for root in roots] == [0, 1000]
    run, other = submissions.read(opened(text)), submissions.read(opened(OF_2005))
    assert (list(run), run.name, run.task, run.topics) == (list(other), "VSM_Aggr", "CO.Focused", ("202",))
    broken = text.replace("<file>tc", "<efficiency-submission/><file>tc")
    assert [*submissions.read(opened(broken))] == [*run]


InexWritingOpen = Callable[..., Source]


def test_write(opened: InexWritingOpen) -> None:
    """Elements, passages and offsets as they are, ranks and scores where they are known, all escaped."""
    results = [
        Result("1", "a&b <c>", -1, -1, 0.5, "/article[1]"),
        Result("1", "B", -1, -1, None, "/a[1] /a[2]"),
        Result('"2"', "B", 3, 9, 2.0),
    ]
    stream = io.BytesIO()
    submissions.write(Run.of("'r' & \"s\"", results, kind="elements"), stream)
    assert stream.getvalue().decode().splitlines() == [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<inex-submission run-id="\'r\' &amp; &quot;s&quot;" result-type="fol">',
        '<topic topic-id="1">',
        "<result><file>a&amp;b &lt;c&gt;</file><path>/article[1]</path><rsv>0.5</rsv></result>",
        '<result><file>B</file><passage start="/a[1]" end="/a[2]"/></result>',
        "</topic>",
        '<topic topic-id="&quot;2&quot;">',
        '<result><file>B</file><fol offset="3" length="6"/><rsv>2</rsv></result>',
        "</topic>",
        "</inex-submission>",
    ]
    assert list(submissions.read(opened(stream.getvalue()))) == results


def test_an_empty_run_is_written_and_read(opened: InexWritingOpen) -> None:
    """No results are no topics."""
    stream = io.BytesIO()
    submissions.write(Run.of("r", []), stream)
    run = submissions.read(opened(stream.getvalue()))
    assert (len(run), run.name, run.topics) == (0, "r", ())


def test_whole_documents_cannot_be_written() -> None:
    """A submission needs places in documents."""
    with pytest.raises(MissingData) as caught:
        submissions.write(Run.of("r", [Result("1", "A", 0, 1)], kind="documents"), io.BytesIO())
    assert str(caught.value) == (
        "r: format inex needs elements or text spans; the run has whole documents of unknown length; "
        'give index=OffsetIndex.open(…), or try format="trec" or format="bep"'
    )


@pytest.mark.parametrize("name", ["a\u0001", " a", "a\n", "\uffff"])
def test_names_that_xml_cannot_contain(name: str) -> None:
    """An id that would come back as another one is refused."""
    with pytest.raises(FormatError, match=r"^r: found the name .*, expected one that XML can contain$"):
        submissions.write(Run.of("r", [Result("1", name, 0, 1)]), io.BytesIO())


def test_the_task_is_kept(opened: InexWritingOpen) -> None:
    """The task of a submission is written, and read back."""
    run = replace(Run.of("r", [Result("1", "A", 0, 1)]), task="Focused & more")
    text = "".join(submission_lines(run, "inex-submission"))
    assert '<inex-submission run-id="r" task="Focused &amp; more" result-type="fol">' in text
    assert submissions.read(opened(text)).task == "Focused & more"
