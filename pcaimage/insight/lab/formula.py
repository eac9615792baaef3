"""Formulas with numbers, as text, LaTeX and Python."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

MOST_TERMS = 12
"""Terms of a sum that are written out for people; of a longer one the first few and the last."""

_SHOWN_OF_MANY = 4

DIGITS = 17
"""Figures that tell a number from every other."""

LARGE = 1e7
"""The least magnitude that is shown with a power of ten."""


class Term(ABC):
    """A part of a formula."""

    @property
    @abstractmethod
    def value(self) -> float:
        """The number that it stands for."""

    @abstractmethod
    def text(self, digits: int) -> str:
        """Return it for people, with so many significant figures."""

    @abstractmethod
    def latex(self, digits: int) -> str:
        """Return it in LaTeX."""

    @abstractmethod
    def python(self) -> str:
        """Return it as an expression in Python, in full precision and without leaving anything out."""


@dataclass(frozen=True)
class Number(Term):
    """A number, which has these significant figures at least: all of them if it was typed."""

    number: float
    digits: int = 0

    @property
    def value(self) -> float:
        """The number."""
        return self.number

    def text(self, digits: int) -> str:
        """Return the number; a negative one in parentheses."""
        shown = figure(self.number, max(digits, self.digits))
        return f"({shown})" if shown.startswith("−") else shown

    def latex(self, digits: int) -> str:
        """Return the number in LaTeX."""
        shown, _, power = figure(self.number, max(digits, self.digits)).replace("−", "-").partition("e")
        found = rf"{shown} \cdot 10^{{{int(power)}}}" if power else shown
        return f"({found})" if found.startswith("-") else found

    def python(self) -> str:
        """Return the number's shortest exact text."""
        return f"({self.number!r})" if self.number < 0 else repr(float(self.number))


@dataclass(frozen=True)
class Product(Term):
    """A product of terms."""

    factors: tuple[Term, ...]

    @property
    def value(self) -> float:
        """The product of the factors."""
        return math.prod(factor.value for factor in self.factors)

    def text(self, digits: int) -> str:
        """Return the factors with dots between them."""
        return " · ".join(factor.text(digits) for factor in self.factors)

    def latex(self, digits: int) -> str:
        """Return the factors in LaTeX."""
        return r" \cdot ".join(factor.latex(digits) for factor in self.factors)

    def python(self) -> str:
        """Return the factors with asterisks between them."""
        return " * ".join(factor.python() for factor in self.factors)


@dataclass(frozen=True)
class Sum(Term):
    """A sum of terms, in parentheses within other terms."""

    terms: tuple[Term, ...]

    @property
    def value(self) -> float:
        """The sum of the terms."""
        return math.fsum(term.value for term in self.terms)

    def text(self, digits: int) -> str:
        """Return the terms with plus signs between them."""
        return " + ".join(self._shown([term.text(digits) for term in self.terms], "…")) or "0"

    def latex(self, digits: int) -> str:
        """Return the terms in LaTeX."""
        return " + ".join(self._shown([term.latex(digits) for term in self.terms], r"\dots")) or "0"

    def python(self) -> str:
        """Return all terms; many of them as a list, since a chain of plus signs may only be so long."""
        terms = [term.python() for term in self.terms]
        if len(terms) > MOST_TERMS:
            return f"sum([{', '.join(terms)}])"
        return " + ".join(terms) or "0"

    def _shown(self, terms: list[str], dots: str) -> list[str]:
        if len(terms) <= MOST_TERMS:
            return terms
        return [*terms[:_SHOWN_OF_MANY], dots, terms[-1]]


@dataclass(frozen=True)
class Grouped(Term):
    """A term in parentheses."""

    inner: Term

    @property
    def value(self) -> float:
        """The value of what is inside."""
        return self.inner.value

    def text(self, digits: int) -> str:
        """Return it in parentheses."""
        return f"({self.inner.text(digits)})"

    def latex(self, digits: int) -> str:
        """Return it in LaTeX's growing parentheses."""
        return rf"\left({self.inner.latex(digits)}\right)"

    def python(self) -> str:
        """Return it in parentheses."""
        return f"({self.inner.python()})"


