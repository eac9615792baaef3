"""What the plot of size and quality says in words. No Qt here."""

from __future__ import annotations

from collections.abc import Sequence

from pcaimage.gui.tabs.curve.figures import CurveData, Present, quality, size
from pcaimage.insight.words import file_size


def figures(data: CurveData, k: int, present: Present) -> str:
    """Return what is known of a k.

    Parameters
    ----------
    data : CurveData
        The curves.
    k : int
        Counted from 1.
    present : Present
        What is known of the setting.

    Returns
    -------
    str
        Such as ``"k = 24 · ≈ 41.2 KB · ≈ 34.10 dB"``; empty without a curve.
    """
    curve = data.curve
    if curve is None or not 1 <= k <= data.most:
        return ""
    known = present if present.k == k else Present()
    n_bytes = known.n_bytes if known.n_bytes is not None else float(curve.n_bytes[k - 1])
    parts = [f"k = {k}", size(n_bytes, exact=curve.exact or "n_bytes" in known.measured)]
    value = getattr(known, data.shown, None)
    if value is None and data.y.size:
        value = float(getattr(curve, data.shown)[k - 1])
    if value is not None:
        certain = data.shown == "share" or data.shown in known.measured
        parts.append(("" if certain else "≈\u00a0") + quality(value, data.shown))
    if data.shown == "share":
        parts[-1] += f" {curve.of}"
    if data.original is not None and n_bytes > data.original:
        parts.append("larger than the original")
    return " · ".join(parts)


def rivals_at(data: CurveData, k: int, present: Present) -> str:
    """Return what other codecs make of as many bytes.

    Parameters
    ----------
    data : CurveData
        The curves.
    k : int
        Counted from 1.
    present : Present
        What is known of the setting.

    Returns
    -------
    str
        Such as ``"at this size: JPEG 32.0, WebP 33.1 dB"``; empty where no curve of theirs reaches.
    """
    if data.curve is None or not 1 <= k <= data.most or data.shown == "share":
        return ""
    n_bytes = float(data.curve.n_bytes[k - 1])
    if present.k == k and present.n_bytes is not None:
        n_bytes = present.n_bytes
    digits, unit = (3, "") if data.shown == "ssim" else (1, "\u00a0dB")
    found = [(each.title, each.at(n_bytes, data.shown)) for each in data.references]
    texts = [f"{title} {value:.{digits}f}" for title, value in found if value is not None]
    return f"at this size: {', '.join(texts)}{unit}" if texts else ""


def original_words(data: CurveData) -> str:
    """Return the original's size, and from which k on the file is larger.

    Parameters
    ----------
    data : CurveData
        The curves.

    Returns
    -------
    str
        Such as ``"original PNG, 493 KB · larger from k = 171"``; empty without an original.
    """
    if data.original is None:
        return ""
    crossing = data.curve.crossing(data.original) if data.curve is not None else None
    larger = "" if crossing is None else f" · larger from k = {crossing}"
    return f"{data.original_name}, {file_size(data.original)}{larger}"


def summary(data: CurveData, present: Present) -> str:
    """Return the plot in words, for who does not see it.

    Parameters
    ----------
    data : CurveData
        The curves.
    present : Present
        The setting.

    Returns
    -------
    str
        Some sentences; empty without a curve.
    """
    curve = data.curve
    if curve is None:
        return ""
    parts = [figures(data, present.k, present), rivals_at(data, present.k, present)]
    sentences = [" · ".join(part for part in parts if part) or "No k is chosen"]
    ends = [figures(data, k, Present()) for k in (1, data.most)]
    sentences.append(f"The curve goes from {ends[0]} to {ends[1]}")
    if data.elbow is not None:
        sentences.append(f"Its elbow is at {figures(data, data.elbow, Present())}")
    if data.original is not None:
        crossing = curve.crossing(data.original)
        size_text = f"the {data.original_name} of {file_size(data.original)}"
        if crossing is None:
            sentences.append(f"All files are smaller than {size_text}")
        else:
            sentences.append(f"From k = {crossing} on the file is larger than {size_text}")
    return ". ".join(sentences) + "."


def hindrances(reasons: dict[str, str], titles: dict[str, str]) -> str:
    """Say in one sentence for each reason which codecs have no curve.

    Parameters
    ----------
    reasons : dict
        A sentence for each of them, which begins with its title.
    titles : dict
        What each is called.

    Returns
    -------
    str
        Such as ``"JPEG and WebP hold 8 bits a channel here, not 16."``; empty without any.
    """
    grouped = dict[str, list[str]]()
    for name, reason in reasons.items():
        grouped.setdefault(reason.removeprefix(titles[name]), []).append(titles[name])
    sentences = []
    for rest, names in grouped.items():
        several = rest.replace(" holds ", " hold ", 1).replace(" is ", " are ", 1)
        sentences.append(_listed(names) + (rest if len(names) == 1 else several))
    return " ".join(sentences)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
