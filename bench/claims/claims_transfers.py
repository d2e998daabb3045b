"""Claims about transfers to a GPU, FP64 from pinned memory, from the records of `spress transfer`."""
from judge import Claim
from records import label, raw

ROUTE = "Transfers to a GPU, FP64, pinned memory, against CSR by the same route"
PACKING = "Transfers to a GPU, FP64, pinned memory, one packed buffer against three copies of CSR"
ARRIVAL = "Transfers to a GPU, FP64, pinned memory, beside bytes and products"

LARGE, SMALL = 100_000_000, 1_000_000  # bytes of CSR
PAPER_002 = range(10_000, 4_690_003)  # rows of the 15 matrices in table 2 of paper 002


def sent(record, route, accepts=lambda row: True):
    return [row for row in record["formats"]
            if row["ok"] is True and row["type"] == "double" and row["memory"] == "pinned" and row["route"] == route
            and accepts(row)]


def csr_bytes(record):
    """0 where no row has them."""
    return next((row["total_bytes"] for row in record["formats"]
                 if row["format"] == "csr" and raw(row) and row["type"] == "double"), 0)


def large(record):
    return csr_bytes(record) >= LARGE


def small(record):
    return 0 < csr_bytes(record) < SMALL


def like_paper_002(record):
    return record["matrix"]["rows"] in PAPER_002


def bcsstm25(record):
    """The real matrix, whatever file it came from."""
    matrix = record["matrix"]
    return (matrix["name"] == "bcsstm25" and not matrix["path"].startswith("gen:")
            and matrix["rows"] == matrix["cols"] == matrix["nnz"] == 15_439)


def compressed(row):
    return row["format"] != "csr" or not raw(row)


def opt_csr(row):
    return row["format"] == "opt-csr" and raw(row)


def opt_csr_by(route, key="speedup_vs_csr"):
    def value(record):
        rows = sent(record, route, opt_csr)
        return (rows[0][key], label(rows[0])) if rows else None
    return value


def extreme_packed(pick):
    """The worst (min) or best (max) format in one buffer, over CSR's three arrays in a copy each."""
    def value(record):
        rows = sent(record, "packed", compressed)
        row = pick(rows, key=lambda row: row["speedup_vs_csr_arrays"], default=None)
        return None if row is None else (row["speedup_vs_csr_arrays"], label(row))
    return value


def arrival_share(record):
    """The least share of the bytes' ratio that a format reaches as a plain CSR on arrival."""
    rows = sent(record, "expanded", lambda row: row["byte_ratio"] >= 1.1)
    return min(((100 * row["speedup_vs_csr"] / row["byte_ratio"], label(row)) for row in rows), default=None)


def transfer_in_products(record):
    rows = sent(record, "packed", lambda row: row["format"] == "sell" and raw(row))
    if not rows or not rows[0]["spmv_seconds"]:
        return None
    return rows[0]["seconds_median"] / rows[0]["spmv_seconds"], label(rows[0])


def claims():
    table_2 = "10,000 to 4.7 million rows, the sizes of the paper's table 2"
    routes = (("separate", "array by array"), ("packed", "in one packed buffer"))
    return [
        *(Claim(ROUTE, f"opt-csr {words}, best matrix", table_2, "paper 002: 1.9x", "most", 1.9, opt_csr_by(route),
                kind="transfer", applies=like_paper_002) for route, words in routes),
        *(Claim(ROUTE, f"opt-csr {words}, worst matrix", table_2, "paper 002: 0.94x", "least", 0.94,
                opt_csr_by(route), kind="transfer", applies=like_paper_002) for route, words in routes),
        *(Claim(ROUTE, f"opt-csr {words}", "the matrix bcsstm25", "paper 002: at most 6% slower", "least", 0.94,
                opt_csr_by(route), kind="transfer", applies=bcsstm25) for route, words in routes),
        Claim(PACKING, "opt-csr, best matrix", table_2, "aim", "most", 1.9,
              opt_csr_by("packed", "speedup_vs_csr_arrays"), kind="transfer", applies=like_paper_002),
        Claim(PACKING, "every format", "CSR below 1 MB", "aim", "least", 1.5, extreme_packed(min), kind="transfer",
              applies=small),
        Claim(PACKING, "the best format", "CSR below 1 MB", "aim", "least", 1.5, extreme_packed(max), kind="transfer",
              applies=small),
        Claim(ARRIVAL, "a plain CSR on arrival: speedup over the bytes' ratio, every format that saves a tenth",
              "CSR of 100 MB or more", "aim", "least", 90, arrival_share, kind="transfer", applies=large, unit="%"),
        Claim(ARRIVAL, "sliced ELL: a transfer in products", "CSR of 100 MB or more", "paper 003: about 100",
              "geometric mean", 100, transfer_in_products, kind="transfer", applies=large, unit="", at_least=False),
    ]
