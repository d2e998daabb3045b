#!/usr/bin/env python3
"""Paper 004's sweep over T, M and L of ell-csr: how far the values that spress takes by itself are from the best ones.

  bench/cuda/ell_csr_sweep.py --spress build/release/spress -o sweep.jsonl gen:circuit,n=800000,values=noise

The paper varies T from 8 to 512 in steps of 32, M from 4 to 320 in steps of 16, L from 4 to 64 warps in steps of 8. T of
more than 256 does not exist here. A combination is left out if a row of T - 1 entries does not fit a warp, or if a smaller M
already gives each row one thread.
"""
import argparse
import json
import subprocess
import sys

from traffic import spec

WARP = 32
THRESHOLDS = range(8, 257, 32)
PER_THREAD = range(4, 321, 16)
PER_WARP = range(4 * WARP, 64 * WARP + 1, 8 * WARP)
OWN = "ell-csr"


def tunings():
    """Triples of T, M and L."""
    for t in THRESHOLDS:
        one_thread = next(m for m in PER_THREAD if m >= t - 1)
        for m in PER_THREAD:
            if t - 1 <= WARP * m and m <= one_thread:
                yield from ((t, m, l) for l in PER_WARP)


def specs():
    return [OWN, *(f"{OWN}:t={t},m={m},l={l}" for t, m, l in tunings())]


def measured(options, matrix):
    """Seconds of each spec, and what failed."""
    command = [options.spress, "bench", matrix, "--device", options.device, "--no-peers", "--no-bandwidth", "--values",
               "raw", "--seconds", str(options.seconds), "--formats", ",".join(specs()), "--json", "-q"]
    if options.output:
        command += ["-o", options.output]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode > 1:
        sys.exit(f"spress bench {matrix}: exit {done.returncode}")
    rows = json.loads(done.stdout.splitlines()[0])["formats"]
    return ({spec(row): row["seconds_median"] for row in rows if row["ok"]},
            [f"{spec(row)}: {row.get('reason') or 'wrong'}" for row in rows if not row["ok"]])


def lines(matrix, seconds, failed):
    own = seconds.get(OWN)
    yield f"{matrix}: {len(seconds)} of {len(specs())} measured"
    yield from (f"  {text}" for text in failed)
    if own is None:
        return
    ranked = sorted((s, name) for name, s in seconds.items())
    yield f"  own    {1e3 * own:9.4f} ms, place {1 + sum(s < own for s, _ in ranked)}"
    for label, (s, name) in (("best", ranked[0]), ("median", ranked[len(ranked) // 2]), ("worst", ranked[-1])):
        yield f"  {label:<6} {1e3 * s:9.4f} ms, own is {s / own:5.2f}x as fast  {name}"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--spress", default="build/release/spress")
    arguments.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    arguments.add_argument("--seconds", type=float, default=0.01, help="for each combination")
    arguments.add_argument("-o", "--output", help="a file for the records")
    arguments.add_argument("matrices", nargs="+")
    options = arguments.parse_args()
    for matrix in options.matrices:
        print("\n".join(lines(matrix, *measured(options, matrix))), flush=True)


if __name__ == "__main__":
    main()
