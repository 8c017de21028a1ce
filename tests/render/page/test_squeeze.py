"""Squeezed scripts and style sheets say the same as before."""

from __future__ import annotations

import re

import pytest

from excerpt.render.page.join import folder
from excerpt.render.page.squeeze import _STYLE, _Squeezing, squeeze_script, squeeze_styles

SCRIPTS = sorted(folder().glob("*.js"))


def pieces(script: str) -> list[str]:
    """Everything in a script but what says nothing; what stands in backticks, as it is when squeezed."""
    walk, before = _Squeezing(script), "\n"
    found: list[str] = []
    while walk._at < len(script):
        piece = walk._piece(before)
        if not piece.isspace():
            if piece == "}" and before == ";":
                found.pop()
            if piece == ">" and before == "=" and found[-4:-3] == ["("] and found[-2] == ")":
                found[-4:-1] = found[-3:-2]
            found += ["!", piece[1]] if piece in {"!0", "!1"} else [piece]
            before = piece
    return found


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_only_spaces_go(path: object) -> None:
    """The pieces of every module of the page are the same before and after, and twice is once."""
    script = path.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    squeezed = squeeze_script(script)
    assert pieces(squeezed) == pieces(script)
    assert squeeze_script(squeezed) == squeezed
    assert len(squeezed) < len(script)


@pytest.mark.parametrize(
    ("script", "squeezed"),
    [
        ("a = b / c / d;", "a=b/c/d;"),
        ("x = y ? / +/g : 1", "x=y?/ +/g:1"),
        ('say("a  b", `c  ${ d( { e: 1 } ) }  f`)', 'say("a  b",`c  ${d({e:1})}  f`)'),
        ("a + +b - -c; d++ + e", "a+ +b- -c;d++ +e"),
        ("return [x]\nreturn x", "return[x]\nreturn x"),
        ("if (a) {\n  b = [\n    c,\n    d\n  ];\n}\ne", "if(a){b=[c,d\n]}e"),
        (
            "a = {\n}\nb = (c) => {\n}\nfunction d() {\n}\nclass E {\n  f() {\n  }\n  g() {\n  }\n}\nh",
            "a={}\nb=c=>{}\nfunction d(){}class E{f(){}g(){}}\nh",
        ),
        (
            "try {\n  a();\n} catch (b) {\n  c;\n}\nif (d) {\n} else {\n}\ne",
            "try{a()}catch(b){c}if(d){}else{}e",
        ),
        ("{ a(); } { if (b); } { while (c); }", "{a()}{if(b);}{while(c);}"),
        ("{ if (a) b(); } { if (f(x)); } { (a); }", "{if(a)b()}{if(f(x));}{(a)}"),
        ("a = (b) => (c, d) => ({}) => () => 1", "a=b=>(c,d)=>({})=>()=>1"),
        (
            "return true ? false : {true: a.false, false : [true, false]}",
            "return!0?!1:{true:a.false,false:[!0,!1]}",
        ),
        ("return (a) => async (b) => f((c) => c)", "return a=>async b=>f(c=>c)"),
        ("{ if (a) b; else; } { ; }", "{if(a)b;else;}{}"),
        ("`\\` ${ `a ${ b } c` } \\${ x }`", "`\\` ${`a ${b} c`} \\${ x }`"),
        ("for (const a of /x y/[b](c)) {}", "for(let a of/x y/[b](c)){}"),
        ("'it\\'s  \"one\"'  ;", "'it\\'s  \"one\"';"),
    ],
)
def test_scripts(script: str, squeezed: str) -> None:
    """Text, patterns and signs that belong apart stay as they are."""
    assert squeeze_script(script) == squeezed


def test_styles_keep_what_means_something() -> None:
    """Sums and text keep their spaces."""
    styles = (
        "a :hover { width: calc(1px + 2%);\n  content: ' ; ' }\n"
        "@media (min-width: 3px) and (x) { b { c: d } }\n"
    )
    squeezed = "a :hover{width:calc(1px + 2%);content:' ; '}@media (min-width:3px) and (x){b{c:d}}"
    assert squeeze_styles(styles) == squeezed
    assert not re.search(r"  |\{ |; ", _STYLE.sub("", squeezed))
