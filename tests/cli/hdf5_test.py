"""HDF5 files: Binsparse, AnnData and 10x Genomics, as h5py writes them, right and wrong; and what is written."""

import gzip
import json
import subprocess
import unittest

from support import SANITIZED, SPRESS, Case, main, modules, spress

h5py, numpy = modules("h5py", "numpy")

ENTRIES = [(0, 0, 1.5), (0, 3, -0.0), (1, 1, 1e-3), (2, 0, 3.0), (2, 2, 1.5)]
SHAPE = (3, 4)
BY_ROWS = {"data": [v for _, _, v in ENTRIES], "indices": [c for _, c, _ in ENTRIES], "indptr": [0, 2, 3, 5]}
SORTED = sorted(ENTRIES, key=lambda e: (e[1], e[0]))
BY_COLUMNS = {"data": [v for _, _, v in SORTED], "indices": [r for r, _, _ in SORTED], "indptr": [0, 2, 3, 4, 5]}


def put_sparse(group, arrays, encoding, shape=SHAPE, dtypes=None, **options):
    group.attrs["encoding-type"] = encoding
    group.attrs["shape"] = shape
    for name, values in arrays.items():
        kind = (dtypes or {}).get(name, "f8" if name == "data" else "i4")
        group.create_dataset(name, data=numpy.array(values, kind), **options)


def put_annotated(file, **options):
    file.attrs["encoding-type"] = "anndata"
    file.create_group("obs")
    file.create_group("var")
    put_sparse(file.create_group("X"), BY_ROWS, "csr_matrix", **options)


def put_binsparse(group, arrays, form, values="float64", nested=True, **more):
    said = {"version": "0.1", "format": form, "shape": SHAPE, "data_types": {"values": values}, **more}
    group.attrs["binsparse"] = json.dumps({"binsparse": said} if nested else said)
    for name, data in arrays.items():
        group[name] = data


CSR = {"values": BY_ROWS["data"], "indices_1": BY_ROWS["indices"], "pointers_to_1": BY_ROWS["indptr"]}
CSC = {"values": BY_COLUMNS["data"], "indices_1": BY_COLUMNS["indices"], "pointers_to_1": BY_COLUMNS["indptr"]}
COO = {"values": BY_ROWS["data"], "indices_0": [r for r, _, _ in ENTRIES], "indices_1": BY_ROWS["indices"]}
LEVELS = {"level": "dense", "rank": 1,
          "subformat": {"level": "sparse", "rank": 1, "subformat": {"level": "element"}}}


@unittest.skipIf(h5py is None, "there is no Python with h5py and numpy")
class Hdf5(Case):
    @classmethod
    def setUpClass(cls):
        if "-v7.3" not in spress("list", "files").stdout:
            raise unittest.SkipTest("this build reads no HDF5 files")

    def file(self, name="a.h5"):
        return h5py.File(self.dir / name, "w")

    def same(self, name="a.h5", expected=None, *options):
        if expected is None:
            expected = self.small
        self.good("encode", self.dir / name, "-q", "-o", self.dir / "x.spress", *options)
        self.good("compare", self.dir / "x.spress", expected)

    def refused(self, says, name="a.h5", *options):
        done = self.bad("verify", self.dir / name, *options, says=says)
        self.assertIn(name, done.stderr)

    def mtx(self, text):
        path = self.dir / "expected.mtx"
        path.write_text("%%MatrixMarket matrix coordinate " + text)
        return path


