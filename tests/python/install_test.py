"""Installs the module from a copy of the tree into a new virtual environment, as a user does, and uses it there.

    install_test.py BUILD_FOLDER    takes the library from there
    install_test.py --build         builds it, which takes minutes
"""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

from support import ROOT

needed = ("ensurepip", "pip", "setuptools", "wheel")
missing = [name for name in needed if importlib.util.find_spec(name) is None]
if missing:
    print(f"SKIPPED: no {', '.join(missing)}; Debian has them in python3-venv, python3-pip, python3-setuptools and python3-wheel")
    sys.exit(77)

sys.path.insert(0, str(ROOT / "tests" / "house"))
from tree import files  # noqa: E402

USE = """
import numpy, pathlib, spress
assert pathlib.Path(spress.__file__).with_name("libspress.so").exists()
assert spress._library.library()._name.startswith(str(pathlib.Path(spress.__file__).parent))
a = spress.read("gen:poisson2d,nx=30,ny=20")
print((spress.encode(a) @ numpy.ones(600)).sum() == a.sum(), spress.__version__)
"""


def run(*command, **options):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


class InstallTest(unittest.TestCase):
    def test_pip_install(self):
        with tempfile.TemporaryDirectory(prefix="spress_install_") as name:
            folder = pathlib.Path(name)
            tree, environment = folder / "tree", folder / "v"
            for path in files():
                (tree / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / path, tree / path)
            variables = {key: value for key, value in os.environ.items() if key not in ("SPRESS_LIBRARY", "PYTHONPATH")}
            run(sys.executable, "-m", "venv", "--system-site-packages", environment)
            pip = environment / "bin" / "pip"
            python = environment / "bin" / "python"

            def install(**more):
                run(pip, "install", "--no-build-isolation", "--no-deps", "--no-index", "--force-reinstall", ".", cwd=tree,
                    env={**variables, **more})
                self.assertRegex(run(python, "-c", USE, cwd=folder, env=variables), r"True \d+\.\d+\.\d+")

            if BUILD == "--build":
                same = f"-DSPRESS_WERROR={os.environ.get('SPRESS_WERROR', 'OFF')}"  # flags, so that ccache has most of it
                install(CMAKE_ARGS=f"-DSPRESS_CUDA=OFF -DSPRESS_CHARTS=OFF {same}")
                return
            install(SPRESS_LIBRARY=BUILD)
            run(pip, "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", folder / "wheels", ".", cwd=tree,
                env={**variables, "SPRESS_LIBRARY": BUILD})
            (wheel,) = (folder / "wheels").iterdir()
            self.assertRegex(wheel.name, r"^spress-[\d.]+-py3-none-(?!any).+\.whl$")
            names = {path for path in zipfile.ZipFile(wheel).namelist() if path.startswith("spress/")}
            sources = {f"spress/{path.name}" for path in (ROOT / "python" / "spress").iterdir() if path.is_file()}
            self.assertEqual(names, sources | {"spress/libspress.so"})
            left = {path.name for path in (tree / "python").iterdir()} - {"__pycache__"}
            self.assertEqual(left, {"spress", "build_spress.py"})


if __name__ == "__main__":
    BUILD = sys.argv[1] if sys.argv[1] == "--build" else os.path.abspath(sys.argv[1])
    unittest.main(argv=sys.argv[:1])
