"""Hand-made records with known outcomes, and the judging of them."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/claims"))

import claims_auto  # noqa: E402
import claims_bytes  # noqa: E402
import claims_products_cpu  # noqa: E402
import claims_products_gpu  # noqa: E402
import claims_solvers  # noqa: E402
import claims_transfers  # noqa: E402
import judge  # noqa: E402
import records as rec  # noqa: E402

ENOUGH = 2**25
SUBJECTS = (claims_auto, claims_bytes, claims_products_cpu, claims_products_gpu, claims_solvers, claims_transfers)
REGULAR = ("stencil27", "stencil7", "fem3d", "elasticity3d")
IRREGULAR = ("circuit", "powerlaw", "band", "uniform")


def all_claims():
    return [claim for subject in SUBJECTS for claim in subject.claims()]


def judged(records, text, range_=""):
    """The one claim with this text whose range begins so, judged by the records."""
    found = {kind: [] for kind in rec.KINDS}
    for record in records:
        if record.get("error") is None:
            found[rec.check(record)].append(("file.jsonl", record))
    chosen = [claim for claim in judge.judge(all_claims(), found) if claim.text == text and claim.range.startswith(range_)]
    assert len(chosen) == 1, (text, range_, [claim.range for claim in chosen])
    return chosen[0]


def machine(device="A GPU", threads=16, commit="first"):
    return {"machine": "A host", "device": device, "threads": threads, "commit": commit, "copy_gb_per_s": 1000}


def row(format_, speedup, peer=False, values="raw", type_="double", ok=True, **more):
    return {"format": format_, "parameters": "", "values": values, "type": type_, "peer": peer, "ok": ok,
            "speedup_vs_csr": speedup, "gb_per_s": 900, **more}


def matrix(spec, nnz=ENOUGH, rows=10**6):
    """Named as the generator names it."""
    name = spec.replace(",", "_").replace("values=", "values-").replace("=", "")
    return {"name": name, "path": "gen:" + spec, "rows": rows, "cols": rows, "nnz": nnz, "pattern_symmetric": True}


def bench(spec, rows, nnz=ENOUGH, peers=None, **of_machine):
    """Rows of a GPU: csr 1, cuSPARSE's CSR 0.8, its COO 0.4, its sliced ELL 1.25."""
    peers = peers if peers is not None else [row("cusparse-csr-alg1", 0.8, True), row("cusparse-csr-alg2", 0.5, True),
                                             row("cusparse-coo-alg1", 0.4, True), row("cusparse-sell", 1.25, True)]
    return {"kind": "bench", "tool": {"commit": "first"}, "matrix": matrix(spec, nnz), "machine": machine(**of_machine),
            "working_set_in_cache": False, "formats": [row("csr", 1), *peers, *rows], "error": None}


def bench_all(kinds, rows, values="noise", **more):
    return [bench(f"{kind},n=9,values={values}", rows, **more) for kind in kinds]


def sent(format_, route, same_route, against_arrays, byte_ratio=1.0, total_bytes=500_000, **more):
    return {"format": format_, "parameters": "", "values": "raw", "type": "double", "memory": "pinned", "route": route,
            "ok": True, "total_bytes": total_bytes, "byte_ratio": byte_ratio, "speedup_vs_csr": same_route,
            "speedup_vs_csr_arrays": against_arrays, "seconds_median": 1.0, "spmv_seconds": 0.02, **more}


def transfer(rows, spec="circuit,n=12127", rows_of_matrix=12127):
    return {"kind": "transfer", "tool": {"commit": "first"}, "matrix": matrix(spec, 50_000, rows_of_matrix),
            "machine": machine(), "pinned_gb_per_s": 50, "formats": rows, "error": None}


def solve(seconds, rows=10**6, spec="fem3d,n=100", nnz=ENOUGH):
    formats = [{"format": name, "parameters": "", "values": "raw", "type": "double", "ok": True, "seconds": value,
                "iterations": 7} for name, value in seconds.items()]
    return {"kind": "solve", "tool": {"commit": "first"}, "matrix": matrix(spec, nnz, rows),
            "machine": machine(), "right_hand_side": "problem", "formats": formats}


def size(total_bytes, model=0, index=0):
    return {"model_index_bytes": model, "index_bytes": index, "total_bytes": total_bytes}


def analysis(name, footprint, rows=100, nnz=20_000, symmetric=True, choice=None, bits=(16, 16)):
    classes = [{"delta": {"matrix_bits": b}, "delta-to-diagonal": {"matrix_bits": b}} for b in bits]
    return {"kind": "analysis", "tool": {"commit": "first"}, "error": None, "choice": choice,
            "matrix": {"name": name, "path": name + ".mtx", "rows": rows, "cols": rows, "nnz": nnz,
                       "pattern_symmetric": symmetric},
            "orderings": {"none": {"status": "ok", "index_classes": classes[0], "footprint": footprint},
                          "rcm": {"status": "ok", "index_classes": classes[1], "footprint": footprint}}}


def choice(rcm, none=100):
    """A choice of auto: rcm at so many bytes, with so many in the original order."""
    return {"goal": "size", "candidates": [
        {"ordering": ordering, "total_bytes": total, "exact": True, "predicted_seconds": None, "transfer_seconds": None}
        for ordering, total in (("rcm", rcm), ("none", none))]}


def ordering(name, rcm, boost):
    orders = {"rcm": rcm, "rcm-thorough": rcm - 1, "rcm-plain": 99, "rcm-boost": boost}
    return {"kind": "ordering", "tool": {"commit": "first"}, "matrix": {**matrix("band,n=9"), "name": name},
            "orderings": {key: {"bandwidth": value, "profile": 1} for key, value in orders.items()}}
