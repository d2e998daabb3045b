#!/usr/bin/env python3
"""Which ordering takes the fewest index bytes: for each matrix and ordering of `spress analyze` records the index bytes for
each entry (values raw) in the best format, or in one; then how often each ordering is the best, how many matrices it made
larger than `none`, and geometric means over `none`.

  spress analyze matrices -o results --orderings none,rcm,cm-nodes,partition,apart,likeness,search
  bench/ordering_bytes.py results/results.jsonl [--format opt-csr] [--least 100] [--table]
"""
import argparse
import json
import math


def bytes_per_nnz(record, wanted):
    """Ordering -> index bytes per entry in its best format, for the orderings that apply."""
    out = {}
    for name, ordering in record["orderings"].items():
        if ordering["status"] != "ok":
            continue
        sizes = [f["index_bytes_per_nnz"] for key, f in ordering["footprint"].items()
                 if f.get("index_bytes_per_nnz") is not None and f.get("total_bytes") and wanted in (None, key)]
        if sizes:
            out[name] = (min(sizes), ordering["seconds"])
    return out


def rows_of(paths, wanted, least):
    for path in paths:
        for line in open(path, encoding="utf-8"):
            record = json.loads(line)
            matrix = record["matrix"]
            if record.get("error") or matrix["nnz"] < least:
                continue
            yield matrix, bytes_per_nnz(record, wanted)


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+")
    parser.add_argument("--format", help="this one alone; else the best of each ordering")
    parser.add_argument("--least", type=int, default=100, help="entries a matrix must have")
    parser.add_argument("--table", action="store_true", help="a line for each matrix, too")
    arguments = parser.parse_args()
    rows = list(rows_of(arguments.results, arguments.format, arguments.least))
    names = list(dict.fromkeys(name for _, sizes in rows for name in sizes))
    print(f"{len(rows)} matrices of at least {arguments.least} entries, {arguments.format or 'best format of each'}")
    print(f"{'ordering':<14}{'applies':>8}{'best':>6}{'alone':>7}{'smaller':>9}{'larger':>8}{'bytes/none':>12}"
          f"{'worst':>8}{'seconds':>10}")
    for name in names:
        have = [(sizes[name][0], sizes) for _, sizes in rows if name in sizes]
        # search tries the others: it is kept out of the race that counts the best.
        field = [{k: v[0] for k, v in sizes.items() if name == "search" or k != "search"} for _, sizes in have]
        best = sum(size <= min(f.values()) for (size, _), f in zip(have, field))
        alone = sum(all(size < v for k, v in f.items() if k != name) for (size, _), f in zip(have, field))
        base = [(size, sizes["none"][0]) for size, sizes in have]
        ratios = [size / none for size, none in base if size > 0 and none > 0]
        print(f"{name:<14}{len(have):>8}{best:>6}{alone:>7}{sum(s < n for s, n in base):>9}"
              f"{sum(s > n for s, n in base):>8}{mean(ratios):>12.4f}{max(ratios, default=1):>8.3f}"
              f"{sum(sizes[name][1] for _, sizes in have):>10.1f}")
    if arguments.table:
        print("\n" + f"{'matrix':<30}{'rows':>9}{'nnz':>10}" + "".join(f"{name:>13}" for name in names))
        for matrix, sizes in rows:
            cells = "".join(f"{sizes[n][0]:>13.4f}" if n in sizes else f"{'-':>13}" for n in names)
            print(f"{matrix['name'][:29]:<30}{matrix['rows']:>9}{matrix['nnz']:>10}{cells}")


if __name__ == "__main__":
    main()
