"""Compiles catalogues of translations, ``resources/locale/*.po``, into what the program reads, ``*.json``.

It needs nothing but Python, as the package is built with it. Entries that nobody has read over (fuzzy), and
those without a translation, are left out: the program then speaks English.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "resources" / "locale"
PLURAL = "\0"
"""Stands between singular and plural in the keys of what the program reads."""

_LINE = re.compile(r'(?:(msg\w+)(?:\[(\d)\])? )?("(?:[^"\\]|\\.)*")')


@dataclass
class Entry:
    """A text, its plural if it has one, and its translations: one, or those of all forms."""

    text: str
    plural: str = ""
    said: list[str] = field(default_factory=list)
    where: list[str] = field(default_factory=list)
    fuzzy: bool = False

    @property
    def key(self) -> str:
        """What identifies it."""
        return f"{self.text}{PLURAL}{self.plural}" if self.plural else self.text

    @property
    def is_done(self) -> bool:
        """Whether it can be used."""
        return bool(self.said) and all(self.said) and not self.fuzzy


def read(path: Path) -> Iterator[Entry]:
    """Yield the entries of a catalogue; the first, of an empty text, is its header."""
    for block in re.split(r"\n\s*\n", path.read_text("utf-8")):
        entry, field_ = Entry(""), ""
        for line in block.splitlines():
            if line.startswith("#:"):
                entry.where += line[2:].split()
            elif line.startswith("#,"):
                entry.fuzzy |= "fuzzy" in line
            elif match := _LINE.fullmatch(line.strip()):
                field_ = match[1] or field_
                text = json.loads(match[3])
                if field_ == "msgid":
                    entry.text += text
                elif field_ == "msgid_plural":
                    entry.plural += text
                elif match[1]:
                    entry.said.append(text)
                else:
                    entry.said[-1] += text
        if entry.said:
            yield entry


def rule_of(header: Entry) -> str:
    """Return the rule by which a number has one of the plural's forms, from the header of a catalogue."""
    found = re.search(r"plural=([^;]*);", header.said[0])
    return found[1].strip() if found else "n != 1"


def compile_one(path: Path) -> None:
    """Compile a catalogue, unless what was compiled is newer."""
    target = path.with_suffix(".json")
    if target.exists() and target.stat().st_mtime_ns > path.stat().st_mtime_ns:
        return
    header, *entries = read(path)
    found = {each.key: each.said if each.plural else each.said[0] for each in entries if each.is_done}
    text = json.dumps({"found": found, "plural": rule_of(header)}, ensure_ascii=False, separators=(",", ":"))
    target.write_text(text + "\n", "utf-8")


def main() -> None:
    """Compile all catalogues."""
    for path in sorted(FOLDER.glob("*.po")):
        compile_one(path)


if __name__ == "__main__":
    main()
