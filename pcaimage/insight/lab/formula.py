"""Formulas with numbers, as text, LaTeX and Python."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

MOST_TERMS = 12  # terms of a sum that are written out for people; of a longer one the first few and the last

_SHOWN_OF_MANY = 4

DIGITS = 17  # figures that tell a number from every other
LARGE = 1e7  # the least magnitude that is shown with a power of ten


@dataclass(frozen=True)
class Notation:
    """A way to write formulas: operators, parentheses, fractions, and what stands for terms left out."""

    times: str
    minus: str
    brackets: str
    fraction: str
    dots: str


PLAIN = Notation(" · ", " − ", "({})", "{} / {}", "…")
LATEX = Notation(r" \cdot ", " - ", r"\left({}\right)", r"\frac{{{}}}{{{}}}", r"\dots")
PYTHON = Notation(" * ", " - ", "({})", "{} / {}", "")
"""Python's numbers are in full precision, and no term is left out."""


class Term(ABC):
    """A part of a formula."""

    @abstractmethod
    def shown(self, by: Notation, digits: int) -> str:
        """Return it in a notation, with so many significant figures."""

    def text(self, digits: int) -> str:
        """Return it for people."""
        return self.shown(PLAIN, digits)


@dataclass(frozen=True)
class Number(Term):
    """A number, which has these significant figures at least: all of them if it was typed."""

    number: float
    digits: int = 0

    def shown(self, by: Notation, digits: int) -> str:
        """Return the number; a negative one in parentheses."""
        if by is PYTHON:
            return f"({self.number!r})" if self.number < 0 else repr(float(self.number))
        shown = figure(self.number, max(digits, self.digits))
        if by is LATEX:
            shown, _, power = shown.replace("−", "-").partition("e")
            shown = rf"{shown} \cdot 10^{{{int(power)}}}" if power else shown
        return f"({shown})" if shown.startswith(("−", "-")) else shown


@dataclass(frozen=True)
class Product(Term):
    """A product of terms."""

    factors: tuple[Term, ...]

    def shown(self, by: Notation, digits: int) -> str:
        """Return the factors with signs between them."""
        return by.times.join(factor.shown(by, digits) for factor in self.factors)


@dataclass(frozen=True)
class Sum(Term):
    """A sum of terms, of which people see the first few and the last if there are many."""

    terms: tuple[Term, ...]

    def shown(self, by: Notation, digits: int) -> str:
        """Return the terms with plus signs between them."""
        return _added(len(self.terms), lambda index: self.terms[index].shown(by, digits), by)


@dataclass(frozen=True)
class ScalarProduct(Term):
    """A sum of many products, which makes terms of those only that are shown."""

    ones: Sequence[float] = field(repr=False)
    others: Sequence[float] = field(repr=False)

    def shown(self, by: Notation, digits: int) -> str:
        """Return the products with plus signs between them."""
        terms = self.ones, self.others
        return _added(
            len(self.ones), lambda index: _product(*(of[index] for of in terms)).shown(by, digits), by
        )


def _added(count: int, term: Callable[[int], str], by: Notation) -> str:
    """Return a sum of terms; of many in Python a list, as chains of plus signs are limited."""
    many = count > MOST_TERMS
    if by is PYTHON:
        terms = [term(index) for index in range(count)]
        return f"sum([{', '.join(terms)}])" if many else " + ".join(terms) or "0"
    if not many:
        return " + ".join(map(term, range(count))) or "0"
    return " + ".join([*map(term, range(_SHOWN_OF_MANY)), by.dots, term(count - 1)])


@dataclass(frozen=True)
class Grouped(Term):
    """A term in parentheses."""

    inner: Term

    def shown(self, by: Notation, digits: int) -> str:
        """Return it in parentheses."""
        return by.brackets.format(self.inner.shown(by, digits))


@dataclass(frozen=True)
class Difference(Term):
    """One term minus another."""

    first: Term
    second: Term

    def shown(self, by: Notation, digits: int) -> str:
        """Return both with a minus sign between them."""
        return f"{self.first.shown(by, digits)}{by.minus}{self.second.shown(by, digits)}"


@dataclass(frozen=True)
class Quotient(Term):
    """One term over another."""

    above: Term
    below: Term

    def shown(self, by: Notation, digits: int) -> str:
        """Return both with a slash between them, or a fraction, whose numerator needs no parentheses."""
        above = self.above.inner if by is LATEX and isinstance(self.above, Grouped) else self.above
        return by.fraction.format(above.shown(by, digits), self.below.shown(by, digits))


@dataclass(frozen=True)
class Formula:
    """A quantity by its symbol, the formula that it follows from, and the number in its cell."""

    symbol: str
    symbol_latex: str
    term: Term
    cell: float

    def text(self, digits: int = 4) -> str:
        """Return such as ``c₁ = 0.434 · (−0.075) + … = −0.475``; a formula that is a number is left out."""
        return self._shown(self.symbol, PLAIN, digits)

    def latex(self, digits: int = 4) -> str:
        """Return the same in LaTeX, without signs for mathematics around it."""
        return self._shown(self.symbol_latex, LATEX, digits)

    def python(self) -> str:
        """Return the formula as a Python expression that evaluates to the cell."""
        return self.term.shown(PYTHON, DIGITS)

    def _shown(self, symbol: str, by: Notation, digits: int) -> str:
        if isinstance(self.term, Number):
            return f"{symbol} = {self.term.shown(by, digits).strip('()')}"
        cell = Number(self.cell).shown(by, digits).strip("()")
        return f"{symbol} = {self.term.shown(by, digits)} = {cell}"


def figure(value: float, digits: int) -> str:
    """Format a number with so many significant figures, as short as that allows, with a true minus sign.

    Whole numbers below ten million have all of their digits.
    """
    if digits >= DIGITS:
        shown = repr(float(value)).removesuffix(".0")
    else:
        shown = f"{value:.{digits}g}"
        if "e+" in shown and abs(value) < LARGE:
            shown = f"{value:.0f}"
    return "0" if float(shown) == 0 else shown.replace("-", "−", 1) if value < 0 else shown


def correlation_figure(value: float) -> str:
    """Format a correlation with three significant figures, or as many as tell it from 1."""
    shown = (figure(value, digits) for digits in range(3, 10))
    return next((text for text in shown if text not in {"1", "−1"}), figure(value, 3))


def products(ones: Sequence[float], others: Sequence[float]) -> Sum | ScalarProduct:
    """Return the formula of a scalar product."""
    if len(ones) > MOST_TERMS:
        return ScalarProduct(tuple(ones), tuple(others))
    return Sum(tuple(map(_product, ones, others)))


def _product(one: float, other: float) -> Product:
    return Product((Number(float(one)), Number(float(other))))


_LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def low(number: int) -> str:
    """Return a number as an index below the line."""
    return str(number).translate(_LOW)
