"""Each subject's claims on records made by hand: which matrices a claim is about, and what it compares."""
import math
import unittest

import samples
from samples import IRREGULAR, REGULAR, analysis, bench, bench_all, choice, judged, row, sent, size, transfer


class GpuProducts(unittest.TestCase):
    def test_bccoo_gpu_over_all_eight_kinds_beside_the_regular_ones(self):
        records = bench_all(REGULAR, [row("bccoo-gpu", 1.6)]) + bench_all(IRREGULAR, [row("bccoo-gpu", 0.4)])
        text = "bccoo-gpu against cuSPARSE's best CSR"
        four, eight = judged(records, text, "four regular"), judged(records, text, "eight kinds")
        self.assertEqual((four.counts.rows, four.verdict), (4, "met"))
        self.assertAlmostEqual(four.counts.value, 1.6 / 0.8)
        self.assertEqual((eight.counts.rows, eight.verdict), (8, "missed"))
        self.assertAlmostEqual(eight.counts.value, math.sqrt(2 * 0.5))
        self.assertEqual(judged(records[:-1], text, "eight kinds").verdict, "not measured")

    def test_amb_in_both_precisions_on_the_same_kinds(self):
        text = "amb against the best of cuSPARSE"
        double = bench_all(REGULAR, [row("amb", 2.5)])
        single = bench_all((*REGULAR, "powerlaw"), [row("amb", 1.25 * 1.8)])
        for record in single:
            for r in record["formats"]:
                r["type"] = "float"
        found = {**{kind: [] for kind in samples.rec.KINDS}, "bench": [("file", r) for r in double + single]}
        claims = {c.group: c for c in samples.judge.judge(samples.all_claims(), found) if c.text == text}
        for group, value in (("Products on a GPU, FP64", 2), ("Products on a GPU, FP32", 1.8)):
            self.assertEqual({r.label for r in claims[group].rows}, set(REGULAR))
            self.assertAlmostEqual(claims[group].counts.value, value)
        found["bench"] = found["bench"][:-2]
        lacking = [c for c in samples.judge.judge(samples.all_claims(), found) if c.text == text][1]
        self.assertEqual((lacking.verdict, lacking.outcomes[0].lacks), ("not measured", ["elasticity3d"]))

    def test_ell_csr_against_hyb_by_size(self):
        rows = [row("ell-csr", 1.3), row("hyb", 1)]
        records = [bench("density,n=1,values=noise", rows, nnz=nnz) for nnz in (899_999, 12_000_001)]
        self.assertEqual(judged(records, "ell-csr against hyb", "noise, 0.9 to 12").verdict, "not measured")
        records = [bench(f"density,n={nnz},values=noise", rows, nnz=nnz) for nnz in (900_000, 12_000_000, 2**25)]
        paper, beyond = (judged(records, "ell-csr against hyb", r) for r in ("noise, 0.9 to 12", "noise, 2^25"))
        self.assertEqual((paper.counts.rows, paper.verdict, beyond.counts.rows), (2, "met", 1))
        for record in records:  # csr is 1 of itself: the better one is csr where hyb is slower
            record["formats"][-1]["speedup_vs_csr"] = 0.5
        better = judged(records, "ell-csr against the better of csr and hyb")
        self.assertAlmostEqual(better.counts.value, 1.3)

    def test_grids_shuffled_and_ordered_again(self):
        text, range_ = "best of ours against the best of cuSPARSE", "regular kinds shuffled and ordered again, noise"
        records = bench_all(REGULAR, [row("sell", 2.5)], "noise,shuffle=7")
        self.assertEqual(judged(records, text, range_).verdict, "not measured")  # still shuffled
        for record in records:
            record["publish"] = {"made_from": record["matrix"]["path"], "ordering": "lines"}
            record["matrix"]["path"] = "some.mtx"
        self.assertEqual(judged(records, text, range_).counts.value, 2)
        for record in records:  # before records said what a file was made from
            del record["publish"]
        self.assertEqual(judged(records, text, range_).counts.value, 2)

    def test_bytes_moved_of_a_copys_rate(self):
        text = "slice-delta: bytes moved, of a copy's rate"
        records = bench_all(REGULAR, [row("slice-delta", 2)])
        self.assertEqual(judged(records, text).counts.value, 90)
        records[0]["machine"]["copy_gb_per_s"] = None
        self.assertEqual(judged(records, text).verdict, "not measured")


