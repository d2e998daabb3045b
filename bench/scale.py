#!/usr/bin/env python3
"""How long a collection takes on many ranks, and one matrix on many GPUs.

    scale.py SPRESS                check: times real runs on 1, 2 and 4 ranks here, and simulates them
    scale.py SPRESS --large        the same terms on 1000 nodes with 100,000 matrices, with stragglers and failures
    scale.py --one-matrix RUN      one matrix of 10^12 entries on 1000 GPUs, with times measured on one and two GPUs
                                   (RUN: a folder of bench/runs with bench.ndjson and solve.ndjson)

The queue is simulated, and checked against real runs. Ranks draw matrices from one queue, large ones first; each rank works
on one at a time with one thread. Where there are more ranks than cores, they share the cores evenly. A killed rank leaves
the matrix that it had in work for the next run.
The real runs need mpirun and take some minutes.
"""
import argparse
import collections
import heapq
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

SIZES = [30, 33, 36, 40, 44, 48, 52, 56, 60, 64] * 3  # grid points a side of 27-point stencils


# --- The simulation ----------------------------------------------------------------------------------------------------

def simulate_shared(seconds, ranks, cores, draw, beside=1.0):
    """Makespan where ranks share cores: all that are at work go on at the same rate. beside: how many times as long work
    takes when all cores are busy, since they share memory."""
    queue = list(reversed(seconds))  # the largest is drawn first
    left = []  # of what each rank has in work
    now = 0.0
    while queue or left:
        while queue and len(left) < ranks:
            left.append(queue.pop() + draw)
        rate = min(1.0, cores / len(left)) / (beside if len(left) >= cores > 1 else 1.0)
        step = min(left)
        now += step / rate
        left = [rest - step for rest in left if rest - step > 1e-12]
    return now


def simulate(seconds, ranks, draw, slow=None, failures=0.0, rng=None):
    """Makespan with a core for each rank, and the matrices left undone. slow: factors by rank. failures: the chance that a
    matrix's rank ends while it has it in work."""
    free = [(0.0, rank) for rank in range(ranks)]
    heapq.heapify(free)
    undone, end = [], 0.0
    for work in seconds:
        if not free:
            undone.append(work)
            continue
        now, rank = heapq.heappop(free)
        took = (work + draw) * (slow or {}).get(rank, 1.0)
        if failures and rng.random() < failures:
            undone.append(work)
            end = max(end, now + took * rng.random())
            continue
        end = max(end, now + took)
        heapq.heappush(free, (now + took, rank))
    return end, undone


# --- Real runs -----------------------------------------------------------------------------------------------------------

