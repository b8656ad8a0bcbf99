# SPDX-License-Identifier: Apache-2.0
"""The default output of `analyze`: one screen that answers how long a step takes, how far it is from speed of light,
and what to change first."""

import json
import unittest

from cli_test import EXAMPLES, run

LINES, COLUMNS = 40, 100
RUNS = sorted(EXAMPLES.rglob("*.sqlite"))


def findings(file):
    result = run("analyze", file, "--format", "json")
    assert result.returncode == 0, result.stderr
    return {finding["id"]: finding for finding in json.loads(result.stdout)["findings"]}


def milliseconds(value, unit):
    return float(value) * {"s": 1e3, "ms": 1, "µs": 1e-3}[unit]


class Overview(unittest.TestCase):
    def test_fits_a_screen_and_agrees_with_all_results(self):
        self.assertGreater(len(RUNS), 15)
        for file in RUNS:
            with self.subTest(file=file.name):
                result = run("analyze", file)
                self.assertEqual(result.returncode, 0, result.stderr)
                lines = result.stdout.splitlines()
                self.assertLessEqual(len(lines), LINES)
                self.assertLessEqual(max(map(len, lines)), COLUMNS)
                text = " ".join(lines)
                everything = findings(file)
                # How long, how far: the words of the summary.
                self.assertIn(everything["summary"]["summary"], text)
                row = everything["summary"]["tables"][0]["rows"][0]
                if row["step_s"] is not None:
                    value, unit = text.split("A typical step takes ")[1].split()[:2]
                    self.assertAlmostEqual(milliseconds(value, unit) / (1e3 * row["step_s"]), 1, delta=0.006)
                # The first pieces of advice.
                rows = [row for table in everything["advice"]["tables"] if table["id"] == "advice"
                        for row in table["rows"]]
                if not rows:
                    self.assertIn("No issues found in this profile.", text)
                for advice in rows[:3]:
                    self.assertIn(advice["title"] + ".", text)

    def fits(self, *arguments):
        result = run(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertLessEqual(len(lines), LINES, arguments)
        self.assertLessEqual(max(map(len, lines)), COLUMNS, arguments)
        self.assertIn("--all", result.stderr)
        whole = run(*arguments, "--all")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        self.assertGreater(len(whole.stdout.splitlines()), len(lines))
        self.assertNotIn("--all", whole.stderr)
        # Other formats always have everything.
        self.assertEqual(run(*arguments, "--format", "json").stdout,
                         run(*arguments, "--format", "json", "--all").stdout)
        return " ".join(lines)

    def test_explain_fits_a_screen_and_adds_up(self):
        training = EXAMPLES / "training"
        for file in RUNS:
            if file.name not in ("h200_offload.sqlite", "ranks.sqlite"):  # no kernel has a SOL time
                self.fits("explain", file)
        self.fits("explain", "--baseline", training / "llama_bf16.sqlite", "--candidate", training / "llama_fp8.sqlite")
        pair = ("--baseline", EXAMPLES / "pretraining/train_bf16.sqlite", "--candidate",
                EXAMPLES / "pretraining/train_fp8.sqlite")
        text = self.fits("explain", *pair)
        self.assertIn("9 smaller causes", text)
        rows = [row for finding in json.loads(run("explain", *pair, "--format", "json").stdout)["findings"]
                for table in finding["tables"] if table["id"] == "ledger" for row in table["rows"]]
        smaller = sorted((row["time_s"] for row in rows if row["time_s"] is not None), key=abs)[:9]
        value, unit = text.split("9 smaller causes")[1].split()[:2]
        self.assertAlmostEqual(milliseconds(value, unit), 1e3 * sum(smaller), delta=1e-4)

    def test_compare_fits_a_screen_and_names_the_largest_changes(self):
        training = EXAMPLES / "training"
        text = self.fits("compare", training / "llama_bf16.sqlite", training / "llama_fp8.sqlite")
        self.assertIn("Largest changes by class: gemm -6.37 ms, transpose +5.54 ms, quantize +5.17 ms.", text)
        self.assertIn("By kernel (5 of", text)
        text = self.fits("compare", EXAMPLES / "pretraining/train_bf16.sqlite", EXAMPLES / "pretraining/train_fp8.sqlite")
        self.assertIn("validation loss", text)

    def test_predictions_and_machine_models_fit_a_screen(self):
        text = self.fits("predict", "--machine", "h200", "--recipe", "fp8", "--against", "bf16")
        self.assertIn("as fast as bf16", text)
        self.fits("predict")
        text = self.fits("predict", "--goodput", "--spares", 2, "--sync", "foreground", "--checkpoint-every-s", 3600,
                         "--mtbf-hours", 2000)
        self.assertIn("would be best", text)
        text = self.fits("show", EXAMPLES / "machine.json")
        self.assertIn("Compute ceilings (7 of 83)", text)
        model = json.loads((EXAMPLES / "machine.json").read_text())
        self.assertIn("BF16 938 TFLOP/s", " ".join(text.split()))
        rates = [c["value"] for d in model["devices"] for c in d["ceilings"] if c.get("kernel") == "wgmma_bf16"]
        self.assertTrue(any(abs(rate / 938e12 - 1) < 1e-3 for rate in rates))

    def test_all_prints_every_analysis(self):
        file = EXAMPLES / "h200_pytorch_counters.sqlite"
        whole = run("analyze", file, "--all")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        for finding in findings(file).values():
            self.assertIn(finding["title"], whole.stdout)
        self.assertIn("--all", run("analyze", file).stderr)
        self.assertNotIn("--all", whole.stderr)
        self.assertEqual(run("analyze", file, "--all", "--analysis", "kernels").returncode, 2)

    def test_rows_implies_all(self):
        file = EXAMPLES / "h200_pytorch_counters.sqlite"
        self.assertEqual(run("analyze", file, "--rows", 20).stdout, run("analyze", file, "--all").stdout)
        self.assertIn("more rows", run("compare", file, file, "--rows", 2).stdout)

    def test_a_run_without_flop_shows_the_parts_of_its_step(self):
        file = EXAMPLES / "h200_offload.sqlite"
        text = run("analyze", file).stdout
        self.assertIn("there is no speed-of-light time", text)
        step = next(table for table in findings(file)["steps"]["tables"] if table["id"] == "step_time")
        parts = sorted(step["rows"], key=lambda row: -row["time_s"])
        self.assertEqual([row["name"] for row in parts[:3]], ["memcpy and memset", "synchronization", "host code"])
        place = -1
        for name in ("exposed memcpy and memset", "idle: synchronization", "idle: host code"):
            self.assertGreater(text.find(name), place)
            place = text.find(name)


if __name__ == "__main__":
    unittest.main()
