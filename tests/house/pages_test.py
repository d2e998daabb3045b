#!/usr/bin/env python3
"""Runs the examples on the pages and compares what they show.

    pages_test.py SPRESS                      checks README.md and every page below docs/
    pages_test.py SPRESS --needing gpu        runs the commands that need a GPU, or "matrices" (page_needs.py); exit code
                                              77 where there is none
    pages_test.py SPRESS --update [PAGE...]   writes the real output into the pages, or into those named
    pages_test.py SPRESS --measure [PAGE...]  the same, and new times behind each "~"
    pages_test.py --self-test                 checks the check

page_blocks.py says which blocks of a page are checked, and which placeholders they may hold. The commands of a page run
in one temporary folder, which has a copy of the files beside the page. Besides, links must lead somewhere, each format
must have its section, docs/records.md must name every key of a record, the bars of docs/bytes.svg must be true, and the
pages of the papers must say how each item stands and what shows it.
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
from page_blocks import FENCE, shown_numbers, update_blocks, updated_output  # noqa: E402
from page_needs import NEEDS, missing, prepare  # noqa: E402
from page_papers import check_papers  # noqa: E402

LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
TABLE_OF_FORMATS = "docs/formats/README.md"
RECORDS = "docs/records.md"
NO_RECORDS = "json_calibration.cpp"  # a file of the program's own
PICTURE = "docs/bytes.svg"
ALSO_LINKS = ("CONTRIBUTING.md", "formats/io/container.md", "formats/io/container_v2.md")


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


# --- Records ---------------------------------------------------------------------------------------------------------

def keys_of_records(source):
    """The keys that a describe() function of reports/json names."""
    return set(re.findall(r'\b(?:a|keys)\.\w+\([^"\n]*"(\w+)"', source))


def check_records(page, sources):
    named = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`\n]+)`", page)))) | set(re.findall(r'"(\w+)":', page))
    missing = sorted(set().union(*map(keys_of_records, sources)) - named)
    if missing:
        yield f"{RECORDS}: does not name the keys {', '.join(missing)}"


# --- Picture ---------------------------------------------------------------------------------------------------------

def check_picture(picture, footprints, nnz):
    """Each bar has the bytes that its format takes, and is as long and labelled as these tell."""
    unit = float(re.search(r'data-unit="([\d.]+)"', picture)[1])
    bars = re.findall(r'<g data-format="(.+?)" data-values="(\w+)" data-bytes="(\d+)".*?>(.+)</g>', picture)
    if not bars:
        yield f"{PICTURE}: has no bars"
    for name, store, shown, bar in bars:
        real = footprints[name]["index_bytes"] + footprints[name]["values"][store]
        width = sum(map(float, re.findall(r'width="([\d.]+)"', bar)))
        if int(shown) != real or abs(width - unit * real / nnz) > 0.2 or f">{real / nnz:.2f}<" not in bar:
            yield f"{PICTURE}: {name} with {store} takes {real} bytes, {real / nnz:.2f} an entry: {width} of {unit * real / nnz:.1f}"


def check_picture_with(tool):
    picture = (ROOT / PICTURE).read_text()
    matrix = re.search(r'data-matrix="(.+?)"', picture)[1]
    done = subprocess.run([tool, "analyze", matrix, "--orderings", "none", "--json"], capture_output=True, text=True, check=True)
    record = json.loads(done.stdout)
    yield from check_picture(picture, record["orderings"]["none"]["footprint"], record["matrix"]["nnz"])


# --- All of it -------------------------------------------------------------------------------------------------------

def checked_page(path, tool, measure=False, need=None):
    """Complaints about a page, and the page as it should read. need: of the blocks that run, if any."""
    text = (ROOT / path).read_text()
    with tempfile.TemporaryDirectory(prefix="spress_pages_") as name:
        folder, cache = pathlib.Path(name, "page"), pathlib.Path(name, "cache")
        folder.mkdir()
        if path.startswith("docs/"):
            for file in (ROOT / path).parent.iterdir():
                if file.is_file() and file.suffix != ".md":
                    shutil.copy(file, folder)
        prepare(need, folder)
        environment = {**os.environ, "PATH": f"{tool.parent}{os.pathsep}{os.environ['PATH']}",
                       "XDG_CACHE_HOME": str(cache), "OMP_WAIT_POLICY": "passive"}
        complaints, real = update_blocks(text, folder, environment, measure, need)
    return [f"{path}:{complaint}" for complaint in complaints], real


def all_pages():
    return [path for path in files() if path == "README.md" or (path.startswith("docs/") and path.endswith(".md"))]


def update(pages, tool, measure):
    """Complaints that only a person can mend."""
    for path in pages:
        _, real = checked_page(path, tool, measure)
        if real != (ROOT / path).read_text():
            (ROOT / path).write_text(real)
            print(f"{path}: updated")
        yield from checked_page(path, tool)[0]


def check(pages, tool):
    for path in pages:
        yield from checked_page(path, tool)[0]
    for path in [*pages, *ALSO_LINKS]:
        yield from check_links(path, (ROOT / path).read_text())
    listed = subprocess.run([tool, "list", "formats", "--json"], capture_output=True, text=True, check=True)
    folder = (ROOT / TABLE_OF_FORMATS).parent
    yield from check_formats(json.loads(listed.stdout), (ROOT / TABLE_OF_FORMATS).read_text(),
                             lambda name: (folder / name).read_text())
    yield from check_picture_with(tool)
    yield from check_records((ROOT / RECORDS).read_text(),
                             [path.read_text() for path in sorted((ROOT / "reports" / "json").glob("*.cpp"))
                              if path.name != NO_RECORDS])
    yield from check_papers({path: (ROOT / path).read_text() for path in pages})


def needing(need, tool):
    """Complaints about the commands with a need. None where this machine lacks it."""
    reason = missing(need, tool)
    if reason:
        print(f"skipped, needs {need}: {reason}")
        return None
    return [complaint for path in all_pages() for complaint in checked_page(path, tool, need=need)[0]]


def block(kind, text):
    return f"```{kind}\n{text}```\n"


def self_test_blocks():
    data = ROOT / "tests" / "data"
    small = next(path for path in sorted(data.rglob("*.spress")) if path.stat().st_size < 4096)
    descriptor, arrays = read_container.read(small.read_bytes())
    listing = "".join(f"{name} {kind}: {' '.join(map(str, read_container.numbers(arrays, name)))}\n"
                      for name, (kind, data) in arrays.items() if data)
    rows = descriptor["scalars"]["rows"]
    right = [block("console", "$ echo a; echo b\na\nb\n"), block("console", "$ printf '1\\n2\\n3\\n'\n1\n...\n3\n"),
             block("console", "$ true\n$ echo a\n...\na\n"), block("arrays a.spress", listing),
             block("console", "$ printf 'a  12.5 ms  <- fastest\\n----- --\\n'\na ~3 ms\n--- ----\n"),
             block("console", "$ echo 2 threads of AMD, 1 GB/s\n2 threads of <machine>, ~7 GB/s\n"),
             block("console", "$ echo auto: sell lut8, 1 ms\nauto: ~csr ~raw, ~7 ms\n"),
             block("arrays a.spress", f"rows = {rows}\n{listing}"), block("matrix a.mtx", "5 . .\n. . 7\n"),
             block("sh", "false\n"), block("console needs=gpu", "$ false\n")]
    # Wrong ones. The second text is what the update makes of the first, None where it cannot help.
    wrong = [(block("console", "$ echo a\nb\n"), block("console", "$ echo a\na\n")),
             (block("console", "$ echo a\n"), block("console", "$ echo a\na\n")),
             (block("console", "$ false\n"), None), (block("console", "a\n"), None),
             (block("console", "$ true\na\n"), block("console", "$ true\n")),
             (block("console", "$ echo b 3 4\nb ~2 5\n"), block("console", "$ echo b 3 4\nb ~3 4\n")),
             (block("console", "$ echo a b\na ~1\n"), None),
             (block("arrays a.spress", listing[listing.index("\n") + 1:]), None),
             (block("arrays a.spress", f"rows = {rows + 1}\n{listing}"), block("arrays a.spress", f"rows = {rows}\n{listing}")),
             (block("arrays b.spress", listing), None),
             (block("arrays a.spress", listing.replace(" u32:", " u64:", 1)), block("arrays a.spress", listing)),
             (block("matrix a.mtx", "5 . .\n. . 8\n"), block("matrix a.mtx", "5 . .\n. . 7\n")),
             (block("matrix a.mtx", "5 . .\n"), block("matrix a.mtx", "5 . .\n. . 7\n")),
             (block("console needs=gpus", "$ true\n"), None)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copy(small, folder / "a.spress")
        (folder / "a.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 5\n2 3 7\n")
        for text in right:
            if update_blocks(text, folder, dict(os.environ)) != ([], text):
                yield f"refused: {text}"
        for text, mended in wrong:
            complaints, real = update_blocks(text, folder, dict(os.environ))
            if not complaints or mended not in (None, real):
                yield f"not refused or not mended: {text} became {real}"
        for text, sound in ((block("console needs=gpu", "$ echo a\na\n"), True), (block("console", "$ false\n"), True),
                            (block("console needs=gpu", "$ echo a\nb\n"), False)):
            if sound == bool(update_blocks(text, folder, dict(os.environ), need="gpu")[0]):
                yield f"needs a GPU: {text}"
    if shown_numbers("0x10 -*2 3*3", "u8") != (16, 255, 255, 3, 3, 3):
        yield "numbers are not understood"
    if updated_output(["1", "...", "9"], ["2", "3", "4", "8"], False) != ["2", "...", "8"]:
        yield "lines that a page leaves out are not left out by the update"
    if updated_output(["a ~1 (~2 MB)  b"], ["a  10 (3 MB)  b"], True) != ["a ~10 (~3 MB)  b"]:
        yield "numbers are not measured anew"


def self_test_rest():
    formats = [{"name": "a", "parameters": [{"key": "b", "default": "4"}]}]
    page, table = "## a\n```console\n$ spress encode --format a\n```\n```arrays x\n```\n| `b` | 4 |\n", "| `a` | [a](a.md#a) |\n"
    if list(check_formats(formats, table, lambda _: page)):
        yield "a page with all that it needs was refused"
    for wrong_page, wrong_table in ((page.replace("4", "5"), table), (page.replace("arrays", "text"), table),
                                    (page.replace("## a", "## b"), table), (page, "")):
        if not list(check_formats(formats, wrong_table, lambda _, text=wrong_page: text)):
            yield f"not refused: {wrong_table}{wrong_page}"
    source = 'a.field("one", r.one); a.if_present(r.two != 0, "two", r.two); keys.field("three", r.three);'
    for text, sound in (("`one` `two`, `x.three`", True), ('`one two` {"three":1}', True), ("`one` two `three`", False)):
        if sound == bool(list(check_records(text, [source]))):
            yield f"records: {text}"
    bar = '<svg data-unit="10"><g data-format="a" data-values="raw" data-bytes="{}"><rect width="{}"/><text>{}</text></g></svg>'
    footprints = {"a": {"index_bytes": 4, "values": {"raw": 8}}}
    for bytes_of, width, label, sound in ((12, 60, "6.00", True), (13, 60, "6.00", False), (12, 61, "6.00", False),
                                          (12, 60, "6.01", False)):
        if sound == bool(list(check_picture(bar.format(bytes_of, width, label), footprints, 2))):
            yield f"picture: {bytes_of} {width} {label}"
    row, page = "| {} | {} | `x` | {} | 2 of 3 |\n", "| item | state | spress | shown by | result and difference |\n|---|---|---|---|---|\n{}"
    entry = "| [000](papers/000_a.md) | a | 1 | 0 | 0 | 1 | 2 |\n| all | | 1 | 0 | 0 | 1 | 2 |\n"
    good = row.format("1", "works", "[a](#a)") + row.format("2", "missing", "")
    for rows, sound in ((good, True), (good.replace("works", "does"), False), (good.replace("[a](#a)", ""), False), ("", False),
                        (good.replace("missing", "partly"), False), (good + "| 3 | missing |\n", False), (good.replace("2 of 3", ""), False),
                        (good + row.format("3", "missing", ""), False), (good + "\nTODO: more\n", False)):
        if sound == bool(list(check_papers({"docs/papers/000_a.md": page.format(rows), "docs/papers.md": entry}))):
            yield f"papers: {rows}"
    for text, sound in (("[a](#top)\n# Top\n", True), ("[a](tree.py)", True), ("[a](https://a.org)", True),
                        ("[a](missing.md)", False), ("[a](#bottom)\n# Top\n", False)):
        if text.startswith("[a](#"):
            found = "top" in anchors(text) and "#top" in text
        else:
            found = not list(check_links("tests/house/page.md", text))
        if found != sound:
            yield f"links: {text}"


def main():
    if read_container.LIBRARY is None and shutil.which("zstd") is None:
        print("neither libzstd nor the command zstd is installed", file=sys.stderr)
        return 77
    if sys.argv[1:] == ["--self-test"]:
        complaints = [*self_test_blocks(), *self_test_rest()]
    elif sys.argv[2:3] == ["--needing"] and sys.argv[3:4] and sys.argv[3] in NEEDS:
        complaints = needing(sys.argv[3], pathlib.Path(sys.argv[1]).resolve())
        if complaints is None:
            return 77
    elif sys.argv[2:3] in (["--update"], ["--measure"]):
        named = [str(pathlib.Path(page).resolve().relative_to(ROOT)) for page in sys.argv[3:]]
        complaints = list(update(named or all_pages(), pathlib.Path(sys.argv[1]).resolve(),
                                 sys.argv[2] == "--measure"))
    else:
        complaints = list(check(all_pages(), pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(complaints) or "pages: good")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
