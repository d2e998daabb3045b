#!/usr/bin/env python3
"""Opens the HTML report in headless Chromium and checks what a reader would see.

usage: browser_test.py WRITE_REPORT [FOLDER]

WRITE_REPORT is the program that writes a report of synthetic records. With FOLDER, screenshots at desktop and phone
width, light and dark, are left there. Exit code 77: no Chromium here, nothing was tested.
"""
import html.parser
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

MATRICES = 90
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
         "--enable-logging=stderr", "--virtual-time-budget=60000"]
DARK = ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"]
CHARTS = (["collection", "classes", "blocks-nnz", "blocks-rows"]
          + [f"shares-{s}-{o}" for s in ("direct", "delta-to-diagonal", "delta", "delta-anchored") for o in ("none", "rcm")]
          + [f"composition-{o}{s}" for o in ("", "auto-") for s in ("direct", "delta-to-diagonal", "delta", "delta-anchored")]
          + [f"reduction-{f}" for f in ("coo", "opt-csr", "bmsparse", "bccoo", "bccoo-gpu", "amb")]
          + ["factors-formats", "factors-orders", "relative-gpu", "relative-cpu", "zero-fill"])
SCRIPT_NAME = "</script><img src=x onerror=document.title='broken'>"


class Page(html.parser.HTMLParser):
    """The document after its scripts ran: attributes of its root, drawn marks per chart, texts of interest."""
    VOID = {"meta", "link", "br", "img", "input", "hr", "wbr"}

    def __init__(self, text):
        super().__init__()
        self.root, self.marks, self.titles, self.images, self.notice = {}, {}, [], 0, ""
        self.open = []  # (tag, attributes) of the elements around
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "html":
            self.root = attributes
        if tag == "img":
            self.images += 1
        chart = self.inside("data-chart")
        if chart and tag in ("path", "text", "line", "rect", "image") and "role-mark" in (self.inside("class") or ""):
            self.marks[chart] = self.marks.get(chart, 0) + 1
        if tag not in self.VOID:
            self.open.append((tag, attributes))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if self.open and self.open[-1][0] == "title":
            self.titles.append(data)
        if self.open and self.open[-1][1].get("id") == "no-charts":
            self.notice += data

    def inside(self, attribute):
        """The value of the innermost element around that has the attribute."""
        for _, attributes in reversed(self.open):
            if attribute in attributes:
                return attributes[attribute]
        return None


class Browser:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def run(self, address, *flags):
        with tempfile.TemporaryDirectory() as profile:
            return subprocess.run([self.program, *FLAGS, f"--user-data-dir={profile}", *flags, address],
                                  capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=240)

    def open(self, path, *flags):
        """(Page, lines the page wrote to the console)."""
        result = self.run(path.as_uri() + "#selftest", "--dump-dom", *flags)
        return Page(result.stdout), [line for line in result.stderr.splitlines() if "CONSOLE" in line]

    def width_inside(self, path, width):
        """Width of the page's content in a frame as wide as a phone: a window cannot be that narrow everywhere."""
        frame = self.folder / "frame.html"
        frame.write_text(f'<!DOCTYPE html><body style="margin:0"><iframe src="{path.as_uri()}#selftest" '
                         f'style="border:0;width:{width}px;height:900px"></iframe><script>addEventListener("message", '
                         'event => { document.title = event.data; });</script>', encoding="utf-8")
        page = Page(self.run(frame.as_uri(), "--dump-dom").stdout)
        return page.titles[0].split() if page.titles else None

    def screenshot(self, path, to, size, *flags):
        self.run(path.as_uri() + "#selftest", f"--screenshot={to}", f"--window-size={size}", *flags)


