"""Products with arrays on a GPU, as far as they can be tested without one: arrays of the host that say they are on a
device, and a library whose products there are those of the host. gpu_check.py tests the rest."""
import sys
import threading
import types
import unittest
from unittest import mock

from support import Case, np, random_csr, spress
from spress import _device, _library

STREAM = 4711


class OnDevice:
    """An array that describes itself by __cuda_array_interface__, as CuPy's do."""

    def __init__(self, array, stream=STREAM):
        self.array, self.interface_stream = array, stream

    @property
    def __cuda_array_interface__(self):
        interface = self.array.__array_interface__
        return {"shape": interface["shape"], "typestr": interface["typestr"], "data": interface["data"],
                "strides": interface["strides"], "version": 3, "stream": self.interface_stream}

    ndim = property(lambda self: self.array.ndim)
    T = property(lambda self: type(self)(self.array.T))


class ByDlpack:
    """An array that describes itself by DLPack alone: the capsule is NumPy's, the device is a lie."""

    def __init__(self, array):
        self.array, self.streams = array, []

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, stream):
        self.streams.append(stream)
        return self.array.__dlpack__()

    ndim = property(lambda self: self.array.ndim)


def fake_cupy():
    """As much of CuPy as products use; its arrays are those above."""
    module = types.ModuleType("cupy")

    class ndarray(OnDevice):
        __module__ = "cupy"
    module.ndarray = ndarray
    module.empty = lambda shape, dtype: ndarray(np.full(shape, np.nan, dtype))
    module.ascontiguousarray = lambda x, dtype: ndarray(np.ascontiguousarray(x.array, dtype))
    module.cuda = types.SimpleNamespace(get_current_stream=lambda: types.SimpleNamespace(ptr=STREAM))
    return module


class FakeLibrary:
    """The library, with a device that is the host. Notes the streams of products."""

    def __init__(self, real):
        self.real, self.streams = real, []

    def __getattr__(self, name):
        if name == "spress_to_device":
            return lambda matrix: None
        if not name.startswith("spress_multiply_on_device"):
            return getattr(self.real, name)
        multiply = getattr(self.real, name.replace("_on_device", ""))

        def on_device(matrix, alpha, x, beta, y, stream):
            self.streams.append(stream)
            multiply(matrix, alpha, x, beta, y)
        return on_device


