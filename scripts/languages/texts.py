"""What the program says, found in its sources: sentences with places for their parts.

A text of the code counts if it looks like words and is not known to be something else: a key, a name of Qt, a
message of an error that only programmers see. What looks like no words is in :data:`WORDS`.
"""

from __future__ import annotations

import ast
import json
import keyword
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGE, RESOURCES = ROOT / "pcaimage", ROOT / "resources"

WORDS = Path(__file__).parent / "words.txt"
"""Words and sentences, one a line, that are shown but look like keys in the code, or come from libraries.

A plural stands behind its singular and a tabulator.
"""

_SPEAKING = ("gui", "cli", "insight", "batching")
"""The rooms whose texts are all for users; of others it is errors and sentences."""
_SILENT = re.compile(
    r"""cli/(desktops/|qt_libraries)
    | gui/(style|speech|icons|thumbnails|slow_disks)\.py | gui/export/(folder|finding) | imaging/tiff/bands
    | insight/(model_file|lab/formula|lab/python)\.py | gui/session/(thumbnail|command_line)
    | machine/ | plugins/ | distributed | language\.py | errors\.py | typed\.py | api/pages""",
    re.VERBOSE,
)
"""Modules that say nothing, or write files for others."""
_UNSHOWN_CALLS = set(
    """
    _pip arrays_of as_type AssertionError asset astype attrgetter AttributeError buildTransform busy cast
    catching CDLL cell chapters compile Contents convert createMethodCall debug decode dtype einsum encode
    encode_image endswith FileNotFoundError find_library find_spec findall findChild FolderStore
    format_of_path fromarray frombuffer fromhex frozenset fullmatch function getattr getenv glob hasattr
    ImageHeader import_module importing IndexError invokeMethod is_file isinstance itemgetter keep kept
    KeyError load_icon lstrip maketrans match member_of_ namedtuple NewType normalize open OSError pack
    partition Path path_of pop Popen property QFont quoteattr read_text Reading removeprefix removesuffix
    replace rglob rpartition rsplit rstrip run RuntimeError save search set setattr setdefault setObjectName
    setProperty setStyleSheet setValue Signal size_of split startswith strip Struct sub SubElement sysconf
    Thread tips_of translate TypeError TypeVar unpack unpack_from value ValueError ValueLayout view watch
    which write_bytes write_text
    """.split()  # noqa: SIM905 - a list would take a line for each
)
_NO_WORDS = re.compile(
    r"""[<\\#"].* | \w+=".* | [%$].* | \.[A-Z]{2}\ .* | ([^a-zA-Z]|\{\w+\})*
    | sudo\ .* | (make\ -C|dask|file\ type|data|header|byte|wavelength|default|map|coordinate)[ ].*=.*
    | &nbsp.* | -(\ [a-z-]+)+
    | [A-Z0-9;+._-]{2,} | --\w+\ (\{\w+\}|\w+) | [\w.-]*\{\w+\}[\w./-]* | ([\w-]+[-/:])*\{\w+\}
    | [a-z_0-9.:/{}\[\]()=*+-]+ | ([a-z-]+-?[a-z0-9]*\ )*([a-z0-9]+-[a-z0-9-]+)(\ [a-z0-9-]+)*
    | NumPy | Pillow | Contents | Python | PySide6.* | pcaimage\ (\{\w+\}|preset) | Fusion | Qt\w*
    | ImageMagick | README\.txt | \w+Store\ .* | (OUT|IN|DATA|MODEL|FILE)\.\w+ | [A-Z]+[=,][A-Z]+""",
    re.DOTALL | re.VERBOSE,
)


class Text(NamedTuple):
    """A text, and its plural if it has one; the number is one of its parts."""

    one: str
    many: str = ""


