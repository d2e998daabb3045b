"""Claims about products on a GPU, from the records of `spress bench --device cuda`."""
import records as rec
from judge import Claim
from records import faster, ours, raw

DOUBLE = "Products on a GPU, FP64"
SINGLE = "Products on a GPU, FP32"

LARGE = 2**25  # entries: beyond any GPU's cache
PAPER_004 = range(900_000, 12_000_001)  # entries of the matrices of paper 004: 958,936 to 11,634,424

REGULAR = frozenset({"stencil27", "stencil7", "fem3d", "elasticity3d"})
FEW = REGULAR - {"fem3d"}
IRREGULAR = frozenset({"circuit", "powerlaw", "band", "uniform"})
MANY_FORMATS = 6


# Predicates of rows.

def cusparse(row):
    return row["peer"] and row["format"].startswith("cusparse-")


def cusparse_csr(row):
    return row["peer"] and row["format"].startswith("cusparse-csr")


def cusparse_coo(row):
    return row["peer"] and row["format"].startswith("cusparse-coo")


def cusparse_sell(row):
    return row["peer"] and row["format"] == "cusparse-sell"


def of_papers(row):
    return ours(row) and row["format"] != "slice-delta"


def raw_of(*formats):
    return lambda row: ours(row) and raw(row) and row["format"] in formats


def any_of(format_):
    return lambda row: ours(row) and row["format"] == format_


# Predicates of records.

def large(record):
    return rec.on_gpu(record) and record["matrix"]["nnz"] >= LARGE


def noise_of(kinds):
    def applies(record):
        source = rec.Source(record)
        return large(record) and source.noise and not source.shuffled and source.name in kinds
    return applies


def few_of(kinds, most=256, least=17):
    def applies(record):
        source = rec.Source(record)
        return (large(record) and least <= source.distinct <= most and not source.shuffled and source.name in kinds)
    return applies


def any_noise(record):
    return large(record) and rec.Source(record).noise


def ordered(values):
    """Shuffled by the generator and ordered again: a file, since what comes from the generator is shuffled."""
    def applies(record):
        source = rec.Source(record)
        fits = source.noise if values == "noise" else 0 < source.distinct <= 256
        return large(record) and source.name in REGULAR and source.shuffled and source.ordered and fits
    return applies


def in_range(entries):
    return lambda record: rec.on_gpu(record) and rec.Source(record).noise and record["matrix"]["nnz"] in entries


# Values that a claim takes from a record.

def over(accepts, against, type_="double"):
    return lambda record: faster(rec.right_rows(record, type_), accepts, against)


def best_over_cusparse(accepts):
    """Only of a record of many formats: the best of a few would say less than the best of all."""
    def value(record):
        rows = rec.right_rows(record)
        many = len({row["format"] for row in rows if ours(row)}) >= MANY_FORMATS
        return faster(rows, accepts, cusparse) if many else None
    return value


def of_copy(record):
    row = rec.fastest(filter(raw_of("slice-delta"), rec.right_rows(record)))
    copy = record["machine"]["copy_gb_per_s"]
    return None if row is None or not copy else (100 * row["gb_per_s"] / copy, f"{row['gb_per_s']:.0f} GB/s")


