"""Runs the examples of the docstrings, and the notebook examples/python.ipynb as a script."""
import contextlib
import doctest
import importlib
import io
import json
import pkgutil
import unittest
import warnings

from support import ROOT, Case, spress

NOTEBOOK = ROOT / "examples" / "python.ipynb"


class DocstringsTest(Case):
    def test_examples(self):
        attempted = 0
        for name in ["spress", *(f"spress.{entry.name}" for entry in pkgutil.iter_modules(spress.__path__))]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of SciPy's solvers
                result = doctest.testmod(importlib.import_module(name))
            self.assertEqual(result.failed, 0, name)
            attempted += result.attempted
        self.assertGreater(attempted, 30)

    def test_everything_public_is_documented(self):
        for name in spress.__all__:
            self.assertTrue(getattr(spress, name).__doc__, name)
        for member in set(dir(spress.Matrix)) - set(dir(object)):
            if not member.startswith("_") and callable(getattr(spress.Matrix, member)):
                self.assertTrue(member == "dot" or getattr(spress.Matrix, member).__doc__, member)


class NotebookTest(Case):
    def test_it_runs(self):
        with open(NOTEBOOK) as file:
            notebook = json.load(file)
        self.assertGreaterEqual(notebook["nbformat"], 4)
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        self.assertGreater(len(code), 3)
        names = {}
        for number, cell in enumerate(code, 1):
            self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None), "outputs are not committed")
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile("".join(cell["source"]), f"{NOTEBOOK.name}, code cell {number}", "exec"), names)


if __name__ == "__main__":
    unittest.main()
