#!/usr/bin/env python3
"""How often `auto` takes a format that is nearly the fastest, and where it does not.

    spress bench --device cuda --formats all,auto -o bench.jsonl MATRICES
    auto_misses.py bench.jsonl [--within 5] [--share 90]

Reads records of bench with a choice. A choice is within P percent if its row took at most P percent more time than the
fastest row of any of our formats. Prints every choice that is not, with what was predicted of both; ends with 1 where
fewer than the share asked for are within.
"""
import argparse
import json
import sys


def rows_of(record):
    rows = [r for r in record["formats"] if not r["peer"] and r["ok"] and r["speedup_vs_csr"]]
    return sorted(rows, key=lambda r: -r["speedup_vs_csr"])


def name_of(row):
    return f"{row['format']}{':' if row.get('parameters') else ''}{row.get('parameters', '')} {row['values']}"


def predicted(choice, row):
    for candidate in choice["candidates"]:
        if name_of(candidate) == name_of(row) and candidate["predicted_seconds"]:
            return f"{1e6 * candidate['predicted_seconds']:.1f}"
    return "-"


def describe(record):
    """The figures of one choice, or None where its row was not measured."""
    choice, rows = record["choice"], rows_of(record)
    taken = [r for r in rows if name_of(r) == name_of(choice["candidates"][0])]
    if not taken:
        return None
    best = rows[0]
    return {"matrix": record["matrix"]["path"], "taken": name_of(taken[0]), "best": name_of(best),
            "behind": 100 * (best["speedup_vs_csr"] / taken[0]["speedup_vs_csr"] - 1),
            "microseconds": (1e6 * taken[0]["seconds_median"], 1e6 * best["seconds_median"]),
            "predicted": (predicted(choice, taken[0]), predicted(choice, best)),
            "cost": choice["csr_products"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--within", type=float, default=5, help="percent")
    parser.add_argument("--share", type=float, default=90, help="percent of the matrices that shall be within")
    options = parser.parse_args()
    records = [json.loads(line) for file in options.files for line in open(file, encoding="utf-8")]
    choices = [d for d in (describe(r) for r in records if r.get("choice")) if d]
    if not choices:
        sys.exit("no record has a choice: bench with --formats all,auto")
    misses = sorted((d for d in choices if d["behind"] > options.within), key=lambda d: -d["behind"])
    for d in misses:
        print(f"{d['matrix']}: took {d['taken']} ({d['microseconds'][0]:.1f} us, predicted {d['predicted'][0]}), "
              f"{d['behind']:.1f}% behind {d['best']} ({d['microseconds'][1]:.1f} us, predicted {d['predicted'][1]})")
    share = 100 * (1 - len(misses) / len(choices))
    costs = sorted(d["cost"] for d in choices if d["cost"])
    print(f"{len(choices) - len(misses)} of {len(choices)} within {options.within:g}% ({share:.0f}%)"
          + (f"; choosing took {costs[len(costs) // 2]:.1f} products of CSR on the CPU in the median, {costs[-1]:.1f} at most"
             if costs else ""))
    return 0 if share >= options.share else 1


if __name__ == "__main__":
    sys.exit(main())
