"""Runs the Python examples on the pages: blocks of the kind `pycon`, which look like doctests.

    pages_test.py             compares what they show
    pages_test.py --update    writes the real output into the pages

The blocks of a page are one session, in a scratch folder. tests/house/page_blocks.py says which placeholders the output
may hold.
"""
import contextlib
import doctest
import io
import os
import sys
import tempfile
import traceback
import warnings

from support import ROOT  # skips the test where NumPy or SciPy is missing

sys.path[:0] = [str(ROOT / "tests" / "house"), str(ROOT / "tests" / "formats" / "io" / "container")]
from page_blocks import FENCE, matches, updated_output  # noqa: E402
from tree import files  # noqa: E402

PYTHON_KIND = "pycon"


def output_of(example, names):
    """The lines that a statement prints at the prompt."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(example.source, "<page>", "single"), names)
        except Exception as error:  # noqa: BLE001 - what a page shows may be an exception
            print("Traceback (most recent call last):\n    ...")
            print(traceback.format_exception_only(type(error), error)[-1].rstrip())
    return out.getvalue().splitlines()


def run_block(text, names):
    """Complaints, and the block with the real output."""
    complaints, out = [], ""
    for example in doctest.DocTestParser().get_examples(text):
        lines = example.source.splitlines()
        source = "".join(f"{'>>>' if k == 0 else '...'} {line}".rstrip() + "\n" for k, line in enumerate(lines))
        shown, real = example.want.splitlines(), output_of(example, names)
        if not matches(shown, real):
            complaints.append("\n".join([source.rstrip() + ": prints", *real, "and not", *shown]))
        out += source + "".join(f"{line}\n" for line in updated_output(shown, real, False))
    return complaints, out


def run_page(text):
    complaints, out, at, names = [], "", 0, {}
    for block in FENCE.finditer(text):
        if block[1] != PYTHON_KIND:
            continue
        found, real = run_block(block[3], names)
        complaints += [f"{text.count(chr(10), 0, block.start()) + 1}: {complaint}" for complaint in found]
        out += text[at:block.start(3)] + real
        at = block.end(3)
    return complaints, out + text[at:], at > 0


def self_test():
    page = "```pycon\n>>> a = 1\n>>> a + 1\n2\n>>> for k in range(2):\n...     print(k)\n...\n0\n1\n```\n"
    page += "```pycon\n>>> a + 2\n3\n>>> 1 / 0\nTraceback (most recent call last):\n    ...\nZeroDivisionError: division by zero\n```\n"
    complaints, real, _ = run_page(page)
    if complaints or real != page.replace("...\n0", "0"):
        yield f"a good page became {real}: {complaints}"
    complaints, real, _ = run_page(page.replace("\n3\n", "\n4\n"))
    if not complaints or real != page.replace("...\n0", "0"):
        yield "a wrong page was not refused or not mended"


def main():
    warnings.simplefilter("ignore", DeprecationWarning)
    complaints, ran = list(self_test()), 0
    for path in files():
        if path != "README.md" and not (path.startswith("docs/") and path.endswith(".md")):
            continue
        text = (ROOT / path).read_text()
        with tempfile.TemporaryDirectory(prefix="spress_pages_") as folder:
            back = os.getcwd()
            os.chdir(folder)
            try:
                found, real, has_blocks = run_page(text)
            finally:
                os.chdir(back)
        ran += has_blocks
        if sys.argv[1:] == ["--update"]:
            (ROOT / path).write_text(real)
        else:
            complaints += [f"{path}:{complaint}" for complaint in found]
    if ran == 0:
        complaints.append("no page has Python examples")
    print("\n".join(complaints) or f"Python examples on {ran} pages: good")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