class CpuProducts(unittest.TestCase):
    def on_cpu(self, kinds, rows, threads=16, in_cache=False, values="noise", peers=(("mkl-csr", 0.8), ("eigen-csr", 0.5))):
        records = bench_all(kinds, rows, values, peers=[row(name, speed, True) for name, speed in peers], device="cpu",
                            threads=threads)
        for record in records:
            record["working_set_in_cache"] = in_cache
        return records

    def test_threads_and_caches_matter(self):
        kinds, rows = ("stencil27", "elasticity3d"), [row("slice-delta", 1.3)]
        text, range_ = "slice-delta against MKL, Eigen, csr", "regular kinds, noise"
        claim = judged(self.on_cpu(kinds, rows), text, range_)
        self.assertEqual((claim.counts.value, claim.counts.run), (1.3, "A host, 16 threads"))
        for records in (self.on_cpu(kinds, rows, in_cache=True), self.on_cpu(kinds, rows, threads=2),
                        bench_all(kinds, rows)):
            self.assertEqual(judged(records, text, range_).verdict, "not measured")
        two = judged(self.on_cpu(kinds, rows, threads=2), "csr against the fastest of MKL and Eigen")
        self.assertEqual((two.counts.value, two.verdict), (1 / 0.8, "met"))

    def test_bccoo_against_mkl_and_our_csr_apart_in_one_run(self):
        records = self.on_cpu(REGULAR, [row("bccoo", 1.2)])
        mkl, csr = (judged(records, f"bccoo against {whom}") for whom in ("MKL's CSR", "our csr"))
        self.assertAlmostEqual(mkl.counts.value, 1.5)
        self.assertAlmostEqual(csr.counts.value, 1.2)
        self.assertEqual((mkl.verdict, csr.verdict), ("missed", "met"))
        without = self.on_cpu(REGULAR[:1], [row("bccoo", 9)], peers=[("eigen-csr", 0.5)])
        both = [judged(records[1:] + without, f"bccoo against {whom}") for whom in ("MKL's CSR", "our csr")]
        self.assertEqual([r.name for r in both[0].rows], [r.name for r in both[1].rows])
        self.assertEqual(both[0].counts.rows, 3)
        self.assertEqual(judged(self.on_cpu(REGULAR, [row("bccoo", 0.6)], threads=1), "bccoo against csr").counts.value, 0.6)

    def test_few_values_by_their_number(self):
        kinds, rows = ("stencil27", "elasticity3d"), [row("slice-delta", 4, values="lut8")]
        for distinct, range_, other in ((16, "16 values", "256 values"), (256, "256 values", "16 values")):
            records = self.on_cpu(kinds, rows, values=f"few,distinct={distinct}")
            text = "slice-delta against MKL, Eigen, csr"
            self.assertEqual(judged(records, text, f"regular kinds, {range_}").counts.value, 4)
            self.assertEqual(judged(records, text, f"regular kinds, {other}").verdict, "not measured")


