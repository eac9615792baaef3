"""The formulas of the steps, which follow the convention."""

from __future__ import annotations

from pcaimage.insight.numeric import Convention, Divisor


def step_formula(step: str, by: Convention) -> str:
    """Return the formula of a step by a convention; x̃ is a sample as the PCA sees it."""
    centred = "x − x̄" if by.centre else "x"
    prepared = f"({centred}) / σ" if by.standardized and by.centre else centred + " / σ" * by.standardized
    over = {Divisor.N_MINUS_1: " / (n − 1)", Divisor.N: " / n", Divisor.NONE: ""}[by.divisor]
    squares = f"σ² = Σ (x − x̄)² / {'n' if by.sigma.value == 'n' else '(n − 1)'}"
    return {
        "data": "X: n samples × d features",
        "centre": centred if by.centre else "x, the mean left in",
        "standardise": f"x̃ = {prepared}, {squares if by.standardized else 'not divided by σ'}",
        "covariance": f"C = X̃ᵀX̃{over}, x̃ = {prepared}",
        "turn": f"{by.squares} + error = trace",
        "diagonal": "V C Vᵀ = Λ",
        "power": "w ← C w / ‖C w‖",
        "encode": f"c = V ({prepared})" if len(prepared) > 1 else "c = V x",
        "decode": f"x̂ = {'x̄ + ' * by.centre}{'σ · ' * by.standardized}Σ cⱼ vⱼ",
        "keep": "Σ λ₁…λₖ / Σ λ ≥ 0.95",
        "take": "x̃ ← x̃ − (x̃ᵀw) w",
        "biplot": "x̃ᵀv / √λ and √λ · v",
        "cost": f"{numbers_formula(by)} numbers",
    }[step]


def numbers_formula(by: Convention) -> str:
    """Return how many numbers k axes take: scores and axes, and what undoes centring and scaling."""
    return "k (n + d)" + ("", " + d", " + 2 d")[by.centre + by.standardized]
