"""The actions of the window with their texts and keys, as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pcaimage.gui.session.targets import PRESETS
from pcaimage.gui.shortcuts import Key, key_of
from pcaimage.machine.folders import tables


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """An action of menus, keys or the toolbar."""

    name: str  # its identifier, and the name of its icon, if it has one
    text: str  # the text in menus, with a mnemonic; it ends in ``…`` if a dialog follows
    tip: str
    keys: tuple[Key, ...] = ()  # shortcuts; the first that exists on the platform is shown
    label: str = ""  # the text beside its icon in the toolbar; empty for the icon alone


def _read() -> Iterator[ActionSpec]:
    """Read the actions; presets stand before the one that saves another."""
    for entry in tables("actions.json"):
        if entry["name"] == "save-preset":
            yield from (ActionSpec(f"preset-{name}", each.text, each.tip) for name, each in PRESETS.items())
        keys = tuple(key_of(key) for key in entry.pop("keys", ()))
        yield ActionSpec(**entry, keys=keys)


ACTIONS = tuple(_read())
"""All actions, in the order of the menus."""

QT = tables("qt.json")
ENABLED: dict[str, str] = QT["enabled"]
"""The actions that a flag enables, by the flag; the others are always enabled.

The flags are ``image`` (an image is open), ``original`` (with its original), ``fitted`` (its components are
those that were chosen), ``comparable`` (fitted, with its original), ``scored`` (fitted, with a score for each
pixel), ``left-out`` (components are left out), ``with-model`` (the basis is in a model file), ``command`` (a
command line makes the same file), ``plot`` (a plot is shown), ``stack`` (several images), ``in-file`` (with
their original), ``animation`` (with durations), ``bands`` (many bands), ``photographs`` (there is a strip),
``undoable``, ``redoable`` and ``escapable`` (a job runs or a message is shown).
"""

GROUPS = {
    "mode": "side-by-side split difference",
    "tab": "tab-1 tab-2 tab-3 tab-4 tab-5 tab-6 tab-7 tab-8 tab-9 tab-10",
    "layout": "layout-photo layout-learn layout-science",
    "theme": "theme-system theme-light theme-dark",
}
"""The groups of actions of which exactly one is checked."""

SWITCHES = "compare magnifier play enlarge-tab show-tabs show-panel full-screen"
"""The actions that are switched on and off."""
