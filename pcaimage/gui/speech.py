"""What the window says in another language than English.

The window's parts are given English texts, and Qt's classes translate them: :func:`speak` teaches them
so when a language is first chosen. What is kept stays English, so that another can be chosen at any time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from PySide6 import QtGui, QtWidgets
from PySide6.QtCore import QEvent, QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication, QWidget

from pcaimage import language
from pcaimage.machine.folders import tables

_PROPERTIES = (
    *("text", "toolTip", "statusTip", "placeholderText", "windowTitle", "title", "iconText"),
    *("accessibleName", "accessibleDescription", "prefix", "suffix"),
)
"""The properties that are shown."""
_taught = list[str]()  # global, as Qt's classes are
_translator = list[QTranslator]()


class _Rest(QTranslator):
    """Translates what Qt's own catalogues lack in its dialogs of files."""

    def translate(self, context: str, text: str, *_: object) -> str:
        """Return a text in the language; nothing if it is not known, so that Qt looks further."""
        said = language.tr(text) if context == "QFileDialog" else text
        return said if said != text else None  # type: ignore[return-value]


def speak(chosen: str, *, catalogue: language.Catalogue | None = None) -> None:
    """Show a language from now on, and change what is on the screen; an empty one is that of the system."""
    name = chosen or language.chosen(QLocale.system().uiLanguages())
    locale = QLocale(name) if chosen or name != language.ENGLISH else QLocale.system()
    QLocale.setDefault(locale)
    before, catalogue_before = language.in_use()
    if name != language.ENGLISH and not _taught:  # the command line may speak it already
        _teach()
    app = QApplication.instance()
    if not isinstance(app, QApplication) or (name == before and _translator):
        return
    language.use(name, catalogue=catalogue)
    language.in_use()[1].invertible = True
    for each in _translator:
        app.removeTranslator(each)
    translator, rest = QTranslator(app), _Rest(app)
    app.installTranslator(rest)
    if translator.load(f"qtbase_{name}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(translator)
    _translator[:] = [translator, rest]
    widgets = app.allWidgets() if name != before else []  # which speak it already
    for widget in widgets:
        widget.setLocale(locale)
        _say_again(widget, lambda text: language.tr(catalogue_before.meanings.get(text, text)))
    QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    for widget in widgets:  # what is placed by hand, or written in colours, is made anew
        widget.updateGeometry()
        for event in (QtGui.QResizeEvent(widget.size(), widget.size()), QEvent(QEvent.Type.PaletteChange)):
            QApplication.sendEvent(widget, event)


def _teach() -> None:
    """Have Qt's classes translate what they are given, by those methods that show or measure a text."""
    shown: dict[str, str] = tables("shown.json")
    for name, methods in shown.items():
        kind = getattr(QtWidgets, name, None) or getattr(QtGui, name)
        for method in methods.split():
            taught = _translating(getattr(kind, method))
            setattr(kind, method, staticmethod(taught) if method.startswith("get") else taught)
            _taught.append(method)


def _translating(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that first translates the first text, or list of texts, among its arguments."""

    @wraps(call)
    def translated(owner: object, *given: Any, **named: Any) -> Any:
        words = list(given)
        for place, each in enumerate(words):
            if isinstance(each, str | list | tuple):
                words[place] = _said(each)
                break
        words = [_said(each) if isinstance(each, str) and "(*" in each else each for each in words]
        said = {name: _said(each) if name in _PROPERTIES else each for name, each in named.items()}
        return call(owner, *words, **said)

    return translated


def _said(words: Any) -> Any:
    """Return a text, or texts, in the language in use, and all else as it is."""
    if isinstance(words, list | tuple):
        return [_said(each) for each in words]
    return language.tr(words) if isinstance(words, str) else words


def _say_again(widget: QWidget, said: Callable[[str], str]) -> None:
    """Show a widget's texts in another language; what widgets paint themselves is painted again."""
    for each in (widget, *widget.actions()):
        known = {name: each.property(name) for name in _PROPERTIES}
        kept = {"text"} if isinstance(each, QtWidgets.QLineEdit) else set[str]()
        kept |= {
            name for name in ("toolTip", "iconText") if known[name] == str(known["text"]).replace("&", "")
        }
        for name, text in known.items():
            if isinstance(text, str) and text and name not in kept:  # Qt makes some of the text by itself
                each.setProperty(name, said(text))
    if isinstance(widget, QtWidgets.QComboBox):
        for index in range(widget.count()):
            widget.setItemText(index, said(widget.itemText(index)))
    elif isinstance(widget, QtWidgets.QTabBar):
        for index in range(widget.count()):
            widget.setTabText(index, said(widget.tabText(index)))
            widget.setTabToolTip(index, said(widget.tabToolTip(index)))
    elif isinstance(widget, QtWidgets.QGraphicsView):
        axes: list[Any] = [each for each in widget.items() if getattr(each, "labelText", "")]
        for axis in axes:
            axis.setLabel(said(axis.labelText))
    QWidget.update(widget)  # lists have another of that name
