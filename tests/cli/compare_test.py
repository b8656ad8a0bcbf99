# SPDX-License-Identifier: Apache-2.0
"""`mansard compare`, and advice, what-if and user rules of `mansard analyze`."""

import json
import shlex
import shutil
import sqlite3
import unittest

from cli_test import EXAMPLES, InFolder, run

BF16 = EXAMPLES / "h200_layer_bf16.sqlite"
NVFP4 = EXAMPLES / "h200_layer_nvfp4.sqlite"
MACHINE = EXAMPLES / "machine.json"


def findings(*arguments):
    result = run(*arguments, "--format", "json")
    assert result.returncode in (0, 3), result.stderr
    return {f["id"]: f for f in json.loads(result.stdout)["findings"]}


def table(finding, name):
    return next(t["rows"] for t in finding["tables"] if t["id"] == name)


def next_of(*arguments, cwd=None):
    """The words of the suggested next command."""
    result = run(*arguments, cwd=cwd)
    assert result.returncode == 0, result.stderr
    line, = (line for line in result.stderr.splitlines() if line.startswith("next: "))
    return shlex.split(line.removeprefix("next: mansard "))


class Next(InFolder):
    """The suggested next command names the same files and works as printed."""

    def test_after_each_command(self):
        a, b, machine = (self.folder / name for name in ("run a.sqlite", "it's b.sqlite", "m 1.json"))
        for source, file in ((BF16, a), (NVFP4, b), (MACHINE, machine)):
            shutil.copy(source, file)
        model = ["--machine", str(machine)]
        steps = ["--analysis", "steps", *model]
        for arguments, proposed in (
                (["analyze", a, "-m", machine], ["report", str(a), *model, "-o", "report.html"]),
                (["explain", a, "-m", machine], ["analyze", str(a), *steps]),
                (["explain", "--baseline", a, "--candidate", b, "-m", machine, "--ceiling-ratio", "2"],
                 ["analyze", str(b), *steps]),
                (["compare", a, b], ["report", str(b), "--baseline", str(a), "-o", "runs.html"]),
                (["compare", machine, machine], ["report", *model, *model, "-o", "machines.html"])):
            with self.subTest(arguments=arguments):
                self.assertEqual(next_of(*arguments), proposed)
                result = run(*proposed, cwd=self.folder)
                self.assertEqual(result.returncode, 0, result.stderr)
                (self.folder / "report.html").unlink(missing_ok=True)


class Compare(InFolder):
    def slower_copy(self, factor):
        """The BF16 profile with all device times multiplied by `factor`."""
        file = self.folder / "slower.sqlite"
        shutil.copy(BF16, file)
        file.chmod(0o644)
        with sqlite3.connect(file) as database:
            database.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET "
                             "start = CAST(start * ?1 AS INTEGER), "
                             "end = CAST(end * ?1 AS INTEGER)", (factor,))
        database.close()
        return file

    def test_a_profile_equals_itself(self):
        found = findings("compare", BF16, BF16)["run_comparison"]
        self.assertEqual({r["verdict"] for r in table(found, "kernels")} - {"too few samples"},
                         {"within noise"})
        for row in table(found, "totals"):
            self.assertEqual(row["difference_s"], 0)
        gate = run("compare", BF16, BF16, "--fail-above", "0", "--fail-above-kernel", "0%")
        self.assertEqual(gate.returncode, 0, gate.stderr)

    def test_kernels_that_were_added_are_named(self):
        found = findings("compare", BF16, NVFP4)
        rows = table(found["run_comparison"], "kernels")
        added = {r["name"] for r in rows if r["verdict"] == "added"}
        self.assertIn("nvfp4_strip_quantize", added)
        classes = {r["class"]: r for r in table(found["run_comparison"], "classes")}
        self.assertEqual(classes["quantize"]["a_s"], 0)
        self.assertGreater(classes["quantize"]["b_s"], 0)
        # Differences of kernels, and of classes, add up to the total difference.
        total = next(r for r in table(found["run_comparison"], "totals")
                     if r["what"] == "sum of kernels and memory operations")
        for parts in (rows, classes.values()):
            self.assertAlmostEqual(sum(r["difference_s"] for r in parts), total["difference_s"])
        self.assertTrue(any("Commands differ" in r["note"]
                            for r in table(found["notes"], "notes")))

    def test_a_regression_fails_the_gate_and_is_named(self):
        slower = self.slower_copy(1.05)
        gate = run("compare", BF16, slower, "--fail-above", "3%", "--fail-above-kernel", "10",
                   "--fail-above-class", "gemm=4%")
        self.assertEqual(gate.returncode, 3, gate.stderr)
        self.assertIn("busy time per", gate.stderr)
        self.assertIn("class gemm", gate.stderr)
        self.assertNotIn("kernel nvjet", gate.stderr)
        self.assertEqual(run("compare", BF16, slower, "--fail-above", "6%").returncode, 0)
        self.assertEqual(run("compare", slower, BF16, "--fail-above", "0").returncode, 0)

    def test_a_gate_without_enough_data_fails(self):
        empty, cut = self.folder / "empty.sqlite", self.folder / "cut.sqlite"
        for file, change in ((empty, "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL"),
                             (cut, "UPDATE MANSARD_STATE SET state = 'interrupted'")):
            shutil.copy(BF16, file)
            file.chmod(0o644)
            with sqlite3.connect(file) as database:
                database.execute(change)
            database.close()
        for limit in (("--fail-above", "5"), ("--fail-above-time", "5"), ("--fail-above-kernel", "5"),
                      ("--fail-above-class", "5"), ("--fail-above-class", "gemm=5")):
            self.assert_fails(run("compare", BF16, empty, *limit), 1, "gate cannot be applied")
            self.assert_fails(run("compare", BF16, cut, *limit), 1, "gate cannot be applied", "B (cut)",
                              "the recording did not finish")
        self.assertEqual(run("compare", BF16, cut).returncode, 0)

    def test_empty_limits_are_refused(self):
        for option in ("--fail-above", "--fail-above-time", "--fail-above-kernel", "--fail-above-class"):
            self.assert_fails(run("compare", BF16, BF16, option, ""), 2, "percentage", "''")
        self.assert_fails(run("compare", BF16, BF16, "--fail-above-class", "=5"), 2, "'=5'")
        self.assert_fails(run("compare", BF16, BF16, "--fail-above-class", "gemm="), 2, "''")

    def test_every_format(self):
        for form in ("table", "json", "csv", "md"):
            result = run("compare", BF16, NVFP4, "--format", form)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("quantize", result.stdout)

    def test_options_and_files_that_do_not_match(self):
        self.assert_fails(run("compare", BF16, MACHINE), 2, "is a profile", "mansard analyze")
        self.assert_fails(run("compare", BF16, BF16, "--gate", "3"), 2, "--gate")
        self.assert_fails(run("compare", MACHINE, MACHINE, "--fail-above", "3"), 2,
                          "--fail-above")
        self.assert_fails(run("compare", BF16, BF16, "--fail-above", "x"), 2, "percentage", "'x'")
        self.assert_fails(run("compare", BF16, BF16, "--fail-above", "-1"), 2)
        self.assert_fails(run("compare", BF16, BF16, "--fail-above-class", "gem=3"), 1, "'gem'")
        self.assert_fails(run("compare", BF16, BF16, "--step-range", "nothing"), 1, "'nothing'")
        self.assert_fails(run("compare", BF16, self.folder / "none.sqlite"), 1, "none.sqlite")


