"""The fenced blocks of a page that are checked, and how to write them anew.

The word behind the fence is the kind of a block:

    console        Lines that begin with "$ " are commands. The lines behind each are its output. "console needs=gpu" and
                   the like are commands that run only where there is what they need (page_needs.py).
    arrays FILE    The arrays of a container that the page has written: "NAME TYPE: NUMBERS". "-" is the largest number
                   of the type, "N*COUNT" a number that repeats. Every array with elements must be there. A line
                   "NAME = VALUE" is a scalar.
    cpp FILE       The text of a source file of the tree, which another test compiles and runs.
    pycon          A session of Python, which tests/python/pages_test.py runs.
    matrix FILE    The rows of a Matrix Market file as a page draws them; "." is no entry.

Placeholders in the output of a command:

    ...            A line that stands for any lines.
    ~NUMBER        Any number: a time, a speed, a rounding error, or what follows from them.
    ~WORD          Any word: what the tool chooses by predicted times, which depend on the machine.
    <machine>      Any text: the name of a processor or a GPU.
    <commit>       Any text: the commit that the tool was built from.

In output with any of the last four the widths of columns and a mark "<- fastest" at the end of a line do not count,
since they follow from the numbers.
"""
import re
import subprocess

import read_container
from page_needs import need_of
from tree import ROOT

FENCE = re.compile(r"^```(\w*) ?(.*)\n((?:.*\n)*?)```$", re.M)
NUMBER = r"(?:-?[0-9][0-9,.]*(?:e[-+][0-9]+)?|-)"
PLACEHOLDER = re.compile(rf"~(?:(?P<number>{NUMBER})|[a-z]\S*)|<machine>|<commit>")


# --- Output of commands ----------------------------------------------------------------------------------------------

def varies(lines):
    """Whether the lines hold placeholders within them."""
    return any(PLACEHOLDER.search(line) for line in lines)


def plain(line):
    """A line without what follows from the widths of its numbers."""
    line = re.sub(r" *<- [a-z, ]+$", "", line)
    return re.sub(r"-{2,}", "--", re.sub(r" +", " ", line)).strip()


def line_matches(shown, real, squeeze):
    if squeeze:
        shown, real = plain(shown), plain(real)
    if not PLACEHOLDER.search(shown):
        return shown == real
    pattern, at = "", 0
    for found in PLACEHOLDER.finditer(shown):
        pattern += re.escape(shown[at:found.start()]) + (NUMBER if found["number"] else r"\S+" if found.group()[0] == "~" else ".*")
        at = found.end()
    return re.fullmatch(pattern + re.escape(shown[at:]), real) is not None


def matches(shown, real, squeeze=None):
    """Whether lines are the lines shown."""
    if squeeze is None:
        squeeze = varies(shown)
    if not shown:
        return not real
    if shown[0] == "...":
        return any(matches(shown[1:], real[k:], squeeze) for k in range(len(real) + 1))
    return bool(real) and line_matches(shown[0], real[0], squeeze) and matches(shown[1:], real[1:], squeeze)


def with_placeholders(line, shown):
    """A real line with "~" where the shown line has it. None if they do not go together word by word."""
    words, shown_words = re.findall(r" *\S+", line), shown.split()
    if len(words) != len(shown_words):
        return None
    out = ""
    for word, old in zip(words, shown_words):
        prefix, mark, _ = old.partition("~")
        text = word.lstrip()
        if mark and text.startswith(prefix):
            spaces = len(word) - len(text)
            word = " " * (spaces - (spaces > 1)) + prefix + "~" + text[len(prefix):]
        out += word
    return out


def updated_line(line, shown, squeeze, measure):
    """A real line as a page shows it: with the placeholders of the line there that matches it or begins like it."""
    for old in shown:
        if line_matches(old, line, squeeze):
            return (with_placeholders(line, old) or old) if measure and "<m" not in old and "<c" not in old else old
    for old in shown:
        if old.split()[:1] and old.split()[0].lstrip("~") == line.split(" ")[0]:
            marked = with_placeholders(line, old)
            if marked is not None:
                return marked
    return line


def updated_output(shown, real, measure):
    """The output as a page shows it from now on: as long as before where the page leaves lines out."""
    squeeze = varies(shown)
    if matches(shown, real) and not (measure and squeeze and "..." not in shown):
        return shown
    if "..." in shown:
        head, tail = shown.index("..."), len(shown) - 1 - shown[::-1].index("...")
        behind = len(shown) - 1 - tail
        if head + behind < len(real):
            real = [*real[:head], "...", *real[len(real) - behind:]]
    return [updated_line(line, shown, squeeze, measure) for line in real]


def run(command, folder, environment, seconds):
    """The exit code and the lines of a command that takes at most so many seconds."""
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=seconds, check=False)
    return done.returncode, [line.rstrip() for line in done.stdout.splitlines()]


