"""What the tests of the command line share: running the tool, temporary folders, what good and bad ends look like.

A test file X_test.py ends with `if __name__ == "__main__": main()` and is run as `X_test.py SPRESS [unittest arguments]`.
"""

import importlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SPRESS = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None

# Builds with sanitizers have a malloc of their own.
SANITIZED = SPRESS is not None and b"__asan_init" in pathlib.Path(SPRESS).read_bytes()

SMALL = """%%MatrixMarket matrix coordinate real general
3 4 5
1 1 1.5
1 4 -0.0
2 2 1e-3
3 1 3
3 3 1.5
"""


def spress(*args, timeout=120, **kwargs):
    return subprocess.run([SPRESS, *map(str, args)], capture_output=True, text=True, timeout=timeout, **kwargs)


def modules(*names):
    """Python modules; None for each where no Python here has all of them. Goes on with the system's, if that one has."""
    try:
        return [importlib.import_module(name) for name in names]
    except ImportError:
        other = "/usr/bin/python3"
        probe = [other, "-c", "import " + ", ".join(names)]
        if sys.executable != other and os.path.exists(other) and not subprocess.run(probe, capture_output=True).returncode:
            os.execv(other, [other, sys.argv[0], SPRESS, *sys.argv[1:]])
        return [None] * len(names)


def without_times(text):
    """A record or a summary without what differs from run to run."""
    return re.sub(r'("(?:\w*seconds\w*|digest)":)[^,}\]]*', r"\1", text)


def records_by_path(folder):
    """The lines of results.jsonl without times. Each run has an order of its own."""
    lines = (pathlib.Path(folder) / "results.jsonl").read_text().splitlines()
    records = {json.loads(line)["matrix"]["path"]: without_times(line) for line in lines}
    assert len(records) == len(lines), "a matrix stands twice"
    return records


class Case(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="spress_cli_")
        self.dir = pathlib.Path(self.temporary.name)
        self.small = self.dir / "small.mtx"
        self.small.write_text(SMALL)

    def tearDown(self):
        self.temporary.cleanup()

    def good(self, *args, **kwargs):
        done = spress(*args, **kwargs)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def bad(self, *args, says=(), **kwargs):
        """Exit code 2, nothing on stdout, one clear line on stderr that holds every word of `says`."""
        done = spress(*args, **kwargs)
        self.assertEqual(done.returncode, 2, f"{args}: {done.stdout}{done.stderr}")
        self.assertEqual(done.stdout, "")
        self.assertIn("error:", done.stderr)
        for word in [says] if isinstance(says, str) else says:
            self.assertIn(word, done.stderr)
        return done

    def left(self):
        return sorted(p.name for p in self.dir.iterdir())


def main():
    unittest.main()