class AnnData(Hdf5):
    def test_rows_and_columns(self):
        with self.file("a.h5ad") as f:
            put_annotated(f)
        self.same("a.h5ad")
        for encoding, arrays in (("csr_matrix", BY_ROWS), ("csc_matrix", BY_COLUMNS)):
            with self.file() as f:
                put_sparse(f.create_group("some/where"), arrays, encoding)
            self.same()

    def test_older_files(self):
        with self.file() as f:
            g = f.create_group("X")
            put_sparse(g, BY_COLUMNS, "none")
            del g.attrs["encoding-type"], g.attrs["shape"]
            g.attrs["h5sparse_format"], g.attrs["h5sparse_shape"] = "csc", SHAPE
        self.same()

    def test_dense(self):
        dense = numpy.zeros(SHAPE)
        for r, c, v in ENTRIES:
            dense[r, c] = v
        expected = self.mtx("real general\n3 4 4\n1 1 1.5\n2 2 1e-3\n3 1 3\n3 3 1.5\n")
        for options in ({}, {"chunks": (2, 3), "compression": "gzip"}):
            with self.file("a.h5ad") as f:
                f.create_group("obs"), f.create_group("var")
                f.create_dataset("X", data=dense, **options)
                f["obsm/pca"] = dense
            self.same("a.h5ad", expected)

    def test_parts(self):
        with self.file("a.h5ad") as f:
            put_annotated(f)
            counts = {**BY_COLUMNS, "data": [1, 2, 3, 4, 5]}
            put_sparse(f.create_group("layers/counts"), counts, "csc_matrix", dtypes={"data": "u2"})
            put_sparse(f.create_group("obsp/distances"), BY_ROWS, "csr_matrix")
        expected = self.mtx("integer general\n3 4 5\n1 1 1\n3 1 2\n2 2 3\n3 3 4\n1 4 5\n")
        for name in ("layers/counts", "/layers/counts"):
            self.same("a.h5ad", expected, "--part", name)
        self.same("a.h5ad", None, "--part", "obsp/distances")
        self.refused(["no matrix called 'layers'", "layers/counts", "obsp/distances"], "a.h5ad", "--part", "layers")

    def test_several_without_a_main_one(self):
        with self.file() as f:
            put_sparse(f.create_group("m1"), BY_ROWS, "csr_matrix")
            put_sparse(f.create_group("m2"), BY_ROWS, "csr_matrix")
        self.refused(["several matrices", "--part", "m1, m2"])
        self.same("a.h5", None, "--part", "m2")

    def test_storage(self):
        many = ({}, {"chunks": (2,)}, {"compression": "gzip"}, {"compression": "gzip", "shuffle": True, "chunks": (3,)},
                {"compression": "lzf"}, {"compression": "lzf", "shuffle": True, "chunks": (4,)}, {"fletcher32": True},
                {"scaleoffset": None, "maxshape": (None,)})
        for options in many:
            with self.subTest(options), self.file() as f:
                put_sparse(f.create_group("X"), BY_ROWS, "csr_matrix", **options)
            self.same()

    def test_long_runs_through_lzf(self):
        n = 50000
        with self.file() as f:
            arrays = {"data": [1.0] * n, "indices": [0] * n, "indptr": list(range(n + 1))}
            put_sparse(f.create_group("X"), arrays, "csr_matrix", (n, 7), compression="lzf")
        self.same("a.h5", self.mtx(f"real general\n{n} 7 {n}\n" + "".join(f"{r + 1} 1 1\n" for r in range(n))))

    def test_types(self):
        integers = {**BY_ROWS, "data": [1, 0, 2, 3, 100]}
        exact = self.mtx("integer general\n3 4 5\n1 1 1\n1 4 0\n2 2 2\n3 1 3\n3 3 100\n")
        for size in (1, 2, 4, 8):
            for kind in "iu":
                for order in "<>":
                    with self.subTest(f"{order}{kind}{size}"), self.file() as f:
                        dtype = f"{order}{kind}{size}"
                        put_sparse(f.create_group("X"), integers, "csr_matrix",
                                   dtypes=dict.fromkeys(integers, dtype))
                    self.same("a.h5", exact)
        for dtype in ("<f2", ">f2", "<f4", ">f4", "<f8", ">f8"):
            with self.subTest(dtype), self.file() as f:
                put_sparse(f.create_group("X"), integers, "csr_matrix", dtypes={"data": dtype})
            self.same("a.h5", exact)

    def test_booleans_and_complex(self):
        with self.file() as f:
            put_sparse(f.create_group("X"), {**BY_ROWS, "data": [True] * 5}, "csr_matrix", dtypes={"data": "?"})
        self.same("a.h5", self.mtx("pattern general\n3 4 5\n1 1\n1 4\n2 2\n3 1\n3 3\n"))
        with self.file() as f:
            values = [1 + 2j, 0, 3j, 4, -1j]
            put_sparse(f.create_group("X"), {**BY_ROWS, "data": values}, "csr_matrix", dtypes={"data": "c16"})
        expected = self.mtx("complex general\n3 4 5\n1 1 1 2\n1 4 0 0\n2 2 0 3\n3 1 4 0\n3 3 -0.0 -1\n")
        self.good("encode", self.dir / "a.h5", "-q", "-o", self.dir / "x.spress")
        self.assertIn("complex", self.good("info", self.dir / "x.spress").stdout)
        self.assertTrue(expected.exists())

    def test_wrong(self):
        cases = {
            "there are 5 pointers, and 4 are wanted for 3 rows": {"indptr": [0, 2, 3, 5, 5]},
            "pointers ascend": {"indptr": [0, 3, 2, 5]},
            "the first one must be 0": {"indptr": [1, 2, 3, 5]},
            "pointer 1 is -2": {"indptr": [0, -2, 3, 5]},
            "the column id of entry 1 is 4": {"indices": [0, 4, 1, 0, 2]},
            "there are 4 values, and 5 entries": {"data": [1, 2, 3, 4]},
        }
        for says, change in cases.items():
            with self.subTest(says), self.file() as f:
                put_sparse(f.create_group("X"), {**BY_ROWS, **change}, "csr_matrix")
            self.refused(says)

    def test_wrong_objects(self):
        def change(says, act):
            with self.subTest(says), self.file() as f:
                g = f.create_group("X")
                put_sparse(g, BY_ROWS, "csr_matrix")
                act(f, g)
            self.refused(says)

        def replace(name, value):
            def act(f, g):
                del g[name]
                if value is not None:
                    g[name] = value
            return act

        def group(f, g):
            del g["data"]
            g.create_group("data")

        def references(f, g):
            del g["data"]
            g.create_dataset("data", data=[g.ref] * 5, dtype=h5py.ref_dtype)

        def virtual(f, g):
            del g["data"]
            layout = h5py.VirtualLayout((5,), "f8")
            layout[:] = h5py.VirtualSource("/etc/passwd", "x", (5,))
            g.create_virtual_dataset("data", layout)

        def outside(f, g):
            del g["data"]
            f.create_dataset("X/data", (5,), "f8", external=[("/etc/passwd", 0, 40)])

        def link(f, g):
            del g["data"]
            g["data"] = h5py.ExternalLink("/etc/passwd", "/x")

        change("has no 'data'", replace("data", None))
        change("has no 'indptr'", replace("indptr", None))
        change("'/X/data' is a group where an array is wanted", group)
        change("'/X/data' holds strings where numbers are wanted", replace("data", ["a"] * 5))
        change("'/X/indices' holds strings", replace("indices", ["a"] * 5))
        change("'/X/data' holds references", references)
        change("'/X/data' is a single number", replace("data", 1.0))
        change("'/X/indptr' has 2 dimensions", replace("indptr", [[0, 2], [3, 5]]))
        change("in other files", virtual)
        change("in other files", outside)
        change("has no 'data'", link)
        change("no shape of two integers", lambda f, g: g.attrs.__setitem__("shape", (3, 4, 5)))
        change("does not fit 32-bit ids", lambda f, g: g.attrs.__setitem__("shape", (1 << 40, 4)))
        change("holds numbers of more than 64 bits", replace("data", numpy.array([1] * 5, "g")))

    def test_integers_beyond_double(self):
        for dtype, value in (("u8", 2**64 - 1), ("u8", 2**53 + 1), ("i8", -(2**53) - 1)):
            with self.file() as f:
                put_sparse(f.create_group("X"), {**BY_ROWS, "data": [1, 2, value, 4, 5]}, "csr_matrix",
                           dtypes={"data": dtype})
            self.refused([f"entry 2 is {value}", "2^53"])

    def test_claims_are_not_believed(self):
        with self.file() as f:
            f.create_dataset("m", (1 << 30, 1 << 30), "f8", chunks=(64, 64), compression="gzip")
        self.refused("claims 9223372036854775808 bytes")
        with self.file() as f:
            g = f.create_group("X")
            put_sparse(g, BY_ROWS, "csr_matrix")
            del g["data"]
            g.create_dataset("data", (1 << 60,), "f4", chunks=(1 << 10,))
        self.refused("claims")
        with self.file() as f:
            f.create_dataset("m", (300, 300), "f8", chunks=(64, 64))
        self.refused("never written")

    def test_chunks_never_written(self):
        for written, says in ((2, "has 1 of its 3 chunks"), (4, "has 2 of its 3 chunks")):
            with self.file() as f:
                g = f.create_group("X")
                put_sparse(g, BY_ROWS, "csr_matrix")
                del g["indices"]
                g.create_dataset("indices", (5,), "i4", chunks=(2,))[:written] = BY_ROWS["indices"][:written]
            self.refused(["'/X/indices'", says])
        with self.file() as f:
            m = f.create_dataset("m", (5, 5), "f8", chunks=(2, 2), maxshape=(None, None))
            m[0:2] = 1
        self.refused("has 3 of its 9 chunks")

    def test_enumerations_of_other_truths(self):
        with self.file() as f:
            g = f.create_group("X")
            put_sparse(g, BY_ROWS, "csr_matrix")
            del g["data"]
            kind = h5py.h5t.enum_create(h5py.h5t.NATIVE_INT8)
            kind.enum_insert(b"FALSE", 1)
            kind.enum_insert(b"TRUE", 0)
            h5py.h5d.create(g.id, b"data", kind, h5py.h5s.create_simple((5,))).write(
                h5py.h5s.ALL, h5py.h5s.ALL, numpy.zeros(5, "i1"), mtype=kind)
        self.refused("'/X/data' holds an enumeration")

    def test_negative_shapes(self):
        with self.file() as f:
            put_sparse(f.create_group("X"), {"data": [], "indices": [], "indptr": [0]}, "csr_matrix", (-3, 4))
        self.refused("no shape of two integers")