class ReportTest(unittest.TestCase):
    browser = None
    report = None

    @classmethod
    def setUpClass(cls):
        cls.page, cls.console = cls.browser.open(cls.report)
        cls.has_charts = not cls.page.notice

    def numbers(self, attribute):
        return [int(text.replace(",", "")) for text in json.loads(self.page.root[attribute])]

    def test_the_self_test_came_to_its_end(self):
        self.assertEqual(self.page.root.get("data-selftest"), "done")

    def test_nothing_went_wrong(self):
        self.assertNotIn("data-problems", self.page.root)
        self.assertEqual(self.console, [])

    def test_nothing_was_fetched(self):
        self.assertEqual(self.page.root["data-resources"], "0")

    def test_every_chart_has_drawn_marks(self):
        if not self.has_charts:
            self.assertEqual(self.page.marks, {})
            self.skipTest("built without charts: " + self.page.notice)
        for chart in CHARTS:
            self.assertGreater(self.page.marks.get(chart, 0), 2, chart)
        self.assertEqual(set(self.page.marks), set(CHARTS))

    def test_scatter_plots_have_a_mark_for_each_matrix(self):
        if not self.has_charts:
            self.skipTest("built without charts")
        self.assertGreater(self.page.marks["blocks-nnz"], 1.5 * MATRICES)
        self.assertGreater(self.page.marks["reduction-opt-csr"], 1.5 * MATRICES)

    def test_the_table_sorts_both_ways(self):
        down, up = self.numbers("data-sorted-down"), self.numbers("data-sorted-up")
        self.assertEqual(len(down), 50)
        self.assertEqual(down, sorted(down, reverse=True))
        self.assertEqual(up, sorted(up))
        self.assertLess(up[-1], down[0])

    def test_the_search_finds(self):
        found = json.loads(self.page.root["data-found"])
        self.assertEqual(len(found), 1)

    def test_the_pattern_is_drawn(self):
        inks = [int(ink) for ink in self.page.root["data-spy-pixels"].split(",")]
        self.assertEqual(len(inks), 2)
        self.assertGreater(min(inks), 1000)

    def test_hostile_names_stay_text(self):
        self.assertEqual("".join(self.page.titles[:1]), "What these sparse matrices cost")
        self.assertEqual(self.page.images, 0)
        self.assertIn(SCRIPT_NAME, json.loads(self.page.root["data-names"]))

    def test_a_point_tells_its_name_and_leads_to_its_pattern(self):
        if not self.has_charts:
            self.skipTest("built without charts")
        self.assertIn(SCRIPT_NAME, self.page.root["data-tooltip"])
        self.assertEqual(self.page.root["data-clicked"], SCRIPT_NAME)

    def test_no_sideways_scrolling(self):
        for width in (390, 1280):
            told = self.browser.width_inside(self.report, width)
            self.assertEqual(told, [str(width), str(width)])

    def test_dark_colours(self):
        dark, console = self.browser.open(self.report, *DARK)
        self.assertEqual(console, [])
        self.assertEqual(self.page.root["data-scheme"], "light")
        self.assertEqual(dark.root["data-scheme"], "dark")
        self.assertEqual(dark.marks, self.page.marks)


