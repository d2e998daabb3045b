"""What matrices may come in: compressions, archives, pipes, and files that are not what they seem."""

import bz2
import gzip
import io
import json
import lzma
import pathlib
import resource
import struct
import subprocess
import tarfile
import tempfile
import unittest
import zipfile

from support import SMALL, Case, main, spress

OTHER = "%%MatrixMarket matrix array real general\n1 1\n9\n"


def skippable(payload, kind=0):
    return struct.pack("<II", 0x184D2A50 + kind, len(payload)) + payload


def tar_bytes(members, mode="w"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as tar:
        for name, text in members:
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text.encode()))
    return out.getvalue()


def zip_bytes(members, kind=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", kind) as archive:
        for name, text in members:
            archive.writestr(name, text)
    return out.getvalue()


def limited():
    """For what would take all memory: a limit beyond what is needed."""
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def lacking():
    """The endings that this build of the tool does not read, for want of a library."""
    kinds = {".mtx.xz": lzma.compress(b""), ".mtx.bz2": bz2.compress(b""), ".zip": zip_bytes([])}
    with tempfile.TemporaryDirectory(prefix="spress_cli_") as folder:
        for ending, data in kinds.items():
            path = pathlib.Path(folder, "probe" + ending)
            path.write_bytes(data)
            if "this build reads no" in spress("verify", path).stderr:
                yield ending


LACKING = list(lacking())
UNLIMITED = spress("--version", preexec_fn=limited).returncode != 0  # sanitizers take more address space than that


class Inputs(Case):
    def put(self, name, data):
        path = self.dir / name
        path.write_bytes(data)
        return path

    def record_of(self, path, **kwargs):
        done = self.good("analyze", path, "--json", "--formats", "csr", "--orderings", "none", **kwargs)
        return json.loads(done.stdout)["matrix"], done.stderr

    def refused(self, path, says):
        done = self.bad("encode", path, "-o", self.dir / "refused.spress", says=says)
        self.assertNotIn("refused.spress", self.left())
        return done

    def expect_small(self, path, name):
        record, said = self.record_of(path)
        self.assertEqual((record["name"], record["rows"], record["cols"], record["nnz"]), (name, 3, 4, 5))
        return said


@unittest.skipUnless(LACKING, "this build reads every kind")
class Lacking(Inputs):
    def test_what_a_build_lacks_is_named(self):
        text = SMALL.encode()
        kinds = {".mtx.xz": (lzma.compress(text), "no xz data"), ".mtx.bz2": (bz2.compress(text), "no bzip2 data"),
                 ".zip": (zip_bytes([("x.mtx", SMALL)]), "no zip archive")}
        for ending in LACKING:
            data, says = kinds[ending]
            self.refused(self.put("x" + ending, data), says=f"x{ending}: this build reads {says}")


@unittest.skipIf(LACKING, f"this build does not read {', '.join(LACKING)}")
class Compressions(Inputs):
    def every_kind(self):
        text = SMALL.encode()
        zst = self.dir / "kind.mtx.zst"
        self.good("reorder", self.small, "--ordering", "none", "-o", zst)
        return {".gz": gzip.compress(text), ".zst": zst.read_bytes(), ".xz": lzma.compress(text),
                ".bz2": bz2.compress(text), ".zip": zip_bytes([("x.mtx", SMALL)])}

    def test_every_kind_is_read_by_its_name_and_without(self):
        for ending, data in self.every_kind().items():
            self.assertEqual(self.expect_small(self.put("x.mtx" + ending, data), "x"), "")
            self.expect_small(self.put("y.mtx", data), "y")

    def test_parts_that_follow_each_other(self):
        head, tail = SMALL[:60].encode(), SMALL[60:].encode()
        self.expect_small(self.put("x.mtx.xz", lzma.compress(head) + lzma.compress(tail)), "x")
        self.expect_small(self.put("y.mtx.bz2", bz2.compress(head) + bz2.compress(tail)), "y")

    def test_zstd_data_may_begin_with_frames_to_skip(self):
        frame = self.every_kind()[".zst"]
        empty = bytes.fromhex("28b52ffd2000010000")
        for kind in range(16):
            self.expect_small(self.put("x.mtx.zst", skippable(b"\x04\x00\x00\x00", kind) + frame), "x")
        several = skippable(b"") + skippable(b"a" * 1000, 5) + frame + skippable(b"b")
        self.expect_small(self.put("x.mtx.zst", several), "x")
        self.expect_small(self.put("x.mtx.zst", empty + frame), "x")
        self.expect_small(self.put("unmarked.mtx", skippable(b"size") + frame), "unmarked")
        self.refused(self.put("x.mtx.zst", skippable(b"a" * 1000)[:500]), says="the zstd data ends too early")
        self.refused(self.put("x.mtx.zst", skippable(b"nothing else")), says=("x.mtx.zst", "is empty"))
        self.refused(self.put("x.mtx.zst", skippable(b"junk follows") + b"junk"), says="x.mtx.zst: the zstd data")

    def test_names_that_promise_another_kind(self):
        for ending, name in (".gz", "gzip"), (".zst", "zstd"), (".xz", "xz"), (".bz2", "bzip2"):
            self.refused(self.put("x.mtx" + ending, SMALL.encode()), says=f"named as {name} data")
        self.refused(self.put("x.zip", SMALL.encode()), says="named as a zip archive")
        self.refused(self.put("x.zip", b""), says="is empty")

    def test_damage_is_never_a_matrix(self):
        out = self.dir / "out.mtx"
        text = SMALL.replace("3 4 5", "3 4 305") + "".join(f"{1 + k % 3} {1 + k % 4} {k}.25\n" for k in range(300))
        kinds = {".xz": lzma.compress(text.encode()), ".bz2": bz2.compress(text.encode()),
                 ".zip": zip_bytes([("x.mtx", text)]), ".tar.xz": lzma.compress(tar_bytes([("x.mtx", text)]))}
        for ending, good in kinds.items():
            path = self.put("x" + (ending if ending in (".zip", ".tar.xz") else ".mtx" + ending), good)
            self.good("reorder", path, "--ordering", "none", "-o", out)
            expected = out.read_text()
            for keep in {len(good) - 1, len(good) - 9, len(good) // 2, 30}:
                self.refused(self.put(path.name, good[:keep]), says=path.name)
            for at in range(12, len(good), max(1, len(good) // 40)):
                flipped = self.put(path.name, good[:at] + bytes([good[at] ^ 16]) + good[at + 1:])
                done = spress("reorder", flipped, "--ordering", "none", "-o", out)
                if done.returncode == 0:  # a zip archive says some things that nobody asks for
                    self.assertEqual(out.read_text(), expected, f"{path.name} at {at}")
                else:
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn(path.name, done.stderr)
        self.refused(self.put("x.mtx.bz2", kinds[".bz2"] + b"junk"), says="4 bytes behind the end")
        self.refused(self.put("x.mtx.xz", kinds[".xz"] + b"junk"), says="x.mtx.xz")

    def test_folders_hold_them_all(self):
        kinds = self.every_kind()
        folder = self.dir / "many"
        folder.mkdir()
        for ending, data in kinds.items():
            (folder / ("x.mtx" + ending)).write_bytes(data)
        (folder / "x.tar.bz2").write_bytes(tar_bytes([("x.mtx", SMALL)], "w:bz2"))
        (folder / "x.txz").write_bytes(tar_bytes([("x.mtx", SMALL)], "w:xz"))
        done = self.good("analyze", folder, "--json", "--formats", "csr", "--orderings", "none")
        records = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([r["matrix"]["name"] for r in records], ["x"] * 7)
        self.assertEqual({r["matrix"]["nnz"] for r in records}, {5})
        (self.dir / "none").mkdir()
        self.bad("analyze", self.dir / "none", says=(".mtx", ".xz", ".tar.bz2", ".zip"))

    def test_links_to_nothing_are_not_passed_over(self):
        folder = self.dir / "many"
        folder.mkdir()
        (folder / "a.mtx").symlink_to(folder / "gone.mtx")
        (folder / "b.mtx").write_text(SMALL)
        done = spress("analyze", folder, "--json", "--formats", "csr", "--orderings", "none")
        self.assertEqual(done.returncode, 1, done.stderr)
        errors = [json.loads(line)["error"] for line in done.stdout.splitlines()]
        self.assertEqual(len(errors), 2)
        self.assertEqual([e for e in errors if e and "a.mtx: No such file" in e], [e for e in errors if e])
        self.assertEqual(errors.count(None), 1)

    def test_what_is_only_read_is_not_written(self):
        for name in "y.mtx.xz", "y.mtx.bz2", "y.zip", "y.tar.gz", "y.txz":
            self.bad("reorder", self.small, "--ordering", "none", "-o", self.dir / name, says=".mtx.zst")
        self.assertEqual(self.left(), ["small.mtx"])


@unittest.skipIf(LACKING, f"this build does not read {', '.join(LACKING)}")
class Archives(Inputs):
    def test_the_member_named_as_the_archive_wins(self):
        members = [("x/x_b.mtx", OTHER), ("x/x.mtx", SMALL), ("x/readme", "text"), ("x/x_c.mtx", OTHER)]
        for name, data in ("x.tar", tar_bytes(members)), ("x.tar.xz", tar_bytes(members, "w:xz")), \
                ("x.tgz", tar_bytes(members, "w:gz")), ("x.zip", zip_bytes(members)), ("x.mtx.zip", zip_bytes(members)):
            said = self.expect_small(self.put(name, data), "x")
            self.assertEqual(said, f"spress: {self.dir / name}: read x/x.mtx; not read: x/x_b.mtx, x/x_c.mtx\n")
        members = [("x.mtx", OTHER), ("old/x.mtx", OTHER), ("x/x.mtx", SMALL), ("y/x.mtx", OTHER)]
        self.expect_small(self.put("x.zip", zip_bytes(members)), "x")

    def test_of_duplicates_the_last_wins(self):
        members = [("x/x.mtx", OTHER), ("x/y.mtx", OTHER), ("x/x.mtx", "no matrix"), ("x/x.mtx", SMALL)]
        for name, data in ("x.tar", tar_bytes(members)), ("x.tar.gz", tar_bytes(members, "w:gz")), \
                ("x.zip", zip_bytes(members)):
            said = self.expect_small(self.put(name, data), "x")
            self.assertIn("x/x.mtx (an earlier member of this name), x/y.mtx, x/x.mtx (an earlier", said)
        renamed = self.put("z.tar", tar_bytes([("a/a.mtx", OTHER), ("a/a.mtx", SMALL)]))
        self.expect_small(renamed, "z")

    def test_every_command_says_what_it_left_out(self):
        path = self.put("x.tar.gz", tar_bytes([("x.mtx", SMALL), ("b.mtx", OTHER)], "w:gz"))
        note = f"spress: {path}: read x.mtx; not read: b.mtx\n"
        for command in (["encode", path, "-o", self.dir / "x.spress"], ["verify", path, "--formats", "csr"],
                        ["reorder", path, "--ordering", "none", "-o", self.dir / "y.mtx"],
                        ["bench", path, "--formats", "csr", "--repetitions", 1, "--no-bandwidth", "--json"]):
            self.assertIn(note, self.good(*command).stderr)
            self.assertNotIn("not read", self.good(*command, "-q").stderr)

    def test_lists_are_cut_and_escaped(self):
        members = [(f"m{k}.mtx", OTHER) for k in range(50)]
        done = self.refused(self.put("x.tar", tar_bytes(members)), says=("m19.mtx, and 30 more",))
        self.assertNotIn("m20.mtx", done.stderr)
        names = self.put("y.tar", tar_bytes([("y.mtx", SMALL), ("a\x1b[31m\nspress: all is well.mtx", OTHER)]))
        said = self.expect_small(names, "y")
        self.assertEqual(said.count("\n"), 1)
        self.assertIn("a\\x1b[31m\\nspress: all is well.mtx", said)

    def test_names_beyond_ascii(self):
        members = [("große Matrix/große Matrix.mtx", SMALL)]
        self.expect_small(self.put("große Matrix.zip", zip_bytes(members)), "große Matrix")
        self.expect_small(self.put("große Matrix.tar", tar_bytes(members)), "große Matrix")

    def test_encrypted_members_are_refused(self):
        data = bytearray(zip_bytes([("x.mtx", SMALL)], zipfile.ZIP_STORED))
        data[6] |= 1  # the bit that says so, in both places
        data[data.index(b"PK\x01\x02") + 8] |= 1
        self.refused(self.put("x.zip", bytes(data)), says=("x.zip", "encrypted"))


@unittest.skipIf(LACKING, f"this build does not read {', '.join(LACKING)}")
class Pipes(Inputs):
    def through(self, path, *args, **kwargs):
        """Runs a command whose standard input is a pipe that gives the file."""
        with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as cat:
            done = spress(*args, stdin=cat.stdout, **kwargs)
            cat.stdout.close()
        return done

    def test_every_command_takes_what_a_file_may_be(self):
        container, square = self.dir / "s.spress", self.dir / "s.mtx"
        self.good("generate", "poisson2d", "n=8", "-o", square)
        self.good("encode", square, "-o", container, "--format", "opt-csr", "--ordering", "rcm")
        zipped = self.put("s.zip", zip_bytes([("stdin.mtx", square.read_text())]))
        packed = self.put("s.mtx.gz", gzip.compress(square.read_bytes()))
        downloaded = self.put("s.tgz", tar_bytes([("readme", "text"), ("s/s.mtx", square.read_text())], "w:gz"))
        for path in container, square, zipped, packed, downloaded:
            for command in (["analyze", "/dev/stdin", "--formats", "csr"], ["verify", "/dev/stdin", "--formats", "csr"],
                            ["bench", "/dev/stdin", "--formats", "csr", "--repetitions", 1, "--no-bandwidth"],
                            ["solve", "/dev/stdin", "--formats", "csr", "--no-bandwidth"],
                            ["encode", "/dev/stdin", "-o", self.dir / "o.spress"],
                            ["reorder", "/dev/stdin", "--ordering", "none", "-o", self.dir / "o.mtx"]):
                done = self.through(path, *command)
                self.assertEqual(done.returncode, 0, f"{path} {command}: {done.stderr}")
            self.assertEqual((self.dir / "o.mtx").read_text(), square.read_text())

    def test_containers(self):
        container = self.dir / "s.spress"
        self.good("encode", self.small, "-o", container)
        self.good("decode", container, "-o", self.dir / "expected.mtx")
        done = self.through(container, "decode", "-", "-o", self.dir / "o.mtx")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.dir / "o.mtx").read_text(), (self.dir / "expected.mtx").read_text())
        for extra in [], ["--quick"]:
            piped = json.loads(self.through(container, "info", "/dev/stdin", "--json", *extra).stdout)
            plain = json.loads(self.good("info", container, "--json", *extra).stdout)
            self.assertEqual({**piped, "path": ""}, {**plain, "path": ""})
        for damaged in container.read_bytes()[:-1], container.read_bytes() + b"x":
            done = self.through(self.put("damaged", damaged), "info", "/dev/stdin")
            self.assertEqual(done.returncode, 2)
            self.assertIn("/dev/stdin: ", done.stderr)

    def test_what_is_no_container_or_empty_is_named(self):
        self.bad("decode", self.small, "-o", self.dir / "o.mtx", says="not a .spress file")
        for name in "e.mtx.gz", "e.mtx.xz", "e.tar", "e.zip":
            self.refused(self.put(name, b""), says=(name, "is empty"))
        packed = self.put("s.spress.gz", gzip.compress(b"SPRESS"))
        self.bad("info", packed, says=[str(packed), "gzip data: decompress it first"])
        done = self.through(self.small, "decode", "/dev/stdin", "-o", self.dir / "o.mtx")
        self.assertEqual(done.returncode, 2)
        self.assertIn("not a .spress file", done.stderr)

    def test_standard_input_is_read_once(self):
        for command in ("compare", "-", "-"), ("bench", "-", "-"), ("encode", "-", self.small, "-", "-o", self.dir):
            self.bad(*command, says="standard input is named twice", input=SMALL)
        self.assertEqual(spress("compare", "-", self.small, input=SMALL).returncode, 0)

    def test_lines_that_end_with_carriage_returns(self):
        self.good("compare", self.put("crlf.mtx", SMALL.replace("\n", "\r\n").encode()), self.small)
        self.refused(self.put("cr.mtx", SMALL.replace("\n", "\r").encode()), says=("cr.mtx:1", "line feeds"))

    @unittest.skipIf(UNLIMITED, "this build cannot run in a limited address space")
    def test_endless_streams_are_refused_at_once(self):
        for command in (["info", "/dev/zero"], ["decode", "/dev/zero", "-o", self.dir / "o.mtx"],
                        ["encode", "/dev/zero", "-o", self.dir / "o.spress"], ["verify", "/dev/zero"],
                        ["report", "/dev/zero", "-o", self.dir / "o.html"]):
            self.bad(*command, says="/dev/zero:", preexec_fn=limited)
        container = self.dir / "s.spress"
        self.good("encode", self.small, "-o", container)
        size = container.stat().st_size
        head = container.read_bytes()
        endless = {"more entries": SMALL.encode() + b"1 1 1\n", f"behind its end at byte {size}": head,
                   "checksum": head[:16] + b"\0" * 32}
        for says, begin in endless.items():
            feed = ["sh", "-c", 'cat "$0"; yes "1 1 1"', self.put("begin", begin)]
            with subprocess.Popen(feed, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as stream:
                done = spress("encode", "/dev/stdin", "-o", self.dir / "o.spress", stdin=stream.stdout,
                              preexec_fn=limited)
                stream.stdout.close()
            self.assertEqual(done.returncode, 2)
            self.assertIn(says, done.stderr)

    def test_archives(self):
        one = self.put("one", zip_bytes([("readme", "text"), ("a/b.mtx", SMALL)]))
        done = self.through(one, "reorder", "/dev/stdin", "--ordering", "none", "-o", self.dir / "o.mtx")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3 4 5", (self.dir / "o.mtx").read_text())
        for members in [("a.mtx", SMALL), ("b/b.mtx", SMALL)], [("stdin.mtx", SMALL), ("stdin.mtx", OTHER)]:
            done = self.through(self.put("two", zip_bytes(members)), "verify", "/dev/stdin")
            self.assertEqual(done.returncode, 2)
            self.assertIn("/dev/stdin: is an archive in a stream", done.stderr)
            self.assertIn("save it as a file", done.stderr)


class Sums(Inputs):
    def matrix(self, field, entries, symmetry="general"):
        text = f"%%MatrixMarket matrix coordinate {field} {symmetry}\n9 9 {len(entries)}\n" + "\n".join(entries) + "\n"
        return self.put("d.mtx", text.encode())

    def test_finite_duplicates_with_an_infinite_sum_are_refused(self):
        many = [f"{1 + k % 9} {1 + k % 7} 1" for k in range(60)]
        for field, entries, symmetry in (("real", ["3 5 1.7e308", "3 5 1.7e308"], "general"),
                                         ("real", ["3 5 -1e308", "1 1 1", "3 5 -1e308"], "general"),
                                         ("real", [*many, "3 5 1.7e308", "9 9 1", "3 5 1.7e308"], "general"),
                                         ("complex", ["3 5 1 1e308", "3 5 1 1e308"], "general"),
                                         ("complex", ["3 5 1e308 0", "3 5 1e308 0"], "general"),
                                         ("real", ["5 3 1.7e308", "5 3 1.7e308"], "symmetric")):
            place = "(3, 5)"
            self.refused(self.matrix(field, entries, symmetry), says=("d.mtx", place, "range of double"))

    def test_what_the_file_says_is_infinite_stays(self):
        for entries in (["3 5 inf", "3 5 1"], ["3 5 inf", "3 5 -inf"], ["3 5 nan", "3 5 1e308"],
                        ["3 5 1.7e308", "3 5 -1.7e308"], ["3 5 1.7e308", "3 5 1e290"]):
            record, _ = self.record_of(self.matrix("real", entries))
            self.assertEqual((record["nnz"], record["duplicates"]), (1, 1))

    def test_integers_name_their_place_too(self):
        self.refused(self.matrix("integer", ["3 5 9007199254740992", "3 5 1"]), says=("(3, 5)", "2^53"))


if __name__ == "__main__":
    main()
