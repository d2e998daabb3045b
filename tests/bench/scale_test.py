#!/usr/bin/env python3
"""bench/scale.py: times that can be worked out by hand, and those that docs/scale.md states."""
import pathlib
import random
import sys
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
RUNS = BENCH / "runs"
sys.path.insert(0, str(BENCH))
sys.dont_write_bytecode = True
from scale import cuts_of, iteration, on_many, own_share, simulate, simulate_shared, terms_of  # noqa: E402


class Makespan(unittest.TestCase):
    def test_one_rank_does_one_after_the_other(self):
        self.assertAlmostEqual(simulate([3, 2, 1], 1, 0.5)[0], 7.5)
        self.assertAlmostEqual(simulate_shared([3, 2, 1], 1, 4, 0.5), 7.5)

    def test_ranks_draw_when_they_are_free(self):
        # 4 on the one; 3 and then 2, and 1 on the other
        self.assertAlmostEqual(simulate([4, 3, 2, 1], 2, 0)[0], 5)
        self.assertAlmostEqual(simulate_shared([4, 3, 2, 1], 2, 2, 0), 5)

    def test_more_ranks_than_cores_share_them(self):
        self.assertAlmostEqual(simulate_shared([1, 1, 1, 1], 4, 2, 0), 2)
        self.assertAlmostEqual(simulate_shared([3, 1], 2, 1, 0), 4)
        self.assertAlmostEqual(simulate_shared([3, 1], 2, 2, 0), 3)

    def test_the_largest_matrix_is_the_least(self):
        self.assertAlmostEqual(simulate([9] + [1] * 20, 1000, 0)[0], 9)

    def test_slow_ranks_take_longer(self):
        self.assertAlmostEqual(simulate([2, 2], 2, 0, slow={1: 3.0})[0], 6)

    def test_failures_leave_work_undone(self):
        rng = random.Random(1)
        end, undone = simulate([1.0] * 1000, 500, 0, failures=0.1, rng=rng)
        self.assertTrue(60 < len(undone) < 140, len(undone))
        self.assertLess(end, 10)
        self.assertEqual(len(simulate([1.0] * 10, 2, 0, failures=1.0, rng=rng)[1]), 10)


class OneMatrix(unittest.TestCase):
    def test_the_share_of_own_columns(self):
        self.assertAlmostEqual(own_share(1, 1), 1 / 3)   # of three planes that a point knows, its own
        self.assertAlmostEqual(own_share(2, 1), 4 / 6)
        self.assertAlmostEqual(own_share(1000, 0), 1)

    def test_only_own_columns_hide_the_exchange(self):
        link = 50e9
        self.assertAlmostEqual(iteration(100, 10, 0.5, 0, 0.01, 0.1, 0), 2)
        self.assertAlmostEqual(iteration(100, 10, 0.5, 0.4 * link / 8, 0.01, 0.1, 0), 2)        # 0.4 s beneath 0.5 s
        self.assertAlmostEqual(iteration(100, 10, 0.5, 0.7 * link / 8, 0.01, 0.1, 0.05), 2.25)  # 0.2 s more, and the sums

    def test_two_gpus_take_little_more_than_half_of_one(self):
        for run in ("2026-11-28-h100-x2", "2026-11-28-h200-x2"):
            beside = [of[key] for of in terms_of(RUNS / run).values() for key in ("step", "beside") if key in of]
            self.assertGreaterEqual(len(beside), 5)
            for seconds in beside:
                self.assertTrue(14e-6 < seconds < 52e-6, (run, seconds))

    def test_a_thousand_gpus(self):
        slabs, boxes = cuts_of(1111, 1000)
        self.assertAlmostEqual(slabs.ghosts, 8 * 1111**2)
        self.assertAlmostEqual(boxes.ghosts, 119.1**3 - 111.1**3)
        self.assertEqual([round(slabs.own, 2), round(boxes.own, 2)], [0.13, 0.94])
        of = on_many(terms_of(RUNS / "2026-11-28-h100-x2"), 1111, 1000)
        page = (BENCH.parent / "docs" / "scale.md").read_text()
        for row in ("| bytes a GPU | {0.gigabytes:.1f} GB | {1.gigabytes:.1f} GB |",
                    "| encoding, two processes on 32 cores | {0.encode:.1f} s | {1.encode:.1f} s |",
                    "| transfer | {0.transfer:.1f} s | {1.transfer:.1f} s |",
                    "| an iteration, boxes | {0.boxes:.1f} ms | {1.boxes:.1f} ms |",
                    "| an iteration, slabs | {0.slabs:.1f} ms | {1.slabs:.1f} ms |"):
            self.assertIn(row.format(of["csr"], of["slice-delta"]), page)


if __name__ == "__main__":
    unittest.main()
