"""The pages of the papers: an item a row, each with how it stands and what shows that.

    | item | state | spress | shown by | result and difference |
"""
import collections
import re

ENTRY = "docs/papers.md"
PAGES = re.compile(r"docs/papers/(\d+)_\w+\.md")
HEADER = ["item", "state", "spress", "shown by", "result and difference"]
STATES = ("works", "partly", "differs", "missing")


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def items(text):
    """The rows of the tables of items."""
    inside = False
    for line in text.splitlines():
        if not line.startswith("|"):
            inside = False
        elif cells(line) == HEADER:
            inside = True
        elif inside and not set(line) <= set("|-: "):
            yield cells(line)


def check_items(path, rows):
    for row in rows:
        name = f"{path}: {row[0]}"
        if len(row) != len(HEADER):
            yield f"{name}: has {len(row)} cells, not {len(HEADER)}"
        elif row[1] not in STATES:
            yield f"{name}: {row[1]} is none of {', '.join(STATES)}"
        elif row[1] != "missing" and not re.search(r"\]\(.+?\)", row[3]):
            yield f"{name}: nothing shows it"
        elif not row[4]:
            yield f"{name}: says nothing of the result"
    if not rows:
        yield f"{path}: has no items"


def counted(rows):
    """The number of items in each state, and of all."""
    counts = collections.Counter(state for row in rows for state in row[1:2])
    return [str(counts[state]) for state in STATES] + [str(len(rows))]


def check_papers(pages):
    """pages: the text of each page by its path. The entry page counts the items of each paper, and of all."""
    papers = {match[1]: (path, list(items(text))) for path, text in pages.items() if (match := PAGES.fullmatch(path))}
    stated = {row[0].strip("[").partition("]")[0]: row[-len(STATES) - 1:] for row in map(cells, pages[ENTRY].splitlines())}
    for path, rows in papers.values():
        yield from check_items(path, rows)
        if "TODO" in pages[path]:
            yield f"{path}: says TODO"
    real = {number: counted(rows) for number, (_, rows) in papers.items()}
    real["all"] = counted([row for _, rows in papers.values() for row in rows])
    for name, counts in real.items():
        if stated.get(name) != counts:
            yield f"{ENTRY}: {name} has {' '.join(counts)} items, not {' '.join(stated.get(name, ['none']))}"
