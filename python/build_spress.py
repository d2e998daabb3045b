"""How `pip install .` puts the shared library into the package.

Environment: SPRESS_LIBRARY names a library, or a folder with one, that is taken instead of building one; "installed"
leaves it out, for packages whose library comes from elsewhere. CMAKE_BUILD_PARALLEL_LEVEL and CMAKE_ARGS are as usual.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from setuptools.command.build_py import build_py
from setuptools.command.egg_info import egg_info

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel
try:
    from setuptools.command.build import build
except ImportError:
    from distutils.command.build import build

ROOT = pathlib.Path(__file__).resolve().parents[1]
CMAKE_FOLDER = ROOT / "build" / "release"  # that of ./dev build: what is built there is not built again
SCRATCH = ROOT / "build" / "python"
VERSION = re.search(r"^project\(spress VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
LIBRARY = "libspress.dylib" if sys.platform == "darwin" else "libspress.so"


def built_library():
    """Builds the library as the release preset does, and returns where it is."""
    if shutil.which("cmake") is None:
        sys.exit("spress needs CMake 3.25 or newer to build its library. With a library that is there already: "
                 "SPRESS_LIBRARY=FILE pip install .")
    if not (CMAKE_FOLDER / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "release", *shlex.split(os.environ.get("CMAKE_ARGS", ""))],
                       cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", str(CMAKE_FOLDER), "--target", "spress_shared"], check=True)
    return CMAKE_FOLDER / LIBRARY


def named_library(name):
    path = pathlib.Path(name)
    found = sorted(path.glob(f"{LIBRARY}*")) or [path]
    if not found[0].is_file():
        sys.exit(f"SPRESS_LIBRARY={name}: there is no {LIBRARY}")
    return found[0]


class Build(build):
    """Keeps what it makes apart from what CMake makes."""

    def initialize_options(self):
        super().initialize_options()
        self.build_base = str(SCRATCH)


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        name = os.environ.get("SPRESS_LIBRARY", "")
        if name == "installed":
            return
        target = pathlib.Path(self.build_lib, "spress", LIBRARY)
        target.unlink(missing_ok=True)
        shutil.copy(named_library(name) if name else built_library(), target)


class PlatformWheel(bdist_wheel):
    """One wheel for all versions of Python: the library knows nothing of Python."""

    def finalize_options(self):
        pure = os.environ.get("SPRESS_LIBRARY") == "installed"
        self.distribution.has_ext_modules = lambda: not pure  # decides where files go
        super().finalize_options()
        self.root_is_pure = pure

    def get_tag(self):
        return ("py3", "none", "any") if self.root_is_pure else ("py3", "none", super().get_tag()[2])


class EggInfo(egg_info):
    def initialize_options(self):
        super().initialize_options()
        SCRATCH.mkdir(parents=True, exist_ok=True)
        self.egg_base = str(SCRATCH)
