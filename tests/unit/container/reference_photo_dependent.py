"""Scores in half steps, dependent or not, for :mod:`tests.unit.container.reference_photo`: P12."""

from __future__ import annotations

from itertools import product

from tests.unit.container.reference_photo_models import Models, clamp
from tests.unit.container.reference_photo_slice import Score, Slice

DEPENDENT_CONTEXTS = [3780, 1500, 8000, 6000, 2400]
NEXT = [(0, 1), (3, 2), (5, 4), (6, 7), (1, 0), (2, 3), (4, 5), (7, 6)]


class DependentSlice(Slice):
    """All scores of a slice, in half steps."""

    LOUDEST = 31

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.size *= 2
        self.quiet = Models(self.tables, "quiet", 255)
        self.quantizer = 0

    def next(self, state: int, index: int) -> int:
        return NEXT[state][index % 2] if self.dependent else 0

    def halves(self, j: int, row: int, column: int) -> int:
        return min(abs(self.scores[j].get((row, column), 0)), 31)

    def known(self, j: int | None, row: int, column: int) -> int:
        """Return A."""
        return 0 if j is None else (self.halves(j, row, column) + 1) // 2

    def told(self, _row: int, _column: int) -> int:
        """P18: what a network expects of a score of the component that is being decoded."""
        return 0

    def further_contexts(self, _score: Score) -> list[int]:
        """P18."""
        return []

    def component(self, j: int) -> None:
        self.scores.append({})
        place, related = self.components[j].place, self.relatives(j)
        causal = self.tables["causal"][place].tolist()
        state = 0
        for row, column in product(*map(range, self.grid)):
            blocks = ((row - 1, column), (row, column - 1), (row - 1, column - 1), (row - 1, column + 1))
            t, y, x, z = (self.known(j, *block) for block in blocks)
            busy = 2 * t + 2 * y + x + z
            before = sum(
                self.halves(j, *block) * weight for block, weight in zip(blocks, causal, strict=True)
            )
            size, same, value = (
                int(array[row, column, j]) >> 1 for array in (self.size, self.same, self.value)
            )
            before >>= 1
            b, least, self.quantizer = self.bin(size + before), 0, state % 2
            told = self.told(row, column)
            if b < 4 and busy == 0 and abs(told) < 64:
                model = 4 * (2 * place + self.quantizer) + b
                least = self.coder.bit(self.quiet.chance(model, 2))
                self.quiet.learn(model, least, 1000)
                if not least:
                    state = self.next(state, 0)
                    continue
            value = clamp(value + told, -32767, 32767)
            score = Score(j, row, column, b, same, size, value, before, busy, told)
            index = min(self.magnitude(score, least, related), self.largest)
            state, quantizer = self.next(state, index), self.quantizer
            if index:
                sign = 1 if self.sign(score, index, related) > 0 else -1
                self.scores[j][row, column] = sign * (2 * index - quantizer)
                self.spread(j, row, column, sign * (2 * index - quantizer))

    def magnitude(self, score: Score, least: int, related: list[int | None]) -> int:
        component, b, s = self.components[score.j], score.b, self.quantizer
        h, place = component.kind, component.place
        g = 4 * h + min((component.u + component.v) // 2, 3)
        o, r = self.bin(score.same), self.bin(score.size - score.same)
        t = self.bin(score.before)
        first, second, third = (self.known(i, score.row, score.column) for i in related[:3])
        contexts = [
            20 * place + b // 2,
            ((5 * min(first, 4) + min(second, 4)) * 3 + min(third, 2)) * 20 + b // 2,
            ((o // 2) * 20 + r // 2) * 20 + t // 2,
            20 * self.kin(score, related) + b // 2,
            *self.further_contexts(score),
        ]
        models = [
            16 * (2 * sum(DEPENDENT_CONTEXTS[:i]) + s * DEPENDENT_CONTEXTS[i] + context)
            for i, context in enumerate(contexts)
        ]
        return self.unary(score, least, models, 40 * s + b, 189 * s + place, g)
