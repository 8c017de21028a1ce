"""Exact numbers: fractions, and the text of those that have logarithms or roots in them.

`7/12` and `(1 + 2/log2(3)) / 3` are texts of exact numbers; `decimal_of` computes them to fifty digits.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import TypeAlias

#: A fraction, or the text of an irrational number.
Exact: TypeAlias = Fraction | str
ZERO = Fraction(0)
_OPERATORS: dict[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_FUNCTIONS: dict[str, Callable[[Decimal], Decimal]] = {
    "ln": Decimal.ln,
    "log2": lambda value: value.ln() / Decimal(2).ln(),
}


def decimal_of(number: Exact) -> Decimal:
    """The value of a number, to some fifty digits."""
    with localcontext(Context(prec=55)):
        return _value(ast.parse(str(number), mode="eval").body)


def _value(node: ast.expr) -> Decimal:
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _FUNCTIONS[node.func.id](_value(node.args[0]))
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return Decimal(node.value)
    raise ValueError(ast.unparse(node))


def digits(number: Exact) -> str:
    """The number in decimals, rounded to 17 significant digits."""
    rounded = Context(prec=17).plus(decimal_of(number))
    return f"{rounded:f}" if rounded else "0"


def over_logs(gains: Iterable[tuple[int | Fraction, int]]) -> Exact:
    """The sum of gain / log2(n); a fraction if every n is a power of 2."""
    rational, parts = ZERO, []
    for gain, n in gains:
        if n & (n - 1) == 0:
            rational += Fraction(gain, n.bit_length() - 1)
        elif gain:
            parts.append(f"{bracketed(Fraction(gain))}/log2({n})")
    if not parts:
        return rational
    return " + ".join([str(rational)] * bool(rational) + parts)


def bracketed(number: Exact) -> str:
    """The text of a number as a part of a product or quotient."""
    text = str(number)
    return text if text.isdigit() else f"({text})"


def quotient(over: Exact, under: Exact) -> Exact:
    """The quotient of two numbers; 0 if one of them is 0."""
    if ZERO in (over, under):
        return ZERO
    if isinstance(over, Fraction) and isinstance(under, Fraction):
        return over / under
    return Fraction(1) if over == under else f"{bracketed(over)}/{bracketed(under)}"


def mean(numbers: Sequence[Exact]) -> Exact:
    """The mean of some numbers."""
    rational = sum((number for number in numbers if isinstance(number, Fraction)), ZERO)
    others = [number for number in numbers if isinstance(number, str)]
    if not others:
        return rational / len(numbers)
    return f"({' + '.join([str(rational)] * bool(rational) + others)})/{len(numbers)}"


def geometric_mean(numbers: Sequence[Fraction]) -> Exact:
    """The geometric mean of some fractions."""
    if len(set(numbers)) == 1:
        return numbers[0]
    return f"({' * '.join(map(bracketed, numbers))})**(1/{len(numbers)})"


def logarithm(number: Fraction) -> Exact:
    """The natural logarithm of a fraction."""
    return ZERO if number == 1 else f"ln({number})"