def all_texts() -> dict[Text, list[str]]:
    """Return all texts, in their order, and the files that have them."""
    found = dict[Text, list[str]]()
    skeletons = dict[str, Text]()
    for path in sorted(PACKAGE.rglob("*.py")):
        for text in _of_module(path):
            _add(found, skeletons, text, path)
    for path in _data_files():
        for value in _of_json(
            json.loads(path.read_text("utf-8")), path.name in {"keys.json", "options.json"}
        ):
            for piece in _pieces(value):
                _add(found, skeletons, Text(piece), path)
    path = RESOURCES / "lab" / "lessons.md"
    for value in _of_lessons(path.read_text("utf-8")):
        _add(found, skeletons, Text(value), path)
    for value, path in texts_of_pages():
        _add(found, skeletons, Text(value), path)
    stems = (
        path.stem
        for folder in ("samples", "lab/tables", "lab/exercises")
        for path in (RESOURCES / folder).iterdir()
    )
    names = sorted(stem.replace("-", " ").replace("_", " ").capitalize() for stem in stems)
    for word in filter(None, [*WORDS.read_text("utf-8").splitlines(), *names]):
        _add(found, skeletons, Text(*word.split("\t")), WORDS)
    plural_forms = {each for text in found if text.many for each in (text.one, text.many)}
    return {text: where for text, where in found.items() if text.many or text.one not in plural_forms}


def texts_of_pages() -> Iterator[tuple[str, Path]]:
    """Yield why the core refuses something, and what web pages say, with the files that say so."""
    for sources, pattern in (
        ((PACKAGE / "core").glob("*.c"), r'"([A-Z][^"\\\n]+ [^"\\\n]+\.)"'),
        ((RESOURCES / "web").glob("*.js"), r'\btr\(\s*"([^"]+)"'),
    ):
        for source in sorted(sources):
            yield from ((value, source) for value in re.findall(pattern, source.read_text("utf-8")))


def _data_files() -> list[Path]:
    named = [
        RESOURCES / f"{name}.json"
        for name in ("actions", "keys", "tips", "options", "presets", "window", "columns", "lab/commands")
    ]
    return [*named, *sorted((RESOURCES / "lab" / "exercises").iterdir())]


def _add(found: dict[Text, list[str]], skeletons: dict[str, Text], text: Text, path: Path) -> None:
    """Add a text, unless there is one that differs in the names of its places alone."""
    known = skeletons.setdefault(re.sub(r"\{\w+\}", "{}", f"{text.one}|{text.many}"), text)
    where = path.relative_to(ROOT).as_posix()
    files = found.setdefault(known, [])
    if where not in files:
        files.append(where)


def _of_lessons(text: str) -> Iterator[str]:
    for chapter in text.removeprefix("# ").split("\n# "):
        key, _, body = chapter.partition("\n")
        if key == "legend":
            yield from (line.split(" ", 3)[3] for line in body.strip().splitlines())
        else:
            yield " ".join(body.strip().split("\n\n> ")[0].split())


_KEYS_OF_DATA = {
    "data",
    "convention",
    "axes",
    "source",
    "keys",
    "key",
    "name",
    "quantity",
    "answer",
    "of",
}
_KEYS_OF_DATA |= {"metavar", "names", "parser", "values"}


def _of_json(value: Any, keys: bool = False) -> Iterator[str]:  # noqa: FBT001, FBT002 - a switch for recursion
    """Yield what is said in a file of data: texts of certain keys, or all that looks like words."""
    if isinstance(value, dict):
        for key, each in value.items():
            if keys and isinstance(each, dict | list) and key:
                yield key
            if key not in _KEYS_OF_DATA:
                yield from _of_json(each, keys)
    elif isinstance(value, list):
        for each in value:
            yield from _of_json(each, keys)
    elif isinstance(value, str) and re.search(r"[A-Za-z]{2}", value):
        yield value


def _of_module(path: Path) -> Iterator[Text]:
    relative = path.relative_to(PACKAGE).as_posix()
    if _SILENT.search(relative):
        return
    tree = ast.parse(path.read_text("utf-8"))
    above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    if relative == "cli/commands.py":
        yield from _of_docstrings(tree)
    for node in ast.walk(tree):
        words = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if (
            isinstance(node, ast.JoinedStr | ast.Constant)
            and (words or isinstance(node, ast.JoinedStr))
            and not _is_inside(node, above)
        ):
            yield from _of_node(node, above, all_shown=relative.startswith(_SPEAKING))


def _of_docstrings(tree: ast.Module) -> Iterator[Text]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and (
            node.name.endswith("Command") or node.name == "gui"
        ):
            for paragraph in (ast.get_docstring(node) or "").split("\n\n"):
                if paragraph:
                    yield Text(" ".join(paragraph.split()))


