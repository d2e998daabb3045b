#!/usr/bin/env python3
"""Bandwidths and profiles of our orderings beside MATLAB's and SciPy's, over a folder of real matrices.

    bandwidths.py BENCH_RCM FOLDER -o FILE.jsonl
    quality.py FILE.jsonl collection_index.tsv -o FILE.tsv

The index holds, for members of the SuiteSparse collection, the bandwidths after MATLAB's symrcm. SciPy reads the files
that the records name. Only square matrices of symmetric pattern count. Writes a row for each to FILE.tsv and the
geometric means of ratios to stdout.
"""
import argparse
import csv
import json
import math

import numpy
import scipy
import scipy.io
import scipy.sparse
from scipy.sparse.csgraph import reverse_cuthill_mckee

OURS = ["rcm", "rcm-plain", "rcm-boost", "rcm-thorough"]


def read_index(path):
    bandwidths = {}
    with open(path) as file:
        for row in csv.DictReader(file, delimiter="\t"):
            key = row["name"], int(row["rows"]), int(row["cols"]), int(row["nnz"]) + int(row["explicit_zeros"])
            bandwidths.setdefault(key, max(int(row["rcm_lower_bandwidth"]), int(row["rcm_upper_bandwidth"])))
    return bandwidths


def by_scipy(path):
    """Bandwidth and profile after SciPy's order."""
    a = scipy.io.mmread(path).tocoo()
    a = scipy.sparse.csr_matrix((numpy.ones(a.nnz), (a.row, a.col)), shape=a.shape)
    a.sort_indices()
    order = reverse_cuthill_mckee(a, True)
    place = numpy.empty(len(order), numpy.int64)
    place[order] = numpy.arange(len(order))
    a = a.tocoo()
    first = numpy.arange(len(order))
    numpy.minimum.at(first, place[a.row], place[a.col])
    return int(abs(place[a.row] - place[a.col]).max(initial=0)), int((numpy.arange(len(order)) - first).sum())


def rows_of(results, index):
    with open(results) as file:
        for line in file:
            record = json.loads(line)
            matrix = record["matrix"]
            if not matrix["pattern_symmetric"]:
                continue
            row = {"name": matrix["name"], "rows": matrix["rows"], "nnz": matrix["nnz"]}
            for ordering in OURS:
                for key in ("bandwidth", "profile", "seconds"):
                    row[f"{key} {ordering}"] = record["orderings"][ordering][key]
            key = matrix["name"], matrix["rows"], matrix["cols"], matrix["nnz"]
            row["bandwidth matlab"] = index.get(key, -1)
            row["bandwidth scipy"], row["profile scipy"] = by_scipy(matrix["path"])
            yield row


def compare(rows, measure, ours, theirs):
    pairs = [(r["name"], r[f"{measure} {ours}"], r[f"{measure} {theirs}"]) for r in rows if r[f"{measure} {theirs}"] >= 0]
    ratios = [a / b for _, a, b in pairs if b > 0]
    above = sorted(((a / b if b else math.inf, name) for name, a, b in pairs if a > b), reverse=True)
    mean = math.exp(sum(math.log(r) for r in ratios if r > 0) / max(1, len(ratios)))
    print(f"{measure}: {ours} / {theirs}: {mean:.4f} over {len(ratios)}; above: {len(above)} "
          + ", ".join(f"{name} {ratio:.3f}" for ratio, name in above))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results")
    parser.add_argument("index")
    parser.add_argument("-o", dest="output", required=True)
    options = parser.parse_args()
    rows = sorted(rows_of(options.results, read_index(options.index)), key=lambda row: row["name"])
    with open(options.output, "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{len(rows)} square matrices of symmetric pattern; SciPy {scipy.__version__}")
    for ours in OURS:
        compare(rows, "bandwidth", ours, "matlab")
    for ours in OURS:
        compare(rows, "profile", ours, "scipy")
    for theirs in OURS[1:]:
        compare(rows, "bandwidth", "rcm", theirs)
    times = sorted(r["seconds rcm-thorough"] / r["seconds rcm"] for r in rows if r["seconds rcm"] > 0)
    total = sum(r["seconds rcm-thorough"] for r in rows) / sum(r["seconds rcm"] for r in rows)
    print(f"time: rcm-thorough / rcm: {total:.1f} in all, median {times[len(times) // 2]:.1f}")


if __name__ == "__main__":
    main()
