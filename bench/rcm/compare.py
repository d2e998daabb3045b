#!/usr/bin/env python3
"""Times our reverse Cuthill-McKee, Boost.Graph's and SciPy's by turns on generated matrices.

    compare.py BENCH_RCM [-n ROUNDS] [--threads 1,2] [--thorough] [-o FILE.jsonl] gen:NAME,key=value,...

SciPy, where it is found, is given a prepared CSR matrix and told that it is symmetric; where the pattern is not, it is
given that of A + A^T, which is not timed, and ours is timed with making it. Boost.Graph is given a graph made before.
Writes a line of JSON for each matrix, every time measured in it, and a line of medians to stderr.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import numpy
    import scipy
    import scipy.sparse
    from scipy.sparse.csgraph import reverse_cuthill_mckee
except ImportError:
    scipy = None


class Server:
    def __init__(self, program, spec):
        self.process = subprocess.Popen([program, spec], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def pattern_of(path):
    with open(path, "rb") as file:
        rows, nnz = map(int, numpy.fromfile(file, numpy.uint64, 2))
        row_ptr = numpy.fromfile(file, numpy.uint64, rows + 1).astype(numpy.int32)
        columns = numpy.fromfile(file, numpy.uint32, nnz).astype(numpy.int32)
    a = scipy.sparse.csr_matrix((numpy.ones(nnz, numpy.int8), columns, row_ptr), shape=(rows, rows))
    both = (a + a.T).tocsr()
    both.sort_indices()
    return a if both.nnz == a.nnz else both


def measure(a, order):
    """Bandwidth and profile after the order."""
    place = numpy.empty(len(order), numpy.int64)
    place[order] = numpy.arange(len(order))
    rows = numpy.repeat(place, numpy.diff(a.indptr))
    columns = place[a.indices]
    first = place.copy()
    numpy.minimum.at(first, place.argsort()[rows], columns)
    return int(abs(rows - columns).max(initial=0)), int((place - first).sum())


def order_by_scipy(a):
    wall, cpu = time.perf_counter(), time.process_time()
    order = reverse_cuthill_mckee(a, True)
    return time.perf_counter() - wall, time.process_time() - cpu, order


def compare(spec, options):
    server = Server(options.program, spec)
    ways = [("rcm", t) for t in options.threads] + [("boost", 1)] + [("rcm-thorough", 1)] * options.thorough
    record = {"matrix": spec, "ways": {}}
    a = None
    if scipy:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "pattern")
            record.update(server.ask("dump", path))
            a = pattern_of(path)
        record["scipy"] = scipy.__version__
    for _ in range(options.rounds):
        for name, threads in ways:
            answer = server.ask(name, threads)
            way = record["ways"].setdefault(f"{name}, {threads}", {"seconds": [], "cpu_seconds": []})
            for key in ("seconds", "cpu_seconds"):
                way[key].append(answer[key])
            way.update({key: answer[key] for key in ("bandwidth", "profile", "hash")})
        if a is not None:
            wall, cpu, order = order_by_scipy(a)
            way = record["ways"].setdefault("scipy, 1", {"seconds": [], "cpu_seconds": []})
            way["seconds"].append(wall)
            way["cpu_seconds"].append(cpu)
            if "bandwidth" not in way:
                way["bandwidth"], way["profile"] = measure(a, order)
    server.close()
    return record


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("specs", nargs="+")
    parser.add_argument("-n", dest="rounds", type=int, default=5)
    parser.add_argument("--threads", type=lambda text: [int(t) for t in text.split(",")], default=[1, 2])
    parser.add_argument("--thorough", action="store_true")
    parser.add_argument("-o", dest="output")
    options = parser.parse_args()
    output = open(options.output, "a") if options.output else sys.stdout
    for spec in options.specs:
        record = compare(spec, options)
        print(json.dumps(record), file=output, flush=True)
        parts = [f"{name} {statistics.median(way['seconds']):.3f} s (cpu {statistics.median(way['cpu_seconds']):.3f}), "
                 f"bandwidth {way['bandwidth']}" for name, way in record["ways"].items()]
        print(spec + ": " + "; ".join(parts), file=sys.stderr)


if __name__ == "__main__":
    main()
