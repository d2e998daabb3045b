"""MATLAB files: -v6 and -v7 as SciPy writes them, -v7.3 as h5py does, right and wrong."""

import struct
import unittest
import zipfile
import zlib

from support import Case, main, modules, spress

scipy_io, sparse, numpy, h5py = modules("scipy.io", "scipy.sparse", "numpy", "h5py")

ENTRIES = [(0, 0, 1.5), (0, 3, -0.0), (1, 1, 1e-3), (2, 0, 3.0), (2, 2, 1.5)]
SHAPE = (3, 4)


def columns(dtype="f8", shape=SHAPE, entries=None):
    entries = sorted(entries or ENTRIES, key=lambda e: (e[1], e[0]))
    pointers = [sum(1 for e in entries if e[1] < c) for c in range(shape[1] + 1)]
    values = numpy.array([e[2] for e in entries]).astype(dtype)
    return sparse.csc_matrix((values, [e[0] for e in entries], pointers), shape=shape)


def text(lines):
    return numpy.array(lines)


def zeros():
    return columns(entries=[(0, 1, 1.0), (2, 3, 1.0)])


def problem(**more):
    return {"title": "A TITLE", "name": "HB/small", "A": columns(), "id": 7.0, "kind": "test problem",
            "notes": text(["first line", "second"]), **more}


COMMENTS = "% name: HB/small\n% title: A TITLE\n% kind: test problem\n% notes:\n% first line\n% second\n"


@unittest.skipIf(scipy_io is None, "there is no Python with scipy, numpy and h5py")
class Matlab(Case):
    def save(self, variables, name="a.mat", **options):
        scipy_io.savemat(self.dir / name, variables, **options)

    def same(self, expected=None, *options, name="a.mat"):
        self.good("encode", self.dir / name, "-q", "-o", self.dir / "x.spress", *options)
        self.good("compare", self.dir / "x.spress", expected or self.small)

    def refused(self, says, *options, name="a.mat"):
        self.assertIn(name, self.bad("verify", self.dir / name, *options, says=says).stderr)

    def mtx(self, body):
        path = self.dir / "expected.mtx"
        path.write_text("%%MatrixMarket matrix coordinate " + body)
        return path

    def with_zeros(self):
        return self.mtx("real general\n3 4 7\n1 1 1.5\n1 4 -0.0\n2 2 1e-3\n3 1 3\n3 3 1.5\n1 2 0\n3 4 0\n")


