"""Measures everything that the README or a claim states, on this machine, and writes one run of one commit.

Ends with bench/runs/<date>-<machine>/, which holds the records (.jsonl.xz) and a README.md. A run that was interrupted
goes on where it stopped: the same command skips what is measured already. Nothing is written to bench/runs before all
is measured.

--steps measures some steps of the run, for machines that are there for minutes at a time: each of them may be stopped and
gone on with, too. The command without --steps measures what is left and writes the run.

--smoke tries every step on a few tiny matrices. Its records are marked, lie in build/publish-smoke, and bench/claims
refuses them.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import run_folder
from steps import steps_for

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMIT_DIGITS = 12


class PublishError(Exception):
    pass


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True).stdout.strip()


def clean_commit(spress):
    """The commit of the tree, or of the program where the tree is no clone. A dirty one is refused: its records would
    name a commit that does not hold them."""
    if not (ROOT / ".git").exists():
        commit = commit_of_program(spress)
        if re.fullmatch(r"[0-9a-f]{%d}" % COMMIT_DIGITS, commit):
            return commit
        raise PublishError(f"the tree is no git clone, and {spress} is of no clean commit, but of '{commit}'")
    changed = git("status", "--porcelain")
    if changed:
        raise PublishError("the tree differs from its commit; commit or stash first:\n" + changed)
    return git("rev-parse", f"--short={COMMIT_DIGITS}", "HEAD")


def commit_of_program(spress):
    version = subprocess.run([spress, "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"\(([^)]*)\)", version).group(1)


def lines_of(path):
    return path.read_text().split()


def records_in(path):
    """Whole lines only: a killed run leaves a torn one behind."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().split("\n")[:-1] if line.strip()]


class Publisher:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.commands = {}  # of each step, as they are published

    def inputs_of(self, step):
        return (lines_of(ROOT / self.list_of(step)) if step.inputs else []) + self.real_inputs(step)

    def list_of(self, step):
        return "bench/" + (step.smoke_inputs if self.options.smoke else step.inputs)

    def real_inputs(self, step):
        if not step.real:
            return []
        if self.options.matrices is None:
            return lines_of(ROOT / "bench/publish/smoke.txt") if self.options.smoke and step.real == "all" else []
        if step.real == "all":
            return [str(self.options.matrices)]
        found = sorted(self.options.matrices.rglob(f"{step.real}.*"))
        if not found:
            print(f"publish: {self.options.matrices} has no {step.real}: its claims stay not measured", file=sys.stderr)
        return [str(file) for file in found[:1]]

    def words_of(self, step):
        words = [word.format(threads=self.options.threads) for word in step.command]
        if step.seconds is not None:
            words += ["--seconds", "0" if self.options.smoke else str(step.seconds)]
        return words

    def run(self, words):
        """Exit code 1 of spress (something checked was found false) is in the records, where it counts for nothing."""
        code = subprocess.run([str(word) for word in words], stdout=subprocess.DEVNULL,
                              env={**os.environ, **run_folder.ENVIRONMENT}).returncode
        if code != 0 and not (code == 1 and words[0] == self.options.spress):
            raise PublishError(f"'{shlex.join(map(str, words))}' ended with {code}; the same command goes on from here")

    def measure(self, step):
        """Runs what is left of a step, and returns its records; nothing where it has no inputs here."""
        inputs, words = self.inputs_of(step), self.words_of(step)
        if not inputs:
            print(f"publish: {step.name}: left out, since there are no --matrices", file=sys.stderr)
            return []
        self.commands[step.name] = self.shown_command(step, words)
        out = self.work / f"{step.name}.jsonl"
        print(f"publish: {step.name}", file=sys.stderr)
        getattr(self, step.way)(out, words, inputs)
        return records_in(self.work / step.name / "results.jsonl" if step.way == "analyze" else out)

    def shown_command(self, step, words):
        sources = [self.list_of(step)] * bool(step.inputs) + [f"MATRICES ({step.real})"] * bool(step.real)
        tool = "bench/rcm/bandwidths.py" if step.way == "orderings" else "spress"
        order = "; each written by 'spress reorder --ordering lines' before" if step.way == "ordered" else ""
        return f"`{shlex.join([tool, *words])}` on {' and '.join(sources)}{order}"

    def left_of(self, out, inputs, key=lambda record: record["matrix"]["path"]):
        done = {key(record) for record in records_in(out)}
        return [item for item in inputs if item not in done]

    def append(self, out, words, inputs):
        left = self.left_of(out, inputs)
        if left:
            self.run([self.options.spress, *words, "-o", out, *left])

    def each(self, out, words, inputs):
        for item in self.left_of(out, inputs):
            self.run([self.options.spress, *words, "-o", out, item])

    def analyze(self, out, words, inputs):
        self.run([self.options.spress, *words, "-o", out.with_suffix(""), *inputs])

    def orderings(self, out, words, inputs):
        if out.exists():
            return
        part = out.with_suffix(".part")
        self.run([sys.executable, ROOT / "bench/rcm/bandwidths.py", self.options.bench_rcm, *inputs, "-o", part])
        os.replace(part, out)

    def ordered(self, out, words, inputs):
        """Generates shuffled matrices, writes each to a file in another order, and measures the file."""
        for spec in self.left_of(out, inputs, lambda record: record["publish"]["made_from"]):
            file = self.work / (re.sub(r"[:,]", "_", spec.removeprefix("gen:")).replace("=", "") + ".mtx")
            single = self.work / "ordered.jsonl"
            single.unlink(missing_ok=True)
            self.run([self.options.spress, "reorder", spec, "--ordering", "lines", "-o", file, "-q"])
            self.run([self.options.spress, *words, "-o", single, file])
            file.unlink()
            (record,) = records_in(single)
            record["publish"] = {"made_from": spec, "ordering": "lines"}
            part = out.with_suffix(".part")
            part.write_text("".join(json.dumps(r) + "\n" for r in [*records_in(out), record]))
            os.replace(part, out)


