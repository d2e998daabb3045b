"""Judges spress against the papers, the vendors and its own aims, by measured records alone.

    python3 bench/claims PATH... [--json]

PATH: files of records (.jsonl, .jsonl.gz, .jsonl.xz) or folders of them, such as bench/runs. Later paths count as
newer. Prints a table, or with --json every row behind each figure. bench/claims/judge.py says how it judges.
"""
import argparse
import json
import sys

import claims_auto
import claims_bytes
import claims_products_cpu
import claims_products_gpu
import claims_solvers
import claims_transfers
import judge
import records

SUBJECTS = (claims_bytes, claims_products_gpu, claims_auto, claims_products_cpu, claims_transfers, claims_solvers)


def all_claims():
    return [claim for subject in SUBJECTS for claim in subject.claims()]


def main():
    parser = argparse.ArgumentParser(prog="python3 bench/claims", description=__doc__.splitlines()[0],
                                     epilog="example: python3 bench/claims bench/runs")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="record files, or folders of them")
    parser.add_argument("--json", action="store_true", help="one JSON array: each claim with every row behind it")
    parser.add_argument("--smoke", action="store_true", help="take the records of a smoke test of ./dev publish, too")
    options = parser.parse_args()
    try:
        claims = judge.judge(all_claims(), records.read(options.paths, options.smoke))
    except records.RecordError as error:
        print(f"claims: {error}", file=sys.stderr)
        return 2
    print(json.dumps([judge.as_json(claim) for claim in claims], indent=1) if options.json else judge.table(claims),
          end="\n" if options.json else "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
