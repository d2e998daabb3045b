"""Writes the folder of a run: compressed records and a README.md, complete or not at all."""
import json
import lzma
import os
import pathlib
import shutil
import subprocess
import sys

CLAIMS = pathlib.Path(__file__).resolve().parents[1] / "claims"
sys.path.append(str(CLAIMS))
from records import commit_of  # noqa: E402

ENVIRONMENT = {"OMP_PROC_BIND": "true", "MKL_THREADING_LAYER": "GNU"}  # in which everything is measured
FACTS = (("machine", "processor"), ("device", "device"), ("driver", "driver"), ("compiler", "compiler"),
         ("instruction_set", "instruction set"), ("copy_gb_per_s", "copy bandwidth, GB/s"))


class RunError(Exception):
    pass


def thinned(record):
    """Without the pictures of patterns, which no claim looks at, and the keys of the journal."""
    for ordering in record.get("orderings", {}).values():
        ordering.pop("spy", None)
    record.pop("key", None)
    return record


def check_same(files, commit):
    """All records of one machine and one commit. The matrices that failed are in the records, too."""
    hosts, devices = set(), set()
    for name, records in files.items():
        for record in records:
            if commit_of(record) != commit:
                raise RunError(f"{name}: a record is of commit {commit_of(record)}, the run of {commit}")
            if record.get("machine"):
                hosts.add(record["machine"]["machine"])
                devices.add(record["machine"]["device"])
    for found in (hosts, devices - {"cpu"}):
        if len(found) > 1:
            raise RunError(f"the records are of several machines: {', '.join(sorted(found))}")


def machine_table(files):
    """A row for each device and number of threads."""
    rows = {}
    for records in files.values():
        for record in records:
            machine = record.get("machine")
            if machine:
                key = machine["device"], machine["threads"]
                kept = rows.setdefault(key, dict(machine))
                kept["copy_gb_per_s"] = kept.get("copy_gb_per_s") or machine.get("copy_gb_per_s")
    lines = ["| threads | " + " | ".join(title for _, title in FACTS) + " |", "| --: |" + " --- |" * len(FACTS)]
    for (_, threads), machine in sorted(rows.items()):
        values = [machine.get(key) for key, _ in FACTS]
        shown = [f"{value:.0f}" if isinstance(value, float) else str(value or "-") for value in values]
        lines.append(f"| {threads} | " + " | ".join(shown) + " |")
    return "\n".join(lines)


def readme(title, files, commands, commit, claims):
    environment = " ".join(f"{key}={value}" for key, value in ENVIRONMENT.items())
    table = "\n".join(f"| `{name}.jsonl.xz` | {len(records)} | {commands[name]} |" for name, records in files.items())
    return f"""# {title}

Commit {commit}. Written by `./dev publish`, which measures with {environment}.

{machine_table(files)}

| file | records | command |
| --- | --: | --- |
{table}

`python3 bench/claims` judges the claims by these records:

```
{claims}```
"""


def line_of(record, hidden, smoke):
    marked = {"smoke": True, **thinned(record)} if smoke else thinned(record)
    text = json.dumps(marked, separators=(",", ":"))
    for path, name in hidden.items():
        text = text.replace(json.dumps(path)[1:-1], name)
    return text + "\n"


def write(target, part, files, commands, commit, hidden, smoke=False):
    """part: a folder to build in, on the same file system as target. hidden: paths of this machine, and the names that
    replace them in the records."""
    if target.exists():
        raise RunError(f"{target} is there already")
    check_same(files, commit)
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for name, records in files.items():
        with lzma.open(part / f"{name}.jsonl.xz", "wt", preset=9, encoding="utf-8") as out:
            for record in records:
                out.write(line_of(record, hidden, smoke))
    done = subprocess.run([sys.executable, CLAIMS, part, *["--smoke"] * smoke], capture_output=True, text=True)
    if done.returncode != 0:
        raise RunError(done.stderr.strip())
    title = "SMOKE TEST: tiny matrices, no measurement" if smoke else target.name
    (part / "README.md").write_text(readme(title, files, commands, commit, done.stdout))
    target.parent.mkdir(parents=True, exist_ok=True)
    os.rename(part, target)
