"""Claims about bytes and orderings, from the records of `spress analyze` and of bench/rcm/bandwidths.py."""
from judge import Claim

PAPERS = "Bytes, against the papers"
OWN = "Bytes, what spress aims at"
ORDERINGS = "Orderings"

PAPER_000_ROWS = 900_000  # "row/column dimensions larger than 900,000"
LARGE_ENTRIES = 10_000
INDEX_ENTRIES, INDEX_ROW = 2**15, 10


def square(record):
    return record["matrix"]["rows"] == record["matrix"]["cols"]


def symmetric(record):
    """The selection of paper 002."""
    return square(record) and record["matrix"]["pattern_symmetric"]


def as_large_as_paper_000(record):
    return square(record) and record["matrix"]["rows"] >= PAPER_000_ROWS


def smaller_than_paper_000(record):
    return (square(record) and record["matrix"]["rows"] < PAPER_000_ROWS
            and record["matrix"]["nnz"] >= LARGE_ENTRIES)


def long_rows(record):
    matrix = record["matrix"]
    return matrix["nnz"] >= INDEX_ENTRIES and matrix["nnz"] >= INDEX_ROW * matrix["rows"]


def footprint(record, format_, ordering="none"):
    """The bytes of a format in an order, or None where it does not apply."""
    entry = record["orderings"].get(ordering, {})
    found = entry.get("footprint", {}).get(format_) if entry.get("status") == "ok" else None
    return None if found is None or "reason" in found else found


def model_reduction(record):
    """CSR's index bytes over opt-csr's, by the paper's formulas."""
    csr, opt = footprint(record, "csr"), footprint(record, "opt-csr")
    if csr is None or opt is None or opt["model_index_bytes"] == 0:
        return None
    return csr["model_index_bytes"] / opt["model_index_bytes"], ""


def of_csr(format_):
    """All bytes of a format over CSR's."""
    def value(record):
        csr, other = footprint(record, "csr"), footprint(record, format_)
        if csr is None or other is None or csr["total_bytes"] == 0:
            return None
        return other["total_bytes"] / csr["total_bytes"], ""
    return value


def index_bytes(record):
    """All bytes of slice-delta but raw values, for each entry."""
    csr, other = footprint(record, "csr"), footprint(record, "slice-delta")
    if csr is None or other is None:
        return None
    raw_values = csr["total_bytes"] - csr["index_bytes"]
    return max(0.0, (other["total_bytes"] - raw_values) / record["matrix"]["nnz"]), ""


def goal_of(candidate, goal):
    if goal in ("size", "memory", "file"):
        return candidate["total_bytes"]
    seconds = candidate["predicted_seconds"]
    if seconds is None:
        return float("inf")
    return seconds + (candidate["transfer_seconds"] or 0 if goal == "transfer" else 0)


def auto_bytes(record):
    """Bytes of what auto takes over those of what it would take in the original order; exact ones only."""
    choice = record.get("choice")
    if not choice or not choice["candidates"]:
        return None
    taken = choice["candidates"][0]
    original = [c for c in choice["candidates"] if c["ordering"] == "none"]
    if not original:
        return None
    before = min(original, key=lambda c: goal_of(c, choice["goal"]))
    if not taken["exact"] or not before["exact"] or before["total_bytes"] == 0:
        return None
    return taken["total_bytes"] / before["total_bytes"], taken["ordering"]


def widening(strategy):
    """Bits of the index class in the order that auto takes over those in the original order."""
    def value(record):
        choice = record.get("choice")
        if not choice or not choice["candidates"]:
            return None
        ordering = choice["candidates"][0]["ordering"]
        before, after = (record["orderings"].get(name, {}) for name in ("none", ordering))
        if before.get("status") != "ok" or after.get("status") != "ok":
            return None
        bits = [entry["index_classes"][strategy]["matrix_bits"] for entry in (before, after)]
        return bits[1] / bits[0], f"{bits[0]} to {bits[1]} bits by {ordering}"
    return value


def to_boost(ordering):
    """Bandwidth over that of Boost.Graph's order from four starts."""
    def value(record):
        ours, theirs = (record["orderings"][name]["bandwidth"] for name in (ordering, "rcm-boost"))
        return None if theirs == 0 else (ours / theirs, f"{ours} to {theirs}")
    return value


def claims():
    pattern = "square matrices with a symmetric pattern, the paper's kind"
    large = f"square matrices of {PAPER_000_ROWS:,} rows or more, the paper's sizes"
    small = f"square matrices of {LARGE_ENTRIES:,} entries or more, below {PAPER_000_ROWS:,} rows"
    dense = f"{INDEX_ENTRIES:,} entries and {INDEX_ROW} a row or more"
    every = "all matrices"
    analysis = {"kind": "analysis"}
    return [
        Claim(PAPERS, "opt-csr: CSR's index bytes over its own, by the paper's formulas, mean", pattern,
              "paper 002: 20% smaller", "geometric mean", 1.25, model_reduction, applies=symmetric, **analysis),
        Claim(PAPERS, "opt-csr: CSR's index bytes over its own, by the paper's formulas, best", pattern,
              "paper 002: 3.99x", "most", 3.99, model_reduction, applies=symmetric, **analysis),
        Claim(PAPERS, "bccoo is smaller than CSR", large, "paper 000: all", "share below", 100, of_csr("bccoo"),
              applies=as_large_as_paper_000, unit="%", limit=1, **analysis),
        Claim(PAPERS, "bccoo-gpu is smaller than CSR", large, "paper 000: fewer than half", "share below", 50,
              of_csr("bccoo-gpu"), applies=as_large_as_paper_000, unit="%", limit=1, **analysis),
        Claim(PAPERS, "auto: matrices in a wider class of delta-to-diagonal", pattern,
              "paper 002, with RCM: 17 of 1407", "share above", 100 * 17 / 1407, widening("delta-to-diagonal"),
              applies=symmetric, unit="%", at_least=False, limit=1, **analysis),
        Claim(PAPERS, "auto: matrices in a wider class of delta", pattern, "paper 002, with RCM: 26 of 1407",
              "share above", 100 * 26 / 1407, widening("delta"), applies=symmetric, unit="%", at_least=False, limit=1,
              **analysis),
        Claim(OWN, "bccoo is smaller than CSR", small, "aim", "share below", 100, of_csr("bccoo"),
              applies=smaller_than_paper_000, unit="%", limit=1, **analysis),
        Claim(OWN, "slice-delta: index bytes an entry", dense, "aim", "geometric mean", 1, index_bytes,
              applies=long_rows, unit="", at_least=False, **analysis),
        Claim(OWN, "slice-delta: matrices with more bytes than CSR", dense, "aim", "number above", 0,
              of_csr("slice-delta"), applies=long_rows, unit="", at_least=False, limit=1, **analysis),
        Claim(OWN, "auto: matrices that need more bytes than in the order they come in", every, "aim", "number above",
              0, auto_bytes, unit="", at_least=False, limit=1, **analysis),
        Claim(ORDERINGS, "rcm: bandwidth over Boost.Graph's", "square matrices", "Boost.Graph", "geometric mean", 1,
              to_boost("rcm"), kind="ordering", applies=square, at_least=False),
        Claim(ORDERINGS, "rcm-thorough: bandwidth over Boost.Graph's", "square matrices", "Boost.Graph",
              "geometric mean", 1, to_boost("rcm-thorough"), kind="ordering", applies=square, at_least=False),
    ]
