"""The language in which the program speaks.

Sentences are written in English where they arise, and translated where they are shown: window and command
line call :func:`tr` with all that they show; what is computed, kept, logged or raised stays English. A
finished sentence is found in the catalogue by its pattern, such as ``{name} is empty.``; what stands for
``{name}`` is translated in turn, and numbers get the signs of the language. The library speaks English.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from gettext import c2py
from itertools import chain
from operator import itemgetter

from pcaimage.machine.folders import asset

ENGLISH, ENGLISH_SIGNS = "en", ".,"

LANGUAGES = {ENGLISH: "English", "de": "Deutsch", "es": "Español", "fr": "Français"}
LANGUAGES |= {"ja": "日本語", "zh_TW": "繁體中文"}
"""The languages that there are, each by its own name."""

SIGNS = {"de": ",.", "es": ",.", "fr": ",\u202f, |\u00a0; |\u00a0: "}
SIGNS |= {"ja": ".,、|；|：", "zh_TW": ".,，|；|："}
"""The signs before decimals and between thousands, of languages in which they are not those of English, and
comma, semicolon and colon with their spaces where these are others."""

PLACE = re.compile(r"\{(\w+)\}")
"""Matches what stands in a pattern for a part of the sentence."""

PLURAL = "\0"  # between singular and plural in the keys of a catalogue

_WORD = re.compile(r"(?<![\w{}])[^\W\d_]{2,}(?![\w{}])")
_NUMBER = re.compile(r"[^\w.,]*(\d{1,3}(,\d{3})+|\d+)(\.\d+)?(e[+-]\d+)?(\W{,3}[^\W\d]{,3}\W?)?")
_DIGITS = re.compile(r"\d{1,3}(,\d{3})*(\.\d+)?")
_UNIT = re.compile(r"(?<=\u00a0)\w+$")
_WITH_UNIT = re.compile(r"(?<![\w.,])\d{1,3}(,\d{3})*(\.\d+)?\u00a0\w*")
_TIP = re.compile(r"(.*)( \([^()]+\))\.")  # what an action does, and its keys
_KEY = re.compile(r"\(&\w\)|&(?=\w)")  # the key of an action in a menu, or what stands before its letter
_LINES = re.compile(r"( · |\n+|\u2009▾| {2,})")
_BETWEEN = (
    r"((?<=[.!?…]) +|; |: )",
    r"(;;|, | \(|\)| = |Δ |…$)",
    r"( )(?=(?:[≈<].)?[−+±\d][\d.,]*\u00a0\S+$)",
)
"""What is between the parts of a text that no pattern matches, the last before a number with its unit."""
_FEW = 8  # letters of a pattern up to which its parts are words, numbers, or said by themselves
_GIVEN = re.compile(r"(names|value|labels?|one|other|preset|sample_names)(_\d)?=(?!\W?\d)\S+(, \S+)*")
"""Matches the name of a place, and what stands there, if those are a user's own words."""
_MOST_KEPT = 20_000

Said = str | list[str]
"""A translation, or those for the forms of a plural."""


class Own(str):
    """A word of the user's own, such as the name of a preset or column: it is not translated."""

    __slots__ = ()


