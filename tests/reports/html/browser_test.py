#!/usr/bin/env python3
"""Opens the HTML report in headless Chromium and checks what a reader would see.

usage: browser_test.py WRITE_REPORT [FOLDER]

WRITE_REPORT is the program that writes a report of synthetic records. With FOLDER, screenshots at desktop and phone
width, light and dark, are left there. Exit code 77: no Chromium here, nothing was tested.
"""
import base64
import csv
import decimal
import html.parser
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

MATRICES = 90
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
         "--enable-logging=stderr", "--virtual-time-budget=90000"]
DARK = ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"]
CHARTS = (["every-matrix", "formats", "orders", "classes", "blocks-nnz", "blocks-rows"]
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
        """(Page, lines the page wrote to the console), in a window of 1280 x 900."""
        result = self.run(path.as_uri() + "#selftest", "--dump-dom", "--window-size=1280,900", *flags)
        return Page(result.stdout), [line for line in result.stderr.splitlines() if "CONSOLE" in line]

    def frame(self, path, width, height):
        """A page that shows the report in a frame as wide as a phone: a window cannot be that narrow everywhere."""
        frame = self.folder / f"frame-{path.stem}-{width}.html"
        frame.write_text(f'<!DOCTYPE html><body style="margin:0"><iframe src="{path.as_uri()}#selftest" '
                         f'style="border:0;width:{width}px;height:{height}px"></iframe><script>addEventListener("message", '
                         'event => { document.title = event.data; });</script>', encoding="utf-8")
        return frame

    def told_inside(self, path, width, height=844):
        """Returns what the self test left in a frame of this width."""
        page = Page(self.run(self.frame(path, width, height).as_uri(), "--dump-dom", "--window-size=1280,1000").stdout)
        return json.loads("".join(page.titles))

    def screenshot(self, path, to, size, *flags):
        self.run(path.as_uri(), f"--screenshot={to}", f"--window-size={size}", *flags)


class Expected:
    """The page's figures, worked out from the data in the file by other means."""

    def __init__(self, path):
        text = path.read_text(encoding="utf-8")
        data = json.loads(text.split('id="data">')[1].split("</script>")[0])
        self.formats, self.orderings = data["summary"]["formats"], data["summary"]["orderings"]
        self.matrices = data["matrices"]

    def sizes(self, matrix, ordering):
        """{format: [model, index, total, store, least]} of an ordering that was applied."""
        entry = matrix[14][self.orderings.index(ordering)]
        return {f: s for f, s in zip(self.formats, entry[7]) if s} if isinstance(entry, list) else {}

    def percent(self, matrices):
        """Bytes of the best choice, of CSR."""
        csr = sum(self.sizes(m, "none")["csr"][2] for m in matrices)
        return fixed(100 * sum(m[13][3] for m in matrices) / csr, 1) + "% of CSR"

    def share_of_format(self, matrices, name):
        held = [self.sizes(m, "none") for m in matrices if name in self.sizes(m, "none")]
        return fixed(100 * sum(s[name][4] for s in held) / sum(s["csr"][2] for s in held), 1) + "%"

    def pairs(self):
        """Bytes of each format before and after rcm, over the matrices known in both orders."""
        result = set()
        for name in self.formats:
            known = [m for m in self.matrices if name in self.sizes(m, "none") and name in self.sizes(m, "rcm")]
            for label, ordering in (("original", "none"), ("rcm", "rcm")):
                result.add((name, label, sum(self.sizes(m, ordering)[name][2] for m in known), len(known)))
        return result


def is_square_symmetric(matrix):
    return matrix[2] == matrix[3] and matrix[7]


class ReportTest(unittest.TestCase):
    browser = None
    report = None

    @classmethod
    def setUpClass(cls):
        cls.page, cls.console = cls.browser.open(cls.report)
        cls.has_charts = not cls.page.notice
        cls.expected = Expected(cls.report)
        cls.phone = cls.browser.told_inside(cls.report, 390)

    def told(self, attribute):
        return json.loads(self.page.root["data-" + attribute])

    def numbers(self, attribute):
        return [int(text.replace(",", "")) for text in self.told(attribute)]

    def test_the_self_test_came_to_its_end(self):
        self.assertEqual(self.page.root.get("data-selftest"), "done")

    def test_nothing_went_wrong(self):
        self.assertNotIn("data-problems", self.page.root)
        self.assertEqual(self.console, [])

    def test_nothing_was_fetched(self):
        self.assertEqual(self.page.root["data-resources"], "[]")

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
        self.assertGreaterEqual(self.page.marks["every-matrix"], len(self.expected.matrices))
        self.assertGreater(self.page.marks["blocks-nnz"], 1.5 * MATRICES)
        self.assertGreater(self.page.marks["reduction-opt-csr"], 1.5 * MATRICES)

    def test_axes_have_no_powers_of_ten(self):
        labels = self.told("axis-labels")
        self.assertEqual([label for label in labels if "e+" in label or "e-" in label], [])
        if self.has_charts:
            self.assertLessEqual({"100", "10 k", "1 M"}, set(labels))

    def test_figures_equal_the_summary(self):
        self.assertEqual(self.told("agreement"), [])

    def test_the_answer_is_on_the_first_screen(self):
        for told in (self.page.root, None):
            box = self.told("answer-box") if told else json.loads(self.phone["answerBox"])
            window = self.told("window") if told else json.loads(self.phone["window"])
            self.assertLess(box["bottom"], window["height"] / 2)
            self.assertLessEqual(box["right"], window["width"])
        self.assertTrue(self.told("answer").startswith(self.expected.percent(self.expected.matrices)))

    def test_the_share_of_csr_is_in_view_on_a_phone(self):
        for box in json.loads(self.phone["shareBoxes"]):
            self.assertGreater(box["width"], 20)
            self.assertLessEqual(box["right"], 390)

    def test_nothing_is_wider_than_the_window(self):
        for told in (self.told("wide"), json.loads(self.phone["wide"])):
            self.assertEqual(told, [])
        self.assertEqual(json.loads(self.phone["window"])["content"], 390)
        self.assertEqual(self.told("window")["content"], 1280)

    def test_tooltips_are_as_high_as_their_lines(self):
        if not self.has_charts:
            self.skipTest("built without charts")
        for box in (self.told("tooltip-box"), json.loads(self.phone["tooltipBox"])):
            self.assertEqual(box["rows"], 6)
            self.assertGreater(box["height"], 6 * 10)
            self.assertLess(box["height"], 6 * 30)
            self.assertGreaterEqual(box["left"], 0)
            self.assertLessEqual(box["right"], box["innerWidth"])

    def test_a_filter_changes_every_overview(self):
        before, once, twice, cleared = (self.told(key) for key in ("unfiltered", "filtered", "filtered-twice", "cleared"))
        chosen = [m for m in self.expected.matrices if is_square_symmetric(m)]
        large = [m for m in chosen if m[4] >= 10000]
        for seen, matrices in ((before, self.expected.matrices), (once, chosen), (twice, large)):
            self.assertEqual(sorted(seen["names"]), sorted(m[0] for m in matrices))
            self.assertEqual(seen["answer"], self.expected.percent(matrices))
            self.assertIn(str(len(matrices)), seen["tiles"])
            self.assertIn(str(len(matrices)), seen["status"])
            self.assertTrue(seen["rows"].endswith(f"of {len(matrices)}"))
            shares = {row[0]: row[1] for row in seen["bytes"][1:]}
            self.assertEqual(shares["best for each"] + " of CSR", self.expected.percent(matrices))
            for name in self.expected.formats:
                self.assertEqual(shares[name], self.expected.share_of_format(matrices, name))
        for key in ("orders", "indices"):
            self.assertNotEqual(before[key], once[key])
            self.assertNotEqual(once[key], twice[key])
        self.assertEqual(cleared, before)

    def test_a_brush_filters_the_page(self):
        if not self.has_charts:
            self.skipTest("built without charts")
        brushed = self.told("brushed")
        self.assertTrue(all(brushed["fields"].values()), brushed["fields"])
        self.assertTrue(brushed["same"])  # the chart under the pointer was not made anew
        known = [m[4] for m in self.expected.matrices]
        limit = float(brushed["fields"]["entriesTo"])
        self.assertLess(limit, max(known))
        self.assertEqual(sorted(brushed["names"]), sorted(m[0] for m in self.expected.matrices if m[4] <= limit))
        self.assertIn(str(len(brushed["names"])), brushed["status"])

    def test_bars_before_and_after_count_the_same_matrices(self):
        if not self.has_charts:
            self.skipTest("built without charts")
        drawn = {tuple(bar) for bar in self.told("pairs")}
        self.assertEqual(drawn, self.expected.pairs())
        self.assertLess({count for *_, count in drawn}, {*range(len(self.expected.matrices))})  # rectangular ones are out

    def test_the_answer_is_beside_the_name(self):
        self.assertEqual(self.told("list-head")[:2], ["Matrix", "Of CSR"])
        self.assertLessEqual(len(self.told("list-head")), 12)

    def test_the_name_stays_in_view(self):
        moved = json.loads(self.phone["nameMoved"])
        self.assertEqual(moved["scrolled"], 150)
        self.assertLessEqual(abs(moved["by"]), 1)

    def test_the_table_sorts_both_ways(self):
        down, up = self.numbers("sorted-down"), self.numbers("sorted-up")
        self.assertEqual(len(down), 50)
        self.assertEqual(down, sorted(down, reverse=True))
        self.assertEqual(up, sorted(up))
        self.assertLess(up[-1], down[0])

    def test_the_csv_is_what_is_shown(self):
        text = self.told("csv")
        head, *rows = csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=""))
        cells = self.told("list-cells")
        self.assertEqual(head, self.told("list-head")[:12] + ["Path"])
        self.assertEqual(len(rows), len(self.expected.matrices))
        shown = {"Of CSR": lambda v: fixed(100 * float(v), 1) + "%" if v else "", "Smallest": bytes_text, "CSR": bytes_text}
        for name in ("Entries", "Rows", "Columns"):
            shown[name] = lambda v: f"{int(v):,}"
        for row, cell in zip(rows, cells, strict=True):
            self.assertEqual([shown.get(name, as_shown)(value) for name, value in zip(head, row)], cell)
        self.assertIn("'=1+1", [row[0] for row in rows])  # a formula is text
        self.assertIn('"\'=1+1"', text)
        for row in csv.reader(io.StringIO(text.lstrip("\ufeff"), newline="")):
            self.assertFalse(any(value.startswith(("=", "+", "-", "@")) for value in row))

    def test_the_pattern_is_drawn(self):
        inks = self.told("spy-pixels")
        self.assertEqual(len(inks), 2)
        self.assertGreater(min(inks), 1000)

    def test_patterns_have_256_cells_and_come_back(self):
        self.assertEqual(self.told("spy-cells"), [256, 256])
        matrix = next(m for m in self.expected.matrices if m[0] == self.told("spy-name"))
        packed = zlib.decompress(base64.b64decode(matrix[14][0][9]))
        self.assertEqual(self.told("spy-levels"), packed.hex())
        pictures = [entry[9] for m in self.expected.matrices for entry in m[14] if isinstance(entry, list)]
        self.assertLessEqual(max(map(len, pictures)), 6000)

    def test_hostile_names_stay_text(self):
        self.assertEqual("".join(self.page.titles[:1]), "What these sparse matrices cost")
        self.assertEqual(self.page.images, 0)
        self.assertIn(SCRIPT_NAME, self.told("names"))

    def test_a_point_tells_its_name_and_leads_to_its_pattern(self):
        if not self.has_charts:
            self.skipTest("built without charts")
        self.assertIn(SCRIPT_NAME, self.told("tooltip"))
        self.assertEqual(self.told("clicked"), SCRIPT_NAME)

    def test_dark_colours(self):
        dark, console = self.browser.open(self.report, *DARK)
        self.assertEqual(console, [])
        self.assertEqual(self.told("scheme"), "light")
        self.assertEqual(dark.root["data-scheme"], '"dark"')
        self.assertEqual(dark.marks, self.page.marks)


