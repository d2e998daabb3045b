"""Analysis, orderings, and the tables of names."""
from __future__ import annotations

from typing import Any, Iterable

import numpy as np

from ._arrays import arrays_of, handle_of, is_path
from ._errors import Error, UsageError
from ._library import document, encoded, library, optional, whole


class Record(dict):  # type: ignore[type-arg]
    """The analysis of one matrix: a dict, as docs/records.md describes it."""

    def to_pandas(self) -> Any:
        """A DataFrame with one row. Columns are named by the keys on the way, as in "matrix.nnz"."""
        return Records([self]).to_pandas()


class Records(list):  # type: ignore[type-arg]
    """The analyses of several matrices: a list of `Record`."""

    def to_pandas(self) -> Any:
        """A DataFrame with a row for each matrix. Columns are named by the keys on the way, as in "matrix.nnz"."""
        import pandas

        return pandas.json_normalize(list(self))


def _names(names: str | Iterable[str] | None) -> bytes | None:
    try:
        return optional(names if names is None or isinstance(names, str) else ",".join(names))
    except TypeError:
        raise UsageError(f"expected names, not {names!r}") from None


def _analyze_one(source: Any, formats: bytes | None, orderings: bytes | None) -> Record:
    return Record(document(library().spress_csr_analyze, handle_of(source), formats, orderings))


def analyze(source: Any, formats: str | Iterable[str] | None = None,
            orderings: str | Iterable[str] | None = None) -> Any:
    """Measures what a matrix costs in each format and ordering.

    source: a matrix of SciPy, the path of a file, or a list of these. formats, orderings: names, as a list or with
    commas between them; the usual ones if not given.

    Returns a `Record`, a dict as docs/records.md describes it; of a list `Records`. In `Records`, a matrix that fails
    has the text of its error under "error". Both have to_pandas().

    >>> import spress
    >>> record = spress.analyze("gen:poisson2d,nx=30,ny=20", orderings=["none"])
    >>> record["best"]["format"], record["best"]["total_bytes"]
    ('slice-delta', 4288)
    """
    how = (_names(formats), _names(orderings))
    if not isinstance(source, (list, tuple)):
        return _analyze_one(source, *how)
    records = Records()
    for one in source:
        try:
            records.append(_analyze_one(one, *how))
        except Error as error:
            name = str(one) if is_path(one) else type(one).__name__
            records.append(Record({"kind": "analysis", "matrix": {"name": name, "path": name}, "error": str(error)}))
    return records


def reorder(matrix: Any, ordering: str = "rcm") -> Any:
    """Computes where an ordering puts rows and columns: perm[new] = old.

    matrix: of SciPy, or the path of a file. ordering: a name of `orderings()`.

    Returns one array of int32 if the ordering moves rows and columns of a square matrix together, else a pair of
    arrays, for rows and for columns.

    >>> import spress
    >>> a = spress.read("gen:poisson2d,nx=30,ny=20,shuffle=7")
    >>> perm = spress.reorder(a, "rcm")
    >>> b = a[perm][:, perm]
    >>> bandwidth = lambda m: int(abs(m.tocoo().row - m.tocoo().col).max())
    >>> bandwidth(a), bandwidth(b)
    (572, 20)
    """
    handle = handle_of(matrix)
    arrays = arrays_of(handle)
    rows, cols = np.empty(arrays.rows, np.int32), np.empty(arrays.cols, np.int32)
    name = encoded(ordering)
    library().spress_csr_reorder(handle, name, rows.ctypes.data, cols.ctypes.data)
    together = any(row["name"].encode() == name and row["symmetric"] for row in orderings())
    return rows if together and arrays.rows == arrays.cols else (rows, cols)


def formats() -> list[dict[str, Any]]:
    """The formats, each with its name, a summary and its parameters.

    >>> import spress
    >>> [entry["name"] for entry in spress.formats()][:3]
    ['csr', 'coo', 'opt-csr']
    """
    return document(library().spress_list, b"formats")  # type: ignore[no-any-return]


def orderings() -> list[dict[str, Any]]:
    """The orderings. "symmetric": whether it moves rows and columns together; "missing": what this build lacks."""
    return document(library().spress_list, b"orderings")  # type: ignore[no-any-return]


def gallery() -> list[dict[str, Any]]:
    """The generated matrices, which `read("gen:NAME,key=value")` makes."""
    return document(library().spress_list, b"gallery")  # type: ignore[no-any-return]


def files() -> list[dict[str, Any]]:
    """The kinds of files that can be read or written."""
    return document(library().spress_list, b"files")  # type: ignore[no-any-return]


def set_threads(threads: int) -> None:
    """The number of threads that calls of this Python thread use from now on; 0: one for each processor. At most 64, or
    as many as there are processors where these are more.
    """
    library().spress_set_threads(whole("threads", threads))


def version() -> str:
    """The version of the library."""
    return str(library().spress_version().decode())