class Catalogue:
    """Translates finished English texts, given translations by their patterns.

    `signs` are as in :data:`SIGNS`, `plural` is the rule of gettext's header.
    """

    def __init__(self, found: Mapping[str, Said], signs: str = ENGLISH_SIGNS, plural: str = "n != 1") -> None:
        self._signs, self._form = str.maketrans(ENGLISH_SIGNS, signs[:2]), c2py(plural)
        self._joins = dict(zip((", ", "; ", ": "), filter(None, signs[2:].split("|")), strict=False))
        self._whole, self._kept, self.meanings = dict[str, str](), dict[str, str](), dict[str, str]()
        self.invertible = False  # if so, what is said has one meaning, by unseen joiners if need be
        self._patterns = dict[str, list[tuple[int, str, Said]]]()
        """The patterns by their longest words, each with its place among all, those of most letters first."""
        for rank, key in enumerate(sorted(found, key=lambda each: -len(PLACE.sub("", each)))):
            said = found[key]
            for pattern in key.split(PLURAL):
                if PLACE.search(pattern):
                    word = max(_WORD.findall(pattern), key=len, default="")
                    self._patterns.setdefault(word, []).append((rank, pattern, said))
                elif isinstance(said, str):
                    self._whole[pattern] = said
                    self._whole.setdefault(_KEY.sub("", pattern), _KEY.sub("", said))

    def said(self, text: str) -> str:
        """Return a text in the language; what is not in the catalogue, or was said, stays as it is."""
        if text in self.meanings:  # what was said, and what it means in English
            return text
        said = self._kept.get(text)  # threads ask, too
        if said is None:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
                self.meanings.clear()
            said = self._found(text)
            while self.meanings.setdefault(said, text) != text and self.invertible:
                said += "\u2060"
            self._kept[text] = said
        return said

    def _found(self, text: str) -> str:
        if text in self._whole:
            return self._whole[text]
        if _NUMBER.fullmatch(text):
            return self._numbered(text)
        if (bare := text.strip()) != text:
            return text.replace(bare, self.said(bare)) if bare else text
        whole = None if _LINES.search(text) else self._by_pattern(text)
        return self._by_parts(text) if whole is None else whole

    def _numbered(self, text: str) -> str:
        """Return a number with the signs and the unit of the language."""
        said = _DIGITS.sub(lambda number: number[0].translate(self._signs), text)
        return _UNIT.sub(lambda unit: self._whole.get(unit[0], unit[0]), said)

    def _by_pattern(self, text: str) -> str | None:
        """Return the translation by the pattern with the most letters that matches; None if there is none."""
        if (tip := _TIP.fullmatch(text)) and (said := self._whole.get(f"{tip[1]}.")):
            return f"{said.rstrip('.。')}{tip[2]}."
        words = {*_WORD.findall(text), ""}
        known = chain.from_iterable(self._patterns.get(word, ()) for word in words)
        for _, pattern, found in sorted(known, key=itemgetter(0)):
            match, form = _matcher(pattern).fullmatch(text), found
            if not match or (len(PLACE.sub("", pattern)) < _FEW and not all(map(self._fits, match.groups()))):
                continue
            if not isinstance(form, str):
                counts = (each.replace(",", "") for each in match.groups())
                number = next((int(each) for each in counts if each.isdecimal()), None)
                if number is None:
                    continue
                form = form[self._form(number)]
            given = {name for name, part in match.groupdict().items() if _GIVEN.fullmatch(f"{name}={part}")}
            pieces = PLACE.split(form)
            pieces[1::2] = [match[name] if name in given else self.said(match[name]) for name in pieces[1::2]]
            return "".join(pieces)
        return None

    def _fits(self, part: str) -> bool:
        """Return whether a part is a word or a number, or something is known to be said for it."""
        known = " " not in part or part in self._whole or _NUMBER.fullmatch(part)
        return bool(known) or self.said(part) != part

    def _by_parts(self, text: str) -> str:
        """Return the text with its parts translated, or as if its first letter or full stop were others."""
        for between in (_LINES, *map(re.compile, _BETWEEN)):
            if len(pieces := between.split(text)) > 1:
                numeric = [_NUMBER.fullmatch(each) for each in pieces[::2]]
                pieces[::2] = [each and self.said(each) for each in pieces[::2]]
                for place, join in enumerate([] if "</" in text else pieces[1::2]):  # markup has other signs
                    if pieces[2 * place].endswith(" "):  # 18.2 : 1
                        continue
                    if not (join == ", " and numeric[place] and numeric[place + 1]):
                        pieces[2 * place + 1] = self._joins.get(join, join)
                    elif "." in text and self._signs[ord(".")] == ord(","):  # 1,5; 2
                        pieces[2 * place + 1] = "; "
                return "".join(pieces).replace("。 ", "。")
        if (whole := self._whole.get(f"{text}.")) is not None:
            return whole.rstrip(".。")
        other = self._whole.get(text[:1].swapcase() + text[1:]) if text[1:] else None  # no "b" for "B"
        if other is None:
            return _WITH_UNIT.sub(lambda number: self._numbered(number[0]), text)
        return other[:1].upper() + other[1:] if text[:1].isupper() else other


