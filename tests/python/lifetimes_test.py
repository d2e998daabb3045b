"""Memory that arrays and handles share, and threads."""
import gc
import os
import signal
import threading
import time
import unittest
import weakref
from unittest import mock

from support import Case, csr_type, np, random_csr, sp, spress
from spress import _arrays, _library


def whole(array):
    """The array that owns the memory of another."""
    return array if array.base is None else array.base


class LifetimesTest(Case):
    def owner(self, array):
        while isinstance(array.base, np.ndarray):
            array = array.base
        return array.base.handle

    def test_arrays_are_the_librarys_memory(self):
        a = spress.read("gen:poisson2d,nx=6,ny=5")
        handle = self.owner(a.data)
        self.assertIs(handle, self.owner(a.indices))
        self.assertIs(handle, self.owner(a.indptr))
        arrays = _arrays.arrays_of(handle)
        self.assertEqual((a.indptr.ctypes.data, a.indices.ctypes.data, a.data.ctypes.data),
                         (arrays.row_ptr, arrays.col_idx, arrays.values))

    def test_memory_lives_as_long_as_one_array(self):
        a = spress.read("gen:poisson2d,nx=6,ny=5")
        handle, expected = weakref.ref(self.owner(a.data)), a.data.copy()
        part = a.data[3:]
        del a
        gc.collect()
        self.assertIsNotNone(handle())
        np.testing.assert_array_equal(part, expected[3:])
        del part
        gc.collect()
        self.assertIsNone(handle())

    def test_arrays_of_scipy_are_borrowed_and_live_as_long(self):
        a = random_csr(50, 40)
        handle = _arrays.from_scipy(a)
        arrays = _arrays.arrays_of(handle)
        self.assertEqual((arrays.row_ptr, arrays.col_idx, arrays.values),
                         (a.indptr.ctypes.data, a.indices.ctypes.data, a.data.ctypes.data))
        expected, borrowed = a.copy(), [weakref.ref(whole(array)) for array in (a.indptr, a.indices, a.data)]
        del a
        gc.collect()
        self.assertTrue(all(array() is not None for array in borrowed))
        self.assert_same(_arrays.to_scipy(handle), expected)

    def test_a_matrix_needs_nothing_of_its_source(self):
        a = random_csr(50, 40)
        m, expected = spress.encode(a, "csr", "raw"), a.copy()
        a.data[:], a.indices[:] = 0, 0
        self.assert_same(m.tocsr(), expected)

    def test_many_objects_are_freed(self):
        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * 4096
        a = random_csr(1000, 1000, 0.3)
        def use():
            m = spress.encode(a, "csr", "raw")
            return m.tocsr().nnz + m.T.nnz + len(m.breakdown())
        for _ in range(3):
            use()
        before = resident()
        for _ in range(30):
            use()
        gc.collect()
        self.assertLess(resident() - before, 10 * a.nnz * 12)

    def test_row_pointers_that_need_64_bits_are_widened(self):
        """With so few entries, but told that 32 bits reach to three."""
        a = random_csr(5, 4)
        handle = _arrays.from_scipy(a)
        real = _arrays.arrays_of(handle)
        for row_ptr_type, dtype in ((_library.INT64, np.int64), (_library.INT32, np.int32)):
            row_ptr, taken = a.indptr.astype(dtype), []
            fake = _library.Arrays(real.rows, real.cols, real.nnz, row_ptr.ctypes.data, real.col_idx, real.values,
                                   row_ptr_type, real.col_idx_type, real.values_type)
            with mock.patch.multiple(_arrays, arrays_of=lambda _, fake=fake: fake, _MOST_POSITIONS=3,
                                     csr_type=lambda: lambda arrays, **_: taken.append(arrays) or mock.Mock()):
                _arrays.to_scipy(handle)
            (values, col_idx, pointers), = taken
            self.assertEqual((col_idx.dtype, pointers.dtype), (np.int64, np.int64))
            np.testing.assert_array_equal(csr_type((values, col_idx, pointers), shape=a.shape).toarray(), a.toarray())


class ThreadsTest(Case):
    def test_other_threads_go_on_during_a_product(self):
        m = spress.encode("gen:elasticity3d,n=36", "csr", "raw")  # a product of some milliseconds
        x, y, ticks, done = np.ones(m.shape[1]), np.empty(m.shape[0]), [0], threading.Event()
        multiply, arguments = _library.library().spress_multiply, (m._handle, 1.0, x.ctypes.data, 0.0, y.ctypes.data)

        def tick():
            while not done.is_set():
                ticks[0] += 1
                time.sleep(0)
        thread, shared = threading.Thread(target=tick), 0
        thread.start()
        try:
            for _ in range(300):
                before = ticks[0]
                multiply(*arguments)
                shared += ticks[0] > before + 10  # one or two follow a call that holds the lock
                if shared == 20:
                    break
        finally:
            done.set()
            thread.join()
        self.assertEqual(shared, 20, "products during which another thread did something")

    def test_errors_are_each_threads_own(self):
        texts = {}

        def fail(name):
            for _ in range(50):
                try:
                    spress.read(f"{name}.mtx")
                except spress.Error as error:
                    texts.setdefault(name, set()).add(str(error))
        threads = [threading.Thread(target=fail, args=(name,)) for name in ("one", "two", "three")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for name in ("one", "two", "three"):
            self.assertEqual(len(texts[name]), 1)
            self.assertIn(f"{name}.mtx", *texts[name])

    def test_one_matrix_in_several_threads(self):
        a = random_csr(500, 500)
        m, x = spress.encode(a, "slice-delta"), np.random.default_rng(1).standard_normal((500, 4))
        expected, wrong = m @ x, []

        def multiply():
            for _ in range(20):
                if not np.array_equal(m @ x, expected):
                    wrong.append(True)
        threads = [threading.Thread(target=multiply) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_number_of_threads(self):
        a = random_csr(500, 500)
        m = spress.encode(a, "csr")
        for threads in (1, 2, 0):
            spress.set_threads(threads)
            self.assert_product(a, np.ones(500), m @ np.ones(500))

    def test_more_threads_than_the_system_has(self):
        self.addCleanup(spress.set_threads, 0)
        spress.set_threads(100000)
        unsorted = sp.csr_matrix((np.ones(2), np.array([1, 0]), np.array([0, 2])), shape=(1, 2))
        self.assertEqual(spress.encode(unsorted, "csr").nnz, 2)

    def test_forked_processes_multiply(self):
        m = spress.encode(random_csr(500, 500), "csr")
        expected = m @ np.ones((500, 200))
        child = os.fork()
        if child == 0:
            code = 1
            try:
                signal.alarm(60)  # ends a child that waits for threads
                for threads in (1, 8):
                    spress.set_threads(threads)
                    self.assertTrue(np.array_equal(m @ np.ones((500, 200)), expected))
                code = 0
            finally:
                os._exit(code)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


if __name__ == "__main__":
    unittest.main()