def fixed(value, decimals):
    """As JavaScript's toFixed: a tie goes up."""
    return str(decimal.Decimal(value).quantize(decimal.Decimal(1).scaleb(-decimals), decimal.ROUND_HALF_UP))


def as_shown(value):
    return value[1:] if value.startswith("'") else value


def bytes_text(value):
    """Words a number of bytes as elements.js does."""
    if not value:
        return ""
    size, units = float(value), ["B", "kB", "MB", "GB", "TB", "PB"]
    while size >= 999.5 and len(units) > 1:
        size, units = size / 1000, units[1:]
    if units[0] == "B":
        return f"{int(size)} B"
    decimals = max(0, 3 - len(str(int(size))))
    text = fixed(size, decimals)
    return (fixed(size, decimals - 1) if len(text.replace(".", "")) > 3 else text) + " " + units[0]


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
        self.assertEqual(self.page.root["data-resources"], "[]")
        self.assertEqual(json.loads(self.page.root["data-bare-texts"]), [])  # "null" of a part that is left out

    def test_charts_are_those_of_measurements(self):
        if self.page.notice:
            self.skipTest("built without charts")
        self.assertEqual(set(self.page.marks), {"bench-means", "bench-matrix", "bench-time", "transfer-speed",
                                                "every-speed-double", "every-gain-double",
                                                *(f"transfer-size-{what}-double" for what in ("time", "rate", "product")),
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
        told = self.browser.told_inside(self.report, 390)
        self.assertEqual(json.loads(told["wide"]), [])
        self.assertEqual(json.loads(told["window"])["content"], 390)


class FiguresTest(unittest.TestCase):
    """The papers' figures of tests/reports/sample_figures.cpp, whose records follow formulas."""
    browser = None
    report = None
    N = (32, 64, 128)
    PLACES = {"CPU, 16 threads": 4e-9, "Sample GPU, Sample processor": 1e-9}  # and the seconds of a product a row
    OTHER_HOST = "Sample GPU, Other processor"  # only with the smallest n
    FORMATS = {"csr": 1, "csr:way=warp": 1, "sell:c=32,sigma=1": 0.5}

    @classmethod
    def setUpClass(cls):
        cls.page, cls.console = cls.browser.open(cls.report)
        cls.told = json.loads(cls.page.root["data-figures"])
        cls.charts, cls.tables, cls.titles = (cls.told[key] for key in ("charts", "tables", "titles"))

    def setUp(self):
        if self.page.notice:
            self.skipTest("built without charts")

    def assert_lines(self, chart, expected):
        """expected: {(series, kind, x): y}."""
        drawn = {tuple(point[:3]): point[3] for point in self.charts[chart]}
        self.assertEqual(set(drawn), set(expected), chart)
        for point, y in expected.items():
            self.assertAlmostEqual(drawn[point] / y, 1, places=9, msg=f"{chart}: {point}")

    def solver_lines(self, figure):
        places = [(n, place, seconds) for n in self.N for place, seconds in self.PLACES.items()]
        return {(name, place, n): figure(n, factor * seconds * n**3)
                for n, place, seconds in [*places, (self.N[0], self.OTHER_HOST, 1e-9)]
                for name, factor in self.FORMATS.items()}

    def test_nothing_went_wrong(self):
        self.assertEqual(self.page.root.get("data-selftest"), "done")
        self.assertNotIn("data-problems", self.page.root)
        self.assertEqual(self.console, [])
        self.assertEqual(json.loads(self.page.root["data-wide"]), [])

    def test_solvers_stand_beside_each_other_by_size(self):
        for kind, element in (("double", 8), ("float", 4)):
            self.assert_lines(f"solve-error-{kind}", self.solver_lines(lambda n, _: 0.25 / (n + 1)**2))
            self.assert_lines(f"solve-iterations-{kind}", self.solver_lines(lambda n, _: 2 * n))
            self.assert_lines(f"solve-updates-{kind}", self.solver_lines(lambda n, product: n**3 / (2 * product)))
            self.assert_lines(f"solve-rate-{kind}", self.solver_lines(lambda n, product: 1e-9 * (300 + 2 * element) * n**3 / product))

    def test_the_kernels_of_csr_are_compared_on_the_gpu(self):
        expected = {point: y for point, y in self.solver_lines(lambda n, product: 1e-9 * 316 * n**3 / product).items()
                    if point[0].startswith("csr") and point[1].startswith("Sample GPU")}
        self.assert_lines("solve-ways-double", expected)

    def test_a_product_stands_beside_the_transfer_with_both_vectors(self):
        sent = {(name, "transfer, pageable memory", n): 1e-7 * 316 * n**3 for name in ("csr", "sell") for n in self.N}
        self.assert_lines("solve-time-double", self.solver_lines(lambda _, product: 1e3 * product) | sent)
        lines = {(name, "Sample GPU", n): 1e-7 * 308 * n**3 for name in ("csr", "sell") for n in self.N}
        self.assert_lines("transfer-size-time-float", lines)
        self.assert_lines("transfer-size-rate-float", dict.fromkeys(lines, 10))

    def test_errors_fall_by_the_second_power(self):
        head, *rows = self.tables["solve-size"]
        self.assertEqual(head, ["format", "type", "on", "n = 32", "n = 64", "n = 128"])
        self.assertEqual(len(rows), 2 * 3 * 3)
        for row in rows:
            larger = ["", ""] if row[2] == self.OTHER_HOST else ["5.917e-5 (2.00)", "1.502e-5 (2.00)"]
            self.assertEqual(row[3:], ["2.296e-4", *larger])

    def test_products_scale_with_threads(self):
        factors = {"csr": (1, 2, 2), "bccoo": (1, 2, 4), "mkl": (1, 2, 2)}
        shown = ("bccoo", "mkl")  # csr is none of the paper's, and bcoo was not measured
        self.assert_lines("threads-scaling-double", {(name, "cpu", 2**i): factors[name][i] for name in shown for i in range(3)})
        self.assert_lines("threads-gain-double", {("bccoo over mkl", "cpu", threads): gain / 3 for threads, gain in ((1, 1), (2, 1), (4, 2))})
        rows = {row[0]: row[1:] for row in self.tables["bench-threads"][1:]}
        self.assertEqual(rows["bccoo"], ["2", "0.0667", "2.00×", "4.00×"])
        self.assertEqual(rows["mkl (peer)"], ["2", "0.200", "2.00×", "2.00×"])

    def test_formats_of_a_paper_are_compared_matrix_by_matrix(self):
        gains = {(series, name): y for series, name, _, y in self.charts["every-gain-double"]}
        self.assertEqual({round(y, 9) for (series, _), y in gains.items() if series == "over the fastest of them"}, {1.25})
        self.assertEqual({round(y, 9) for (series, _), y in gains.items() if series == "over ell"}, {2.5})
        self.assertEqual(len(gains), 4 * 6)
        self.assertEqual({series for series, *_ in self.charts["bench-size-0-double"]}, {"csr", "ell", "hyb", "ell-csr"})
        self.assertEqual([self.titles[f"bench-size-{i}-double"] for i in (0, 1)], ["density, f=1: double", "density, f=2: double"])

    def test_solvers_tell_what_encoding_costs_in_products(self):
        self.assertEqual({round(y, 9) for _, _, _, y in self.charts["solve-cost-double"]}, {10})

    def test_a_pair_and_a_preconditioner_have_series_of_their_own(self):
        speeds = {(series, round(y, 9)) for series, name, _, y in self.charts["solve-speed-double"] if name == "uneven"}
        self.assertEqual(speeds, {("hyb", 30), ("ell-csr", 60), ("ell-csr, jacobi", 63), ("hyb>ell-csr", 60)})

    def test_matrices_of_one_name_have_places_of_their_own(self):
        self.assertEqual(self.told["ranks"]["solve-speed-double"], len(self.N) + 2)

    def test_counted_traffic_stands_beside_the_predicted(self):
        self.assertEqual(sorted(self.charts["traffic-predicted-double"]),
                         sorted(["amb", f"traffic_{1000 * n}", 250000 * n, 255000 * n] for n in self.N))
        per_entry = {series: round(y, 9) for series, _, _, y in self.charts["traffic-every-double"]}
        self.assertEqual(per_entry, {"amb": 10.2, "cusparse-csr-alg2": 12.8})
        self.assertEqual({row[6] for row in self.tables["traffic"][1:] if row[1] == "amb"}, {"1.020"})

    def test_every_figure_says_whose_it_is(self):
        for chart, figure in {"solve-error": 1, "solve-ways": 2, "solve-rate": 3, "solve-time": 4, "solve-updates": 6,
                              "solve-iterations": 6, "transfer-size-rate": 5}.items():
            self.assertIn(f"(paper 003, figure {figure})", self.titles[chart + "-double"])
        self.assertIn("(paper 004, figure 8)", self.titles["solve-speed-double"])
        self.assertIn("(paper 000, figures 7 and 8)", self.titles["threads-gain-double"])

    def test_no_sideways_scrolling(self):
        told = self.browser.told_inside(self.report, 390)
        self.assertEqual(json.loads(told["wide"]), [])
        self.assertEqual(json.loads(told["window"])["content"], 390)


def works(browser, folder):
    """Some packages of Chromium start but may not read files here."""
    page = folder / "works.html"
    page.write_text("<title>it works</title>", encoding="utf-8")
    return Page(browser.run(page.as_uri(), "--dump-dom").stdout).titles == ["it works"]


def take_screenshots(browser, report, folder, prefix):
    for scheme, flags in (("light", []), ("dark", DARK)):
        browser.screenshot(report, folder / f"{prefix}desktop-{scheme}.png", "1280,900", *flags)
        browser.screenshot(browser.frame(report, 390, 844), folder / f"{prefix}phone-{scheme}.png", "390,844", *flags)


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
        FiguresTest.browser = ReportTest.browser
        FiguresTest.report = pathlib.Path(folder) / "figures.html"
        subprocess.run([sys.argv[1], FiguresTest.report, "0", "figures"], check=True)
        if len(sys.argv) > 2:
            for report, name in ((ReportTest.report, ""), (MeasuredTest.report, "measured-"), (FiguresTest.report, "figures-")):
                take_screenshots(ReportTest.browser, report, pathlib.Path(sys.argv[2]).resolve(), name)
        result = unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