def machine_slug(files, device):
    machines = [record["machine"] for records in files.values() for record in records if "machine" in record]
    machine = next(machine for machine in machines if (machine["device"] == "cpu") == (device == "cpu"))
    name = machine["device"] if device == "cuda" else f"{machine['machine']} {machine['threads']} cores"
    words = re.sub(r"\((r|tm)\)|nvidia|processor|cpu|@.*", "", name.lower())
    return "-".join(re.findall(r"[a-z0-9.]+", words))


def parse(arguments):
    parser = argparse.ArgumentParser(prog="./dev publish", description=__doc__.split("\n\n")[0],
                                     epilog="\n\n".join(__doc__.split("\n\n")[1:]),
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="cuda: products, transfers and solvers "
                        "on the GPU, too [cpu]")
    parser.add_argument("--matrices", type=pathlib.Path, help="folder of real matrices, for the claims about them")
    parser.add_argument("--name", help="of the machine, in the run's folder [from its records]")
    parser.add_argument("--steps", type=lambda names: names.split(","), help="measure only these, such as gpu,transfer, "
                        "and write no run yet")
    parser.add_argument("--smoke", action="store_true", help="try every step on tiny matrices; publishes nothing")
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)  # ./dev asks before it builds
    parser.add_argument("--spress", type=pathlib.Path, default=ROOT / "build/release/spress", help=argparse.SUPPRESS)
    parser.add_argument("--bench-rcm", type=pathlib.Path, default=ROOT / "build/release/bench/bench_rcm",
                        help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    options.threads = len(os.sched_getaffinity(0))
    if options.matrices is not None:
        options.matrices = options.matrices.resolve()
        if not options.matrices.is_dir():
            parser.error(f"{options.matrices} is no folder")
    options.of_run = steps_for(options.device, options.threads)
    names = [step.name for step in options.of_run]
    unknown = set(options.steps or ()) - set(names)
    if unknown:
        parser.error(f"--steps: there is no {', '.join(sorted(unknown))}; a run here has {', '.join(names)}")
    return options


def publish(options):
    if options.check:
        if not options.smoke and (ROOT / ".git").exists():
            clean_commit(options.spress)
        return None
    built = commit_of_program(options.spress)
    commit = built if options.smoke else clean_commit(options.spress)
    if built != commit:
        raise PublishError(f"{options.spress} is of commit {built}, the tree of {commit}")
    work = ROOT / "build" / ("publish-smoke" if options.smoke else f"publish/{commit}-{options.device}")
    if options.smoke:
        shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True, exist_ok=True)
    publisher = Publisher(options, work)
    steps = [step for step in options.of_run if options.steps is None or step.name in options.steps]
    files = {step.name: publisher.measure(step) for step in steps}
    if options.steps is not None:
        return None
    files = {name: records for name, records in files.items() if records}
    if not options.smoke and clean_commit(options.spress) != commit:
        raise PublishError("another commit was checked out meanwhile")
    date = datetime.date.today().isoformat()
    slug = options.name or machine_slug(files, options.device)
    target = work / "run" if options.smoke else ROOT / "bench/runs" / f"{date}-{slug}"
    hidden = {str(work): "WORK", str(ROOT): "."}
    if options.matrices is not None:
        hidden = {str(options.matrices): "MATRICES", **hidden}
    run_folder.write(target, work / "run.part", files, publisher.commands, commit, hidden, options.smoke)
    return target


def main():
    options = parse(sys.argv[1:])
    try:
        target = publish(options)
    except (PublishError, run_folder.RunError) as error:
        print(f"publish: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("publish: interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    if target is not None:
        print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
