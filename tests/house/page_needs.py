"""Needs of some commands of the pages, which most machines lack.

    gpu        a GPU
    matrices   a folder of matrices, which the environment variable SPRESS_MATRICES names; MATRICES for the commands
"""
import os
import pathlib
import subprocess

NEEDS = ("gpu", "matrices")
NO_GPU = ("there is no GPU to use", "this build has no products on the GPU")


def need_of(kind, argument):
    """The need of a block, None for most."""
    if kind != "console" or not argument:
        return None
    need = argument.removeprefix("needs=")
    if need not in NEEDS:
        raise ValueError(f"console {argument}: no need is called so")
    return need


def missing(need, tool):
    """Why this machine lacks it, or None. A GPU counts as missing only where the tool says so."""
    if need == "matrices":
        return None if os.environ.get("SPRESS_MATRICES") else "SPRESS_MATRICES names no folder of matrices"
    done = subprocess.run([tool, "verify", "gen:tridiag,n=8", "--formats", "csr", "--device", "cuda"],
                          capture_output=True, text=True, check=False)
    return done.stderr.strip() if any(text in done.stderr for text in NO_GPU) else None


def prepare(need, folder):
    """Puts into the folder of a page what its commands name."""
    if need == "matrices":
        (folder / "MATRICES").symlink_to(pathlib.Path(os.environ["SPRESS_MATRICES"]).resolve())