class TenX(Hdf5):
    def put(self, group):
        for name, values in BY_COLUMNS.items():
            group[name] = values
        group["shape"] = numpy.array(SHAPE, "i4")
        group["barcodes"] = [b"c"] * 4

    def test_features_by_barcodes(self):
        with self.file() as f:
            self.put(f.create_group("matrix"))
            f["matrix/features/id"] = [b"g"] * 3
        self.same()

    def test_one_group_for_each_genome(self):
        with self.file() as f:
            self.put(f.create_group("GRCh38"))
        self.same()
        with self.file() as f:
            self.put(f.create_group("GRCh38"))
            self.put(f.create_group("mm10"))
        self.refused("GRCh38, mm10")
        self.same("a.h5", None, "--part", "mm10")

    def test_negative_shapes(self):
        with self.file() as f:
            self.put(f.create_group("matrix"))
            f["matrix/shape"][...] = (-3, 4)
        self.refused("'/matrix/shape' holds a negative number")


class Binsparse(Hdf5):
    def test_formats(self):
        rows = {"indices_0": [0, 1, 2], **CSR}
        columns = {"indices_0": [0, 1, 2, 3], **CSC}
        coordinates_by_columns = {"values": CSC["values"], "indices_0": [c for _, c, _ in SORTED],
                                  "indices_1": CSC["indices_1"]}
        for form, arrays in (("CSR", CSR), ("CSC", CSC), ("COO", COO), ("COOR", COO), ("DCSR", rows), ("DCSC", columns),
                             ("COOC", coordinates_by_columns), (LEVELS, CSR)):
            for nested in (True, False):
                with self.subTest(form), self.file() as f:
                    put_binsparse(f, arrays, form, nested=nested, number_of_stored_values=5)
                self.same()
        with self.file() as f:
            put_binsparse(f.create_group("deep/down"), CSC, LEVELS, swizzle=[1, 0])
        self.same()

    def test_dense_and_vectors(self):
        values = numpy.arange(12.0).reshape(SHAPE)
        expected = self.mtx("real general\n3 4 11\n" + "".join(
            f"{r + 1} {c + 1} {values[r, c]}\n" for r in range(3) for c in range(4) if values[r, c]))
        for form, data in (("DMAT", values), ("DMATR", values.ravel()), ("DMATC", values.T.ravel())):
            with self.file() as f:
                put_binsparse(f, {"values": data}, form)
            self.same("a.h5", expected)
        expected = self.mtx("real general\n5 1 2\n2 1 7\n5 1 8\n")
        with self.file() as f:
            put_binsparse(f, {"values": [7.0, 8.0], "indices_0": [1, 4]}, "CVEC", shape=[5])
        self.same("a.h5", expected)
        with self.file() as f:
            put_binsparse(f, {"values": [0, 7.0, 0, 0, 8.0]}, "DVEC", shape=[5])
        self.same("a.h5", expected)

    def test_values(self):
        pattern = self.mtx("pattern general\n3 4 5\n1 1\n1 4\n2 2\n3 1\n3 3\n")
        for kind, values in (("iso[uint8]", [1]), ("iso[bint8]", [1]), ("bint8", [1] * 5)):
            with self.file() as f:
                put_binsparse(f, {**CSR, "values": numpy.array(values, "u1")}, "CSR", kind)
            self.same("a.h5", pattern)
        with self.file() as f:
            put_binsparse(f, {**CSR, "values": [2.5]}, "CSR", "iso[float64]")
        self.same("a.h5", self.mtx("real general\n3 4 5\n1 1 2.5\n1 4 2.5\n2 2 2.5\n3 1 2.5\n3 3 2.5\n"))
        with self.file() as f:
            put_binsparse(f, {**CSR, "values": numpy.arange(10.0)}, "CSR", "complex[float64]")
        self.same("a.h5", self.mtx("complex general\n3 4 5\n1 1 0 1\n1 4 2 3\n2 2 4 5\n3 1 6 7\n3 3 8 9\n"))

    def test_structures(self):
        lower = {"values": [1.0, 2.0], "indices_0": [1, 2], "indices_1": [0, 1]}
        upper = {"values": [1.0, 2.0], "indices_0": [0, 1], "indices_1": [1, 2]}
        for name, arrays, sign, word in (("symmetric_lower", lower, 1, "symmetric"),
                                         ("symmetric_upper", upper, 1, "symmetric"),
                                         ("skew_symmetric_lower", lower, 1, "skew-symmetric"),
                                         ("skew_symmetric_upper", upper, -1, "skew-symmetric")):
            with self.subTest(name), self.file() as f:
                put_binsparse(f, arrays, "COO", structure=name, shape=[3, 3])
            self.same("a.h5", self.mtx(f"real {word}\n3 3 2\n2 1 {sign}\n3 2 {2 * sign}\n"))
        with self.file() as f:
            put_binsparse(f, {**lower, "values": [1.0, 2.0, 3.0, 4.0]}, "COO", "complex[float64]",
                          structure="hermitian_lower", shape=[3, 3])
        self.same("a.h5", self.mtx("complex hermitian\n3 3 2\n2 1 1 2\n3 2 3 4\n"))

    def test_wrong(self):
        def put(says, arrays=CSR, form="CSR", values="float64", **more):
            with self.subTest(says), self.file() as f:
                put_binsparse(f, arrays, form, values, **more)
            self.refused(says)

        put("has the format", form="TUCKER")
        put("no shape of 2 integers", shape=[3])
        put("no shape of 2 integers", shape=[-3, 4])
        put("counts 7 stored values, and there are 5", number_of_stored_values=7)
        put("has the structure", structure="circulant")
        put("fill value", fill=True)
        put("not square", structure="symmetric_lower")
        put("outside the lower triangle", COO, "COO", structure="symmetric_lower", shape=[4, 4])
        put("not complex", COO, "COO", structure="hermitian_upper", shape=[4, 4])
        put("1 is wanted", values="iso[float64]")
        put("no pairs", values="complex[float64]")
        put("has no 'pointers_to_1'", COO)
        with self.file() as f:
            f.attrs["binsparse"] = "{"
        self.refused("no JSON object")
        with self.file() as f:
            f.attrs["binsparse"] = 7
        self.refused("is no text")
        put("of another type than the specification says", form={"level": 1})
        put("of another type than the specification says", form={"level": "dense", "rank": "one"})

    def written(self, text, *options):
        source = self.mtx(text)
        (self.dir / "y.h5").unlink(missing_ok=True)
        self.good("convert", source, self.dir / "y.h5", "-q")
        self.good("compare", self.dir / "y.h5", source)
        f = h5py.File(self.dir / "y.h5", "r")
        return f, json.loads(f.attrs["binsparse"])["binsparse"]

    @unittest.skipIf(spress("convert", "--help").returncode, "this build has no convert")
    def test_writing(self):
        f, said = self.written("real general\n% said\n3 4 3\n1 1 -0.0\n2 3 1e300\n3 4 5e-324\n")
        self.assertEqual((said["format"], said["shape"], said["number_of_stored_values"]), ("CSR", [3, 4], 3))
        self.assertEqual(said["data_types"], {"pointers_to_1": "uint32", "indices_1": "uint32", "values": "float64"})
        self.assertEqual(list(f["pointers_to_1"]), [0, 1, 2, 3])
        self.assertEqual(list(f["indices_1"]), [0, 2, 3])
        self.assertIn("% said", json.loads(f.attrs["binsparse"])["comments"])
        _, said = self.written("pattern symmetric\n3 3 2\n2 1\n3 3\n")
        self.assertEqual((said["data_types"]["values"], said["structure"]), ("iso[uint8]", "symmetric_lower"))
        f, said = self.written("integer skew-symmetric\n3 3 1\n2 1 9007199254740992\n")
        self.assertEqual((said["data_types"]["values"], said["structure"]), ("int64", "skew_symmetric_lower"))
        self.assertEqual(list(f["values"]), [2**53])
        _, said = self.written("complex hermitian\n2 2 2\n1 1 1 0\n2 1 1 -2\n")
        self.assertEqual((said["data_types"]["values"], said["structure"]), ("complex[float64]", "hermitian_lower"))
        self.written("real general\n3 4 0\n")
        n = 70000
        self.written(f"real general\n{n} 9 {n}\n" + "".join(f"{r + 1} {r % 9 + 1} {r}\n" for r in range(n)))

    @unittest.skipIf(spress("convert", "--help").returncode, "this build has no convert")
    def test_writing_long_comments(self):
        for character, most in (("x", 55000), ("\x01", 9000)):  # which JSON writes with six characters
            for count in (most, 20 * most):
                f, _ = self.written("real general\n" + f"%{character * 1000}\n" * (count // 1000) + "1 1 1\n1 1 1\n")
                self.assertEqual("comments" in json.loads(f.attrs["binsparse"]), count == most)

    @unittest.skipIf(spress("convert", "--help").returncode, "this build has no convert")
    def test_writing_leaves_nothing_behind(self):
        before = self.left()
        self.bad("convert", self.small, self.dir / "none" / "y.h5")
        self.assertEqual(self.left(), before)


class Input(Hdf5):
    def test_compressed_and_pipes(self):
        with self.file("a.h5ad") as f:
            put_annotated(f)
        data = (self.dir / "a.h5ad").read_bytes()
        (self.dir / "a.h5ad.gz").write_bytes(gzip.compress(data))
        self.same("a.h5ad.gz")
        done = subprocess.run([SPRESS, "compare", "-", self.small], input=data, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_cut_anywhere(self):
        with self.file("a.h5ad") as f:
            put_annotated(f)
        data = (self.dir / "a.h5ad").read_bytes()
        for length in range(8, len(data), max(1, len(data) // 40)):
            (self.dir / "b.h5ad").write_bytes(data[:length])
            self.refused("truncated file" if length > 100 else "error", "b.h5ad")

    @unittest.skipIf(SANITIZED, "the sanitizer's malloc may stay locked in a child of a process with several threads")
    def test_a_collection_on_several_threads(self):
        for k in range(6):
            with self.file(f"{k}.h5ad") as f:
                put_annotated(f)
        (self.dir / "bad.h5").write_bytes((self.dir / "0.h5ad").read_bytes()[:900])
        done = spress("analyze", self.dir, "--jobs", 4, "-o", self.dir / "out")
        self.assertEqual(done.returncode, 1, done.stderr)
        records = [json.loads(line) for line in (self.dir / "out" / "results.jsonl").read_text().splitlines()]
        self.assertEqual(sum(1 for r in records if r["error"]), 1)
        self.assertEqual(sum(1 for r in records if r["matrix"].get("nnz") == 5), 7)  # with small.mtx


if __name__ == "__main__":
    main()
