"""bench/cuda/ell_csr_sweep.py: which combinations it tries, and what it says of their times."""
import pathlib
import sys
import unittest

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


if __name__ == "__main__":
    unittest.main()