def update_console(text, folder, environment, measure, seconds):
    """Complaints, and the text with the real output. measure: numbers behind "~" are new, too."""
    commands, complaints, out = [], [], []
    for line in text.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif commands:
            commands[-1][1].append(line)
        else:
            complaints.append(f"output without a command: {line}")
    for command, shown in commands:
        code, real = run(command, folder, environment, seconds)
        if code != 0:
            complaints.append("\n".join([f"$ {command}: exit code {code}:", *real]))
        elif not matches(shown, real):
            complaints.append("\n".join([f"$ {command}: prints", *real, "and not", *shown]))
        if code == 0:
            shown = updated_output(shown, real, measure)
        out += [f"$ {command}", *shown]
    return complaints, "".join(f"{line}\n" for line in out)


# --- Arrays and matrices ---------------------------------------------------------------------------------------------

def shown_numbers(text, kind):
    """The numbers of an array as a page writes them."""
    numbers = []
    for word in text.split():
        word, _, count = word.partition("*")
        number = float(word) if kind[0] == "f" else 256 ** read_container.WIDTHS[kind] - 1 if word == "-" else int(word, 0)
        numbers += [number] * int(count or 1)
    return tuple(numbers)


def array_line(name, kind, numbers):
    return f"{name} {kind}: {' '.join(f'{number:g}' if kind[0] == 'f' else str(number) for number in numbers)}"


def update_arrays(text, container):
    """Complaints, and the text with the real arrays."""
    descriptor, arrays = read_container.read(container.read_bytes())
    complaints, out, shown = [], [], set()
    for line in text.splitlines():
        scalar = re.fullmatch(r"(\w+) = (\S+)", line)
        array = re.fullmatch(r"(\w+) (\w+): ?(.*)", line)
        if scalar:
            real = descriptor["scalars"].get(scalar[1])
            if str(real) != scalar[2]:
                complaints.append(f"{container.name}: {scalar[1]} is {real}, not {scalar[2]}")
                line = f"{scalar[1]} = {real}"
        elif array and array[1] in arrays:
            shown.add(array[1])
            kind, real = arrays[array[1]][0], read_container.numbers(arrays, array[1])
            if (kind, real) != (array[2], shown_numbers(array[3], kind)):
                complaints.append(f"{container.name}: {array_line(array[1], kind, real)}\nand not {line}")
                line = array_line(array[1], kind, real)
        else:
            complaints.append(f"{container.name}: has no array or scalar as in: {line}")
            continue
        out.append(line)
    for name, (kind, data) in arrays.items():
        if data and name not in shown:
            complaints.append(f"{container.name}: its array {name} is not shown")
            out.append(array_line(name, kind, read_container.numbers(arrays, name)))
    return complaints, "".join(f"{line}\n" for line in out)


def update_matrix(text, path):
    """Complaints, and the text with the real rows."""
    text_of_file = path.read_text()
    symmetric = text_of_file.partition("\n")[0].endswith(" symmetric")
    lines = [line.split() for line in text_of_file.splitlines() if not line.startswith("%")]
    rows, cols = int(lines[0][0]), int(lines[0][1])
    real = [["."] * cols for _ in range(rows)]
    for row, col, value in lines[1:]:
        real[int(row) - 1][int(col) - 1] = value
        if symmetric:
            real[int(col) - 1][int(row) - 1] = value
    if [line.split() for line in text.splitlines()] == real:
        return [], text
    drawn = "".join(f"{' '.join(row)}\n" for row in real)
    return [f"{path.name} is\n{drawn}"], drawn


def update_source(text, path):
    """Complaints, and the text of the file."""
    real = path.read_text()
    return ([] if text == real else [f"is not the text of {path.relative_to(ROOT)}"]), real


# --- All blocks of a page --------------------------------------------------------------------------------------------

def update_blocks(text, folder, environment, measure=False, need=None):
    """Complaints about the blocks of a page, whose commands run in `folder`, and the page as it should read. Only the
    blocks that need nothing, or those with the need that is given."""
    complaints, out, at = [], "", 0
    for block in FENCE.finditer(text):
        kind, file, content = block.groups()
        try:
            if need_of(kind, file) != need:
                continue
            if kind == "console":
                found, real = update_console(content, folder, environment, measure, 1200 if need else 120)
            elif kind == "arrays":
                found, real = update_arrays(content, folder / file)
            elif kind == "matrix":
                found, real = update_matrix(content, folder / file)
            elif kind == "cpp" and file:
                found, real = update_source(content, ROOT / file)
            else:
                continue
        except (OSError, ValueError, KeyError, subprocess.TimeoutExpired, read_container.Damaged) as error:
            found, real = [f"{kind} {file}: {error!r}"], content
        line = text.count("\n", 0, block.start()) + 1
        complaints += [f"{line}: {complaint}" for complaint in found]
        out += text[at:block.start(3)] + real
        at = block.end(3)
    return complaints, out + text[at:]