class Transfers(unittest.TestCase):
    def test_a_format_is_compared_with_csr_by_the_same_route(self):
        records = [transfer([sent("csr", "packed", 1, 1.8), sent("opt-csr", "packed", 1.1, 2.0),
                             sent("opt-csr", "separate", 0.9, 0.9)])]
        for text, range_, value, verdict in (
                ("opt-csr in one packed buffer, best matrix", "", 1.1, "missed"),
                ("opt-csr in one packed buffer, worst matrix", "", 1.1, "met"),
                ("opt-csr array by array, worst matrix", "", 0.9, "missed"),
                ("opt-csr, best matrix", "", 2.0, "met")):  # one buffer against three copies, under its own name
            claim = judged(records, text, range_)
            self.assertEqual((claim.counts.value, claim.verdict), (value, verdict), text)
        packing = judged(records, "opt-csr, best matrix")
        self.assertIn("three copies of CSR", packing.group)
        records[0]["matrix"]["rows"] = 9_999
        self.assertEqual(judged(records, "opt-csr, best matrix").verdict, "not measured")

    def test_bcsstm25_is_the_matrix_itself(self):
        text, range_ = "opt-csr in one packed buffer", "the matrix bcsstm25"
        record = transfer([sent("opt-csr", "packed", 1.2, 2)], "diagonal,n=15439", 15_439)
        record["matrix"]["nnz"] = 15_439
        self.assertEqual(judged([record], text, range_).verdict, "not measured")
        record["matrix"].update(name="bcsstm25")
        self.assertEqual(judged([record], text, range_).verdict, "not measured")  # generated
        record["matrix"].update(path="/matrices/bcsstm25.mtx.gz")
        self.assertEqual(judged([record], text, range_).counts.value, 1.2)
        record["matrix"]["nnz"] = 15_440
        self.assertEqual(judged([record], text, range_).verdict, "not measured")

    def test_small_matrices_in_one_buffer(self):
        rows = [sent("csr", "packed", 1, 1.4, total_bytes=999_999), sent("amb", "packed", 1.1, 1.6),
                sent("ell", "packed", 1, 1.45), sent("sell", "separate", 9, 9), sent("coo", "packed", 9, 9, memory="pageable")]
        self.assertEqual([judged([transfer(rows)], f"{which} format").counts.value for which in ("every", "the best")],
                         [1.45, 1.6])
        rows[0]["total_bytes"] = 1_000_000
        self.assertEqual(judged([transfer(rows)], "every format").verdict, "not measured")

    def test_arrival_is_held_against_the_bytes(self):
        text = "a plain CSR on arrival: speedup over the bytes' ratio, every format that saves a tenth"
        rows = [sent("csr", "packed", 1, 1, total_bytes=100_000_000), sent("opt-csr", "expanded", 1.2, 1, 1.25),
                sent("amb", "expanded", 1.1, 1, 1.375), sent("bccoo", "expanded", 0.5, 1, 0.9),
                sent("sell", "packed", 1, 1, 0.95)]
        claim = judged([transfer(rows)], text)
        self.assertAlmostEqual(claim.counts.value, 80)
        self.assertEqual(claim.rows[0].detail, "amb")
        self.assertAlmostEqual(judged([transfer(rows)], "sliced ELL: a transfer in products").counts.value, 50)
        rows[0]["total_bytes"] -= 1
        self.assertEqual(judged([transfer(rows)], text).verdict, "not measured")


class SolversAndAuto(unittest.TestCase):
    def test_solvers_are_compared_by_their_time(self):
        seconds = {"csr": 9, "hyb": 3, "ell-csr": 2}
        self.assertEqual(judged([samples.solve(seconds)], "ell-csr against hyb", "more than 100,000").counts.value, 1.5)
        small = samples.solve(seconds, rows=100_000)
        self.assertEqual(judged([small], "ell-csr against hyb", "more than 100,000").verdict, "not measured")

    def test_solvers_on_circuits_by_the_least_of_all_four(self):
        systems = (samples.ROOT / "bench/publish/solve_uneven.txt").read_text().split()
        self.assertEqual(len(systems), 4)
        records = [samples.solve({"csr": 9, "hyb": 3 - 0.3 * i, "ell-csr": 2}, spec=system.removeprefix("gen:"))
                   for i, system in enumerate(systems)]
        records.append(samples.solve({"csr": 9, "hyb": 1, "ell-csr": 2}, spec="circuit,n=9"))
        found = judged(records, "ell-csr against hyb", "four circuits")
        self.assertEqual((found.counts.rows, found.counts.value, found.verdict), (4, 1.05, "missed"))
        found = judged(records[1:], "ell-csr against hyb", "four circuits")
        self.assertEqual((found.verdict, found.outcomes[0].lacks), ("not measured", systems[:1]))

    def test_the_choice_is_judged_by_the_share_near_the_best(self):
        records = [bench(f"band,n={i}", [], nnz=10**6 - (i == 9)) for i in range(10)]
        for i, record in enumerate(records):
            record["choice"] = {"behind_best": 0.06 if i == 0 else 0.05, "csr_products": i, "seconds": 0.016,
                                "candidates": []}
        near = "the choice is within 5% of the fastest of all formats"
        self.assertEqual((judged(records, near).counts.value, judged(records, near).verdict), (90, "met"))
        records[1]["choice"]["behind_best"] = 1
        self.assertEqual(judged(records, near).verdict, "missed")
        products, time = judged(records, "choosing, in products of CSR on the CPU"), judged(records, "choosing, in milliseconds")
        self.assertEqual((products.counts.value, products.counts.rows, products.verdict), (8, 9, "met"))
        self.assertEqual((time.counts.value, time.counts.rows, time.verdict), (16, 1, "missed"))
        records[2]["choice"]["behind_best"] = None  # not all formats were timed
        self.assertEqual(judged(records, near).counts.rows, 9)


