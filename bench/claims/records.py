"""Reads the records that spress writes (JSON lines, plain, .gz or .xz), and says what each is about."""
import gzip
import json
import lzma
import pathlib
import re

SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.xz")
KINDS = ("analysis", "bench", "transfer", "solve", "verify", "ordering")  # the last: of bench/rcm/bandwidths.py


class RecordError(Exception):
    """A file that holds no records; the message names the file and the line."""


def open_text(path):
    opener = {".gz": gzip.open, ".xz": lzma.open}.get(pathlib.Path(path).suffix, open)
    return opener(path, "rt", encoding="utf-8")


def files_of(path):
    """The record files of a path: itself, or those of a folder and the folders below it, by name without suffix."""
    path = pathlib.Path(path)
    if not path.is_dir():
        return [path]
    found = sorted((file for file in path.rglob("*") if file.name.endswith(SUFFIXES)),
                   key=lambda file: (file.parent, file.name.split(".jsonl")[0]))
    if not found:
        raise RecordError(f"{path}: holds no {', '.join(SUFFIXES)}")
    return found


def kind_of_record(record):
    """Records from before they said their `kind` are told apart by their keys."""
    if "kind" in record:
        return record["kind"]
    if "right_hand_side" in record:
        return "solve"
    if "pinned_gb_per_s" in record:
        return "transfer"
    if "machine" in record:
        return "bench"
    return "analysis"


def check(record):
    """The kind of a record, or a ValueError that says why it is none."""
    if not isinstance(record, dict) or not isinstance(record.get("matrix"), dict) or "tool" not in record:
        raise ValueError("is no record of spress")
    kind = kind_of_record(record)
    if kind not in KINDS:
        raise ValueError(f"is of the unknown kind '{kind}'")
    return kind


def read_file(path, smoke=False):
    """Pairs of kind and record. A torn last line, which a killed run leaves behind, is skipped. Records of a smoke
    test are refused unless `smoke`."""
    try:
        with open_text(path) as file:
            text = file.read()
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise RecordError(f"{path}: cannot be read: {error}") from None
    lines = text.split("\n")
    torn = lines.pop()  # empty where the file ends with a line end
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            kind = check(record)
        except ValueError as error:
            summary = line.startswith("{") and len(line) < 3
            hint = "; is it a summary.json? give the results.jsonl beside it" if summary else ""
            raise RecordError(f"{path}:{number}: {error}{hint}") from None
        if record.get("smoke") and not smoke:
            raise RecordError(f"{path}:{number}: is of a smoke test, which measures nothing")
        yield kind, record
    if torn.strip():
        try:
            record = json.loads(torn)
            yield check(record), record
        except ValueError:
            pass


def read(paths, smoke=False):
    """All records of the paths as {kind: [(source, record), ...]}, in the order of the paths; failed ones left out."""
    found = {kind: [] for kind in KINDS}
    for path in paths:
        for file in files_of(path):
            for kind, record in read_file(file, smoke):
                if record.get("error") is None:
                    found[kind].append((str(file), record))
    return found


# The run, the commit and the generator of a record.

def run_of(source, record):
    """Machine, device and threads. Bytes and orders are the same on every machine: there a file is a run."""
    machine = record.get("machine")
    if not isinstance(machine, dict):
        return source
    threads = f"{machine['threads']} thread{'' if machine['threads'] == 1 else 's'}"
    host = f"{machine['machine']}, {threads}"
    return host if machine["device"] == "cpu" else f"{machine['device']} ({host})"


def commit_of(record):
    machine = record.get("machine")
    return machine["commit"] if isinstance(machine, dict) else record["tool"]["commit"]


def on_gpu(record):
    return record["machine"]["device"] != "cpu"


class Source:
    """The generator of a matrix: its name and parameters, both empty if the matrix was not generated.

    `shuffled`: by the generator. `ordered`: shuffled, then written to a file in another order.
    """

    def __init__(self, record):
        matrix = record["matrix"]
        self.name, self.parameters = "", {}
        self.ordered = False
        generator = matrix.get("generator")
        made_from = record.get("publish", {}).get("made_from")  # of a file that ./dev publish made
        if isinstance(generator, dict):
            self.name = generator["name"]
            self.parameters = {key: str(value) for key, value in generator["parameters"].items()}
        elif made_from or matrix["path"].startswith("gen:"):
            self._parse(made_from or matrix["path"])
            self.ordered = bool(made_from)
        elif "_values-" in matrix["name"]:
            self._parse_name(matrix["name"])
            self.ordered = True

    def _parse(self, spec):
        self.name, _, rest = spec.removeprefix("gen:").partition(",")
        self.parameters = dict(part.split("=", 1) for part in rest.split(",") if "=" in part)

    def _parse_name(self, name):
        """Parses the name of a file that was written before records had fields: fem3d_n9_values-noise_shuffle7."""
        self.name, *parts = name.split("_")
        for part in parts:
            key, _, value = part.partition("-") if "-" in part else re.match(r"(\D*)()(.*)", part).groups()
            self.parameters[key] = value

    @property
    def noise(self):
        return self.parameters.get("values") == "noise"

    @property
    def distinct(self):
        """The number of values if they are few, else 0."""
        few = self.parameters.get("values") == "few"
        return int(self.parameters.get("distinct", 256)) if few else 0

    @property
    def shuffled(self):
        return self.parameters.get("shuffle", "0") != "0"


# Rows of a record of bench, transfer and solve.

def label(row):
    text = row["format"] + (":" + row["parameters"] if row.get("parameters") else "")
    return text if row["values"] == "raw" else f"{text} {row['values']}"


def right_rows(record, type_="double"):
    """The rows that were proven right, of one type."""
    return [row for row in record["formats"] if row["ok"] is True and row["type"] == type_]


def ours(row):
    return not row["peer"]


def raw(row):
    return row["values"] == "raw"


def fastest(rows):
    """The row with the highest speedup over CSR in the same record, or None."""
    rows = [row for row in rows if (row["speedup_vs_csr"] or 0) > 0]
    return max(rows, key=lambda row: row["speedup_vs_csr"], default=None)


def faster(rows, accepts, against):
    """How many times as fast the fastest of some rows is as the fastest of others: (value, detail) or None."""
    one, other = fastest(filter(accepts, rows)), fastest(filter(against, rows))
    if one is None or other is None:
        return None
    return one["speedup_vs_csr"] / other["speedup_vs_csr"], f"{label(one)} to {label(other)}"