@dataclass(frozen=True)
class Difference(Term):
    """One term minus another."""

    first: Term
    second: Term

    @property
    def value(self) -> float:
        """The difference."""
        return self.first.value - self.second.value

    def text(self, digits: int) -> str:
        """Return both with a minus sign between them."""
        return f"{self.first.text(digits)} − {self.second.text(digits)}"

    def latex(self, digits: int) -> str:
        """Return both in LaTeX."""
        return f"{self.first.latex(digits)} - {self.second.latex(digits)}"

    def python(self) -> str:
        """Return both in Python."""
        return f"{self.first.python()} - {self.second.python()}"


@dataclass(frozen=True)
class Quotient(Term):
    """One term over another."""

    above: Term
    below: Term

    @property
    def value(self) -> float:
        """The quotient."""
        return self.above.value / self.below.value

    def text(self, digits: int) -> str:
        """Return both with a slash between them."""
        return f"{self.above.text(digits)} / {self.below.text(digits)}"

    def latex(self, digits: int) -> str:
        """Return a fraction."""
        above = self.above.inner if isinstance(self.above, Grouped) else self.above
        return rf"\frac{{{above.latex(digits)}}}{{{self.below.latex(digits)}}}"

    def python(self) -> str:
        """Return both with a slash between them."""
        return f"{self.above.python()} / {self.below.python()}"


@dataclass(frozen=True)
class Formula:
    """A quantity by its symbol, the formula that it follows from, and the number in its cell."""

    symbol: str
    symbol_latex: str
    term: Term
    cell: float

    def text(self, digits: int = 4) -> str:
        """Return such as ``c₁ = 0.434 · (−0.075) + … = −0.475``; a formula that is a number is left out."""
        if isinstance(self.term, Number):
            return f"{self.symbol} = {self.term.text(digits).strip('()')}"
        cell = figure(self.cell, digits)
        return f"{self.symbol} = {self.term.text(digits)} = {cell}"

    def latex(self, digits: int = 4) -> str:
        """Return the same in LaTeX, without signs for mathematics around it."""
        if isinstance(self.term, Number):
            return f"{self.symbol_latex} = {self.term.latex(digits).strip('()')}"
        cell = Number(self.cell).latex(digits).strip("()")
        return f"{self.symbol_latex} = {self.term.latex(digits)} = {cell}"

    def python(self) -> str:
        """Return the formula as a Python expression that evaluates to the cell."""
        return self.term.python()


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


@dataclass(frozen=True)
class ScalarProduct(Term):
    """A sum of many products, which makes terms of those only that are shown."""

    ones: Sequence[float] = field(repr=False)
    others: Sequence[float] = field(repr=False)

    @property
    def value(self) -> float:
        """The sum of the products."""
        return math.fsum(one * other for one, other in zip(self.ones, self.others, strict=True))

    def text(self, digits: int) -> str:
        """Return the first few products and the last."""
        first, last = self._shown()
        return f"{first.text(digits)} + … + {last.text(digits)}"

    def latex(self, digits: int) -> str:
        """Return the first few products and the last in LaTeX."""
        first, last = self._shown()
        return rf"{first.latex(digits)} + \dots + {last.latex(digits)}"

    def python(self) -> str:
        """Return all products in a list, since a chain of plus signs may only be so long."""
        terms = [products([one], [other]).python() for one, other in zip(self.ones, self.others, strict=True)]
        return f"sum([{', '.join(terms)}])"

    def _shown(self) -> tuple[Term, Term]:
        first = products(self.ones[:_SHOWN_OF_MANY], self.others[:_SHOWN_OF_MANY])
        return first, products(self.ones[-1:], self.others[-1:])


def products(ones: Sequence[float], others: Sequence[float]) -> Sum | ScalarProduct:
    """Return the formula of a scalar product."""
    if len(ones) > MOST_TERMS:
        return ScalarProduct(tuple(ones), tuple(others))
    return Sum(
        tuple(
            Product((Number(float(one)), Number(float(other))))
            for one, other in zip(ones, others, strict=True)
        )
    )


_LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def low(number: int) -> str:
    """Return a number as an index below the line."""
    return str(number).translate(_LOW)
