"""Claims about products on a CPU, FP64, out of its caches, from the records of `spress bench`."""
import records as rec
from claims_products_gpu import MANY_FORMATS, any_of, of_papers, raw_of
from judge import Claim
from records import faster, ours, raw

GROUP = "Products on a CPU, FP64, out of cache"
LONG_ROWS = frozenset({"stencil27", "elasticity3d"})  # 27 entries a row and more
REGULAR = LONG_ROWS | {"stencil7", "fem3d"}


def peer(row):
    return row["peer"]


def mkl(row):
    return row["peer"] and row["format"] == "mkl-csr"


def any_csr(row):
    """The peers, and our csr."""
    return row["peer"] or (row["format"] == "csr" and raw(row))


def on_cores(fits, holds=lambda source: True):
    """Records out of cache on a fitting number of threads, about a fitting matrix."""
    def applies(record):
        return (not rec.on_gpu(record) and not record["working_set_in_cache"] and fits(record["machine"]["threads"])
                and holds(rec.Source(record)))
    return applies


def one(threads):
    return threads == 1


def two(threads):
    return threads == 2


def many(threads):
    return threads > 2


def noise_of(kinds):
    return lambda source: source.noise and not source.shuffled and source.name in kinds


def few_of(kinds, least, most):
    return lambda source: least <= source.distinct <= most and not source.shuffled and source.name in kinds


def over(accepts, against):
    return lambda record: faster(rec.right_rows(record), accepts, against)


def best_of_papers(record):
    rows = rec.right_rows(record)
    enough = len({row["format"] for row in rows if ours(row)}) >= MANY_FORMATS
    return faster(rows, of_papers, any_csr) if enough else None


def bccoo_over(against):
    """Only where one record has all three, so that the claims against MKL and against our csr are about the same
    matrices of the same run."""
    def value(record):
        rows = rec.right_rows(record)
        has_all = all(rec.fastest(filter(accepts, rows)) for accepts in (any_of("bccoo"), mkl, raw_of("csr")))
        return faster(rows, any_of("bccoo"), against) if has_all else None
    return value


def claims():
    stencils = "27-point stencil and elasticity, {}, two cores"
    regular = "regular kinds, {}, more than two cores"
    own = over(any_of("slice-delta"), any_csr)
    return [
        Claim(GROUP, "csr against the fastest of MKL and Eigen", "two cores", "aim", "least", 0.97,
              over(raw_of("csr"), peer), applies=on_cores(two)),
        Claim(GROUP, "best of the papers' formats against MKL, Eigen, csr", stencils.format("noise"), "aim", "least",
              1.15, best_of_papers, applies=on_cores(two, noise_of(LONG_ROWS)), needs=LONG_ROWS),
        Claim(GROUP, "best of the papers' formats against MKL, Eigen, csr", stencils.format("256 values"), "aim",
              "least", 1.5, best_of_papers, applies=on_cores(two, few_of(LONG_ROWS, 17, 256)), needs=LONG_ROWS),
        Claim(GROUP, "bccoo against csr", "one core", "aim", "least", 0.5, over(any_of("bccoo"), raw_of("csr")),
              applies=on_cores(one)),
        Claim(GROUP, "bccoo against MKL's CSR", "more than two cores", "paper 000: 1.7x", "geometric mean", 1.7,
              bccoo_over(mkl), applies=on_cores(many)),
        Claim(GROUP, "bccoo against our csr", "more than two cores, the matrices of the claim above", "aim",
              "geometric mean", 1, bccoo_over(raw_of("csr")), applies=on_cores(many)),
        Claim(GROUP, "slice-delta against MKL, Eigen, csr", regular.format("noise"), "aim", "least", 1.25, own,
              applies=on_cores(many, noise_of(REGULAR)), needs=LONG_ROWS),
        Claim(GROUP, "slice-delta against MKL, Eigen, csr", regular.format("256 values"), "aim", "least", 2, own,
              applies=on_cores(many, few_of(REGULAR, 17, 256)), needs=LONG_ROWS),
        Claim(GROUP, "slice-delta against MKL, Eigen, csr", regular.format("16 values"), "aim", "least", 4, own,
              applies=on_cores(many, few_of(REGULAR, 1, 16)), needs=LONG_ROWS),
    ]
