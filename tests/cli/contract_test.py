"""The contract of every subcommand: results, errors, exit codes, JSON."""

import json
import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import sys
import time
import unittest

from support import SMALL, SPRESS, Case, main, spress

sys.path.append(str(pathlib.Path(__file__).parents[1] / "formats" / "io" / "container"))
from read_container import xxh64  # noqa: E402

SUBCOMMANDS = ["analyze", "merge", "reorder", "encode", "decode", "info", "verify", "compare", "bench", "transfer", "solve", "calibrate", "generate", "report", "list"]


class Waiting(Case):
    """On a busy machine threads must not look for each other for milliseconds."""

    def spin_count(self, **variables):
        if re.search("libgomp|libomp", subprocess.run(["ldd", SPRESS], capture_output=True, text=True).stdout):
            self.skipTest("the shared OpenMP library reads its variables before the program begins")
        env = {k: v for k, v in os.environ.items() if k not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")}
        told = self.good("--version", env={**env, "OMP_DISPLAY_ENV": "verbose", **variables}).stderr
        return int(re.search(r"GOMP_SPINCOUNT = '(\d+)'", told)[1])

    def test_threads_wait_briefly_unless_told_otherwise(self):
        briefly = self.spin_count()
        self.assertLessEqual(briefly, 10000)
        self.assertEqual(self.spin_count(GOMP_SPINCOUNT="77"), 77)
        self.assertGreater(self.spin_count(OMP_WAIT_POLICY="active"), 100 * briefly)


class Auto(Case):
    """Calibrations in a cache of their own, so that the user's stays out."""

    def setUp(self):
        super().setUp()
        self.env = {**os.environ, "XDG_CACHE_HOME": str(self.dir / "cache")}

    def calibrate(self):
        matrices = [f"gen:{name}" for name in ("stencil7,n=6", "circuit,n=300", "uniform,n=200,k=4", "tridiag,n=400",
                                               "poisson2d,n=12", "powerlaw,n=300")]
        return self.good("calibrate", *matrices, "--formats", "csr,coo", "--repetitions", "2", "--no-bandwidth", "--json",
                         env=self.env)

    def test_calibrate_writes_what_auto_reads(self):
        record = json.loads(self.calibrate().stdout)
        self.assertEqual(record["device"], "cpu")
        self.assertEqual({f["format"] for f in record["formats"]}, {"csr", "coo"})
        file = self.dir / "cache" / "spress" / "calibration-cpu.json"
        self.assertEqual(json.loads(file.read_text())["places"], record["places"])
        self.assertEqual(len(record["places"]), 6)
        done = self.good("bench", "gen:stencil7,n=7", "--formats", "auto", "--repetitions", "2", "--no-peers", "--no-bandwidth",
                         "--json", env=self.env)
        choice = json.loads(done.stdout)["choice"]
        self.assertEqual(choice["calibration"], str(file))
        self.assertIn(choice["candidates"][0]["format"], ("csr", "coo"))

    def test_another_calibration_chooses_anew(self):
        self.calibrate()
        folder, out = self.dir / "matrices", self.dir / "out"
        folder.mkdir()
        self.good("generate", "poisson2d:n=9", "-o", folder / "a.mtx")

        def state(*options):
            done = self.good("encode", folder, "-o", out, "--json", *options, env=self.env)
            return json.loads(done.stdout.splitlines()[0])["state"]

        self.assertEqual([state("--for", "spmv"), state("--for", "spmv")], ["done", "kept"])
        file = self.dir / "cache" / "spress" / "calibration-cpu.json"
        file.write_text(file.read_text() + " ")
        self.assertEqual([state("--for", "spmv"), state("--for", "spmv")], ["done", "kept"])
        other = ("--for", "spmv", "--device", "cuda")
        self.assertEqual([state(*other), state(*other), state("--for", "spmv")], ["done", "kept", "done"])

    def test_calibrate_from_records(self):
        records = self.dir / "bench.jsonl"
        self.good("bench", *[f"gen:poisson2d,n={n}" for n in range(4, 11)], "--formats", "csr", "--repetitions", "2",
                  "--no-peers", "--no-bandwidth", "-o", records)
        out = self.dir / "c.json"
        self.good("calibrate", "--from", records, "-o", out)
        self.assertEqual(len(json.loads(out.read_text())["places"]), 7)
        self.bad("calibrate", "--from", self.dir / "nowhere", says="nowhere")
        self.bad("calibrate", "--from", self.small, says=f"{self.small}:1")
        self.bad("calibrate", "--from", records, "--device", "cuda", says=["CPU", "drop --device cuda"])
        for option in ([self.small], ["--formats", "sell"], ["--seconds", "1"], ["--repetitions", "3"], ["--no-bandwidth"]):
            self.bad("calibrate", *option, "--from", records, says="--from")
        lines = records.read_text().splitlines(keepends=True)
        records.write_text("".join(lines)[:-9])
        self.good("calibrate", "--from", records, "-o", out)
        for key, other in (("machine", "Another"), ("threads", 64)):
            record = json.loads(lines[0])
            record["machine"][key] = other
            records.write_text("".join(lines[1:]) + json.dumps(record) + "\n")
            self.bad("calibrate", "--from", records, says="give the records of one machine")

    def test_a_damaged_calibration_is_named(self):
        self.calibrate()
        file = self.dir / "cache" / "spress" / "calibration-cpu.json"
        file.write_text("{")
        for command in (["analyze", self.small, "--for", "spmv"], ["bench", self.small, "--formats", "auto"],
                        ["solve", self.small, "--formats", "auto"], ["verify", self.small, "--formats", "auto"],
                        ["encode", self.small, "-o", self.dir / "x.spress", "--for", "spmv"]):
            self.bad(*command, says=[str(file), "spress calibrate --device cpu", "delete"], env=self.env)
        done = self.good("analyze", self.small, "--json", env=self.env)  # bytes need no calibration
        self.assertIn(str(file), done.stderr)
        self.assertIsNone(json.loads(done.stdout)["choice"]["candidates"][0]["predicted_seconds"])

    def test_a_transfer_needs_a_measured_link(self):
        self.bad("encode", self.small, "-o", self.dir / "x.spress", "--for", "transfer", says=["--device cuda", "link"],
                 env=self.env)
        self.bad("analyze", self.small, "--for", "transfer", says=["--device cuda", "link"], env=self.env)
        self.good("analyze", self.small, "--for", "transfer", "--device", "cuda", env=self.env)

    def test_analyze_says_why(self):
        done = self.good("analyze", "gen:stencil7,n=9,shuffle=2", "--for", "spmv", "--device", "cuda", "--why", env=self.env)
        self.assertIn("times as predicted for", done.stdout)
        for name in ("csr", "slice-delta", "opt-csr", "rcm"):
            self.assertIn(name, done.stdout)
        record = json.loads(self.good("analyze", "gen:stencil7,n=9", "--json", env=self.env).stdout)
        sizes = [c["total_bytes"] for c in record["choice"]["candidates"]]
        self.assertEqual(sizes, sorted(sizes))

    def test_no_ordering_makes_a_file_larger(self):
        for matrix in ("gen:powerlaw,n=2000", "gen:stencil7,n=12,shuffle=5"):
            sizes = []
            for ordering in ("none", "auto"):
                done = self.good("encode", matrix, "-o", self.dir / "x.spress", "--ordering", ordering, "--for", "spmv",
                                 "--json", env=self.env)
                sizes.append(json.loads(done.stdout)["total_bytes"])
            self.assertLessEqual(sizes[1], sizes[0], matrix)

    def test_verify_with_auto(self):
        done = self.good("verify", "gen:stencil7,n=6", "--formats", "auto", "--json", env=self.env)
        chosen = re.search(r"auto: (.*)", done.stderr)[1]
        rows = json.loads(done.stdout)["formats"]
        self.assertIn(chosen, {r["format"] + (":" + r["parameters"] if r["parameters"] else "") for r in rows})
        self.assertTrue(all(r["ok"] for r in rows))
        done = self.good("verify", "gen:stencil7,n=6", "--formats", "all,auto", "-q", env=self.env)
        self.assertEqual(done.stderr, "")

    def test_solve_with_auto(self):
        done = self.good("solve", "gen:fem3d,n=5", "--formats", "auto", "--value", "double", "--no-bandwidth", "--json",
                         env=self.env)
        self.assertLessEqual(len(json.loads(done.stdout)["formats"]), 2)


class Help(Case):
    def test_every_subcommand_has_help_with_an_example(self):
        self.assertIn("Subcommands", self.good("--help").stdout)
        for name in SUBCOMMANDS:
            text = self.good(name, "--help").stdout
            self.assertIn("Example:", text)
            self.assertIn(f"spress {name}", text)

    def test_examples_can_be_pasted(self):
        path = os.pathsep.join([os.path.dirname(SPRESS), os.environ["PATH"]])
        for name in SUBCOMMANDS:
            if name == "transfer":
                continue  # needs a GPU
            example = self.good(name, "--help").stdout.split("Example:\n")[1].split("\n\n")[0]
            lines = [line.strip() for line in example.splitlines() if "--device cuda" not in line and "bench.jsonl" not in line]
            if name == "calibrate":
                self.assertEqual(lines, [])  # it takes minutes, or a GPU
            for line in lines:
                done = subprocess.run(["sh", "-c", line], cwd=self.dir, env={**os.environ, "PATH": path},
                                      capture_output=True, text=True, timeout=300)
                self.assertEqual(done.returncode, 0, f"{line}: {done.stderr}")

    def test_version(self):
        self.assertRegex(self.good("--version").stdout, r"^spress \d+\.\d+\.\d+")

    def test_bad_usage_lists_the_choices(self):
        self.assertEqual(spress().returncode, 2)
        self.bad("frobnicate", says=["frobnicate", *SUBCOMMANDS])
        self.bad("encode", self.small, "-o", self.dir / "x.spress", "--format", "nosuch", says=["csr", "opt-csr", "bmsparse"])
        self.bad("encode", self.small, "-o", self.dir / "x.spress", "--values", "nosuch", says=["raw", "narrow", "lut8", "iso"])
        self.bad("reorder", self.small, "-o", self.dir / "x.mtx", "--ordering", "nosuch", says=["rcm", "sloan"])
        self.bad("encode", self.small, "-o", self.dir / "x.spress", "--ordering", "nosuch", says=["rcm", "sloan"])
        self.bad("analyze", self.small, "--formats", "csr,nosuch", says=["nosuch", "opt-csr"])
        self.bad("analyze", self.small, "--orderings", "none,nosuch", says=["nosuch", "rcm"])
        self.bad("analyze", self.small, "--orderings", "none,", says=["the orderings 'none,'", "commas"])
        self.bad("analyze", self.small, "--formats", "opt-csr:index=delta,opt-csr:index=diagonal", says="twice")
        self.bad("analyze", self.small, "--memory", "much", says="512M")
        for name in ("bench", "solve"):
            self.bad(name, self.small, "--memory", "2G", says=["--memory", "--device cuda"])
        self.bad("analyze", self.small, "--nosuch", says="--nosuch")
        self.bad("analyze", self.small, "--jobs", "1", "--jobs", "2", says="--jobs is given more than once")
        self.bad("analyze", self.small, "-o", says="--output needs a value: FOLDER")
        self.bad("analyze", self.small, "--stream=foo", says="--stream takes no value, and 'foo' was given")
        self.bad("analyze", self.small, "--stream", "--why", says="--why")
        self.bad("analyze", "gen:tridiag", "gen:lp,m=4", says=["gen:lp,m=4", "no parameter 'm'"])
        self.bad("verify", self.small, "gen:poisson2d", says=["small.mtx", "--formats all"])
        self.bad("generate", "poisson2d", "distinct=5", "-o", self.dir / "x.mtx", says="values=few")
        for command in ("analyze", "bench", "solve", "verify"):  # before anything is measured
            for spec in ("sell:c=0", "bsr:r=9", "amb:block=11", "slice-delta:sigma=0"):
                self.bad(command, self.small, "--formats", f"csr,{spec}", says=[spec.split(":")[1], "1"])
        self.bad("analyze", self.small, "--jobs", "0", says="jobs")
        self.bad("generate", "nosuch", "-o", self.dir / "x.mtx", says=["gen:nosuch", "stencil27"])
        self.bad("generate", "stencil27", "m=3", "-o", self.dir / "x.mtx", says=["m", "n"])
        self.bad("verify", self.small, "--formats", "csr,csr", says="twice")
        self.bad("verify", self.small, "--formats", "opt-csr:index=up", says=["delta", "anchored", "diagonal"])
        self.bad("encode", self.small, "-o", self.dir / "x.spress", "--level", "99", says="level")
        self.bad("list", "nosuch", says="formats")
        self.bad("encode", self.small, says="--output")
        self.bad("bench", self.small, "--value", "half", says=["double", "float"])
        self.bad("bench", self.small, "--values", "raw,nosuch", says=["nosuch", "narrow", "auto", "all"])
        self.bad("bench", self.small, "--formats", "csr,csr", says="twice")
        self.bad("bench", self.small, "--values", "", says=["--values", "lut8"])
        self.bad("bench", self.small, "--seconds", "nan", says=["seconds", "3600"])
        self.bad("bench", self.small, "--values", "raw,auto", says=["raw,auto", "all"])
        self.bad("bench", self.small, "--formats", "nosuch", says=["nosuch", "opt-csr"])
        self.bad("bench", self.small, "--device", "abacus", says=["cpu", "cuda"])
        self.bad("bench", self.small, "--repetitions", "0", says="repetitions")
        self.bad("bench", "gen:nosuch", says=["gen:nosuch", "stencil27"])
        # Before the matrices named ahead of it are measured:
        self.bad("bench", "gen:tridiag", "gen:lp,m=4", "-o", self.dir / "b.jsonl", says=["gen:lp,m=4", "no parameter 'm'"])
        self.assertFalse((self.dir / "b.jsonl").exists())
        self.assertEqual(self.left(), ["small.mtx"])

    def test_an_unknown_flag_is_named_before_what_is_missing(self):
        for name in SUBCOMMANDS:
            self.bad(name, "--nosuch", says=[f"spress {name}:", "--nosuch"])
        self.bad("encode", self.small, "--nosuch", says="--nosuch")
        self.bad("encode", says="IN is required")
        self.bad("solve", self.small, "--max-iterations", "0.5", says=["--max-iterations", "0 to 1000000000000"])


class Lists(Case):
    def test_json_names_everything_with_parameters(self):
        for what, some in [("formats", "opt-csr"), ("orderings", "rcm"), ("gallery", "stencil27")]:
            entries = json.loads(self.good("list", what, "--json").stdout)
            self.assertIn(some, [e["name"] for e in entries])
            self.assertIn(some, self.good("list", what).stdout)


class Errors(Case):
    def test_missing_files_and_folders(self):
        nowhere = self.dir / "nowhere.mtx"
        for command in [("encode", nowhere, "-o", self.dir / "x.spress"), ("verify", nowhere), ("info", nowhere),
                        ("bench", nowhere), ("bench", self.small, nowhere),
                        ("decode", nowhere, "-o", self.dir / "x.mtx"), ("analyze", nowhere),
                        ("reorder", nowhere, "-o", self.dir / "x.mtx"), ("report", nowhere, "-o", self.dir / "x.html")]:
            self.bad(*command, says="nowhere.mtx")
        for command in [("encode", self.dir, "-o", self.dir / "x.spress"), ("verify", self.dir), ("info", self.dir),
                        ("decode", self.dir, "-o", self.dir / "x.mtx"), ("report", self.dir, "-o", self.dir / "x.html")]:
            self.bad(*command, says=str(self.dir))
        self.assertEqual(self.left(), ["small.mtx"])

    def test_names_that_lead_nowhere(self):
        self.bad("encode", self.small, "-o", "", says=["--output", "empty"])
        self.bad("encode", "", "-o", self.dir / "x.spress", says=["IN", "empty"])
        (self.dir / "one").symlink_to("two")
        (self.dir / "two").symlink_to("one")
        for command in ["analyze", "bench", "verify", "info"]:
            self.bad(command, self.dir / "one", says=["one", "links"])
        self.bad("calibrate", "--from", self.dir / "nowhere.jsonl", says=["nowhere.jsonl", "No such file"])
        (self.dir / "cut.spress").write_bytes(b"")
        self.bad("encode", self.dir / "cut.spress", "-o", self.dir / "x.spress", says=["cut.spress", "header"])

    def test_malformed_files_name_file_and_line(self):
        self.small.write_text(SMALL.replace("3 1 3", "3 9 3"))
        self.bad("encode", self.small, "-o", self.dir / "x.spress", says=[f"{self.small}:6:", "9"])
        self.small.write_text(SMALL.replace("3 1 3\n", ""))
        self.bad("verify", self.small, says="small.mtx")
        self.assertEqual(self.left(), ["small.mtx"])

    def test_places_that_cannot_be_written(self):
        for target in [self.dir, self.dir / "no/such/folder/x", "/proc/x", self.small / "x"]:
            if target != self.dir:  # encode writes into a folder
                self.bad("encode", self.small, "-o", target, says=str(target))
            self.bad("generate", "poisson2d", "n=3", "-o", target, says=str(target))
            self.bad("reorder", "gen:poisson2d,n=3", "-o", target, says=str(target))
        self.bad("analyze", self.small, "-o", self.small, says="small.mtx")
        self.bad("analyze", self.small, "-o", "/proc/nowhere", says="/proc/nowhere")
        self.assertEqual(self.left(), ["small.mtx"])

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_full_disk_is_an_error(self):
        self.bad("encode", "gen:stencil27,n=20", "-o", "/dev/full", says="/dev/full")
        self.bad("generate", "stencil27", "n=20", "-o", "/dev/full", says="/dev/full")
        with open("/dev/full", "w") as full:
            done = subprocess.run([SPRESS, "list", "gallery"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("standard output", done.stderr)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_help_that_cannot_be_written_is_an_error(self):
        for command in [["--help"], ["--version"], ["bench", "--help"]]:
            with open("/dev/full", "w") as full:
                done = subprocess.run([SPRESS, *command], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 2, command)
            self.assertIn("standard output", done.stderr)

    def test_the_gpu_says_what_is_missing(self):
        for command in ["verify", "bench"]:
            done = spress(command, self.small, "--device", "cuda", "-q")
            self.assertIn(done.returncode, [0, 2], done.stderr)
            if done.returncode == 2:  # no CUDA in this build, or no device
                self.assertIn("GPU", done.stderr)
                self.assertEqual(done.stdout, "")
        self.bad("solve", "gen:fem3d,n=3", "--device", "cuda", says="GPU")

    def test_transfer_needs_a_gpu_and_says_so(self):
        done = spress("transfer", self.small, "--formats", "csr,opt-csr", "--seconds", "0", "--no-bandwidth", "--json")
        self.assertIn(done.returncode, [0, 2], done.stderr)
        if done.returncode == 2:  # no CUDA in this build, or no device
            self.assertIn("GPU", done.stderr)
            self.assertEqual(done.stdout, "")
        else:
            routes = {row["route"] for row in json.loads(done.stdout)["formats"]}
            self.assertEqual(routes, {"packed", "separate", "queued", "expanded"})
        self.bad("transfer", self.small, "--memory", "pinned,stone", says=["pageable", "staged"])
        self.bad("transfer", self.small, "--memory", "pinned,pinned", says=["--memory", "once"])
        for empty in ["", ",", "pinned,"]:
            self.bad("transfer", self.small, "--memory", empty, says=[f"--memory '{empty}'", "staged"])
        self.bad("transfer", self.small, "--values", "raw,stone", says=["auto", "lut16"])
        self.bad("transfer", self.small, "--formats", "stone", says="opt-csr")
        self.bad("transfer", self.dir / "absent.mtx", says="absent.mtx")


class RoundTrip(Case):
    def encode(self, *args):
        out = self.dir / "m.spress"
        record = json.loads(self.good("encode", *args, "-o", out, "--json").stdout)
        self.assertEqual(record["file_bytes"], out.stat().st_size)
        return out, record

    def decoded(self, container):
        out = self.dir / "decoded.mtx"
        self.good("decode", container, "-o", out)
        return out.read_text()

    def rewritten(self, source):
        """The source as spress writes it, through a container that changes nothing."""
        container, _ = self.encode(source, "--format", "csr", "--values", "raw")
        return self.decoded(container)

    def test_every_format_store_and_ordering_returns_the_matrix(self):
        source = "gen:circuit,n=60"
        expected = self.rewritten(source)
        formats = [f["name"] for f in json.loads(self.good("list", "formats", "--json").stdout)]
        for name in formats + ["auto", "opt-csr:index=delta", "opt-csr:index=anchored", "opt-csr:index=diagonal"]:
            for ordering in ["none", "rcm", "auto"]:
                container, _ = self.encode(source, "--format", name, "--ordering", ordering)
                self.assertEqual(self.decoded(container), expected, f"{name} {ordering}")

    def test_signs_of_zero_survive(self):
        container, record = self.encode(self.small)
        self.assertIn("1 4 -0", self.decoded(container))
        self.assertLessEqual(record["total_bytes"], record["csr_bytes"])

    def test_a_container_is_an_input_like_any_other(self):
        container, _ = self.encode("gen:poisson2d,n=9", "--ordering", "rcm")
        self.good("verify", container)
        again = self.dir / "again.spress"
        self.good("encode", container, "-o", again, "--format", "coo")
        self.assertEqual(self.decoded(again), self.decoded(container))

    def test_what_does_not_fit_is_refused(self):
        out = self.dir / "x.spress"
        self.bad("encode", self.small, "-o", out, "--values", "iso", says="iso")
        self.bad("encode", self.small, "-o", out, "--ordering", "rcm", says="square")
        self.assertFalse(out.exists())

    def test_flipped_and_cut_files_are_refused(self):
        container, _ = self.encode("gen:circuit,n=300,values=noise", "--ordering", "rcm")
        whole = container.read_bytes()
        dice = random.Random(1)
        broken = self.dir / "broken.spress"
        for trial in range(60):
            data = bytearray(whole)
            if trial % 2:
                data = data[: dice.randrange(len(data))]
            else:
                data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
            broken.write_bytes(data)
            self.bad("decode", broken, "-o", self.dir / "out.mtx", says="broken.spress")
            self.bad("info", broken, says="broken.spress")
            self.assertFalse((self.dir / "out.mtx").exists())

    def test_an_unknown_layout_version_is_refused(self):
        container, _ = self.encode(self.small, "--format", "opt-csr")
        data = container.read_bytes()
        (descriptor_at,) = struct.unpack_from("<Q", data, 16)
        descriptor = data[descriptor_at:].replace(b'"format_version":1,', b'"format_version":9,')
        self.assertNotEqual(descriptor, data[descriptor_at:])
        head = data[:32] + struct.pack("<Q", xxh64(descriptor))
        newer = self.dir / "newer.spress"
        newer.write_bytes(head + struct.pack("<Q", xxh64(head)) + data[48:descriptor_at] + descriptor)
        says = ["newer.spress", "'opt-csr'", "version 9", "knows version 1", "the version of spress that wrote it"]
        self.bad("decode", newer, "-o", self.dir / "out.mtx", says=says)
        self.bad("verify", newer, says=says)
        self.assertFalse((self.dir / "out.mtx").exists())
        self.assertEqual(json.loads(self.good("info", newer, "--json").stdout)["format_version"], 9)

    def test_info_tells_what_is_inside(self):
        container, record = self.encode(self.small, "--format", "opt-csr:index=delta", "--values", "raw")
        info = json.loads(self.good("info", container, "--json").stdout)
        self.assertEqual(info["format"], "opt-csr")
        self.assertEqual(info["matrix"]["name"], "small")
        self.assertEqual(sum(a["bytes"] for a in info["arrays"]), record["total_bytes"])
        self.assertTrue(info["checked"])
        self.assertIn("opt-csr", self.good("info", container).stdout)
        self.assertIn("opt-csr", self.good("info", container, "--quick").stdout)

    def test_reorder_writes_a_permutation(self):
        out, perm = self.dir / "r.mtx", self.dir / "perm.txt"
        self.good("reorder", "gen:poisson2d,n=7,shuffle=3", "-o", out, "--ordering", "rcm", "--perm", perm)
        order = [int(line) for line in perm.read_text().split()]
        self.assertEqual(sorted(order), list(range(49)))
        self.assertIn("symmetric", out.read_text().split("\n")[0])

    def test_reorder_moves_rows_and_columns_apart(self):
        out, rows, cols = self.dir / "r.mtx", self.dir / "rows.txt", self.dir / "cols.txt"
        self.good("reorder", "gen:lp,periods=2,rows=9,cols=12", "-o", out, "--ordering", "apart", "--perm", rows,
                  "--col-perm", cols)
        row_order, col_order = ([int(line) for line in path.read_text().split()] for path in (rows, cols))
        shape = next(line for line in out.read_text().split("\n") if not line.startswith("%"))
        self.assertEqual(sorted(row_order), list(range(len(row_order))))
        self.assertEqual(sorted(col_order), list(range(len(col_order))))
        self.assertNotEqual(len(row_order), len(col_order))
        self.assertEqual([int(word) for word in shape.split()[:2]], [len(row_order), len(col_order)])
        self.bad("reorder", "gen:lp", "-o", out, "--ordering", "rcm", says="square")

    def test_decode_undoes_orderings_of_each_kind(self):
        for matrix in [self.small, "gen:lp,periods=2,rows=9,cols=12", "gen:fem3d,n=4,shuffle=1"]:
            plain, _ = self.encode(matrix, "--ordering", "none")
            expected = self.decoded(plain)
            for ordering in ["likeness", "apart", "search"]:
                container, record = self.encode(matrix, "--ordering", ordering)
                self.assertEqual(record["ordering"], ordering)
                self.assertEqual(self.decoded(container), expected, f"{matrix} {ordering}")

    def test_reorder_writes_both_files_or_none(self):
        out = self.dir / "r.mtx"
        self.bad("reorder", "gen:poisson2d,n=4", "-o", out, "--perm", self.dir / "p", "--col-perm", self.dir / "p",
                 says="same file")
        self.bad("reorder", "gen:poisson2d,n=4", "-o", out, "--perm", self.dir / "no/perm", says="no/perm")
        self.bad("reorder", "gen:poisson2d,n=4", "-o", out, "--perm", out, says="same file")
        self.assertFalse(out.exists())


class Analyze(Case):
    def records(self, *args, code=0):
        done = spress("analyze", *args, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_the_record_keeps_its_contract(self):
        (record,) = self.records("gen:stencil27,n=6")
        self.assertEqual(record["schema_version"], 1)
        self.assertIsNone(record["error"])
        matrix = record["matrix"]
        for key, value in {"rows": 216, "cols": 216, "nnz": 4096, "stored_entries": 4096, "pattern_symmetric": True,
                           "explicit_zeros": 0, "duplicates": 0, "distinct_values": 2}.items():
            self.assertEqual(matrix[key], value, key)
        for ordering in ["none", "rcm"]:
            entry = record["orderings"][ordering]
            self.assertEqual(entry["status"], "ok")
            for key in ["seconds", "bandwidth", "profile", "blocks_8x8"]:
                self.assertIn(key, entry)
            for strategy in ["direct", "delta-to-diagonal", "delta", "delta-anchored"]:
                classes = entry["index_classes"][strategy]
                self.assertIn(classes["matrix_bits"], [8, 16, 32])
                self.assertEqual(sum(classes["rows"].values()), 216)
                self.assertEqual(sum(classes["nnz"].values()), 4096)
            footprint = entry["footprint"]
            self.assertEqual(footprint["csr"]["total_bytes"], 4096 * 12 + 217 * 4)
            self.assertEqual(footprint["csr"]["ratio_to_csr"], 1)
            self.assertEqual(footprint["coo"]["model_index_bytes"], 8 * 4096)
            self.assertEqual(footprint["bmsparse"]["model_index_bytes"], 16 * entry["blocks_8x8"]["count"])
            for entry_of_format in footprint.values():
                self.assertEqual(set(entry_of_format["values"]), {"raw", "narrow", "lut8", "lut16", "iso"})
        self.assertEqual(record["orderings"]["none"]["bandwidth"], 43)
        self.assertEqual(set(record["best"]), {"format", "ordering", "values", "total_bytes", "parameters"})

    def test_rectangular_matrices_and_choices(self):
        (record,) = self.records(self.small)
        self.assertEqual(record["orderings"]["rcm"]["status"], "not_applicable")
        self.assertFalse(record["matrix"]["pattern_symmetric"])
        (record,) = self.records("gen:poisson2d,n=5", "--orderings", "none,king", "--formats", "csr,opt-csr:index=delta")
        self.assertEqual(list(record["orderings"]), ["none", "king"])
        self.assertEqual(list(record["orderings"]["none"]["footprint"]), ["csr", "opt-csr"])

    def test_unreadable_matrices_are_records(self):
        (self.dir / "sub").mkdir()
        (self.dir / "sub/broken.mtx").write_text("%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 1\n")
        records = self.records(self.dir, "-o", self.dir / "out", code=1)
        self.assertEqual(len(records), 2)
        broken = next(r for r in records if r["error"])
        self.assertEqual(broken["matrix"]["name"], "broken")
        self.assertTrue(broken["matrix"]["path"].endswith("sub/broken.mtx"))
        self.assertTrue({"results.jsonl", "results.csv", "summary.json", "report.html"} <= set(os.listdir(self.dir / "out")))
        json.loads((self.dir / "out/summary.json").read_text())
        self.good("report", self.dir / "out/results.jsonl", "-o", self.dir / "again.html")
        with open(self.dir / "out/results.jsonl", "a") as torn:
            torn.write('{"schema_version":1,"to')
        done = self.good("report", self.dir / "out/results.jsonl", "-o", self.dir / "again.html")
        self.assertIn("results.jsonl: the incomplete last line is left out", done.stderr)
        for text in ("", "hello", '{"bad'):
            (self.dir / "none.jsonl").write_text(text)
            self.bad("report", self.dir / "none.jsonl", "-o", self.dir / "none.html", says=["none.jsonl", "holds no record"])

    def test_names_lose_their_suffixes(self):
        import gzip
        (self.dir / "a.b.mtx.gz").write_bytes(gzip.compress(SMALL.encode()))
        names = {r["matrix"]["name"] for r in self.records(self.dir)}
        self.assertEqual(names, {"small", "a.b"})

    def test_killed_runs_go_on_without_loss(self):
        for i in range(40):
            self.good("generate", "circuit", f"n={200 + 5 * i}", f"seed={i}", "-q", "-o", self.dir / f"m{i}.mtx")
        out = self.dir / "out"
        dice = random.Random(2)
        for _ in range(8):
            run = subprocess.Popen([SPRESS, "analyze", self.dir, "-o", out, "-q"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
            time.sleep(dice.uniform(0.01, 0.12))
            run.send_signal(signal.SIGKILL)
            run.wait()
        self.good("analyze", self.dir, "-o", out, "-q")
        paths = [json.loads(line)["matrix"]["path"] for line in (out / "results.jsonl").read_text().splitlines()]
        self.assertEqual(len(paths), 41)
        self.assertEqual(len(set(paths)), 41)


class Verify(Case):
    def test_every_measure_is_ok_and_named(self):
        record = json.loads(self.good("verify", "gen:fem3d,n=5", "--json").stdout)
        formats = {f["name"] for f in json.loads(self.good("list", "formats", "--json").stdout)}
        self.assertEqual({m["format"] for m in record["formats"]}, formats)
        self.assertEqual({m["type"] for m in record["formats"]}, {"double", "float"})
        for measure in record["formats"]:
            if measure["ok"] is None:  # a format may decline a value store, never raw values
                self.assertNotEqual(measure["values"], "raw")
                self.assertTrue(measure["reason"])
                continue
            self.assertIs(measure["ok"], True)
            self.assertLessEqual(measure["max_error_ratio"], 1)
            for key in ["seconds_median", "repetitions", "speedup_vs_csr"]:  # verify measures no times
                self.assertIsNone(measure[key])

    def test_a_person_reads_a_table(self):
        lines = self.good("verify", self.small, "--formats", "csr,sell:c=2").stdout.splitlines()
        self.assertEqual(lines[0], f"{self.small}: 3 x 4, 5 entries, on cpu")
        self.assertEqual(lines[1].split(), ["format", "values", "type", "bytes", "error/bound", "ok"])
        self.assertRegex(lines[4], r"^sell:c=2 +raw +double +\d+ B +[\d.]+ +ok$")

    def test_every_instruction_set_can_be_chosen(self):
        refused = self.bad("list", "formats", says=["SPRESS_ISA=sse9", "portable"], env={**os.environ, "SPRESS_ISA": "sse9"})
        for name in refused.stderr.strip().split("this processor has ")[1].split(", "):
            for choice in (name, name + ",exact"):
                done = self.good("bench", "gen:tridiag,n=50", "--formats=csr", "--repetitions=1", "--no-bandwidth", "--json",
                                 env={**os.environ, "SPRESS_ISA": choice})
                self.assertEqual(json.loads(done.stdout)["machine"]["instruction_set"], choice)

    def test_float_says_what_it_cannot_hold(self):
        self.small.write_text(SMALL.replace("3 1 3", "3 1 3e200"))
        record = json.loads(self.good("verify", self.small, "--formats", "csr,coo", "--json").stdout)
        self.assertIs(record["ok"], True)
        self.assertEqual({m["type"] for m in record["formats"]}, {"double", "float"})
        for m in record["formats"]:
            self.assertIs(m["ok"], True if m["type"] == "double" else None)
            self.assertEqual(m["type"] == "float", "entry (3, 1) is 3e+200, beyond float" in m.get("reason", ""))

    def test_complex_products_are_unsupported_not_wrong(self):
        self.small.write_text("%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 1 2\n2 1 0 -1\n")
        record = json.loads(self.good("verify", self.small, "--json").stdout)
        self.assertTrue(all(m["ok"] is None and m["reason"] for m in record["formats"]))
        done = self.good("verify", self.small, "--formats", "csr,auto", "--json")
        self.assertEqual({m["format"] for m in json.loads(done.stdout)["formats"]}, {"csr"})
        self.assertIn("no times are predicted for complex values", done.stderr)


class Bench(Case):
    FIGURES = ["total_bytes", "bytes_per_nnz", "ratio_to_csr", "seconds_median", "seconds_min", "seconds_max",
               "repetitions", "gb_per_s", "gflops", "speedup_vs_csr", "encode_seconds", "encode_in_csr_spmv",
               "max_error_ratio"]

    def bench(self, *args, code=0):
        """Three pairs a row, and no copy bandwidth."""
        return self.run_bench("--repetitions", 3, "--seconds", 0, "--no-bandwidth", *args, code=code)

    def run_bench(self, *args, code=0):
        done = spress("bench", *args)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def records(self, *args, code=0):
        return [json.loads(line) for line in self.bench("--json", *args, code=code).stdout.splitlines()]

    def test_the_record_keeps_its_contract(self):
        (record,) = self.records("gen:stencil27,n=6", "--threads", 1)
        self.assertEqual(record["schema_version"], 1)
        self.assertEqual(record["kind"], "bench")
        self.assertEqual(record["matrix"].pop("generator")["parameters"]["n"], 6)
        self.assertEqual(record["matrix"], {"name": "stencil27_n6", "path": "gen:stencil27,n=6", "rows": 216,
                                            "cols": 216, "nnz": 4096})
        machine = record["machine"]
        self.assertEqual(machine["threads"], 1)
        self.assertEqual(machine["device"], "cpu")
        self.assertIsNone(machine["driver"])
        self.assertIsNone(machine["copy_gb_per_s"])
        self.assertTrue(machine["machine"] and machine["compiler"] and machine["instruction_set"])
        self.assertTrue(machine["command"].startswith("spress bench"))
        self.assertIn("gen:stencil27,n=6 --threads 1", machine["command"])
        self.assertEqual(record["csr_bytes"], 4096 * 12 + 217 * 4)
        self.assertTrue(record["ok"])
        self.assertIsNone(record["error"])
        formats = [f["name"] for f in json.loads(self.good("list", "formats", "--json").stdout)]
        ours = [row for row in record["formats"] if not row["peer"]]
        self.assertEqual(list(dict.fromkeys(row["format"] for row in ours)), formats)
        for row in record["formats"]:
            if row["peer"] and row["ok"] is None:  # built in, but this machine lacks its library
                self.assertTrue(row["reason"])
                continue
            self.assertIs(row["ok"], True, row)
            self.assertEqual(row["type"], "double")
            self.assertEqual(row["repetitions"], 3)
            for key in self.FIGURES:
                self.assertIsInstance(row[key], (int, float), f"{row['format']} {key}")
            self.assertLessEqual(row["max_error_ratio"], 1)
            self.assertLessEqual(row["seconds_min"], row["seconds_median"])
        self.assertEqual(ours[0]["ratio_to_csr"], 1)

    def test_peers_follow_csr_unless_switched_off(self):
        (record,) = self.records("gen:poisson2d,n=5", "--formats", "csr,coo", "--values", "raw")
        self.assertEqual([row["peer"] for row in record["formats"]],
                         [False] + [True] * (len(record["formats"]) - 2) + [False])
        (record,) = self.records("gen:poisson2d,n=5", "--formats", "csr,coo", "--values", "raw", "--no-peers")
        self.assertEqual([row["format"] for row in record["formats"]], ["csr", "coo"])
        self.assertIsNone(record["formats"][1]["speedup_vs_best_peer"])

    def test_types_and_stores(self):
        (record,) = self.records("gen:stencil27,n=5", "--formats", "sell:c=8,coo", "--value", "float", "--values",
                                 "iso,lut8", "--no-peers")
        self.assertEqual([(row["format"], row["parameters"], row["values"], row["type"], row["ok"])
                          for row in record["formats"]],
                         [("sell", "c=8", "lut8", "float", True), ("sell", "c=8", "iso", "float", None),
                          ("coo", "", "lut8", "float", True), ("coo", "", "iso", "float", None)])
        self.assertTrue(record["formats"][1]["reason"])
        self.assertIsNone(record["formats"][1]["seconds_median"])
        self.assertIsNone(record["formats"][1]["repetitions"])

    def test_float_says_what_it_cannot_hold(self):
        self.small.write_text(SMALL.replace("3 1 3", "3 1 3e200"))
        (record,) = self.records(self.small, "--value", "float", "--formats", "csr,sell")
        for row in record["formats"]:
            self.assertIsNone(row["ok"])
            self.assertIn("entry (3, 1) is 3e+200", row["reason"])
            self.assertIsNone(row["seconds_median"])
        self.assertIn("3e+200", self.bench(self.small, "--value", "float", "--formats", "csr").stdout)

    def test_a_person_reads_a_table(self):
        done = self.bench(self.small, "gen:poisson2d,n=5", "--formats", "csr,coo", "--no-peers")
        for word in ["3 x 4", "25 x 25", "bytes/nnz", "GB/s", "speedup", "fastest", "smallest", "copy bandwidth"]:
            self.assertIn(word, done.stdout)
        self.assertIn("warning", done.stderr)
        self.assertIn("cache", done.stderr)
        self.assertEqual(self.bench(self.small, "--formats", "csr", "-q").stderr, "")

    def test_the_copy_bandwidth_is_measured(self):
        done = self.run_bench("gen:poisson2d,n=5", "--formats", "csr", "--repetitions", 1, "--json")
        self.assertGreater(json.loads(done.stdout)["machine"]["copy_gb_per_s"], 0)

    def test_complex_products_are_unsupported(self):
        self.small.write_text("%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 1 2\n2 1 0 -1\n")
        (record,) = self.records(self.small)
        self.assertTrue(all(row["ok"] is None and row["reason"] for row in record["formats"]))

    def test_what_cannot_be_read_is_a_record_among_others(self):
        broken = self.dir / "broken.mtx"
        broken.write_text("%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 1\n")
        out = self.dir / "out.jsonl"
        records = self.records(broken, self.small, "--formats", "csr", "-o", out, code=1)
        self.assertEqual([r["matrix"]["name"] for r in records], ["broken", "small"])
        self.assertIn("broken.mtx:3", records[0]["error"])
        self.assertNotIn("formats", records[0])
        self.assertIsNone(records[1]["error"])
        self.bench(self.small, "--formats", "csr", "-o", out)
        self.assertEqual([json.loads(line)["matrix"]["name"] for line in out.read_text().splitlines()],
                         ["broken", "small", "small"])
        self.bad("bench", broken, says="broken.mtx:3")

    def test_an_error_leaves_no_file_of_its_own(self):
        out = self.dir / "x.jsonl"
        self.small.write_text(SMALL.replace("3 1 3", "3 9 3"))
        self.bad("bench", self.small, "--no-bandwidth", "-o", out, says="small.mtx:6")
        self.assertFalse(out.exists())
        out.write_text("")
        self.bad("bench", self.small, "--no-bandwidth", "-o", out, says="small.mtx:6")
        self.assertTrue(out.exists())

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_full_device_has_no_torn_line(self):
        done = self.bad("bench", "gen:tridiag,n=9", "--formats=csr", "--repetitions=1", "--no-bandwidth", "-o", "/dev/full",
                        says="/dev/full")
        self.assertNotIn("torn", done.stderr)

    def test_a_peer_that_cannot_be_loaded_says_so(self):
        hidden = self.dir / "hidden"
        hidden.mkdir()
        for name in ["libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1", "libmkl_rt.so"]:
            (hidden / name).write_text("")
        args = ["bench", "gen:tridiag,n=50", "--formats=csr", "--repetitions=1", "--no-bandwidth", "--json"]
        there = [row["format"] for row in json.loads(self.good(*args).stdout)["formats"]]
        done = self.good(*args, env={**os.environ, "LD_LIBRARY_PATH": str(hidden)})
        rows = {row["format"]: row for row in json.loads(done.stdout)["formats"]}
        self.assertEqual(list(rows), list(dict.fromkeys(there)))
        if "mkl-csr" in rows:
            self.assertIsNone(rows["mkl-csr"]["ok"])
            self.assertIn("libmkl_rt", rows["mkl-csr"]["reason"])

    def test_files_of_others_are_not_appended_to(self):
        self.bad("bench", "gen:poisson2d,n=3", "-o", self.small, says="small.mtx")
        self.assertEqual(self.small.read_text(), SMALL)
        self.bad("bench", "gen:poisson2d,n=3", "-o", "/proc/x.jsonl", says="/proc/x.jsonl")


class WaysOfCsr(Case):
    """csr:way=... chooses among products on a GPU, and changes neither the matrix nor its file."""

    REASON = "csr: way=warp chooses among products on a GPU: use --device cuda, or csr on the CPU"

    def rows(self, *args):
        done = self.good(*args, "--formats", "csr:way=warp,csr:way=auto", "--json")
        return json.loads(done.stdout)["formats"]

    def expect_refused(self, rows):
        """Beside the baseline, where there is one."""
        told = {row["parameters"]: (row["ok"], row.get("reason", "")) for row in rows}
        self.assertEqual(told["way=warp"], (None, self.REASON))
        self.assertEqual(told["way=auto"], (True, ""))

    def test_products_on_the_cpu_take_none(self):
        quick = ("--repetitions", 1, "--seconds", 0, "--no-bandwidth", "--no-peers", "--values", "raw")
        rows = self.rows("bench", "gen:poisson2d,n=5", *quick)
        self.expect_refused(rows)
        self.assertEqual([row["format"] for row in rows], ["csr", "csr"])
        self.expect_refused(self.rows("verify", "gen:poisson2d,n=5"))
        self.expect_refused(self.rows("solve", "gen:poisson2d,n=5", "--no-bandwidth", "--value", "double"))

    def test_the_file_is_that_of_csr(self):
        files = []
        for number, spec in enumerate(("csr", "csr:way=warp")):
            files.append(self.dir / f"{number}.spress")
            self.good("encode", self.small, "--format", spec, "-o", files[-1])
        self.assertEqual(files[0].read_bytes(), files[1].read_bytes())

    def test_the_bytes_are_those_of_csr(self):
        done = self.good("analyze", self.small, "--formats", "csr:way=thread", "--orderings", "none", "--json")
        size = json.loads(done.stdout)["orderings"]["none"]["footprint"]["csr"]
        self.assertEqual((size["parameters"], size["ratio_to_csr"]), ("way=thread", 1))

    def test_other_names_are_refused(self):
        self.bad("bench", self.small, "--formats", "csr:way=wrap",
                 says=["csr: way=wrap: expected one of auto, thread, warp, lanes, entries; did you mean 'warp'?"])
        self.bad("encode", self.small, "--format", "csr:block=2", "-o", self.dir / "x.spress",
                 says=["csr has no parameter 'block'", "way"])


class TuningOfEllCsr(Case):
    def encode(self, spec):
        out = self.dir / "x.spress"
        self.good("encode", "gen:circuit,n=2000", "--format", spec, "--values", "raw", "-o", out)
        told = json.loads(self.good("info", out, "--json").stdout)
        return told["arrays"], told["scalars"]["threshold"], told["scalars"]["per_thread"]

    def test_auto_is_what_no_parameter_is(self):
        self.assertEqual(self.encode("ell-csr"), self.encode("ell-csr:t=auto,m=auto,l=auto"))
        self.assertEqual(self.encode("ell-csr:t=64,m=8,l=512")[1:], ("64", "8"))

    def test_products_and_files_are_right(self):
        formats = "ell-csr:t=64,m=8,l=512,ell-csr:t=1,l=32,ell-csr:t=256,m=8,ell-csr:m=1"
        record = json.loads(self.good("verify", "gen:circuit,n=2000", "--formats", formats, "--json").stdout)
        self.assertEqual({row["parameters"] for row in record["formats"]},
                         {"t=64,m=8,l=512", "t=1,l=32", "t=256,m=8", "m=1"})
        self.assertTrue(all(row["ok"] for row in record["formats"]))
        for spec in ("ell-csr:t=64,m=8,l=512", "ell-csr:t=1,l=32768"):
            self.encode(spec)
            self.good("compare", "gen:circuit,n=2000", self.dir / "x.spress")

    def test_what_is_out_of_range_is_refused(self):
        for parameters, told in (("t=257", "expected auto or 1 to 256"), ("m=0", "expected auto or 1 to 1024"),
                                 ("l=8", "expected auto or 32 to 32768"), ("t=many", "expected auto or an integer"),
                                 ("t=200,m=4", "expected t of at most 129")):
            self.bad("encode", self.small, "--format", f"ell-csr:{parameters}", "-o", self.dir / "y.spress", says=told)


class Solve(Case):
    def solve(self, *args, code=0):
        done = spress("solve", *args, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def test_every_format_in_both_types(self):
        record = self.solve("gen:fem3d,n=6", "--threads", "2")
        formats = {f["name"] for f in json.loads(self.good("list", "formats", "--json").stdout)}
        self.assertEqual({(r["format"], r["type"]) for r in record["formats"]},
                         {(f, t) for f in formats for t in ["double", "float"]})
        self.assertEqual(record["threads"], 2)
        for row in record["formats"]:
            self.assertIs(row["ok"], True, row)
            self.assertTrue(row["converged"])
            self.assertEqual(row["stop"], "converged")
            self.assertGreater(row["iterations"], 6)
            self.assertAlmostEqual(row["l2_error"] / record["formats"][0]["l2_error"], 1, places=2)
            for key in ["parameters", "values", "preconditioner", "seconds", "updates_per_second", "true_residual",
                        "residual", "encode_seconds", "speedup_vs_csr"]:
                self.assertIn(key, row)

    def test_one_report_shows_analysis_products_and_solvers(self):
        lines = [self.good(*args, "--json").stdout for args in [
            ("analyze", "gen:poisson2d,n=12", "--orderings", "none", "--formats", "sell"),
            ("bench", "gen:poisson2d,n=12", "--formats", "sell", "--repetitions", 3, "--seconds", 0, "--no-bandwidth"),
            ("solve", "gen:poisson2d,n=12", "--formats", "sell")]]
        mixed = self.dir / "mixed.jsonl"
        mixed.write_text("".join(lines))
        told = json.loads(self.good("report", mixed, "-o", self.dir / "mixed.html", "--json").stdout)
        self.assertEqual([told[key] for key in ["matrices", "bench", "solve"]], [1, 1, 1])
        page = (self.dir / "mixed.html").read_text(encoding="utf-8")
        data = json.loads(page.split('id="data">')[1].split("</script>")[0])
        self.assertEqual(data["bench"], [json.loads(lines[1])])
        self.assertEqual(data["solve"], [json.loads(lines[2])])
        mixed.write_text(lines[1] + '{"machine":{}}\n')
        self.bad("report", mixed, "-o", self.dir / "x.html", says=["spress bench", ":2"])

    def test_a_report_of_several_files(self):
        self.good("analyze", "gen:poisson2d,n=12", "-o", self.dir / "out", "-q")
        bench = self.dir / "bench.jsonl"
        bench.write_text(self.good("bench", "gen:poisson2d,n=12", "--formats", "sell", "--repetitions", 3, "--seconds",
                                   0, "--no-bandwidth", "--json").stdout)
        results, page = self.dir / "out/results.jsonl", self.dir / "page.html"
        told = json.loads(self.good("report", results, bench, "-o", page, "--json").stdout)
        self.assertEqual((told["matrices"], told["bench"], told["paths"]), (1, 1, [str(results), str(bench)]))
        self.assertEqual(self.good("report", bench, "-o", page).stdout, "")
        # A repeated measurement counts once. Another format, machine, matrix or number of threads is no repetition.
        told = json.loads(self.good("report", results, bench, results, bench, "-o", page, "--json").stdout)
        self.assertEqual((told["matrices"], told["bench"]), (len(results.read_text().splitlines()), len(bench.read_text().splitlines())))
        record = json.loads(bench.read_text().splitlines()[0])
        others = [dict(record, machine=dict(record["machine"], threads=77)),
                  dict(record, machine=dict(record["machine"], instruction_set="another")), dict(record, matrix=dict(record["matrix"], nnz=record["matrix"]["nnz"] + 1)),
                  dict(record, formats=[dict(row, parameters="c=7") for row in record["formats"]])]
        more = self.dir / "more.jsonl"
        more.write_text("".join(json.dumps(each) + "\n" for each in others))
        done = self.good("report", bench, more, bench, "-o", page, "--json")
        self.assertEqual(json.loads(done.stdout)["bench"], len(bench.read_text().splitlines()) + 4)
        self.assertIn("left out 1 record of what newer ones measure again", done.stderr)
        self.bad("report", self.dir / "out/summary.json", "-o", self.dir / "none.html", says=["results.jsonl"])
        self.assertFalse((self.dir / "none.html").exists())

    def test_options_reach_the_solver(self):
        record = self.solve("gen:poisson2d,n=12", "--formats", "sell:c=4", "--value", "float", "--preconditioner",
                            "jacobi", "--max-iterations", "3", "--tolerance", "1e-3", "--values", "lut8")
        self.assertEqual([r["format"] for r in record["formats"]], ["csr", "sell"])  # the baseline runs along
        self.assertEqual([r["values"] for r in record["formats"]], ["raw", "lut8"])
        self.assertEqual(record["tolerance"], 1e-3)
        for row in record["formats"]:
            self.assertEqual((row["iterations"], row["stop"], row["type"], row["preconditioner"]),
                             (3, "max_iterations", "float", "jacobi"))
            self.assertIsNone(row["l2_error"])

    def test_records_grow_and_tell_the_bandwidth(self):
        out = self.dir / "solve.jsonl"
        args = ["gen:poisson2d,n=6", "--formats", "csr", "--no-progress", "-o", out]
        record = self.solve(*args)
        self.assertGreater(record["machine"]["copy_gb_per_s"], 0)
        self.assertIsNone(self.solve(*args, "--no-bandwidth")["machine"]["copy_gb_per_s"])
        lines = out.read_text().splitlines()
        self.assertEqual(len(lines), 2)
        self.assertEqual(json.loads(lines[0]), record)
        row = record["formats"][0]
        self.assertLessEqual(row["true_residual"], row["residual"] + row["rounding_bound"])
        self.assertIsNone(row["transfer_seconds"])
        self.bad("solve", "gen:convdiff,n=4", "-o", self.dir / "none.jsonl", says="symmetric")
        self.assertFalse((self.dir / "none.jsonl").exists())
        self.bad("solve", "gen:poisson2d,n=6", "-o", self.dir / "nowhere" / "x", says="nowhere")

    def test_what_float_cannot_hold_is_a_row_for_each_format(self):
        self.small.write_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1e60\n2 2 1\n")
        record = self.solve(self.small, "--formats", "csr,sell", "--no-bandwidth")
        self.assertEqual([(r["format"], r["type"], r["ok"]) for r in record["formats"]],
                         [("csr", "double", True), ("sell", "double", True), ("csr", "float", None),
                          ("sell", "float", None)])
        for row in record["formats"][2:]:
            self.assertIn("(1, 1) is inf", row["reason"])

    def test_one_format_is_encoded_while_another_iterates(self):
        record = self.solve("gen:fem3d,n=10", "--switch", "csr,amb", "--value", "double", "--formats", "csr",
                            "--threads", "2")
        self.assertEqual([r["format"] for r in record["formats"]], ["csr", "amb", "csr>amb"])
        self.assertIn("csr>amb", self.good("solve", "gen:fem3d,n=10", "--switch", "csr,amb", "--formats", "csr",
                                           "--threads", "2").stdout)
        self.bad("solve", "gen:fem3d,n=4", "--switch", "csr", says=["--switch", "two formats"])
        self.bad("solve", "gen:fem3d,n=4", "--switch", "csr,amb", "--threads", "1", says="2 threads")

    def test_a_matrix_that_is_not_positive_definite(self):
        self.small.write_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 -50\n")
        record = self.solve(self.small, "--formats", "csr,sell", code=1)
        for row in record["formats"]:
            self.assertEqual(row["stop"], "not_positive_definite")
            self.assertIsNone(row["ok"])
            self.assertIn("positive definite", row["reason"])

    def test_what_conjugate_gradient_cannot_take_is_an_error(self):
        self.bad("solve", self.small, says=["small.mtx", "square", "3 x 4"])
        self.bad("solve", "gen:convdiff,n=4", says="symmetric")
        self.small.write_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 1 1\n")
        self.bad("solve", self.small, "--preconditioner", "jacobi", says=["diagonal", "row 2 is 0"])
        self.small.write_text("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n")
        self.bad("solve", self.small, says="complex")
        self.bad("solve", "gen:fem3d,n=3", "--value", "half", says=["double", "float", "both"])
        self.bad("solve", "gen:fem3d,n=3", "--preconditioner", "ilu", says="jacobi")
        for tolerance in ["-1", "1.5", "nan", "inf", "much"]:
            self.bad("solve", "gen:fem3d,n=3", "--tolerance", tolerance, says=["tolerance", "0 to 1"])
        for iterations in ["-1", "nan", "2.5"]:
            self.bad("solve", "gen:fem3d,n=3", "--max-iterations", iterations, says="max-iterations")


if __name__ == "__main__":
    main()