class Analyze(InFolder):
    def test_user_rules_take_precedence(self):
        rules = self.folder / "mine.rules"
        rules.write_text("# mine\nproduct - nvjet*\nlibrary blas nvjet*\n")
        found = findings("analyze", BF16, "--rules", rules, "--analysis", "kernels,classes")
        row = next(r for r in table(found["kernels"], "kernels") if r["name"].startswith("nvjet"))
        self.assertEqual(row["library"], "blas")
        rules.write_text("\ngemm bf17 nvjet\n")
        self.assert_fails(run("analyze", BF16, "--rules", rules), 1, "mine.rules, line 2", "bf17")
        self.assert_fails(run("analyze", BF16, "--rules", self.folder / "no"), 1, "no", "--rules")

    def test_library_and_precision_are_columns(self):
        found = findings("analyze", BF16, "--analysis", "classes,kernels")
        gemm = next(r for r in table(found["classes"], "classes") if r["class"] == "gemm")
        self.assertEqual(gemm["libraries"], "cublas 100.0 %")
        self.assertEqual(gemm["precisions"], "BF16 100.0 %")

    def test_what_if(self):
        found = findings("analyze", NVFP4, "--machine", MACHINE, "--what-if", "quantize=0",
                         "--what-if", "gemm=sol")
        self.assertEqual(set(found) - {"notes"}, {"what_if"})
        measured, changed, same_clock, without = table(found["what_if"], "what_if_run")
        self.assertLess(changed["time_s"], measured["time_s"])
        self.assertLess(changed["low_s"], changed["time_s"])
        self.assertGreater(changed["high_s"], changed["time_s"])
        self.assertLess(without["time_s"], same_clock["time_s"])
        saved = sum(r["saved_s"] for r in table(found["what_if"], "what_if"))
        self.assertAlmostEqual(measured["time_s"] - same_clock["time_s"], saved)
        self.assert_fails(run("analyze", NVFP4, "--what-if", "gemm=fast"), 2, "gemm=fast")
        self.assert_fails(run("analyze", NVFP4, "--what-if", "gem=0"), 1, "gem", "quantize")

    def test_advice_and_energy(self):
        found = findings("analyze", NVFP4, "--machine", MACHINE, "--analysis", "advice,energy",
                         "--tokens-per-step", "8192")
        rules = [r["id"] for r in table(found["advice"], "advice")]
        self.assertIn("conversions", rules)
        self.assertGreater(table(found["energy"], "energy")[0]["energy_j"], 0)
        found = findings("analyze", BF16, "--analysis", "energy")
        self.assertIn("not available", found["energy"]["summary"])


if __name__ == "__main__":
    unittest.main()