def _is_inside(node: ast.expr, above: dict[ast.AST, ast.AST]) -> bool:
    """Return whether a node is a part of another text, an annotation, a docstring, a key, or compared."""
    up = above[node]
    if isinstance(up, ast.JoinedStr | ast.Subscript | ast.Compare | ast.Expr | ast.MatchValue | ast.keyword):
        sentence = re.search(r"[a-z] [a-z].*\.$", str(getattr(node, "value", "")))
        return not (isinstance(up, ast.keyword) and (up.arg in _SAID or sentence))
    if isinstance(up, ast.Dict) and node in up.keys:
        return not (
            isinstance(node, ast.Constant)
            and re.match(r"[A-Z]?.?&\w|[A-Z][a-z]+( |$)|SVG, ", str(node.value))
        )
    below: ast.AST = node
    while below in above:
        up = above[below]
        if isinstance(up, ast.arg) or (isinstance(up, ast.AnnAssign) and up.annotation is below):
            return True
        if isinstance(up, ast.FunctionDef) and (up.returns is below or below in up.decorator_list):
            return True
        below = up
    return False


_SAID = {
    "title",
    "about",
    "help",
    "label",
    "words",
    "note",
    "task",
    "message",
    "description",
    "statusTip",
    "text",
}
_SAID |= {"tip", "reason", "hint"}
"""The names of parameters for what is shown."""
_ERROR = re.compile(r"\w*(Error|ValueRefused|Failure|Verdict|Check)$")


def _of_node(node: ast.expr, above: dict[ast.AST, ast.AST], *, all_shown: bool) -> Iterator[Text]:
    call, raised = _call_around(node, above)
    error = bool(_ERROR.match(call)) and call not in _UNSHOWN_CALLS
    if call in _UNSHOWN_CALLS and not (raised and call == "") and not error:
        return
    wanted = error or call in {"warn", "say"} or all_shown
    for text in _variants(node):
        sentence = bool(re.search(r"[a-z]{2,} [a-z{]", text.one))
        if wanted or sentence:
            yield from _accepted(text, is_formatted=isinstance(node, ast.JoinedStr))


def _call_around(node: ast.AST, above: dict[ast.AST, ast.AST]) -> tuple[str, bool]:
    """Return the name of the call that a text is given to, and whether it is raised."""
    name, up = "", above.get(node)
    while up is not None and not isinstance(up, ast.stmt):
        if isinstance(up, ast.Call) and not name:
            name = up.func.attr if isinstance(up.func, ast.Attribute) else getattr(up.func, "id", "")
            break
        if isinstance(up, ast.Subscript | ast.Compare | ast.Lambda):
            break
        up = above.get(up)
    return name, False


def _accepted(text: Text, *, is_formatted: bool) -> Iterator[Text]:
    if text.many and re.search(r"[A-Za-z]{3}", re.sub(r"\{\w+\}", "", text.one)):
        pieces = [_pieces(each) for each in text]
        if all(len(each) == 1 for each in pieces):
            yield Text(pieces[0][0], pieces[1][0])
            return
        yield from (Text(each) for each in [*pieces[0], *pieces[1]])
        return
    for piece in _pieces(text.one):
        bare = re.sub(r"\{\w+\}", "", piece)
        spoken = re.search(r"[A-Za-z] [A-Za-z]|^[A-Z&]|[.…]$", bare.strip()) or is_formatted
        if spoken and re.search(r"[A-Za-z]{2}", re.sub(r"\b(pcaimage|px|dB|[KMG]i?B)\b", "", bare)):
            yield Text(piece)


def _pieces(text: str) -> list[str]:
    """Return the parts of a text that are translated by themselves, without what separates them."""
    found = list[str]()
    for part in re.split(r" · |\n+", text):
        bare = part.strip(" ,;:\u00a0\n")
        if bare.startswith("(") and bare.endswith(")") and bare.count("(") == 1:
            bare = bare[1:-1]
        if bare and not _NO_WORDS.fullmatch(bare):
            found.append(part.strip() if part.strip().endswith(":") and "{" not in part else bare)
    return found


def _variants(node: ast.expr) -> Iterator[Text]:
    """Yield the texts that a node can become: words in it are chosen, all else is a place with a name."""
    if not isinstance(node, ast.JoinedStr):
        yield Text(str(node.value) if isinstance(node, ast.Constant) else "")
        return
    names = dict[str, str]()
    parts = list[list[str]]()
    number = ""
    for value in node.values:
        if not isinstance(value, ast.FormattedValue):
            parts.append([str(value.value) if isinstance(value, ast.Constant) else ""])
            continue
        chosen = _chosen(value.value)
        if chosen is None:
            parts.append([f"{{{_named(value.value, names)}}}"])
        else:
            words, counted = chosen
            number = number or counted
            parts.append([each if isinstance(each, str) else f"{{{_named(each, names)}}}" for each in words])
    texts = ["".join(each) for each in product(*parts)]
    if number and len(texts) == 2 and number in names:
        yield Text(*texts)
    else:
        yield from map(Text, texts)


