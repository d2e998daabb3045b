#!/usr/bin/env python3
"""Runs the examples on the pages and compares what they show.

    pages_test.py SPRESS      every page under docs/, README.md, and the pages that these two lean on
    pages_test.py --self-test checks the check

Fenced blocks of a page are told by the word behind the fence:

    console        lines that begin with "$ " are commands, the lines behind each are its output. A line "..." stands
                   for any lines.
    arrays FILE    the arrays of a container that the page has written: "NAME TYPE: NUMBERS". "-" is the largest number
                   of the type, "N*COUNT" a number that repeats. Every array with elements must be there. A line
                   "NAME = VALUE" is a scalar.
    matrix FILE    the rows of a Matrix Market file as a page draws them; "." is no entry

The commands of a page run in one temporary folder, which has a copy of the files beside the page.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from tree import ROOT, files

sys.path.insert(0, str(ROOT / "tests" / "formats" / "io" / "container"))
sys.dont_write_bytecode = True
import read_container  # noqa: E402

FENCE = re.compile(r"^```(\w*) ?(.*)\n((?:.*\n)*?)```$", re.M)
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
TABLE_OF_FORMATS = "docs/formats/README.md"
ALSO_LINKS = ("kernels/README.md", "formats/io/container.md")


# --- Blocks ----------------------------------------------------------------------------------------------------------

def matches(shown, real):
    """Whether lines are the lines shown, of which "..." stands for any."""
    if not shown:
        return not real
    if shown[0] == "...":
        return any(matches(shown[1:], real[k:]) for k in range(len(real) + 1))
    return bool(real) and shown[0] == real[0] and matches(shown[1:], real[1:])


def check_console(text, folder, environment):
    commands = []
    for line in text.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif commands:
            commands[-1][1].append(line)
        else:
            yield f"output without a command: {line}"
    for command, shown in commands:
        done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
        real = done.stdout.splitlines()
        if done.returncode != 0:
            yield f"$ {command}: exit code {done.returncode}: {done.stdout}"
        elif not matches(shown, real):
            yield "\n".join([f"$ {command}: prints", *real, "and not", *shown])


def shown_numbers(text, kind):
    """The numbers of an array as a page writes them."""
    numbers = []
    for word in text.split():
        word, _, count = word.partition("*")
        number = float(word) if kind[0] == "f" else 256 ** read_container.WIDTHS[kind] - 1 if word == "-" else int(word, 0)
        numbers += [number] * int(count or 1)
    return tuple(numbers)


def check_arrays(text, container):
    descriptor, arrays = read_container.read(container.read_bytes())
    shown = set()
    for line in text.splitlines():
        scalar = re.fullmatch(r"(\w+) = (\S+)", line)
        array = re.fullmatch(r"(\w+) (\w+): ?(.*)", line)
        if scalar:
            real = descriptor["scalars"].get(scalar[1])
            if str(real) != scalar[2]:
                yield f"{container.name}: {scalar[1]} is {real}, not {scalar[2]}"
        elif array and array[1] in arrays:
            shown.add(array[1])
            kind, real = arrays[array[1]][0], read_container.numbers(arrays, array[1])
            if (kind, real) != (array[2], shown_numbers(array[3], kind)):
                yield f"{container.name}: {array[1]} is {kind}: {' '.join(map(str, real))}\nand not {array[2]}: {array[3]}"
        else:
            yield f"{container.name}: what is this? {line}"
    for name, (_, data) in arrays.items():
        if data and name not in shown:
            yield f"{container.name}: its array {name} is not shown"


def check_matrix(text, path):
    text_of_file = path.read_text()
    symmetric = text_of_file.partition("\n")[0].endswith(" symmetric")
    lines = [line.split() for line in text_of_file.splitlines() if not line.startswith("%")]
    rows, cols = int(lines[0][0]), int(lines[0][1])
    real = [["."] * cols for _ in range(rows)]
    for row, col, value in lines[1:]:
        real[int(row) - 1][int(col) - 1] = value
        if symmetric:
            real[int(col) - 1][int(row) - 1] = value
    if [line.split() for line in text.splitlines()] != real:
        yield f"{path.name} is\n" + "\n".join(" ".join(row) for row in real)


def check_blocks(text, folder, environment):
    """Complaints about the blocks of one page, whose commands run in `folder`."""
    for block in FENCE.finditer(text):
        kind, file, content = block.groups()
        try:
            if kind == "console":
                found = list(check_console(content, folder, environment))
            elif kind == "arrays":
                found = list(check_arrays(content, folder / file))
            elif kind == "matrix":
                found = list(check_matrix(content, folder / file))
            else:
                continue
        except (OSError, ValueError, KeyError, read_container.Damaged) as error:
            found = [f"{kind} {file}: {error!r}"]
        line = text.count("\n", 0, block.start()) + 1
        yield from (f"{line}: {complaint}" for complaint in found)


# --- Links -----------------------------------------------------------------------------------------------------------

def anchors(text):
    """What GitHub makes of headings."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_links(path, text):
    for target in LINK.findall(FENCE.sub("", text)):
        if re.match(r"\w+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (ROOT / path).parent / name if name else ROOT / path
        if not file.exists():
            yield f"{path}: links to {target}, which does not exist"
        elif anchor and anchor not in anchors(file.read_text()):
            yield f"{path}: links to {target}, but there is no such heading"


# --- Formats ---------------------------------------------------------------------------------------------------------

def section(text, name):
    """The part of a page under the heading of a format."""
    parts = re.split(r"^## ", FENCE.sub(lambda block: block.group().replace("\n#", "\n #"), text), flags=re.M)
    return next((part for part in parts if part.startswith(f"{name}\n")), "")


def check_formats(formats, table, page_of):
    """Each format has a row in the table, a page, a section there with its parameters, and an example."""
    for entry in formats:
        name = entry["name"]
        row = re.search(rf"^\| `{name}` \|.*\]\((\w+\.md)#{name}\)", table, re.M)
        if not row:
            yield f"{TABLE_OF_FORMATS}: no row of {name} with a link to its section"
            continue
        text = section(page_of(row[1]), name)
        if f"--format {name}" not in text or "```arrays" not in text:
            yield f"{row[1]}: the section of {name} has no example"
        for option in entry.get("parameters", []):
            if f"| `{option['key']}` | {option['default']} |" not in text:
                yield f"{row[1]}: {name} has no row for {option['key']} with its default, {option['default']}"


# --- All of it -------------------------------------------------------------------------------------------------------

def check_page(path, tool):
    text = (ROOT / path).read_text()
    environment = {**os.environ, "PATH": f"{tool.parent}{os.pathsep}{os.environ['PATH']}", "OMP_WAIT_POLICY": "passive"}
    with tempfile.TemporaryDirectory(prefix="spress_pages_") as name:
        folder = pathlib.Path(name)
        if path.startswith("docs/"):
            for file in (ROOT / path).parent.iterdir():
                if file.is_file() and file.suffix != ".md":
                    shutil.copy(file, folder)
        yield from (f"{path}:{complaint}" for complaint in check_blocks(text, folder, environment))


def self_test():
    container = ROOT / "tests" / "data"
    small = next(path for path in sorted(container.rglob("*.spress")) if path.stat().st_size < 4096)
    descriptor, arrays = read_container.read(small.read_bytes())
    listing = "".join(f"{name} {kind}: {' '.join(map(str, read_container.numbers(arrays, name)))}\n"
                      for name, (kind, data) in arrays.items() if data)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copy(small, folder / "a.spress")
        (folder / "a.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 5\n2 3 7\n")

        def good(text):
            return not list(check_blocks(text, folder, dict(os.environ)))

        def block(kind, text):
            return f"```{kind}\n{text}```\n"

        rows = descriptor["scalars"]["rows"]
        right = [block("console", "$ echo a; echo b\na\nb\n"), block("console", "$ printf '1\\n2\\n3\\n'\n1\n...\n3\n"),
                 block("console", "$ true\n$ echo a\n...\na\n"), block("arrays a.spress", listing),
                 block("arrays a.spress", f"rows = {rows}\n{listing}"), block("matrix a.mtx", "5 . .\n. . 7\n"),
                 block("sh", "false\n")]
        wrong = [block("console", "$ echo a\nb\n"), block("console", "$ echo a\n"), block("console", "$ false\n"),
                 block("console", "$ true\na\n"), block("console", "a\n"),
                 block("arrays a.spress", re.sub(r"\d\n", "99\n", listing, count=1)),
                 block("arrays a.spress", listing[listing.index("\n") + 1:]),
                 block("arrays a.spress", f"rows = {rows + 1}\n{listing}"), block("arrays b.spress", listing),
                 block("arrays a.spress", listing.replace(" u32:", " u64:", 1)),
                 block("matrix a.mtx", "5 . .\n. . 8\n"), block("matrix a.mtx", "5 . .\n")]
        complaints = [f"refused: {text}" for text in right if not good(text)]
        complaints += [f"not refused: {text}" for text in wrong if good(text)]
    if shown_numbers("0x10 -*2 3*3", "u8") != (16, 255, 255, 3, 3, 3):
        complaints.append("numbers are not understood")
    formats = [{"name": "a", "parameters": [{"key": "b", "default": "4"}]}]
    page, table = "## a\n```console\n$ spress encode --format a\n```\n```arrays x\n```\n| `b` | 4 |\n", "| `a` | [a](a.md#a) |\n"
    if list(check_formats(formats, table, lambda _: page)):
        complaints.append("a page with all that it needs was refused")
    for wrong_page, wrong_table in ((page.replace("4", "5"), table), (page.replace("arrays", "text"), table),
                                    (page.replace("## a", "## b"), table), (page, "")):
        if not list(check_formats(formats, wrong_table, lambda _, text=wrong_page: text)):
            complaints.append(f"not refused: {wrong_table}{wrong_page}")
    for text, sound in (("[a](#top)\n# Top\n", True), ("[a](tree.py)", True), ("[a](https://a.org)", True),
                        ("[a](missing.md)", False), ("[a](#bottom)\n# Top\n", False)):
        path = "tests/house/page.md"
        if text.startswith("[a](#"):
            found = "top" in anchors(text) and "#top" in text
        else:
            found = not list(check_links(path, text))
        if found != sound:
            complaints.append(f"links: {text}")
    return complaints


def main():
    if read_container.LIBRARY is None and shutil.which("zstd") is None:
        print("neither libzstd nor the command zstd is installed", file=sys.stderr)
        return 77
    if sys.argv[1:] == ["--self-test"]:
        complaints = self_test()
    else:
        tool = pathlib.Path(sys.argv[1]).resolve()
        pages = [path for path in files() if path == "README.md" or (path.startswith("docs/") and path.endswith(".md"))]
        complaints = [complaint for path in pages for complaint in check_page(path, tool)]
        for path in [*pages, *ALSO_LINKS]:
            complaints += check_links(path, (ROOT / path).read_text())
        listed = subprocess.run([tool, "list", "formats", "--json"], capture_output=True, text=True, check=True)
        folder = (ROOT / TABLE_OF_FORMATS).parent
        complaints += check_formats(json.loads(listed.stdout), (ROOT / TABLE_OF_FORMATS).read_text(),
                                    lambda name: (folder / name).read_text())
    print("\n".join(complaints) or "pages: good")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
