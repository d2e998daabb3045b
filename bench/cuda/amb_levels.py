#!/usr/bin/env python3
"""What each level of AMB is worth on a GPU. The levels are sliced ELL (no segments, 32-bit columns), segments with
32-bit columns (level 1, once of equally many columns and once of equally many entries), chunks with 16-bit columns
(level 2), and blocks of columns (level 3). The last line is a base for each step in place of segments. For each: bytes
held, time, speed over CSR; for AMB the traffic that the model predicts, and with --ncu what the hardware counts.

  bench/cuda/amb_levels.py --spress build/release/spress gen:stencil27,n=128,values=noise
  bench/cuda/amb_levels.py --spress build/release/spress --ncu ncu gen:elasticity3d,n=52,values=noise
"""
import argparse
import csv
import json
import subprocess
import sys

LEVELS = (("csr", ""), ("sell", ""), ("amb", "block=1,base=none"), ("amb", "block=1,equal=entries"), ("amb", "block=1"),
          ("amb", ""), ("amb", "base=step"))
COUNTERS = ("dram__bytes_read.sum", "dram__bytes_write.sum", "gpu__time_duration.sum")


def output_of(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode > 1:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}")
    return done.stdout


def spec(level):
    return ":".join(filter(None, level))


def predicted_traffic(spress, matrix, level):
    """Bytes of one product by the paper's model."""
    command = [spress, "analyze", matrix, "--formats", spec(level), "--orderings", "none", "--json", "-q"]
    record = json.loads(output_of(command).splitlines()[0])
    return record["orderings"]["none"]["footprint"]["amb"]["details"]["traffic_bytes"]


def counted_traffic(ncu, spress, matrix, level):
    """Bytes of device memory read and written by the kernel of one product, and its seconds."""
    command = [ncu, "--clock-control", "none", "--csv", "-k", "regex:multiply_(chunks|stretches)", "--launch-skip",
               "2", "--launch-count", "1", "--metrics", ",".join(COUNTERS), spress, "bench", "--device", "cuda",
               "--no-peers", "-q", "--no-bandwidth", "--repetitions", "3", "--formats", spec(level), matrix]
    lines = [line for line in output_of(command).splitlines() if line.startswith('"')]
    values = {row["Metric Name"]: float(row["Metric Value"].replace(",", "")) for row in csv.DictReader(lines)}
    read, written, nanoseconds = (values[name] for name in COUNTERS)
    return read, written, 1e-9 * nanoseconds


def measured(spress, matrix):
    """The records of all levels, in their order, from one run."""
    command = [spress, "bench", "--device", "cuda", "--no-peers", "--no-bandwidth", "--json", "-q", "--formats",
               ",".join(spec(level) for level in LEVELS), matrix]
    rows = json.loads(output_of(command).splitlines()[0])["formats"]
    rows = [row for row in rows if row["values"] == "raw"]
    return [next(r for r in rows if r["format"] == name and (r["parameters"] or "") == parameters)
            for name, parameters in LEVELS]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--spress", default="build/release/spress")
    arguments.add_argument("--ncu", help="the profiler, where the traffic is to be counted, too")
    arguments.add_argument("matrices", nargs="+")
    options = arguments.parse_args()
    for matrix in options.matrices:
        print(matrix)
        for level, row in zip(LEVELS, measured(options.spress, matrix)):
            if not row["ok"]:
                print(f"  {spec(level):<25} {row.get('reason', 'wrong')}")
                continue
            line = (f"  {spec(level):<25} {1e-6 * row['total_bytes']:9.1f} MB held "
                    f"{1e3 * row['seconds_median']:9.4f} ms {row['speedup_vs_csr']:6.2f}x csr")
            if level[0] == "amb":
                line += f"  predicted {1e-6 * predicted_traffic(options.spress, matrix, level):9.1f} MB"
                if options.ncu:
                    read, written, seconds = counted_traffic(options.ncu, options.spress, matrix, level)
                    line += (f", counted {1e-6 * read:.1f} MB read and {1e-6 * written:.1f} MB written in "
                             f"{1e3 * seconds:.4f} ms without clearing y")
            print(line, flush=True)


if __name__ == "__main__":
    main()
