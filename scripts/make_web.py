"""Makes the decoder for web pages, ``resources/web/pcai.wasm``, and has it decode all golden files in node.

``make_web.py`` does both; where there is no node, it says so. Zig compiles the core and ``lib/web.c``.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import compile_core
from compile_core import BUILD, ROOT, SOURCES, CompileError
from make_lib import INFLATER, TABLES, exported

WEB = BUILD / "web"
LIBRARY = ROOT / "resources" / "web" / "pcai.wasm"
GOLDEN = ROOT / "tests" / "golden"

TARGET = (
    *("-target", "wasm32-freestanding", "-flto", "-msimd128", "-mbulk-memory"),
    *("-mnontrapping-fptoint", "-msign-ext"),
)
QUICK = {"scores", "networks", "shrink"}
"""Files where the time is; all others are compiled to be small."""

SMALL = ("-Oz", "-DALWAYS_INLINE=static inline")

LINKS = ("-nostdlib", "-s", "-Wl,--no-entry", "-Wl,--gc-sections", "-Wl,-z,stack-size=1048576")

UNUSED = {"pcai_plain_host", "pcai_embedded", "pcai_inflate", "pcai_interface"}
"""Functions of the interface that `lib/web.c` stands in for."""


_OWN = r"(stddef|stdint|limits|float|string|\w+intrin|arm_neon|wasm_simd128)\.h"
"""Headers that a compiler has without a C library, or for which `core.h` has other words."""


def decoding() -> list[Path]:
    """Return the source files for decoding: those that include only types of a C library."""
    headers = {
        file: re.findall(r"^#include <(.*)>", file.read_text("utf-8"), re.MULTILINE)
        for file in sorted(SOURCES.glob("*.c"))
    }
    return [file for file, names in headers.items() if all(re.fullmatch(_OWN, name) for name in names)]


def make() -> Path:
    """Compile the decoder and return its path."""
    zig = compile_core.zig()
    if zig is None:
        raise CompileError(f'Zig is missing: `{sys.executable} -m pip install "{compile_core.ZIG}"`.')
    own = ROOT / "lib" / "web.c"
    functions = re.findall(r"^API [^;]*?\b(web_\w+)\(", own.read_text("utf-8"), re.MULTILINE)
    shown = sorted({*exported(), *functions} - UNUSED)
    WEB.mkdir(parents=True, exist_ok=True)

    def compiled(source: Path) -> str:
        speed = ("-O3",) if source.stem in QUICK else SMALL
        part = WEB / f"{source.stem}.o"
        words = [*zig, *compile_core.FLAGS, *TARGET, "-g0", *speed, f"-I{SOURCES}", "-c", str(source)]
        compile_core.run(words, part)
        return str(part)

    with ThreadPoolExecutor() as pool:
        parts = list(pool.map(compiled, [own, INFLATER, *decoding()]))
    exports = [f"-Wl,--export={name}" for name in shown]
    compile_core.run([*zig, *TARGET, *LINKS, *exports, *parts], LIBRARY)
    content = LIBRARY.read_bytes()
    print(f"{LIBRARY.name}: {len(content):,} bytes, {len(gzip.compress(content, 9)):,} gzipped")
    return LIBRARY


def check(library: Path) -> list[str]:
    """Return a sentence for each golden file that is decoded to other pixels than it must."""
    node = shutil.which("node")
    if node is None:
        print("There is no node to run it.")
        return []
    expected = json.loads((GOLDEN / "expected.json").read_text("utf-8"))
    lenders = [str(GOLDEN / f"{name}.pcai") for name in expected if not name.startswith("lent-")]
    jobs = [
        {"file": str(GOLDEN / f"{name}.pcai"), "k": [int(k) for k in all_["pixels"]], "models": lenders}
        for name, all_ in expected.items()
    ]
    command = [node, str(ROOT / "lib" / "decode.mjs"), str(library), str(TABLES)]
    asked = "".join(json.dumps(job) + "\n" for job in jobs)
    said = subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout
    answers = [json.loads(line) for line in said.splitlines()]
    print(f"{len(answers)} golden files were decoded in node.")
    return [
        f"{name}: {answer.get('fault', 'other pixels')}"
        for (name, all_), answer in zip(expected.items(), answers, strict=True)
        if answer.get("pixels") != all_["pixels"]
    ]


def main() -> None:
    """Make and check the decoder; stop with what is wrong."""
    try:
        faults = check(make())
    except CompileError as error:
        sys.exit(str(error))
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
