"""The files of the source tree, for the checks beside this file."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CPP = {".cpp", ".hpp", ".cu", ".cuh"}
BUILT = {".git", "build", "node_modules", "__pycache__"}


def files(root=ROOT):
    """Paths relative to the root: what git would commit, or everything where there is no git."""
    listing = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                             capture_output=True, text=True) if (root / ".git").exists() else None
    if listing and listing.returncode == 0:
        names = [name for name in listing.stdout.split("\0") if name]
    else:
        names = [str(path.relative_to(root)) for path in root.rglob("*")
                 if not BUILT & set(path.relative_to(root).parts)]
    return sorted(name for name in names if (root / name).is_file())
