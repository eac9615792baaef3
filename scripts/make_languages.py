"""Renews the catalogues of translations from what the program says, and checks that they are complete.

``make_languages.py`` adds what is new to ``resources/locale/*.po``, takes out what is gone, and compiles;
``--check`` changes nothing, and says what is missing, wrong, or marked as not read over; ``--from FOLDER``
takes translations that are lacking from catalogues of the same names in another folder.
"""

from __future__ import annotations

import difflib
import json
import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from compile_languages import FOLDER, Entry, compile_one, read, rule_of
from languages.texts import all_texts

RULES = {"de": "n != 1", "es": "n != 1", "fr": "n > 1", "ja": "0", "zh_TW": "0"}
"""The rules of gettext by which numbers have forms of the plural."""

_CLOSE = 0.85  # likeness from which a translation is kept for a text that was changed, to be read over
_PLACE = re.compile(r"\{\w+\}")


def wanted() -> list[Entry]:
    """Return the entries of all texts, without translations."""
    return [Entry(text.one, text.many, where=where) for text, where in all_texts().items()]


def forms_of(language: str) -> int:
    """Return how many forms the plural has in a language."""
    return 1 if RULES[language] == "0" else 2


def updated(language: str, entries: list[Entry], known: list[Entry]) -> Iterator[Entry]:
    """Yield entries with the translations that are known; where a text was changed, it is to be read over."""
    by_key = {each.key: each for each in known if any(each.said)}
    gone = {key: each for key, each in by_key.items() if key not in {entry.key for entry in entries}}
    for entry in entries:
        forms = forms_of(language) if entry.plural else 1
        found, fuzzy = by_key.get(entry.key), False
        if found is None:
            close = difflib.get_close_matches(entry.key, gone, 1, _CLOSE)
            found, fuzzy = (gone[close[0]], True) if close else (None, False)
        said = found.said if found is not None and len(found.said) == forms else [""] * forms
        yield Entry(entry.text, entry.plural, said, entry.where, fuzzy or (found is not None and found.fuzzy))


def written(language: str, entries: Iterator[Entry] | list[Entry]) -> str:
    """Return the text of a catalogue."""
    quoted = partial(json.dumps, ensure_ascii=False)
    rule = f"nplurals={forms_of(language)}; plural={RULES[language]};"
    head = {"Language": language, "MIME-Version": "1.0", "Content-Type": "text/plain; charset=UTF-8"}
    head |= {"Content-Transfer-Encoding": "8bit", "Plural-Forms": rule}
    blocks = ['msgid ""\nmsgstr ""\n' + "\n".join(quoted(f"{key}: {value}\n") for key, value in head.items())]
    for each in entries:
        lines = (
            [f"#: {where}" for where in each.where]
            + ["#, fuzzy"] * each.fuzzy
            + [f"msgid {quoted(each.text)}"]
        )
        if each.plural:
            lines.append(f"msgid_plural {quoted(each.plural)}")
            lines += [f"msgstr[{number}] {quoted(said)}" for number, said in enumerate(each.said)]
        else:
            lines.append(f"msgstr {quoted(each.said[0])}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def faults(language: str, entries: list[Entry]) -> Iterator[str]:
    """Yield what is wrong with a catalogue."""
    header, *known = read(FOLDER / f"{language}.po")
    if rule_of(header) != RULES[language]:
        yield f"{language}: the rule of the plural is {RULES[language]}"
    found = {each.key: each for each in known}
    for entry in entries:
        each = found.pop(entry.key, None)
        if each is None or not all(each.said):
            yield f"{language}: not translated: {entry.text}"
        elif each.fuzzy:
            yield f"{language}: not read over: {entry.text}"
        else:
            yield from (f"{language}: {fault}: {entry.text}" for fault in _faults_of(entry, each.said))
    yield from (f"{language}: no longer said: {each.text}" for each in found.values())


def _faults_of(entry: Entry, translations: list[str]) -> Iterator[str]:
    places = set(_PLACE.findall(entry.text + entry.plural))
    for said in translations:
        if not set(_PLACE.findall(said)) <= places or (
            set(_PLACE.findall(said)) != places and not entry.plural
        ):
            yield "has other places"
        if (
            entry.text.count("&") == 1
            and re.search(r"&\w", entry.text)
            and len(re.findall(r"&\w", said)) != 1
        ):
            yield "has no key of its own (&)"
        if (entry.text[-1:] in ".…") != (said[-1:] in ".…。") and entry.text[-1:] in ".…":
            yield "ends otherwise"
        if said != said.strip():
            yield "begins or ends with a space"


def main() -> None:
    """Renew the catalogues, or check them."""
    entries = wanted()
    if "--check" in sys.argv[1:]:
        wrong = [fault for language in RULES for fault in faults(language, entries)]
        sys.exit("\n".join(wrong) or None)
    for language in RULES:
        path = FOLDER / f"{language}.po"
        others = [Path(folder) / path.name for folder in sys.argv[2:]]
        known = [each for found in (*others, path) if found.exists() for each in list(read(found))[1:]]
        now = list(updated(language, entries, known))
        path.parent.mkdir(exist_ok=True)
        path.write_text(written(language, now), "utf-8")
        compile_one(path)
        lacking = sum(not each.is_done for each in now)
        print(f"{language}: {len(now):,} texts, {lacking:,} of them not translated or read over")


if __name__ == "__main__":
    main()
