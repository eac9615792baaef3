"""What an action and a submenu are, as data."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QKeySequence

Key = str | QKeySequence.StandardKey


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One thing that the user can ask for.

    Parameters
    ----------
    name : str
        How the code calls it, and its icon unless ``icon`` says otherwise.
    text : str
        What menus call it, with its mnemonic; ``…`` if a dialog follows.
    tip : str
        One sentence of explanation.
    keys : tuple
        Shortcuts; the first that exists on the platform is shown.
    icon : str or None
        File name in ``icons/`` without ``.svg``; empty for none, None for ``name``.
    group : str
        Actions of one group are checkable, and exactly one of them is checked.
    checkable : bool
        Whether it can be switched on and off.
    enabled_when : str
        The flag of the window's state without which it is greyed out; empty for always.
    label : str
        What stands beside its icon in the toolbar; empty for the icon alone.
    """

    name: str
    text: str
    tip: str
    keys: tuple[Key, ...] = ()
    icon: str | None = None
    group: str = ""
    checkable: bool = False
    enabled_when: str = ""
    label: str = ""

    @property
    def icon_name(self) -> str:
        """The icon's file name, or an empty string."""
        return self.name if self.icon is None else self.icon


@dataclass(frozen=True, slots=True)
class SubmenuSpec:
    """A menu within a menu.

    Parameters
    ----------
    name : str
        How the code calls it, and its icon.
    text : str
        What the menu above calls it.
    items : tuple of str
        Names of actions; none if the window fills it with what it knows only later.
    """

    name: str
    text: str
    items: tuple[str, ...] = ()