@cache
def _matcher(pattern: str) -> re.Pattern[str]:
    """Return what matches the sentences of a pattern; a part that stands twice is the same in both places."""
    pieces, known = PLACE.split(pattern), set[str]()
    part = r"(?:(?![.,;:!?] ).)*" if len("".join(pieces[::2])) < _FEW else ".*"
    pieces[::2] = map(re.escape, pieces[::2])
    for index in range(1, len(pieces), 2):
        name, beside = pieces[index], pieces[index + 1] == "\\ " and index + 2 < len(pieces)
        # A number with its unit may follow; it has no ordinary space in it.
        pieces[index] = f"(?P={name})" if name in known else f"(?P<{name}>{part}{'' if beside else '?'})"
        known.add(name)
    return re.compile("".join(pieces), re.DOTALL)


_in_use = [(ENGLISH, Catalogue({}))]  # global like a locale: it applies to all that is shown


def tr(text: str) -> str:
    """Return an English text in the language in use, with the signs that numbers have in it."""
    language, catalogue = _in_use[0]
    return text if language == ENGLISH or isinstance(text, Own) else catalogue.said(text)


def in_use() -> tuple[str, Catalogue]:
    """Return the language in use, English unless :func:`use` was called, and its catalogue."""
    return _in_use[0]


def language_tag() -> str:
    """Return the language in use as HTML names it."""
    return {ENGLISH: "en-GB"}.get(_in_use[0][0], _in_use[0][0].replace("_", "-"))


def use(language: str, *, signs: str = "", catalogue: Catalogue | None = None) -> None:
    """Speak one of :data:`LANGUAGES`, perhaps with other signs, or another language by its catalogue."""
    _in_use[0] = language, catalogue or _read(language, signs)


@contextmanager
def spoken(language: str = "") -> Iterator[None]:
    """Speak a language, or the one in use, with its own signs in numbers, to the end of a block."""
    before = _in_use[0]
    use(language or before[0])
    try:
        yield
    finally:
        _in_use[0] = before


def chosen(names: Iterable[str] = ()) -> str:
    """Return the language that the environment asks for; if it asks for none, the first of some names.

    Names are such as ``de_AT.UTF-8`` or ``zh-Hant-TW``. English is spoken where none is named.
    """
    for name in [*_environment()] or names:
        first, *others = name.partition(".")[0].partition("@")[0].replace("-", "_").split("_")
        if first in {"C", "POSIX"}:
            break
        if first == "zh" and {"TW", "HK", "MO", "Hant"} & set(others):
            return "zh_TW"
        if first in LANGUAGES:
            return first
    return ENGLISH


def _environment() -> Iterator[str]:
    """Yield the names of languages in the environment, those first that are asked first."""
    given = os.environ.get
    locale = given("LC_ALL") or given("LC_MESSAGES") or given("LANG") or ""
    several = "" if locale.partition(".")[0] in {"C", "POSIX"} else given("LANGUAGE", "")
    yield from filter(None, [given("PCAIMAGE_LANGUAGE"), *several.split(":"), locale])
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415 - Windows alone is asked so
        from locale import windows_locale  # noqa: PLC0415 - as above

        yield windows_locale.get(ctypes.windll.kernel32.GetUserDefaultUILanguage(), "")


def _read(language: str, signs: str) -> Catalogue:
    """Return the catalogue of a language; without one, all stays English."""
    try:
        text = asset("resources", "locale", f"{language}.json").read_text("utf-8")
    except FileNotFoundError:
        text = '{"found": {}}'
    signs += SIGNS.get(language, ENGLISH_SIGNS)[len(signs) :]
    return Catalogue(**json.loads(text), signs=signs)
