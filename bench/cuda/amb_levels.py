#!/usr/bin/env python3
"""Times the levels of AMB on a GPU one by one. The levels are sliced ELL (no segments, 32-bit columns), segments with
32-bit columns (level 1, once of equally many columns and once of equally many entries), chunks with 16-bit columns
(level 2), and blocks of columns (level 3). The last line is a base for each step in place of segments. For each: bytes
held, time, speed over CSR; for AMB the traffic that the model predicts. traffic.py counts the traffic.

  bench/cuda/amb_levels.py --spress build/release/spress gen:stencil27,n=128,values=noise
"""
import argparse
import json
import sys

from traffic import TrafficError, output_of, predicted_bytes, spec

LEVELS = (("csr", ""), ("sell", ""), ("amb", "block=1,base=none"), ("amb", "block=1,equal=entries"), ("amb", "block=1"),
          ("amb", ""), ("amb", "base=step"))


def measured(spress, matrix, value):
    """The rows of all levels, in their order, from one run."""
    levels = ",".join(spec({"format": name, "parameters": parameters}) for name, parameters in LEVELS)
    command = [spress, "bench", "--device", "cuda", "--no-peers", "--no-bandwidth", "--values", "raw", "--value",
               value, "--json", "-q", "--formats", levels, matrix]
    rows = json.loads(output_of(command).splitlines()[0])["formats"]
    return [next(row for row in rows if (row["format"], row["parameters"] or "") == level) for level in LEVELS]


def line_of(spress, matrix, row):
    if not row["ok"]:
        return f"  {spec(row):<25} {row.get('reason') or 'wrong'}"
    line = (f"  {spec(row):<25} {1e-6 * row['total_bytes']:9.1f} MB held {1e3 * row['seconds_median']:9.4f} ms "
            f"{row['speedup_vs_csr']:6.2f}x csr")
    predicted = predicted_bytes(spress, matrix, row) if row["format"] == "amb" else None
    return line if predicted is None else f"{line}  predicted {1e-6 * predicted:9.1f} MB"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--spress", default="build/release/spress")
    arguments.add_argument("--value", choices=("double", "float"), default="double", help="[double]")
    arguments.add_argument("matrices", nargs="+")
    options = arguments.parse_args()
    for matrix in options.matrices:
        print(matrix)
        try:
            for row in measured(options.spress, matrix, options.value):
                print(line_of(options.spress, matrix, row), flush=True)
        except TrafficError as error:
            sys.exit(str(error))


if __name__ == "__main__":
    main()