class Version5(Matlab):
    def test_one_variable(self):
        for packed in (False, True):
            self.save({"A": columns(), "n": 3.0, "s": "text"}, do_compression=packed)
            self.same()

    def test_problem(self):
        for packed in (False, True):
            self.save({"Problem": problem(Zeros=zeros(), aux={"b": numpy.ones((3, 1)), "C": columns()})},
                      do_compression=packed, long_field_names=True)
            self.same(self.with_zeros())
            self.same(None, "--part", "Problem.aux.C")
            self.same(self.with_zeros(), "--part", "Problem")
            self.good("encode", self.dir / "a.mat", "-q", "-o", self.dir / "x.spress")
            self.good("decode", self.dir / "x.spress", "-q", "-o", self.dir / "y.mtx", "--fresh")
            self.assertIn(COMMENTS, (self.dir / "y.mtx").read_text())

    def test_zeros_before_the_matrix(self):
        self.save({"Problem": {"Zeros": zeros(), "A": columns()}})
        self.same(self.with_zeros())

    def test_zeros_belong_to_their_struct(self):
        one, two = columns(entries=[(0, 1, 1.0), (2, 3, 1.0)]), columns(entries=[(1, 2, 1.0)])
        for first in ({"A": columns(), "Zeros": one}, {"Zeros": one, "A": columns()}):
            for second in ({"A": columns(), "Zeros": two}, {"Zeros": two, "A": columns()}):
                self.save({"P1": first, "P2": second})
                self.same(self.with_zeros(), "--part", "P1")
                self.same(self.mtx("real general\n3 4 6\n1 1 1.5\n1 4 -0.0\n2 2 1e-3\n3 1 3\n3 3 1.5\n2 3 0\n"),
                          "--part", "P2")
        self.save({"P1": {"A": columns()}, "P2": {"A": columns(), "Zeros": two}})
        self.same(None, "--part", "P1")

    def test_zeros_of_another_shape(self):
        for shape, entries in (((3, 100), [(0, 77, 1.0)]), ((50000000, 4), [(49999999, 0, 1.0)]), ((2, 4), [(0, 1, 1.0)])):
            self.save({"Problem": {"A": columns(), "Zeros": columns(shape=shape, entries=entries)}})
            self.refused(f"Zeros is {shape[0]} x {shape[1]}, A is 3 x 4")

    def test_objects_are_passed_over(self):
        """A string (class 17 has no dimensions) before the matrix, and the nameless array of all objects behind it."""
        def array(kind, dims, name, body):
            return self.element(14, self.element(6, struct.pack("<II", kind, 0)) +
                                self.element(5, struct.pack(f"<{len(dims)}i", *dims)) + self.element(1, name) + body)
        reference = array(13, (6, 1), b"", self.element(6, struct.pack("<6I", 3707764736, 2, 1, 1, 1, 1)))
        string = self.element(14, self.element(6, struct.pack("<II", 17, 0)) + self.element(1, b"s") +
                              self.element(1, b"MCOS") + self.element(1, b"string") + reference)
        subsystem = array(9, (1, 16), b"", self.element(2, bytes(range(16))))
        expected = "real general\n3 2 3\n1 1 1\n3 1 2\n2 2 3\n"
        self.by_hand(extra=subsystem)
        data = (self.dir / "a.mat").read_bytes()
        for wrapped in (data[:128] + string + data[128:], data):
            (self.dir / "a.mat").write_bytes(wrapped)
            self.same(self.mtx(expected))
        dense = array(6, (2, 2), b"D", self.element(9, struct.pack("<4d", 1, 0, 0, 2)))
        (self.dir / "a.mat").write_bytes(data[:128] + dense + subsystem)
        self.same(self.mtx("real general\n2 2 2\n1 1 1\n2 2 2\n"))
        (self.dir / "a.mat").write_bytes(data[:128] + string)
        self.refused("holds no matrix; it holds s")

    def test_value_types(self):
        self.save({"A": columns("?")})  # -0.0 becomes a false that is stored
        self.same(self.mtx("integer general\n3 4 5\n1 1 1\n1 4 0\n2 2 1\n3 1 1\n3 3 1\n"))
        self.save({"A": columns("?", entries=[(r, c, 1) for r, c, _ in ENTRIES])})
        self.same(self.mtx("pattern general\n3 4 5\n1 1\n1 4\n2 2\n3 1\n3 3\n"))
        entries = [(r, c, v + 2j) for r, c, v in ENTRIES if v]
        self.save({"A": columns("c16", entries=entries)})
        self.same(self.mtx("complex general\n3 4 4\n1 1 1.5 2\n2 2 1e-3 2\n3 1 3 2\n3 3 1.5 2\n"))

    def test_dense(self):
        for dtype, field in (("f8", "real"), ("f4", "real"), ("i1", "integer"), ("u1", "integer"), ("i2", "integer"),
                             ("u2", "integer"), ("i4", "integer"), ("u4", "integer"), ("i8", "integer")):
            with self.subTest(dtype):
                self.save({"D": numpy.array([[1, 0, 2], [0, 3, 0]], dtype), "n": 1.0})
                self.same(self.mtx(f"{field} general\n2 3 3\n1 1 1\n1 3 2\n2 2 3\n"))
        self.save({"D": numpy.ones((2, 2)), "E": numpy.ones((2, 2))})
        self.refused("several matrices; name one with --part: D, E")
        self.save({"D": numpy.ones((2, 2)), "A": columns()})
        self.same()

    def test_several(self):
        self.save({"A": columns(), "B": columns()})
        self.refused(["several matrices", "--part", "A, B"])
        self.same(None, "--part", "B")
        self.refused(["no matrix called 'C'", "A, B"], "--part", "C")
        with zipfile.ZipFile(self.dir / "a.zip", "w") as out:
            out.write(self.dir / "a.mat", "two.mat")
        self.refused(["several matrices", "--part", "A, B"], name="a.zip")
        self.refused(["several matrices", "--part", "A, B"], "--part", "two.mat", name="a.zip")
        self.same(None, "--part", "B", name="a.zip")
        self.save({"s": "text", "c": numpy.ones((2, 2, 2))})
        self.refused("holds no matrix; it holds s, c")

    def test_version_4(self):
        self.save({"A": columns()}, format="4")
        self.refused("save the matrix with -v7")

    def test_empty(self):
        self.save({"A": sparse.csc_matrix((5, 3))})
        self.same(self.mtx("real general\n5 3 0\n"))

    def test_big_endian(self):
        """Byte by byte, since SciPy writes this machine's order."""
        def element(kind, data):
            return struct.pack(">II", kind, len(data)) + data + bytes(-len(data) % 8)
        body = (element(6, struct.pack(">II", 5, 3)) + element(5, struct.pack(">ii", 3, 2)) + element(1, b"A") +
                element(5, struct.pack(">iii", 0, 2, 1)) + element(5, struct.pack(">iii", 0, 2, 3)) +
                element(9, struct.pack(">ddd", 1, 2, 3)))
        head = b"MATLAB 5.0 MAT-file, by hand".ljust(124) + struct.pack(">H", 0x100) + b"MI"
        (self.dir / "a.mat").write_bytes(head + element(14, body))
        self.same(self.mtx("real general\n3 2 3\n1 1 1\n3 1 2\n2 2 3\n"))

    def element(self, kind, data):
        return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)

    def by_hand(self, rows=(0, 2, 1), pointers=(0, 2, 3), values=(1.0, 2.0, 3.0), dims=(3, 2), kind=14, extra=b""):
        body = (self.element(6, struct.pack("<II", 5, 3)) + self.element(5, struct.pack("<ii", *dims)) +
                self.element(1, b"A") + self.element(5, struct.pack(f"<{len(rows)}i", *rows)) +
                self.element(5, struct.pack(f"<{len(pointers)}i", *pointers)) +
                self.element(9, struct.pack(f"<{len(values)}d", *values)))
        head = b"MATLAB 5.0 MAT-file, by hand".ljust(124) + struct.pack("<H", 0x100) + b"IM"
        (self.dir / "a.mat").write_bytes(head + self.element(kind, body) + extra)

    def test_wrong_numbers(self):
        for says, change in {"row id of entry 1 is 3": {"rows": (0, 3, 1)}, "row id of entry 2 is -1": {"rows": (0, 2, -1)},
                             "pointers ascend": {"pointers": (0, 4, 3)}, "first one must be 0": {"pointers": (1, 2, 3)},
                             "there are 2 pointers, and 3 are wanted": {"pointers": (0, 3)},
                             "there are 2 values, and 3 entries": {"values": (1.0, 2.0)},
                             "dimensions are negative": {"dims": (-3, 2)}}.items():
            with self.subTest(says):
                self.by_hand(**change)
                self.refused(says)
        self.by_hand(rows=(0, 2, 1, 0, 0), values=(1.0, 2.0, 3.0, 0.0, 0.0))  # MATLAB keeps room for more entries
        self.same(self.mtx("real general\n3 2 3\n1 1 1\n3 1 2\n2 2 3\n"))

    def test_claims_are_not_believed(self):
        self.by_hand()
        data = bytearray((self.dir / "a.mat").read_bytes())
        data[132:136] = struct.pack("<I", 0xFFFFFFF0)
        (self.dir / "a.mat").write_bytes(data)
        self.assertEqual(spress("verify", self.dir / "a.mat").returncode, 2)
        packed = zlib.compress(struct.pack("<II", 14, 0xFFFFFFF0) + struct.pack("<II", 9, 0xFFFFFF00))
        head = bytes(data[:128])
        (self.dir / "a.mat").write_bytes(head + struct.pack("<II", 15, len(packed)) + packed)
        self.assertEqual(spress("verify", self.dir / "a.mat").returncode, 2)

    def test_cut_anywhere(self):
        for packed in (False, True):
            self.save({"Problem": problem()}, do_compression=packed)
            data = (self.dir / "a.mat").read_bytes()
            for length in range(20, len(data) - 8, max(1, len(data) // 40)):
                (self.dir / "b.mat").write_bytes(data[:length])
                self.refused("error", name="b.mat")

    def test_damaged_compression(self):
        self.save({"A": columns()}, do_compression=True)
        data = bytearray((self.dir / "a.mat").read_bytes())
        data[-2] ^= 0x55
        (self.dir / "a.mat").write_bytes(data)
        self.refused("a compressed variable is damaged")


class Version73(Matlab):
    @classmethod
    def setUpClass(cls):
        if "-v7.3" not in spress("list", "files").stdout:
            raise unittest.SkipTest("this build reads no HDF5 files")

    def put(self, group, matrix, kind="double"):
        group.attrs["MATLAB_class"] = numpy.bytes_(kind)
        group.attrs["MATLAB_sparse"] = numpy.uint64(matrix.shape[0])
        group["jc"] = matrix.indptr.astype("u8")
        if matrix.nnz:
            data = matrix.data
            if data.dtype.kind == "c":
                parts = numpy.zeros(len(data), [("real", "f8"), ("imag", "f8")])
                parts["real"], parts["imag"] = data.real, data.imag
                data = parts
            group["ir"], group["data"] = matrix.indices.astype("u8"), data

    def put_text(self, group, name, lines):
        width = max(map(len, lines))
        codes = numpy.array([[ord(c) for c in line.ljust(width)] for line in lines], "u2")
        group[name] = codes.T
        group[name].attrs["MATLAB_class"] = numpy.bytes_("char")

    def write(self, fill):
        with h5py.File(self.dir / "a.mat", "w", userblock_size=512) as file:
            fill(file)
        with open(self.dir / "a.mat", "r+b") as file:
            file.write(b"MATLAB 7.3 MAT-file, by a test".ljust(124) + b"\0\2IM")

    def test_one_variable(self):
        self.write(lambda f: self.put(f.create_group("A"), columns()))
        self.same()
        self.write(lambda f: self.put(f.create_group("A"), sparse.csc_matrix((5, 3))))
        self.same(self.mtx("real general\n5 3 0\n"))

    def test_problem(self):
        def fill(f):
            p = f.create_group("Problem")
            p.attrs["MATLAB_class"] = numpy.bytes_("struct")
            self.put(p.create_group("A"), columns())
            self.put(p.create_group("Zeros"), zeros())
            self.put(p.create_group("aux/C"), columns())
            self.put_text(p, "title", ["A TITLE"])
            self.put_text(p, "name", ["HB/small"])
            self.put_text(p, "kind", ["test problem"])
            self.put_text(p, "notes", ["first line", "second"])
            self.put(f.create_group("#refs#/a"), columns())
        self.write(fill)
        self.same(self.with_zeros())
        self.same(None, "--part", "Problem.aux.C")
        self.same(self.with_zeros(), "--part", "Problem")
        self.good("decode", self.dir / "x.spress", "-q", "-o", self.dir / "y.mtx", "--fresh")
        self.assertIn(COMMENTS, (self.dir / "y.mtx").read_text())

    def test_value_types(self):
        entries = [(r, c, v + 2j) for r, c, v in ENTRIES if v]
        self.write(lambda f: self.put(f.create_group("A"), columns("c16", entries=entries)))
        self.same(self.mtx("complex general\n3 4 4\n1 1 1.5 2\n2 2 1e-3 2\n3 1 3 2\n3 3 1.5 2\n"))
        ones = columns("u1", entries=[(r, c, 1) for r, c, _ in ENTRIES])
        self.write(lambda f: self.put(f.create_group("A"), ones, "logical"))
        self.same(self.mtx("pattern general\n3 4 5\n1 1\n1 4\n2 2\n3 1\n3 3\n"))

    def test_dense(self):
        def fill(f):
            f["D"] = numpy.array([[1.0, 0, 2], [0, 3, 0]]).T
            f["D"].attrs["MATLAB_class"] = numpy.bytes_("double")
            f["n"] = numpy.array([[1.0]])
            f["n"].attrs["MATLAB_class"] = numpy.bytes_("double")
        self.write(fill)
        self.same(self.mtx("real general\n2 3 3\n1 1 1\n1 3 2\n2 2 3\n"))

    def test_several(self):
        def fill(f):
            self.put(f.create_group("A"), columns())
            self.put(f.create_group("B"), columns())
        self.write(fill)
        self.refused(["several matrices", "A, B"])
        self.same(None, "--part", "A")

    def test_zeros_of_another_shape(self):
        for shape, entries in (((3, 100), [(0, 77, 1.0)]), ((50000000, 4), [(49999999, 0, 1.0)])):
            def fill(f):
                p = f.create_group("Problem")
                self.put(p.create_group("A"), columns())
                self.put(p.create_group("Zeros"), columns(shape=shape, entries=entries))
            self.write(fill)
            self.refused(f"Zeros is {shape[0]} x {shape[1]}, A is 3 x 4")

    def test_no_rows(self):
        def fill(f):
            self.put(f.create_group("A"), columns())
            f["A"].attrs["MATLAB_sparse"] = numpy.uint64(2)
        self.write(fill)
        self.refused("row id of entry 1 is 2")


if __name__ == "__main__":
    main()
