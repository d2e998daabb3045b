"""bench/cuda/ell_csr_sweep.py: which combinations it tries, and what it says of their times. usage: sweep_test.py SPRESS"""
import argparse
import pathlib
import sys
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench/cuda"))

import ell_csr_sweep as sweep  # noqa: E402


class Sweep(unittest.TestCase):
    def test_each_combination_is_admissible_and_differs(self):
        tunings = list(sweep.tunings())
        self.assertEqual(len(tunings), len(set(tunings)))
        for t, m, _ in tunings:
            self.assertLessEqual(t - 1, 32 * m)
        self.assertEqual({m for t, m, _ in tunings if t == 8}, {4, 20})  # 20 and more: a thread a row
        self.assertEqual(min(m for t, m, _ in tunings if t == 136), 20)  # a row of 135 entries needs 34 threads of 4
        self.assertEqual({length for _, _, length in tunings}, set(range(128, 2049, 256)))

    def test_its_own_values_are_ranked(self):
        seconds = {"ell-csr": 2e-3, "ell-csr:t=8": 1e-3, "ell-csr:t=40": 6e-3}
        told = list(sweep.lines("m.mtx", seconds, ["ell-csr:t=72: no memory"]))
        self.assertEqual(told[1], "  ell-csr:t=72: no memory")
        self.assertEqual([line.split()[0] for line in told[2:]], ["own", "best", "median", "worst"])
        self.assertIn("2.0000 ms, place 2", told[2])
        self.assertIn("own is  0.50x as fast  ell-csr:t=8", told[3])
        self.assertIn("own is  3.00x as fast  ell-csr:t=40", told[5])

    def test_the_program_measures_what_it_is_given(self):
        options = argparse.Namespace(spress=SPRESS, device="cpu", seconds=0, output=None)
        few = [tuning for tuning in sweep.tunings() if tuning[0] in (8, 40)][::10]
        with mock.patch.object(sweep, "tunings", lambda: iter(few)):
            told = list(sweep.lines("gen:circuit,n=500", *sweep.measured(options, "gen:circuit,n=500")))
        self.assertGreater(len(few), 1)
        self.assertEqual(told[0], f"gen:circuit,n=500: {len(few) + 1} of {len(few) + 1} measured")
        self.assertEqual([line.split()[0] for line in told[1:]], ["own", "best", "median", "worst"])


if __name__ == "__main__":
    SPRESS = sys.argv.pop(1)
    unittest.main()
