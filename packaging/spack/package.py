# A recipe for Spack. NEVER RUN: written from the build's own CMake files, not yet tried with Spack.
# Put it into a repository of your own as packages/spress/package.py, with `git` set to where spress is.
from spack.package import *


class Spress(CMakePackage):
    """Stores sparse matrices in fewer bytes, measures what that gains, and multiplies with them."""

    # There is no public archive of releases yet.
    git = "https://example.invalid/spress.git"
    license("BSD-3-Clause")
    version("main", branch="main")

    variant("cuda", default=False, description="Kernels for NVIDIA GPUs")
    variant("scotch", default=False, description="Orderings by nested dissection and partition")
    variant("eigen", default=False, description="Eigen as a peer in benchmarks")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    generator("ninja")
    depends_on("boost")  # headers of Boost.Graph
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("fmt", type="build")
    depends_on("xxhash")
    depends_on("fast-float", type="build")
    depends_on("libarchive")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("cuda@12:", when="+cuda")
    depends_on("scotch@7:", when="+scotch")
    depends_on("eigen@3.3:", when="+eigen", type="build")

    def cmake_args(self):
        return [
            self.define("SPRESS_STATIC", False),  # Spack's libraries are shared, found by their paths
            self.define("SPRESS_BUILD_TESTS", False),
            self.define("SPRESS_CHARTS", "AUTO"),
            self.define("SPRESS_MKL", "OFF"),
            self.define_from_variant("SPRESS_CUDA", "cuda"),
            self.define_from_variant("SPRESS_SCOTCH", "scotch"),
            self.define_from_variant("SPRESS_EIGEN", "eigen"),
        ]
