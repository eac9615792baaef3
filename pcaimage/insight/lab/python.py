"""The library's side of each step: a few lines of Python, which follow each other."""

from __future__ import annotations

PYTHON: dict[str, str] = {
    "data": """\
import numpy as np
X = np.loadtxt("data.csv", delimiter=",", skiprows=1)
n, d = X.shape""",
    "centre": """\
mean = X.mean(axis=0)
Xc = X - mean""",
    "standardise": """\
sigma = X.std(axis=0, ddof=1)
Z = Xc / np.where(sigma > 0, sigma, 1)  # go on with Z instead of Xc""",
    "covariance": """\
C = Xc.T @ Xc / (n - 1)  # np.cov(X.T)""",
    "turn": """\
angle = np.radians(30)
w = np.zeros(d)
w[:2] = np.cos(angle), np.sin(angle)
variance = w @ C @ w
error = np.trace(C) - variance""",
    "diagonal": """\
from pcaimage.insight.lab import Basis
basis = Basis.of_features(C)
while basis.off_diagonal > 1e-9 * np.trace(C):
    i, j = basis.largest()
    basis = basis.turned(i, j, basis.best_angle(i, j))""",
    "power": """\
w = np.random.default_rng(0).standard_normal(d)
for _ in range(100):
    w = C @ w
    w /= np.linalg.norm(w)""",
    "encode": """\
from pcaimage.pca import PCA
pca = PCA().fit(X)
V = pca.components_
codes = pca.transform(X)  # Xc @ V.T""",
    "decode": """\
k = 1
X_hat = mean + codes[:, :k] @ V[:k]
whole, kept = (Xc**2).sum(axis=1), (codes[:, :k] ** 2).sum(axis=1)
left = ((X - X_hat) ** 2).sum(axis=1)  # whole = kept + left""",
    "keep": """\
shares = np.cumsum(pca.explained_variance_ratio_)
k = int(np.argmax(shares >= 0.95)) + 1""",
    "take": """\
rest = Xc - np.outer(Xc @ w, w)
before, after = np.trace(C), np.trace(rest.T @ rest) / (n - 1)
along = before - after""",
    "biplot": """\
deviations = np.sqrt(pca.explained_variance_)
arrows = V.T * deviations
points = codes / np.where(deviations > 1e-9, deviations, 1)  # points @ arrows.T = Xc""",
    "cost": """\
step = 0.1
rounded = np.round(codes[:, :k] / step) * step
numbers = k * (n + d) + d
lost = ((Xc - codes[:, :k] @ V[:k]) ** 2).mean()
by_rounding = ((codes[:, :k] - rounded) ** 2).sum() / (n * d)""",
}
"""Code for each step, which goes on with the names of the steps before it."""
