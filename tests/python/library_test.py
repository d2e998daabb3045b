"""The module's picture of the C interface, how it finds the library, and its exceptions."""
import ast
import ctypes
import inspect
import os
import pickle
import re
import subprocess
import sys
import typing
import unittest

from support import ROOT, Case, spress
from spress import _errors, _library

HEADER = (ROOT / "pipeline/interface/include/spress/spress.h").read_text()
CODE = re.sub(r"/\*.*?\*/", "", HEADER, flags=re.S)


def kind_of(declared):
    """The ctypes type of a parameter or a result in C."""
    words = re.sub(r"\bconst\b|\b\w+$", "", declared) if not declared.rstrip().endswith("*") else declared
    base = re.sub(r"\bconst\b|\*|\s", "", words)
    if "*" not in declared:
        return {"int": ctypes.c_int, "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "float": ctypes.c_float,
                "double": ctypes.c_double, "void": None, "spress_result": ctypes.c_int}[base]
    if base == "char" and declared.count("*") == 1:
        return ctypes.c_char_p
    return ctypes.c_void_p


def pointer_as_declared(kind):
    """ctypes' typed pointers are pointers."""
    return ctypes.c_void_p if isinstance(kind, type) and issubclass(kind, ctypes._Pointer) else kind


class HeaderTest(unittest.TestCase):
    def test_signatures(self):
        declared = {}
        for returned, name, taken in re.findall(r"SPRESS_API ([\w ]+?\*?) ?(spress_\w+)\(([^)]*)\);", CODE):
            parameters = [] if taken == "void" else taken.split(",")
            result = kind_of(returned if returned.endswith("*") else f"{returned} x")
            declared[name] = (result, *map(kind_of, parameters))
        self.assertGreater(len(declared), 25)
        ours = {name: tuple(map(pointer_as_declared, kinds)) for name, kinds in _library.SIGNATURES.items()}
        text = {"spress_free_text": (None, ctypes.c_void_p)}  # a place, not text, for ctypes
        self.assertEqual(ours, {**declared, **text})

    def test_structures(self):
        for name, ours in (("spress_arrays", _library.Arrays), ("spress_csr_info", _library.CsrInfo),
                           ("spress_matrix_info", _library.MatrixInfo)):
            body = re.search(rf"struct {name} \{{(.*?)\}}", CODE, re.S)[1]
            fields = [field.strip() for line in body.split(";") if line.strip()
                      for field in re.sub(r"^\s*((?:const )?\w+\*?) ", "", line).split(",")]
            self.assertEqual(fields, [field for field, _ in ours._fields_])

    def test_numbers(self):
        results = re.search(r"enum spress_result \{(.*?)\}", CODE, re.S)[1]
        names = re.findall(r"SPRESS_(\w+)", results)
        self.assertEqual(names, ["OK", *(kind.code.upper() for kind in _errors.BY_STATUS[1:])])
        types = re.findall(r"SPRESS_(\w+)", re.search(r"enum spress_type \{(.*?)\}", CODE, re.S)[1])
        self.assertEqual([getattr(_library, name) for name in types], list(range(len(types))))


class ErrorsTest(unittest.TestCase):
    def test_each_is_an_error_of_its_own(self):
        for status, kind in enumerate(_errors.BY_STATUS[1:], 1):
            error = _errors.error_of(status, "what is wrong")
            self.assertIs(type(error), kind)
            self.assertEqual((str(error), error.code, str(pickle.loads(pickle.dumps(error)))),
                             ("what is wrong", kind.code, "what is wrong"))
            self.assertIs(getattr(spress, kind.__name__), kind)
        self.assertIs(type(_errors.error_of(99, "")), spress.Error)


class TypesTest(unittest.TestCase):
    @unittest.skipIf(sys.version_info < (3, 10), "unions are written as of Python 3.10")
    def test_hints_resolve(self):
        for name in spress.__all__:
            public = getattr(spress, name)
            members = vars(public).values() if isinstance(public, type) else ()
            functions = [getattr(member, "fget", member) for member in members]
            for function in filter(inspect.isfunction, [public, *functions]):
                with self.subTest(function=function.__qualname__):
                    typing.get_type_hints(function)


class LoadingTest(Case):
    def import_with(self, **variables):
        environment = {key: value for key, value in os.environ.items() if key not in ("SPRESS_LIBRARY", "LD_LIBRARY_PATH")}
        environment.update(variables, PYTHONPATH=str(ROOT / "python"), PYTHONDONTWRITEBYTECODE="1")
        code = "import spress, sys; print(sorted(name for name in sys.modules if name.startswith('scipy')))"
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_it_is_found(self):
        library = os.environ.get("SPRESS_LIBRARY")
        if not library:
            self.skipTest("SPRESS_LIBRARY names no library")
        folder = library if os.path.isdir(library) else os.path.dirname(library)
        for name in (folder, os.path.join(folder, "libspress.so"), os.path.join(folder, "libspress.so.0.1")):
            code, text = self.import_with(SPRESS_LIBRARY=name)
            self.assertEqual((code, ast.literal_eval(text)), (0, []), "SciPy is imported when it is needed")
        code = "from spress import _library; print(list(_library.candidates())[-1])"
        environment = os.environ | {"PYTHONPATH": str(ROOT / "python"), "SPRESS_LIBRARY": "installed", "LD_LIBRARY_PATH": folder}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
        self.assertTrue(os.path.exists(os.path.join(folder, done.stdout.strip())), done)
        os.symlink(folder, "lib")
        self.assertEqual(self.import_with(SPRESS_LIBRARY=os.getcwd())[0], 0)
        if not os.path.exists(ROOT / "python/spress/libspress.so"):
            self.assertEqual(self.import_with(SPRESS_LIBRARY="installed", LD_LIBRARY_PATH=folder)[0], 0)

    def test_names_are_relative_to_the_folder(self):
        library = os.environ.get("SPRESS_LIBRARY")
        if not library:
            self.skipTest("SPRESS_LIBRARY names no library")
        os.symlink(os.path.join(library, "libspress.so") if os.path.isdir(library) else library, "libspress.so")
        for name in ("libspress.so", "./libspress.so", "."):
            self.assertEqual(self.import_with(SPRESS_LIBRARY=name)[0], 0, name)

    def test_it_is_missing(self):
        code, text = self.import_with(SPRESS_LIBRARY=str(self.folder))
        self.assertNotEqual(code, 0)
        self.assertIn("ImportError: libspress could not be loaded", text)
        self.assertIn(str(self.folder), text)
        self.assertIn("pip install .", text)

    def test_it_is_another_library(self):
        import _ctypes
        other = _ctypes.__file__
        code, text = self.import_with(SPRESS_LIBRARY=other)
        self.assertNotEqual(code, 0)
        self.assertIn("is another version of spress", text)


if __name__ == "__main__":
    unittest.main()
