"""spress: sparse matrices in fewer bytes.

Reads and writes files of sparse matrices, measures what a matrix costs in each format, reorders, and multiplies with
compact formats. Matrices come and go as SciPy's.

>>> import numpy, spress
>>> a = spress.read("gen:elasticity3d,n=8")
>>> m = spress.encode(a, "slice-delta")
>>> 7 * m.nbytes < a.data.nbytes
True
>>> numpy.allclose(m @ numpy.ones(1536), a @ numpy.ones(1536))
True
"""
from __future__ import annotations

from . import _library
from ._analysis import (Record, Records, analyze, files, formats, gallery, orderings, reorder, set_threads, version)
from ._arrays import Info
from ._errors import (DamagedError, Error, FileSyntaxError, NotApplicableError, NotFoundError, NotRepresentableError,
                      OutOfRangeError, TooLargeError, TruncatedError, UnreadableError, UnsupportedError,
                      UnwritableError, UsageError)
from ._files import File, info, open, read, write
from ._matrix import Matrix, encode, load

_library.library()  # an ImportError now, not at the first call

__version__ = version()
__all__ = [
    "read", "write", "open", "info", "analyze", "reorder", "encode", "load", "formats", "orderings", "gallery", "files",
    "set_threads", "version", "Matrix", "File", "Info", "Record", "Records", "Error", "UsageError", "NotFoundError",
    "UnreadableError", "UnwritableError", "FileSyntaxError", "OutOfRangeError", "TruncatedError", "DamagedError",
    "NotRepresentableError", "NotApplicableError", "UnsupportedError", "TooLargeError",
]

for _name in __all__:  # what messages and help call them
    globals()[_name].__module__ = __name__