class Runs:
    def __init__(self, spress, folder):
        self.spress, self.folder = spress, folder
        self.environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def tool(self, *args):
        subprocess.run([self.spress, *map(str, args)], check=True, capture_output=True)

    def analyze(self, ranks, inputs, out):
        """Seconds of a run from its start to its end."""
        launcher = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]
        begin = time.perf_counter()
        subprocess.run([*launcher, self.spress, "analyze", str(inputs), "-o", str(out), "--jobs", "1", "--threads", "1", "-q"],
                       check=True, capture_output=True, env=self.environment)
        return time.perf_counter() - begin

    def slowdown(self, inputs, cores):
        """How many times as long a run takes beside as many of its like as there are cores."""
        def together(count):
            begin = time.perf_counter()
            started = [subprocess.Popen([self.spress, "analyze", str(inputs), "-o", self.folder / f"slow{count}{k}", "--jobs", "1",
                                         "--threads", "1", "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                       for k in range(count)]
            for process in started:
                process.wait()
            return time.perf_counter() - begin
        return together(cores) / together(1)

    def median(self, ranks, inputs, times=3):
        return sorted(self.analyze(ranks, inputs, self.folder / f"out{time.time_ns()}") for _ in range(times))[times // 2]


def measured_terms(runs):
    """Seconds of each matrix, largest first, and of what a run and a record cost besides."""
    matrices, tiny = runs.folder / "matrices", [runs.folder / f"tiny{n}" for n in (1, 2000)]
    runs.tool("encode", *[f"gen:stencil27,n={n},seed={k},values=noise" for k, n in enumerate(SIZES)], "-o", f"{matrices}/")
    runs.tool("generate", "poisson2d", "n=3", "-q", "-o", runs.folder / "tiny.mtx")
    for folder, count in zip(tiny, (1, 2000)):
        folder.mkdir()
        for k in range(count):
            (folder / f"{k}.mtx").write_bytes((runs.folder / "tiny.mtx").read_bytes())
    start = {ranks: runs.median(ranks, tiny[0]) for ranks in (1, 2, 4)}
    each = (runs.median(1, tiny[1]) - start[1]) / 1999
    out = runs.folder / "alone"
    alone = runs.analyze(1, matrices, out)
    records = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    records.sort(key=lambda record: -record["matrix"]["file_bytes"])
    analysed = [record["seconds"] for record in records]
    read = (alone - start[1] - sum(analysed)) / sum(record["matrix"]["nnz"] for record in records)
    seconds = [took + read * record["matrix"]["nnz"] for took, record in zip(analysed, records)]
    return matrices, start, each, seconds


def check(spress):
    with tempfile.TemporaryDirectory(prefix="spress_scale_") as name:
        runs = Runs(spress, pathlib.Path(name))
        matrices, start, each, seconds = measured_terms(runs)
        cores = len(os.sched_getaffinity(0))
        print(f"{len(seconds)} matrices of {min(seconds):.2f} to {max(seconds):.2f} s, {sum(seconds):.1f} s in all, {cores} cores")
        print(f"start and end {start[1]:.2f}, {start[2]:.2f}, {start[4]:.2f} s on 1, 2, 4 ranks; a record {1e3 * each:.2f} ms")
        beside = runs.slowdown(matrices, cores)
        print(f"work takes {beside:.2f} times as long when all cores are busy")
        print("ranks  measured  simulated    off")
        for ranks in (1, 2, 4):
            real = runs.median(ranks, matrices)
            model = start[ranks] + simulate_shared(seconds, ranks, cores, each, beside)
            print(f"{ranks:5}  {real:7.2f}s  {model:8.2f}s  {100 * (model / real - 1):4.0f}%")
        return each


def large(each):
    """A node measured as above, 1000 of them with 64 ranks each, and matrices as unequal as those of a collection."""
    rng = random.Random(1)
    seconds = sorted((rng.lognormvariate(0, 2.2) for _ in range(100_000)), reverse=True)
    ranks = 64_000
    print(f"\n100,000 matrices, {sum(seconds) / 3600:.0f} core hours, the largest {seconds[0] / 3600:.1f} h; {ranks} ranks on 1000 nodes")
    print("                                    hours  of the largest  undone")
    slow = {rank: 3.0 for rank in range(ranks) if rng.random() < 0.01}
    cases = (("all alike", None, 0.0), ("one rank in a hundred 3x slower", slow, 0.0), ("one matrix in a thousand kills", None, 1e-3))
    for what, factors, failures in cases:
        end, undone = simulate(seconds, ranks, each, factors, failures, rng)
        again = simulate(undone, ranks, each)[0] if undone else 0
        print(f"{what:34}  {(end + again) / 3600:6.2f}  {(end + again) / seconds[0]:14.2f}  {len(undone):6}")
    print(f"drawing from one queue, one at a time: {len(seconds) * each:.0f} s; on NFS at 2 ms: {len(seconds) * 2e-3:.0f} s")


# --- One matrix on many GPUs -------------------------------------------------------------------------------------------

# Assumed besides: both directions of a link at once, a GPU's link for itself, sums of an iteration in turn, and that an entry
# takes as long as in the run, whose rows are shorter.
RADIUS = 4             # points that a point of the grid knows in each direction: 9 x 9 x 9 entries a row
LINK = 50e9            # bytes a second that a GPU sends to another machine: assumed, a network of 400 Gb/s
LATENCY = 5e-6         # seconds of one step of a sum over all GPUs: assumed
FILE_SYSTEM = 1e12     # bytes a second, all GPUs together: assumed


def own_share(side, radius):
    """The part of the entries in a grid's line of `side` points whose columns lie in it too."""
    return sum(max(0, side - abs(d)) for d in range(-radius, radius + 1)) / (side * (2 * radius + 1))


def records_of(run, name):
    """The record of one GPU, and that of two."""
    if not (run / name).is_file():
        sys.exit(f"{run / name} is not there; give a folder of bench/runs that has it")
    records = [json.loads(line) for line in (run / name).read_text().splitlines()]
    records.sort(key=lambda record: "parts" in record)
    if len(records) != 2 or "parts" not in records[1]:
        sys.exit(f"{run / name}: needs two records, of one GPU and of two")
    return records


def terms_of(run):
    """By format: seconds of a product for each entry, of the rest of an iteration for each row, and what a product and an
    iteration take on two GPUs besides half of the time on one. Encoding and transfer are those of two processes."""
    bench, solve = records_of(run, "bench.ndjson"), records_of(run, "solve.ndjson")
    matrix = bench[0]["matrix"]
    one, two, alone, both = ({f["format"]: f for f in record["formats"] if f["type"] == "double"} for record in bench + solve)
    part = matrix["nnz"] / 2
    terms = {}
    for name in one:
        first, second = one[name]["seconds_median"], two[name]["seconds_median"]
        terms[name] = {"entry": first / matrix["nnz"], "bytes": one[name]["total_bytes"] / matrix["nnz"],
                       "encode": two[name]["encode_seconds"] / part, "step": second - first / 2}
        if name in alone:
            seconds = [solved[name]["seconds"] / solved[name]["iterations"] for solved in (alone, both)]
            terms[name] |= {"row": seconds[0] * (1 - alone[name]["product_share"]) / matrix["rows"],
                            "transfer": both[name]["transfer_seconds"] / part, "beside": seconds[1] - seconds[0] / 2}
    return terms


def file_bytes(run):
    """Bytes that the processes read of a file for each entry; 0 where they made the matrix."""
    record = records_of(run, "bench.ndjson")[1]
    return sum(part["bytes_read"] for part in record["parts"]) / record["matrix"]["nnz"]


def iteration(entries, rows, own, ghosts, entry, row, sums):
    """Seconds of an iteration: ghosts arrive while the own columns are multiplied, those of ghosts after both."""
    product = entries * entry
    return max(own * product, 8 * ghosts / LINK) + (1 - own) * product + rows * row + sums


Cut = collections.namedtuple("Cut", "name own ghosts")  # the share of entries in own columns; elements a GPU receives
OnMany = collections.namedtuple("OnMany", "gigabytes encode transfer slabs boxes alone")  # s; ms of an iteration


def cuts_of(side, gpus):
    """A grid of side^3 points cut into whole planes, and into cubes."""
    box = side / gpus**(1 / 3)
    return (Cut("slabs", own_share(side / gpus, RADIUS), 2 * RADIUS * side**2),
            Cut("boxes", own_share(box, RADIUS)**3, (box + 2 * RADIUS)**3 - box**3))


def on_many(terms, side, gpus):
    """By format, what each of the GPUs has and takes."""
    rows = side**3 / gpus
    entries = rows * (2 * RADIUS + 1)**3
    out = {}
    for name, of in terms.items():
        if "row" in of:
            sums = 2 * math.ceil(math.log2(gpus)) * LATENCY + of["beside"]
            times = [1e3 * iteration(entries, rows, cut.own, cut.ghosts, of["entry"], of["row"], sums)
                     for cut in cuts_of(side, gpus)]
            out[name] = OnMany(entries * of["bytes"] / 1e9, entries * of["encode"], entries * of["transfer"], *times,
                               1e3 * (entries * of["entry"] + rows * of["row"]))
    return out


def one_matrix(run):
    terms = terms_of(run)
    print("us besides half of the time on one GPU, on two of one machine")
    for name, of in terms.items():
        print(f"{name:12} product {1e6 * of['step']:3.0f}" + (f"  iteration {1e6 * of['beside']:3.0f}" if "beside" in of else ""))
    side, gpus = 1111, 1000
    entries = side**3 * (2 * RADIUS + 1)**3
    print(f"\n{side}^3 points, {entries / side**3:.0f} entries a row: {entries:.2e} entries on {gpus} GPUs")
    for cut in cuts_of(side, gpus):
        print(f"{cut.name}: {100 * cut.own:.0f}% of the entries in own columns, {cut.ghosts:.2e} ghosts "
              f"and {side**3 / gpus:.2e} rows a GPU")
    print("format       GB a GPU  encoding  transfer    slabs    boxes   without exchange")
    for name, of in on_many(terms, side, gpus).items():
        print(f"{name:12} {of.gigabytes:8.1f} {of.encode:8.2f}s {of.transfer:8.2f}s {of.slabs:6.2f}ms {of.boxes:6.2f}ms"
              f" {of.alone:6.2f}ms")
    if of_file := file_bytes(run):
        print(f"reading {entries * of_file / 1e12:.1f} TB from a file system of {FILE_SYSTEM / 1e12:.0f} TB/s:"
              f" {entries * of_file / FILE_SYSTEM:.0f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spress", nargs="?")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--one-matrix", type=pathlib.Path, metavar="RUN")
    options = parser.parse_args()
    if options.one_matrix:
        if options.spress or options.large:
            parser.error("--one-matrix takes a folder of bench/runs and nothing else")
        one_matrix(options.one_matrix)
        return
    if not options.spress:
        parser.error("give the tool that is to be measured, or --one-matrix")
    each = check(os.path.abspath(options.spress))
    if options.large:
        large(each)


if __name__ == "__main__":
    main()
