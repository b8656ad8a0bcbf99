# SPDX-License-Identifier: Apache-2.0
"""`mansard report`, and pages of what other commands find."""

import contextlib
import csv
import io
import json
import pathlib
import re
import shlex
import shutil
import sqlite3
import tempfile
import unittest
import xml.etree.ElementTree

from cli_test import EXAMPLES, run

TRAINING = EXAMPLES / "training"
MACHINE = ["--machine", EXAMPLES / "machine.json"]


class Report(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def page(self, *arguments):
        file = self.folder / "page.html"
        result = run("report", *arguments, "-f", "-o", file)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.strip(), str(file))
        return file.read_text(encoding="utf-8")

    def test_a_baseline_puts_the_comparison_first(self):
        bf16, fp8 = TRAINING / "layer_bf16.sqlite", TRAINING / "layer_fp8.sqlite"
        html = self.page(fp8, "--baseline", bf16, *MACHINE)
        parts = re.findall(r'<article id="(\w+)">', html)
        self.assertEqual(parts[:3], ["comparison1", "run1", "run2"])
        self.assertIn("layer_fp8 against layer_bf16", html)
        # The ledger of `explain`, to the last digit.
        explained = run("explain", "--baseline", bf16, "--candidate", fp8, *MACHINE, "--format", "json")
        for line in json.loads(explained.stdout)["findings"][0]["tables"][0]["rows"]:
            if line["time_s"]:
                self.assertRegex(html, r'data-v="%s"' % re.escape(repr(line["time_s"])))
        # The baseline named twice is one run.
        again = self.page(bf16, fp8, "--baseline", bf16, *MACHINE)
        self.assertEqual(re.findall(r'<article id="(\w+)">', again), parts)

    def test_a_baseline_without_another_profile_is_refused(self):
        file = TRAINING / "layer_bf16.sqlite"
        result = run("report", file, "--baseline", file, "-o", self.folder / "p.html")
        self.assertEqual(result.returncode, 2)
        self.assertIn("name a profile to compare with it", result.stderr)

    def test_its_findings_are_those_of_analyze(self):
        file = TRAINING / "layer_fp8.sqlite"
        reported = run("report", file, *MACHINE, "--format", "json")
        self.assertEqual(reported.returncode, 0, reported.stderr)
        analyzed = run("analyze", file, *MACHINE, "--format", "json")
        found = {f["id"]: f for f in json.loads(reported.stdout)["findings"]}
        for finding in json.loads(analyzed.stdout)["findings"]:
            self.assertEqual(found[finding["id"]], finding)
        self.assertIn("machine", found)
        # The page's ledger, with all kernels behind its lines, and what was swept.
        explained = run("explain", file, *MACHINE, "--rows", "1000000", "--format", "json")
        ledger = json.loads(explained.stdout)["findings"][0]
        self.assertEqual(found["step_ledger"]["tables"], ledger["tables"])
        model = json.loads(MACHINE[1].read_text())
        for device, suffix in zip(model["devices"], ("", "_2")):
            for key, name in (("bytes_per_s", "bandwidth"), ("time_s", "latency")):
                points = [p for p in device["sweep"] if key in p]
                tables = [t for t in found["sweep"]["tables"]
                          if t["id"] == f"{name}_over_working_set{suffix}"]
                self.assertEqual([t["rows"] for t in tables], [points] if points else [])
        self.assertTrue(any(device["sweep"] for device in model["devices"]))

    def test_every_format_of_text_goes_to_standard_output_or_a_file(self):
        file = TRAINING / "layer_bf16.sqlite"
        for form, start in (("txt", None), ("md", "## "), ("csv", "# "), ("json", "{")):
            result = run("report", file, *MACHINE, "--format", form)
            self.assertEqual(result.returncode, 0, result.stderr)
            if start:
                self.assertTrue(result.stdout.startswith(start), form)
            target = self.folder / f"report.{form}"
            self.assertEqual(run("report", file, *MACHINE, "--format", form, "-o", target).returncode, 0)
            if form != "txt":  # which is as wide as the terminal
                self.assertEqual(target.read_text(encoding="utf-8"), result.stdout)
            refused = run("report", file, *MACHINE, "--format", form, "-o", target)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("-f", refused.stderr)
        kernels = run("report", file, *MACHINE, "--format", "csv").stdout.split("# kernels\n")[1]
        rows = list(csv.DictReader(io.StringIO(kernels.split("\n\n")[0])))
        self.assertEqual(sum(int(r["launches"]) for r in rows),
                         sum(r["launches"] for f in json.loads(
                             run("analyze", file, *MACHINE, "--analysis", "kernels", "--format",
                                 "json").stdout)["findings"][:1] for r in f["tables"][0]["rows"]))

    def test_tables_of_several_profiles_have_unique_names(self):
        files = TRAINING / "layer_bf16.sqlite", TRAINING / "layer_fp8.sqlite"
        text = run("report", *files, *MACHINE, "--format", "csv").stdout
        names = re.findall(r"^# (.*)$", text, re.MULTILINE)
        self.assertEqual(sorted(set(names)), sorted(names))
        self.assertLessEqual({"run1.kernels", "run2.kernels", "bandwidth"}, set(names))
        # Each with the rows of its own run.
        for i, file in enumerate(files):
            alone = run("analyze", file, *MACHINE, "--analysis", "kernels", "--format", "csv").stdout
            of_run = text.split(f"# run{i + 1}.kernels\n")[1].split("\n\n")[0]
            self.assertEqual(of_run.strip(), alone.split("# kernels\n")[1].split("\n\n")[0].strip())

    def test_a_machine_model_without_profiles_is_reported_in_every_format(self):
        for form in ("txt", "md", "csv", "json", "svg"):
            result = run("report", *MACHINE, "--format", form)
            self.assertEqual(result.returncode, 0, (form, result.stderr))
            self.assertTrue(result.stdout, form)
            self.assertIn(f"next: mansard report --machine {MACHINE[1]} -o report.html\n", result.stderr)

    def test_the_suggested_page_has_the_same_profiles_and_machines(self):
        file = self.folder / "a run.sqlite"
        file.write_bytes((TRAINING / "layer_fp8.sqlite").read_bytes())
        baseline = TRAINING / "layer_bf16.sqlite"
        result = run("report", file, "--baseline", baseline, *MACHINE, "--title", "a b", "--format", "svg")
        command, = re.findall(r"^next: mansard (.*)$", result.stderr, re.MULTILINE)
        self.assertEqual(shlex.split(command), ["report", str(file), "--baseline", str(baseline),
                                                *map(str, MACHINE), "--title", "a b", "-o", "report.html"])
        made = run(*shlex.split(command), cwd=self.folder)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("next: xdg-open report.html", made.stderr)

    def test_each_figure_can_be_written_as_svg(self):
        file = TRAINING / "layer_fp8.sqlite"
        wrong = run("report", file, *MACHINE, "--format", "svg", "--figure", "pie")
        self.assertEqual(wrong.returncode, 2)
        names = re.search(r"it has ([\w, -]+)", wrong.stderr)[1].split(", ")
        for name in ("roofline", "time-plane", "complexity-plane", "timeline", "ledger", "steps"):
            self.assertIn(name, names)
        for name in names:
            result = run("report", file, *MACHINE, "--format", "svg", "--figure", name)
            self.assertEqual(result.returncode, 0, result.stderr)
            root = xml.etree.ElementTree.fromstring(result.stdout)
            self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
            self.assertGreater(len(root.get("aria-label")), 20)
            self.assertGreater(len(list(root)), 5, name)
        # The figure of a comparison is its ledger, of which a bar's value is that of `explain`.
        result = run("report", file, "--baseline", TRAINING / "layer_bf16.sqlite", *MACHINE, "--format",
                     "svg", "--figure", "comparison")
        self.assertIn("+854 µs", result.stdout)

    def test_rules_and_steps_are_those_of_analyze(self):
        rules = self.folder / "my.rules"
        rules.write_text("attention - multi_tensor_apply_kernel\n")
        file = TRAINING / "llama_bf16.sqlite"
        classes = {}
        for options in ([], ["--rules", rules]):
            result = run("report", file, *MACHINE, *options, "--format", "json")
            self.assertEqual(result.returncode, 0, result.stderr)
            found = {f["id"]: f for f in json.loads(result.stdout)["findings"]}
            classes[len(options)] = {r["class"]: r["launches"] for r in found["classes"]["tables"][0]["rows"]}
        self.assertGreater(classes[2]["attention"], classes[0]["attention"])
        result = run("report", file, *MACHINE, "--step-range", "epoch", "-o", self.folder / "p.html")
        self.assertEqual(result.returncode, 1)
        self.assertIn("starts with 'epoch'", result.stderr)
        self.assertFalse((self.folder / "p.html").exists())


    def test_a_folder_is_shown_by_date(self):
        folder = self.folder / "nightly"
        folder.mkdir()
        result = run("report", folder, "-o", self.folder / "p.html")
        self.assertEqual(result.returncode, 2)
        self.assertIn("is a folder without profiles", result.stderr)
        # The names are not in the order of the dates.
        dates = {}
        for day, name in enumerate(("c", "a", "b")):
            file = folder / f"{name}.sqlite"
            shutil.copy(TRAINING / "layer_bf16.sqlite", file)
            with contextlib.closing(sqlite3.connect(file)) as store, store:
                [[start]] = store.execute("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME")
                store.execute("UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = ?",
                              (start + day * 86_400_000_000_000,))
            dates[name] = day
        html = self.page(folder, *MACHINE)
        overview = html[html.index('<article id="runs">'):html.index('<article id="run1">')]
        links = re.findall(r'<a href="#(run\d)">(\w)</a>', overview)
        self.assertEqual(links, [("run1", "c"), ("run2", "a"), ("run3", "b")])
        self.assertIn("Step time from ", overview)
        result = run("report", folder, *MACHINE, "--format", "json")
        runs = json.loads(result.stdout)["findings"][0]
        self.assertEqual(runs["id"], "runs")
        self.assertEqual([row["day"] for row in runs["tables"][2]["rows"]], [0, 1, 2])