class DeviceTest(Case):
    def setUp(self):
        super().setUp()
        self.library = FakeLibrary(_library.library())
        self.cupy = fake_cupy()
        for patch in (mock.patch.object(_device, "library", lambda: self.library),
                      mock.patch.object(spress._matrix, "library", lambda: self.library),
                      mock.patch.dict(sys.modules, cupy=self.cupy)):
            patch.start()
            self.addCleanup(patch.stop)

    def matrices(self):
        for dtype in (np.bool_, np.float32, np.float64):
            a = random_csr(40, 30, dtype=dtype)
            yield a, spress.encode(a, "sell").to_device()

    def test_vectors_and_blocks_of_every_order(self):
        rng = np.random.default_rng(1)
        wide = rng.standard_normal((60, 9))
        for a, m in self.matrices():
            for given in (np.float32, np.float64, np.int32):
                product = np.float32 if a.dtype == np.float32 or (a.dtype == bool and given == np.float32) else np.float64
                for block in (wide[:30, :3].copy(), np.asfortranarray(wide[:30, :3]), wide[::2, ::3], wide[:30, :1].copy(),
                              wide[:30, :0].copy()):
                    x = (10 * block).astype(given, copy=False)
                    y = m @ self.cupy.ndarray(x)
                    self.assertIsInstance(y, self.cupy.ndarray)
                    self.assertEqual(y.array.dtype, product)
                    self.assert_product(a.astype(product), x, y.array)
                    for k in range(x.shape[1]):
                        self.assert_product(a.astype(product), x[:, k], (m @ self.cupy.ndarray(x[:, k])).array)
        self.assertGreater(len(self.library.streams), 50)

    def test_arrays_of_unknown_libraries(self):
        a, m = list(self.matrices())[2]
        x = np.asfortranarray(np.random.default_rng(1).standard_normal((30, 2)))
        for make in (OnDevice, ByDlpack):
            y = np.asfortranarray(np.full((40, 2), np.nan))
            m.multiply(make(x), out=make(y))
            self.assert_product(a, x, y)
            with self.assertRaisesRegex(spress.UsageError, "give out"):
                m @ make(x)
            for bad in (np.ascontiguousarray(x), x.astype(np.float32), np.ones(60)[::2]):
                with self.assertRaisesRegex(spress.UsageError, "contiguous columns of float64"):
                    m.multiply(make(bad), out=make(y))

    def test_streams(self):
        a, m = next(self.matrices())
        x = np.ones(30)
        m @ self.cupy.ndarray(x, stream=5)
        other = ByDlpack(x)
        m.multiply(other, out=OnDevice(np.zeros(40)))
        m.multiply(OnDevice(x, stream=2), out=OnDevice(np.zeros(40)))
        m.multiply(OnDevice(x, stream=None), out=OnDevice(np.zeros(40)))
        self.assertEqual(self.library.streams, [STREAM, None, 2, None])
        self.assertEqual(other.streams, [1])

    def test_out_alpha_and_beta(self):
        a, m = list(self.matrices())[2]
        x, y = np.arange(30.0), np.arange(40.0)
        out = OnDevice(y)
        self.assertIs(m.multiply(OnDevice(x), out=out, alpha=2.0, beta=-1.0), out)
        np.testing.assert_allclose(y, 2 * (a @ x) - np.arange(40.0), atol=1e-12)
        block = np.asfortranarray(np.zeros((40, 2)))
        m.multiply(OnDevice(np.asfortranarray(np.stack([x, 2 * x], axis=1))), out=OnDevice(block))
        np.testing.assert_allclose(block[:, 1], 2 * block[:, 0])
        for bad in (np.zeros(41), np.zeros(40, np.float32), np.zeros(80)[::2], np.zeros((40, 1))):
            with self.assertRaisesRegex(spress.UsageError, "out has to be"):
                m.multiply(OnDevice(x), out=OnDevice(bad))
        with self.assertRaisesRegex(spress.UsageError, "give out"):
            m.multiply(self.cupy.ndarray(x), beta=1.0)

    def test_transpose_goes_apart(self):
        a, m = list(self.matrices())[2]
        x = np.random.default_rng(2).standard_normal((40, 2))
        with self.assertRaisesRegex(spress.UsageError, r"to_device\(\)"):
            m.T @ self.cupy.ndarray(x)
        m.T.to_device()
        transposed = a.T.tocsr()
        self.assert_product(transposed, x, (m.T @ self.cupy.ndarray(x)).array)
        self.assert_product(transposed, x[:, 0], (self.cupy.ndarray(x[:, 0]) @ m).array)
        self.assert_product(transposed, x, (self.cupy.ndarray(x.T) @ m).array.T)

    def test_it_is_not_sent_during_a_product(self):
        m = spress.encode(random_csr(40, 30), "csr")
        thread = threading.Thread(target=m.to_device)
        with m._device_lock:  # as products there take it
            thread.start()
            thread.join(0.1)
            self.assertTrue(thread.is_alive())
        thread.join()

    def test_errors(self):
        a = random_csr(40, 30)
        m = spress.encode(a, "csr")
        with self.assertRaisesRegex(spress.UsageError, "call to_device"):
            m @ OnDevice(np.ones(30))
        m.to_device()
        with self.assertRaisesRegex(spress.UsageError, "give out"):
            m @ OnDevice(np.ones(30))
        with self.assertRaisesRegex(spress.UsageError, "40 x 30 multiplies"):
            m @ OnDevice(np.ones(31))
        with self.assertRaisesRegex(NotImplementedError, "complex"):
            m @ OnDevice(np.ones(30, complex))
        masked = mock.Mock(__cuda_array_interface__={"mask": OnDevice(np.ones(30)), "stream": None})
        with self.assertRaisesRegex(NotImplementedError, "mask"):
            m @ masked
        self.assert_product(a, np.ones(30), m @ np.ones(30))

    def test_what_is_on_a_device(self):
        self.assertTrue(_device.is_on_device(OnDevice(np.ones(3))))
        self.assertTrue(_device.is_on_device(ByDlpack(np.ones(3))))
        for host in (np.ones(3), [1.0], random_csr(3, 3), 1.0):
            self.assertFalse(_device.is_on_device(host))

    def test_dlpack_with_an_offset_and_strides(self):
        array = np.arange(60, dtype=np.float32).reshape(6, 10)[1::2, 3::4]
        seen = _device.described(ByDlpack(array), 0)
        self.assertEqual((seen.pointer, seen.shape, seen.strides, seen.dtype), (array.ctypes.data, (3, 2), (20, 4), np.float32))


class WithoutDeviceTest(Case):
    def test_to_device_says_what_is_missing(self):
        m = spress.encode(random_csr(4, 4), "csr")
        try:
            m.to_device()
        except spress.UnsupportedError as error:
            self.assertRegex(str(error), "(?i)cuda|device")
        else:
            self.skipTest("this machine has a GPU: gpu_check.py")


if __name__ == "__main__":
    unittest.main()