def claims():
    regular = "four regular kinds, noise, 2^25 entries or more"
    eight = "eight kinds, noise, 2^25 entries or more"
    few = "three regular kinds, 256 values, 2^25 entries or more"
    irregular = "circuit, power law, band, uniform; noise, 2^25 entries or more"
    again = "regular kinds shuffled and ordered again, {}, 2^25 entries or more"
    own = any_of("slice-delta")
    on_regular = {"applies": noise_of(REGULAR), "needs": REGULAR}
    on_eight = {"applies": noise_of(REGULAR | IRREGULAR), "needs": REGULAR | IRREGULAR}
    on_few = {"applies": few_of(REGULAR), "needs": FEW}
    on_irregular = {"applies": noise_of(IRREGULAR), "needs": IRREGULAR}
    hyb = raw_of("hyb")
    paper_004 = "noise, 0.9 to 12 million entries, the paper's sizes"
    beyond_004 = "noise, 2^25 entries or more, beyond the paper's"
    return [
        Claim(DOUBLE, "csr against cuSPARSE's best CSR", "noise, 2^25 entries or more", "aim", "least", 0.97,
              over(raw_of("csr"), cusparse_csr), applies=any_noise),
        Claim(DOUBLE, "sell against cuSPARSE's sliced ELL", "noise, 2^25 entries or more", "aim", "least", 0.97,
              over(raw_of("sell"), cusparse_sell), applies=any_noise),
        Claim(DOUBLE, "bccoo-gpu against cuSPARSE's best CSR", eight, "paper 000: 1.2x, 1.4x", "geometric mean", 1.4,
              over(any_of("bccoo-gpu"), cusparse_csr), **on_eight),
        Claim(DOUBLE, "bccoo-gpu against cuSPARSE's best CSR", regular, "paper 000: 1.2x, 1.4x", "geometric mean", 1.4,
              over(any_of("bccoo-gpu"), cusparse_csr), **on_regular),
        Claim(DOUBLE, "bccoo-gpu against cuSPARSE's best COO", eight, "paper 000: 1.4x", "geometric mean", 1.4,
              over(any_of("bccoo-gpu"), cusparse_coo), **on_eight),
        Claim(DOUBLE, "bccoo-gpu against cuSPARSE's best COO", regular, "paper 000: 1.4x", "geometric mean", 1.4,
              over(any_of("bccoo-gpu"), cusparse_coo), **on_regular),
        Claim(DOUBLE, "amb against the best of cuSPARSE", regular, "paper 001: 1.29x", "geometric mean", 1.29,
              over(raw_of("amb"), cusparse), **on_regular),
        Claim(DOUBLE, "amb against cuSPARSE's best CSR", regular, "paper 001: 1.83x", "geometric mean", 1.83,
              over(raw_of("amb"), cusparse_csr), **on_regular),
        Claim(DOUBLE, "sell against cuSPARSE's best CSR", regular, "paper 003: faster", "least", 1,
              over(raw_of("sell"), cusparse_csr), **on_regular),
        Claim(DOUBLE, "ell-csr against hyb", paper_004, "paper 004: 1.25x over the better of csr and hyb",
              "geometric mean", 1.25, over(raw_of("ell-csr"), hyb), applies=in_range(PAPER_004)),
        Claim(DOUBLE, "ell-csr against the better of csr and hyb", paper_004, "paper 004: 1.25x", "geometric mean",
              1.25, over(raw_of("ell-csr"), raw_of("csr", "hyb")), applies=in_range(PAPER_004)),
        Claim(DOUBLE, "ell-csr against hyb", beyond_004, "aim", "geometric mean", 1, over(raw_of("ell-csr"), hyb),
              applies=any_noise),
        Claim(DOUBLE, "best of the papers' formats against the best of cuSPARSE", regular, "aim", "least", 1.1,
              best_over_cusparse(of_papers), **on_regular),
        Claim(DOUBLE, "best of the papers' formats against the best of cuSPARSE", irregular, "aim", "least", 0.97,
              best_over_cusparse(of_papers), **on_irregular),
        Claim(DOUBLE, "best of the papers' formats against the best of cuSPARSE", few, "aim", "least", 1.5,
              best_over_cusparse(of_papers), **on_few),
        Claim(DOUBLE, "slice-delta against the best of cuSPARSE", regular, "aim", "geometric mean", 1.35,
              over(own, cusparse), **on_regular),
        Claim(DOUBLE, "slice-delta against the best of cuSPARSE", few, "aim", "geometric mean", 3, over(own, cusparse),
              **on_few),
        Claim(DOUBLE, "best of ours against the best of cuSPARSE", regular, "aim", "geometric mean", 1.35,
              best_over_cusparse(ours), **on_regular),
        Claim(DOUBLE, "best of ours against the best of cuSPARSE", few, "aim", "geometric mean", 3,
              best_over_cusparse(ours), **on_few),
        Claim(DOUBLE, "best of ours against the best of cuSPARSE", again.format("noise"), "aim", "geometric mean",
              1.15, over(ours, cusparse), applies=ordered("noise"), needs=REGULAR),
        Claim(DOUBLE, "best of ours against the best of cuSPARSE", again.format("256 values"), "aim",
              "geometric mean", 2, over(ours, cusparse), applies=ordered("few"), needs=FEW),
        Claim(DOUBLE, "best of ours against the best of cuSPARSE", "random band, noise, 2^25 entries or more", "aim",
              "least", 1.1, best_over_cusparse(ours), applies=noise_of({"band"})),
        Claim(DOUBLE, "best of ours against the best of cuSPARSE",
              "power law and uniformly random, noise, 2^25 entries or more", "aim", "least", 1,
              best_over_cusparse(ours), applies=noise_of({"powerlaw", "uniform"}),
              needs=frozenset({"powerlaw", "uniform"})),
        Claim(DOUBLE, "slice-delta: bytes moved, of a copy's rate", regular, "aim", "least", 90, of_copy, unit="%",
              **on_regular),
        Claim(SINGLE, "amb against the best of cuSPARSE", regular, "paper 001: 1.74x", "geometric mean", 1.74,
              over(raw_of("amb"), cusparse, "float"), **on_regular),
    ]