class MeasuredTest(unittest.TestCase):
    """A report of measurements alone: none of analyze."""
    browser = None
    report = None

    @classmethod
    def setUpClass(cls):
        cls.page, cls.console = cls.browser.open(cls.report)

    def test_nothing_went_wrong(self):
        self.assertEqual(self.page.root.get("data-selftest"), "done")
        self.assertNotIn("data-problems", self.page.root)
        self.assertEqual(self.console, [])
        self.assertEqual(self.page.root["data-resources"], "0")
        self.assertEqual(json.loads(self.page.root["data-bare-texts"]), [])  # "null" of a part that is left out

    def test_charts_are_those_of_measurements(self):
        if self.page.notice:
            self.skipTest("built without charts")
        self.assertEqual(set(self.page.marks), {"bench-means", "bench-matrix", "bench-time", "transfer-speed", "transfer-size",
                                                *(f"transfer-{what}-{memory}" for what in ("means", "matrix")
                                                  for memory in ("pinned", "pageable", "staged"))})
        self.assertGreater(min(self.page.marks.values()), 4)

    def test_the_table_follows_the_matrix_chosen(self):
        self.assertNotEqual(self.page.root["data-bench-first"], self.page.root["data-bench-next"])
        self.assertEqual(self.page.root["data-bench-rows"], "6")

    def test_the_grid_has_every_matrix_and_format(self):
        head, *lines = json.loads(self.page.root["data-grid"])
        self.assertEqual(head[:2], ["matrix", "entries"])
        self.assertEqual(set(head[2:-1]), {"csr", "opt-csr", "sell", "bccoo"})
        self.assertEqual(head[-1], "mkl")  # peers come last
        self.assertEqual(len(lines), 12 + 1)
        self.assertEqual(lines[-1][0], "geometric mean")
        means = [float(text) for text in lines[-1][2:-1]]
        self.assertEqual(means, sorted(means, reverse=True))
        csr = head.index("csr")
        self.assertEqual({line[csr] for line in lines}, {"1.00"})
        self.assertEqual(lines[0][head.index("bccoo")], "")  # could not be measured

    def test_a_gpu_is_held_against_cusparse(self):
        self.assertEqual(json.loads(self.page.root["data-grid-measures"]), ["speedup_vs_csr", "speedup_vs_best_cusparse"])
        head, *lines = json.loads(self.page.root["data-grid-last"])
        self.assertEqual(set(head[2:]), {"csr", "opt-csr", "sell", "bccoo"})
        self.assertEqual({line[head.index("csr")] for line in lines}, {"1.05"})
        self.assertLessEqual({"vs cuSPARSE", "kernel"}, set(json.loads(self.page.root["data-gpu-columns"])))

    def test_solvers_tell_the_way_to_the_device(self):
        self.assertIn("to the device, s", json.loads(self.page.root["data-solve-columns"]))

    def test_small_transfers_are_told_apart(self):
        self.assertEqual(self.page.root["data-transfer-matrices"], "12")
        self.assertLess(int(self.page.root["data-transfer-small"]), 12)
        self.assertGreater(int(self.page.root["data-transfer-small"]), 0)

    def test_machines_are_kept_apart(self):
        runs = json.loads(self.page.root["data-bench-runs"])
        self.assertEqual(len(runs), 3)
        self.assertIn("<16 cores>", runs[0])

    def test_no_sideways_scrolling(self):
        self.assertEqual(self.browser.width_inside(self.report, 390), ["390", "390"])


def works(browser, folder):
    """Some packages of Chromium start but may not read files here."""
    page = folder / "works.html"
    page.write_text("<title>it works</title>", encoding="utf-8")
    return Page(browser.run(page.as_uri(), "--dump-dom").stdout).titles == ["it works"]


def take_screenshots(browser, report, folder, prefix):
    for name, size in (("desktop", "1280,1000"), ("phone", "500,900")):
        for scheme, flags in (("light", []), ("dark", DARK)):
            browser.screenshot(report, folder / f"{prefix}{name}-{scheme}.png", size, *flags)


def main():
    program = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if program is None:
        print("skipped: no Chromium here (looked for " + ", ".join(CHROMIUM_NAMES) + ")")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        ReportTest.browser = Browser(program, pathlib.Path(folder))
        ReportTest.report = pathlib.Path(folder) / "report.html"
        if not works(ReportTest.browser, pathlib.Path(folder)):
            print(f"skipped: {program} cannot open a page of {folder}")
            return 77
        subprocess.run([sys.argv[1], ReportTest.report, str(MATRICES)], check=True)
        MeasuredTest.browser = ReportTest.browser
        MeasuredTest.report = pathlib.Path(folder) / "measured.html"
        subprocess.run([sys.argv[1], MeasuredTest.report, "0", "12"], check=True)
        if len(sys.argv) > 2:
            for report, name in ((ReportTest.report, ""), (MeasuredTest.report, "measured-")):
                take_screenshots(ReportTest.browser, report, pathlib.Path(sys.argv[2]).resolve(), name)
        result = unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
