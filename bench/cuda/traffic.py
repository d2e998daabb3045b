#!/usr/bin/env python3
"""Counts the bytes that products move between a GPU and its memory, with ncu (Nsight Compute), and writes records of
`spress bench` that have them: `counted_bytes`, and `predicted_bytes` of formats that have a model of their traffic.
`spress report` draws both.

  bench/cuda/traffic.py --ncu ncu -o traffic.jsonl $(cat bench/collections/paper-001.txt)

A matrix that the output already has is left out, so an interrupted run goes on. ncu must be allowed to read counters.
"""
import argparse
import collections
import csv
import itertools
import json
import pathlib
import re
import subprocess
import sys

COUNTERS = ("dram__bytes_read.sum", "dram__bytes_write.sum")
RUNS = 3  # `spress bench` runs each product so often, in a range named after its kernel, before it times it
UNITS = {"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9}


class TrafficError(Exception):
    pass


def output_of(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    errors = [line for line in done.stdout.splitlines() if line.startswith("==ERROR==")]  # of ncu
    if errors:
        raise TrafficError("\n".join(errors))
    if done.returncode > 1:
        raise TrafficError(f"{' '.join(command)}: exit {done.returncode}")
    return done.stdout


def spec(row):
    return ":".join(filter(None, (row["format"], row["parameters"])))


def range_of(row):
    """The name of the range in which a row's product runs: kernels/cuda/device/profiler.hpp."""
    return re.sub(r"[^0-9A-Za-z]", "_", row["kernel"])


def bench_command(options, matrix, formats):
    return [options.spress, "bench", matrix, "--device", "cuda", "--formats", formats, "--values", "raw", "--value",
            options.value, "--no-bandwidth", "-q", "--json"]


def wanted(row, options):
    name = row["format"]
    return row["ok"] and row["kernel"] and (name in options.peers.split(",") if row["peer"] else name != "csr")


def batches(rows):
    """Lists of rows whose kernels have different names, since a name is all that ncu says of a product."""
    alike = collections.defaultdict(list)
    for row in rows:
        alike[range_of(row)].append(row)
    return [[row for row in batch if row] for batch in itertools.zip_longest(*alike.values())]


def counted_bytes(text, ranges):
    """{range: bytes of one product} of what ncu prints as CSV, a line for each launch and counter."""
    lines = list(csv.DictReader(line for line in text.splitlines() if line.startswith('"')))
    column = next((name for name in (lines[0] if lines else {}) if "Push/Pop_Range" in name), None)
    if column is None:
        raise TrafficError("ncu names no ranges: is this `ncu --csv --nvtx`?")
    totals, launches = dict.fromkeys(ranges, 0), collections.Counter()
    for line in lines:
        if line["Metric Name"] not in COUNTERS:
            continue
        found = [name for name in ranges if re.search(rf"(?<!\w){name}(?!\w)", line[column])]
        if len(found) != 1:
            raise TrafficError(f"a launch belongs to {found or 'no range'}: {line[column]}")
        totals[found[0]] += float(line["Metric Value"].replace(",", "")) * UNITS[line["Metric Unit"]]
        launches[found[0], line["Metric Name"]] += 1
    check_launches(launches, ranges)
    return {name: round(total / RUNS) for name, total in totals.items()}


def check_launches(launches, ranges):
    """Each run of a product has its launches, and each counter a value for each of them."""
    for name in ranges:
        for counter in COUNTERS:
            number = launches[name, counter]
            if number == 0 or number % RUNS:
                raise TrafficError(f"{name}: {number} values of {counter}, for {RUNS} runs of the product")


def count(options, matrix, rows):
    """Bytes of one product for each row; the rows have kernels of different names."""
    ranges = [range_of(row) for row in rows]
    formats = ",".join(spec(row) for row in rows if not row["peer"]) or "csr"
    command = [options.ncu, "--csv", "--nvtx", *(word for name in ranges for word in ("--nvtx-include", name + "/")),
               "--cache-control", "none", "--clock-control", "none", "--print-units", "base", "--metrics",
               ",".join(COUNTERS), *bench_command(options, matrix, formats), "--repetitions", "1"]
    counted = counted_bytes(output_of(command), ranges)
    return [counted[name] for name in ranges]


def predicted_bytes(spress, matrix, row):
    """Bytes of one product by the model of the row's format, None if it has no model."""
    command = [spress, "analyze", matrix, "--formats", spec(row), "--orderings", "none", "--json", "-q"]
    footprints = json.loads(output_of(command).splitlines()[0])["orderings"]["none"]["footprint"]
    key = "single_traffic_bytes" if row["type"] == "float" else "traffic_bytes"
    return footprints[row["format"]].get("details", {}).get(key)


def record_of(options, matrix):
    record = json.loads(output_of(bench_command(options, matrix, options.formats)).splitlines()[0])
    rows = [row for row in record["formats"] if wanted(row, options)]
    for batch in batches(rows):
        for row, counted in zip(batch, count(options, matrix, batch)):
            row["counted_bytes"] = counted
    for row in rows:
        predicted = None if row["peer"] else predicted_bytes(options.spress, matrix, row)
        if predicted is not None:
            row["predicted_bytes"] = predicted
    return record


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spress", default="build/release/spress", help="[build/release/spress]")
    parser.add_argument("--ncu", default="ncu", help="the profiler [ncu]")
    parser.add_argument("--formats", default="csr,amb,sell", help="formats to count beside the peers [csr,amb,sell]")
    parser.add_argument("--peers", default="cusparse-csr-alg1,cusparse-csr-alg2,cusparse-bsr", help="peers to count "
                        "[cusparse-csr-alg1,cusparse-csr-alg2,cusparse-bsr]")
    parser.add_argument("--value", choices=("double", "float"), default="double", help="[double]")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="file to append records to")
    parser.add_argument("matrices", nargs="+")
    return parser.parse_args(arguments)


def main():
    options = parse(sys.argv[1:])
    lines = options.output.read_text().splitlines() if options.output.exists() else []
    done = {record["matrix"]["path"] for record in map(json.loads, lines)
            if record["formats"][0]["type"] == options.value}
    for matrix in options.matrices:
        if matrix in done:
            continue
        try:
            record = record_of(options, matrix)
        except TrafficError as error:
            print(f"{matrix}: {error}", file=sys.stderr)
            return 2
        with options.output.open("a") as out:
            out.write(json.dumps(record) + "\n")
        print(matrix, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
