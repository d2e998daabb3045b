"""Claims about conjugate gradients, from the records of `spress solve`."""
import pathlib

from judge import Claim
from records import on_gpu

GROUP = "Conjugate gradients on a GPU, FP64"
LEAST_ROWS = 100_000  # "more than 10^5 rows"
UNEVEN = frozenset((pathlib.Path(__file__).parents[1] / "publish/solve_uneven.txt").read_text().split())


def solved(record, format_):
    return next((row for row in record["formats"]
                 if row["ok"] is True and row["type"] == "double" and row["values"] == "raw"
                 and row["format"] == format_ and (row["seconds"] or 0) > 0), None)


def over_hyb(record):
    row, hyb = solved(record, "ell-csr"), solved(record, "hyb")
    return row and hyb and (hyb["seconds"] / row["seconds"], f"{row['iterations']} iterations")


def applies(record):
    return on_gpu(record) and record["matrix"]["rows"] > LEAST_ROWS


def path(record):
    return record["matrix"]["path"]


def is_uneven(record):
    return on_gpu(record) and path(record) in UNEVEN


def claims():
    return [Claim(GROUP, "ell-csr against hyb", "more than 100,000 rows, the paper's sizes", "paper 004: 1.2x",
                  "geometric mean", 1.2, over_hyb, kind="solve", applies=applies),
            Claim(GROUP, "ell-csr against hyb", "four circuits, 1 to 12 million entries", "aim", "least", 1.1, over_hyb,
                  kind="solve", applies=is_uneven, needs=UNEVEN, label=path)]