class Bytes(unittest.TestCase):
    def test_papers_range_and_smaller_matrices_apart(self):
        big = [analysis(f"b{i}", {"csr": size(100), "bccoo": size(60), "bccoo-gpu": size(99 + i)}, rows=900_000)
               for i in range(2)]
        small = [analysis("s", {"csr": size(100), "bccoo": size(101), "bccoo-gpu": size(1)}, nnz=10_000),
                 analysis("t", {"csr": size(100), "bccoo": size(101)}, nnz=9_999)]
        gpu = judged(big + small, "bccoo-gpu is smaller than CSR")
        self.assertEqual((gpu.counts.rows, gpu.counts.value, gpu.verdict), (2, 50, "met"))  # equal is not smaller
        paper, own = (judged(big + small, "bccoo is smaller than CSR", f"square matrices of {r}") for r in ("900,000", "10,000"))
        self.assertEqual((paper.counts.value, own.counts.value, own.counts.rows), (100, 0, 1))
        self.assertEqual(judged(small, "bccoo-gpu is smaller than CSR").verdict, "not measured")

    def test_reduction_by_the_papers_formulas(self):
        records = [analysis(name, {"csr": size(1, 400), "opt-csr": size(1, model)}, symmetric=symmetric)
                   for name, model, symmetric in (("a", 100, True), ("b", 400, True), ("c", 1, False))]
        text = "opt-csr: CSR's index bytes over its own, by the paper's formulas, {}"
        self.assertAlmostEqual(judged(records, text.format("mean")).counts.value, 2)
        self.assertEqual(judged(records, text.format("best")).counts.value, 4)
        records[0]["orderings"]["none"]["footprint"]["opt-csr"] = {"reason": "too large"}
        self.assertEqual(judged(records, text.format("best")).counts.value, 1)

    def test_index_bytes_of_slice_delta(self):
        n = 2**15
        csr = size(12 * n, index=4 * n)
        records = [analysis("a", {"csr": csr, "slice-delta": size(9 * n)}, nnz=n),
                   analysis("b", {"csr": csr, "slice-delta": size(12 * n + 1)}, nnz=n),
                   analysis("short", {"csr": csr, "slice-delta": size(99 * n)}, nnz=n, rows=n // 10 + 1)]
        claim = judged(records, "slice-delta: index bytes an entry")
        self.assertEqual((claim.rows[0].value, len(claim.rows)), (1, 2))
        self.assertEqual(judged(records, "slice-delta: matrices with more bytes than CSR").counts.value, 1)

    def test_auto_and_its_orders(self):
        text = "auto: matrices that need more bytes than in the order they come in"
        footprint = {"csr": size(1)}
        for bytes_, verdict in ((99, "met"), (100, "met"), (101, "missed")):
            self.assertEqual(judged([analysis("a", footprint, choice=choice(bytes_))], text).verdict, verdict)
        inexact = choice(101)
        inexact["candidates"][0]["exact"] = False
        self.assertEqual(judged([analysis("a", footprint, choice=inexact)], text).verdict, "not measured")
        wider = "auto: matrices in a wider class of delta"
        records = [analysis(f"m{i}", footprint, choice=choice(1), bits=(16, 32 if i == 0 else 8)) for i in range(4)]
        self.assertEqual((judged(records, wider).counts.value, judged(records, wider).verdict), (25, "missed"))
        self.assertEqual(judged(records[1:], wider).verdict, "met")

    def test_orderings_are_compared_by_their_bandwidth(self):
        claim = judged([samples.ordering("a", 50, 100), samples.ordering("b", 200, 100), samples.ordering("c", 5, 0)],
                       "rcm: bandwidth over Boost.Graph's")
        self.assertAlmostEqual(claim.counts.value, 1)
        self.assertEqual(claim.counts.rows, 2)


if __name__ == "__main__":
    unittest.main()