class PagesOfFindings(unittest.TestCase):
    def test_a_prediction(self):
        result = run("predict", "--model", "llama3-8b", "--machine", "gb200", "--recipe", "nvfp4",
                     "--against", "bf16", "--format", "html")
        self.assertEqual(result.returncode, 0, result.stderr)
        html = result.stdout
        self.assertTrue(html.startswith("<!DOCTYPE html>"))
        self.assertLess(len(html), 2_000_000)
        plain = run("predict", "--model", "llama3-8b", "--machine", "gb200", "--recipe", "nvfp4",
                    "--against", "bf16", "--format", "json")
        findings = json.loads(plain.stdout)["findings"]
        self.assertEqual(len(findings), 3)
        for finding in findings:
            for table in finding["tables"]:
                self.assertIn(f'data-name="{table["id"]}"', html)
        self.assertEqual([finding["id"] for finding in findings], ["ledger", "step_nvfp4", "step_bf16"])
        lead = html.split('<p class="lead">')[1].split("</p>")[0]
        speed_up, = findings[0]["tables"][1]["rows"]
        self.assertIn(f"nvfp4 is {speed_up['speed_up']:.2f}x", lead)
        self.assertEqual(html.count('<table class="ledger"'), 1)
        for row in findings[0]["tables"][0]["rows"]:
            self.assertIn(f'data-v="{row["saved_s"]!r}"', html)
        self.assertIn("--against bf16 --format html", html, "the page says how it was made")

    def test_goodput(self):
        command = ("predict", "--goodput", "--mtbf-hours", "2000", "--simulate", "--replications", "3")
        html = run(*command, "--format", "html").stdout
        finding = json.loads(run(*command, "--format", "json").stdout)["findings"][0]
        for table in finding["tables"]:
            self.assertIn(f'data-name="{table["id"]}"', html)
        # Each table with a chart has a figure: causes, chain, changes, sweep, alternatives.
        for title in ("Where the wall time goes", "From peak to goodput, per completed step",
                      "What would raise goodput most", "Goodput over the checkpoint interval",
                      "Recovery and synchronization"):
            figure = html.split(f">{title}</h3>")[1].split("<table")[0]
            self.assertIn("<svg", figure, title)

    def test_any_finding(self):
        for command in (["list", "kernels"], ["show", "H200 SXM"], ["doctor"]):
            result = run(*command, "--format", "html")
            self.assertTrue(result.stdout.startswith("<!DOCTYPE html>"), command)
            self.assertIn("</html>", result.stdout)


if __name__ == "__main__":
    unittest.main()