def _chosen(value: ast.expr) -> tuple[list[str | ast.expr], str] | None:
    """Return the words of which one is chosen, the singular first, and what is counted; None if none are."""
    if isinstance(value, ast.IfExp):
        both: list[str | ast.expr] = [_words_of(each) for each in (value.body, value.orelse)]
        if not any(isinstance(each, str) for each in both):
            return None
        test, counted = value.test, ""
        match test:
            case ast.Compare(left=left, ops=[how], comparators=[ast.Constant(value=1)]):
                counted = ast.unparse(left)
                if isinstance(how, ast.NotEq | ast.Gt):
                    both.reverse()
        return both, counted
    match value:
        case ast.BinOp(left=ast.Constant(value=str() as word), op=ast.Mult(), right=test):
            return ["", word], ast.unparse(test.left) if isinstance(test, ast.Compare) else ""
        case ast.BoolOp(op=ast.Or(), values=[first, ast.Constant(value=str() as word)]):
            return [first, word], ""
    return None


def _words_of(value: ast.expr) -> str | ast.expr:
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else value


_CALLS = {
    "file_size": "size",
    "size_text": "size",
    "decibels": "psnr",
    "psnr_text": "psnr",
    "percent": "share",
}
_CALLS |= {"share_percent": "share", "counted": "photographs", "_files": "files", "fspath": "path"}
_CALLS |= {"some_of": "names", "reason_of": "reason", "_exactly": "bytes", "_components": "components"}
_CALLS |= {"short_figure": "number", "significant": "number", "listed": "names"}
_SEEN_THROUGH = set(
    """
    figure len int float round abs min max str repr sorted sum escaped escape printable quote _quoted ceil
    tuple list Path _signed _levels correlation_figure _within _degrees
    """.split()  # noqa: SIM905 - a list would take a line for each
)


def _named(value: ast.expr, names: dict[str, str]) -> str:
    """Return the name of the place of a part; the same part has the same name."""
    source = ast.unparse(value)
    if source not in names:
        name = re.sub(r"\W", "_", _name_of(value)).strip("_").lower() or "value"
        name = f"{name}_" if keyword.iskeyword(name) else name
        others, count, base = set(names.values()), 2, name
        while name in others:
            name, count = f"{base}_{count}", count + 1
        names[source] = name
    return names[source]


def _name_of(value: ast.AST) -> str:  # noqa: PLR0911 - a case for each kind
    """Return a name that says what an expression is."""
    match value:
        case ast.Attribute(value=ast.Name(id="preset"), attr="name"):
            return "preset"
        case (
            ast.Name(id=name)
            | ast.Attribute(attr=name)
            | ast.Subscript(slice=ast.Constant(value=str() as name))
        ):
            return name
        case ast.Call():
            return _name_of_call(value)
        case ast.BinOp(left=ast.Constant(), right=inner) | ast.BinOp(left=inner):
            return _name_of(inner)
        case ast.Subscript(value=inner) | ast.Starred(value=inner) | ast.UnaryOp(operand=inner):
            return _name_of(inner)
        case ast.GeneratorExp(generators=[first, *_]) | ast.ListComp(generators=[first, *_]):
            return _name_of(first.iter)
        case ast.BoolOp(values=[inner, *_]) | ast.IfExp(body=inner):
            return _name_of(inner)
    return "value"


def _name_of_call(call: ast.Call) -> str:
    match call.func:
        case ast.Attribute(
            value=base, attr="lower" | "capitalize" | "removesuffix" | "rstrip" | "strip" | "upper"
        ):
            return _name_of(base)
        case ast.Attribute(value=base, attr="removeprefix" | "replace" | "partition"):
            return _name_of(base)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            if call.args and (name == "join" or name in _SEEN_THROUGH):
                return _name_of(call.args[0])
            return _name_of(call.args[1]) if name == "map" else _CALLS.get(name, name)
    return "value"
