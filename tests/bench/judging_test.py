"""The rules by which claims are judged, each on records made by hand."""
import math
import unittest

import samples
from samples import REGULAR, bench, bench_all, judged, row

OWN = "slice-delta against the best of cuSPARSE"
NOISE = "four regular kinds, noise"


def slice_delta(*factors, **more):
    """slice-delta so many times as fast as the best of cuSPARSE, on the regular kinds in turn."""
    return [bench(f"{kind},n=9,values=noise", [row("slice-delta", 1.25 * factor)], **more)
            for kind, factor in zip(REGULAR, factors)]


class Judging(unittest.TestCase):
    def test_nothing_measured_is_nothing_met(self):
        claims = samples.judge.judge(samples.all_claims(), {kind: [] for kind in samples.rec.KINDS})
        self.assertGreater(len(claims), 50)
        self.assertEqual({claim.verdict for claim in claims}, {"not measured"})

    def test_each_claim_is_stated_once_and_has_a_range(self):
        claims = samples.all_claims()
        self.assertEqual(len({(c.group, c.text, c.range) for c in claims}), len(claims))
        self.assertTrue(all(claim.range and claim.source for claim in claims))

    def test_a_geometric_mean_over_the_matrices_of_the_claim(self):
        records = slice_delta(1.2, 1.5, 1.2, 1.5)
        records += [bench("stencil27,n=9,values=few,distinct=256", [row("slice-delta", 100)]),
                    bench("stencil27,n=9,values=noise,shuffle=7", [row("slice-delta", 100)]),
                    bench("powerlaw,n=9,values=noise", [row("slice-delta", 0.1)]),
                    bench("stencil7,n=2,values=noise", [row("slice-delta", 100)], nnz=samples.ENOUGH - 1)]
        failed = bench("stencil7,n=5,values=noise", [row("slice-delta", 100)])
        records.append({**failed, "error": "no memory"})
        claim = judged(records, OWN, NOISE)
        self.assertEqual([r.name for r in claim.rows], [f"{kind}_n9_values-noise" for kind in REGULAR])
        self.assertAlmostEqual(claim.counts.value, math.sqrt(1.2 * 1.5))
        self.assertEqual(claim.rows[0].detail, "slice-delta to cusparse-sell")
        self.assertEqual((claim.counts.rows, claim.counts.commits, claim.verdict), (4, ["first"], "missed"))  # 1.342

    def test_a_target_that_is_reached_exactly_is_met(self):
        claim = judged(slice_delta(1.35, 1.35, 1.35, 1.35), OWN, NOISE)
        self.assertAlmostEqual(claim.counts.value, 1.35)
        exact = judged([bench("stencil27,n=9,values=noise", []), bench("fem3d,n=9,values=noise", [row("sell", 1)])],
                       "csr against cuSPARSE's best CSR")
        self.assertEqual((exact.counts.value, exact.verdict), (1.25, "met"))
        self.assertEqual(judged([samples.ordering("a", 50, 50)], "rcm: bandwidth over Boost.Graph's").verdict, "met")

    def test_the_least_decides_where_each_matrix_is_asked(self):
        slow = bench("circuit,n=9,values=noise", [])
        slow["formats"][0]["speedup_vs_csr"] = 0.7
        claim = judged([bench("stencil27,n=9,values=noise", []), slow], "csr against cuSPARSE's best CSR")
        self.assertEqual((claim.counts.value, claim.verdict), (0.7 / 0.8, "missed"))

    def test_wrong_rows_count_for_nothing(self):
        for ok in (False, None):
            records = bench_all(REGULAR, [row("slice-delta", 9, ok=ok), row("amb", 2.5)])
            self.assertEqual(judged(records, OWN, NOISE).verdict, "not measured")
            self.assertEqual(judged(records, "amb against cuSPARSE's best CSR").counts.value, 2.5 / 0.8)

    def test_single_precision_says_nothing_of_double(self):
        records = bench_all(REGULAR, [row("slice-delta", 9, type_="float")])
        self.assertEqual(judged(records, OWN, NOISE).verdict, "not measured")

    def test_the_last_record_of_a_matrix_in_a_run_counts(self):
        records = slice_delta(1, 1, 1, 1) + slice_delta(4, commit="second")
        records.append(bench("stencil7,n=9,values=noise", [row("amb", 9)], commit="second"))  # says nothing of it
        claim = judged(records, OWN, NOISE)
        self.assertEqual([r.value for r in claim.rows], [4, 1, 1, 1])
        self.assertEqual([r.commit for r in claim.rows], ["second", "first", "first", "first"])
        self.assertEqual(claim.counts.commits, ["first", "second"])
        self.assertIn("[2 commits]", samples.judge.table([claim]))

    def test_runs_are_never_averaged(self):
        for other in ({"device": "New GPU"}, {"threads": 4}):
            records = slice_delta(1, 1, 1, 1) + slice_delta(4, 4, 4, 4, **other)
            claim = judged(records, OWN, NOISE)
            self.assertEqual(sorted(o.value for o in claim.outcomes), [1, 4])
            self.assertEqual(claim.counts.value, 4)  # as many matrices, and the last
            self.assertEqual(judged(records[4:] + records[:4], OWN, NOISE).counts.value, 1)

    def test_the_run_with_most_matrices_counts(self):
        records = slice_delta(1, 1, 1, 1) + [bench("fem3d,n=10,values=noise", [row("slice-delta", 1.25)])]
        claim = judged(records + slice_delta(4, 4, 4, 4, device="New GPU"), OWN, NOISE)
        self.assertEqual((claim.counts.rows, claim.verdict), (5, "missed"))

    def test_a_run_that_lacks_a_kind_does_not_judge(self):
        claim = judged(slice_delta(4, 4, 4), OWN, NOISE)
        self.assertEqual((claim.verdict, claim.outcomes[0].lacks), ("not measured", ["elasticity3d"]))
        self.assertIn("[the run lacks elasticity3d]", samples.judge.table([claim]))
        both = judged(slice_delta(1, 1, 1, 1) + slice_delta(4, 4, 4, device="New GPU"), OWN, NOISE)
        self.assertEqual((both.counts.run.split(" (")[0], both.verdict), ("A GPU", "missed"))

    def test_the_best_of_all_needs_records_of_many_formats(self):
        text, range_ = "best of the papers' formats against the best of cuSPARSE", "three regular kinds"
        many = [row(name, 1) for name in ("amb", "ell", "coo", "opt-csr")] + [row("sell", 1.25 * 1.5), row("slice-delta", 9)]
        kinds = ("stencil27", "stencil7", "elasticity3d")
        claim = judged(bench_all(kinds, many, "few,distinct=256"), text, range_)
        self.assertEqual((claim.rows[0].detail, claim.counts.value, claim.verdict), ("sell to cusparse-sell", 1.5, "met"))
        few = bench_all(kinds, [row("sell", 9), row("slice-delta", 9)], "few,distinct=256")
        self.assertEqual(judged(few, text, range_).verdict, "not measured")

    def test_table_and_json_say_the_same(self):
        claims = [judged(slice_delta(1.5, 1.5, 1.5, 1.5), OWN, NOISE), judged([], OWN, "three regular")]
        text = samples.judge.table(claims)
        self.assertRegex(text, r"\n +1\.50x +>= 1\.35x +4 +slice-delta against the best of cuSPARSE \(four regular")
        self.assertLess(text.index("== missed: 0 =="), text.index("== not measured: 1 =="))
        self.assertLess(text.index("== not measured: 1 =="), text.index("== met: 1 =="))
        met, unmeasured = map(samples.judge.as_json, claims)
        self.assertEqual((met["asked"], round(met["reached"], 9), met["verdict"]), (">= 1.35x", 1.5, "met"))
        self.assertEqual(met["run"], "A GPU (A host, 16 threads)")
        self.assertEqual(set(met["rows"][0]), {"run", "name", "commit", "value", "detail"})
        self.assertEqual((unmeasured["reached"], unmeasured["run"], unmeasured["rows"]), (None, None, []))


if __name__ == "__main__":
    unittest.main()
