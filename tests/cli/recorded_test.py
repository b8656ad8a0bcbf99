# SPDX-License-Identifier: Apache-2.0
"""The runs recorded on an H200, some of which the quickstart shows on machines without a GPU."""

import collections
import csv
import io
import json
import pathlib
import re
import sqlite3
import tempfile
import unittest

from cli_test import EXAMPLES, InFolder, run


class Recorded(unittest.TestCase):
    def test_is_analyzed_with_its_own_machine_model(self):
        for recipe, kernels in (("bf16", 288), ("nvfp4", 1760)):
            result = run("analyze", EXAMPLES / f"h200_layer_{recipe}.sqlite", "--machine",
                         EXAMPLES / "machine.json", "--format", "json")
            self.assertEqual(result.returncode, 0, result.stderr)
            findings = {f["id"]: f for f in json.loads(result.stdout)["findings"]}
            rows = findings["kernels"]["tables"][0]["rows"]
            self.assertEqual(sum(r["launches"] for r in rows if r["class"] not in ("memcpy", "memset")), kernels)
            gemms = [r for r in rows if r["class"] == "gemm"]
            # 23 steps; fprop, dgrad and wgrad of four layers, 2 * M * N * K FLOP each.
            weights = 4096 * 6144 + 4096 * 4096 + 4096 * 28672 + 14336 * 4096
            self.assertAlmostEqual(sum(r["flop"] for r in gemms) / (23 * 6 * 8192 * weights), 1)
            for row in rows:
                if isinstance(row["slowdown"], float):
                    self.assertGreater(row["slowdown"], 0.95, row["name"])

    def test_counters_give_a_roofline_without_annotations(self):
        result = run("analyze", EXAMPLES / "h200_pytorch_counters.sqlite", "--machine",
                     EXAMPLES / "machine.json", "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        findings = {f["id"]: f for f in json.loads(result.stdout)["findings"]}
        rows = findings["kernels"]["tables"][0]["rows"]
        for name, precision in (("nvjet_sm90_tst", "BF16"), ("nvjet_sm90_qqtst", "FP8 E4M3")):
            row = next(r for r in rows if r["name"].startswith(name))
            self.assertEqual((row["origin"], row["precision"]), ("counters", precision))
            # 4096^3; next to the tensor cores' operations some of the epilogue's in FP32.
            self.assertAlmostEqual(row["flop"] / row["launches"] / (2 * 4096**3), 1, delta=0.01)
            self.assertGreater(row["l2_bytes"], row["hbm_bytes"])
        # z = x + 3 y of 2^26 FP32 numbers: two read, one written.
        triad = next(r for r in rows if r["class"] == "elementwise" and r["bound"] == "HBM")
        self.assertAlmostEqual(triad["hbm_bytes"] / triad["launches"] / (3 * 4 * 2**26), 1, delta=0.02)

    def test_the_ledger_of_explain_adds_up(self):
        runs = {recipe: EXAMPLES / f"h200_layer_{recipe}.sqlite" for recipe in ("bf16", "nvfp4")}
        machine = ["--machine", EXAMPLES / "machine.json", "--format", "json"]
        for arguments in ([runs["nvfp4"]], ["--baseline", runs["bf16"], "--candidate", runs["nvfp4"]]):
            result = run("explain", *arguments, *machine)
            self.assertEqual(result.returncode, 0, result.stderr)
            ledger = json.loads(result.stdout)["findings"][0]["tables"][0]["rows"]
            self.assertEqual((ledger[0]["id"], ledger[-1]["id"]), ("ideal", "measured"))
            total = ledger[0]["after_s"] + sum(line["time_s"] for line in ledger[1:-1])
            self.assertAlmostEqual(total, ledger[-1]["after_s"], delta=1e-12)
            self.assertIn("quantize", [line["id"] for line in ledger])

    def test_details_are_measured_times_that_add_up(self):
        """Only `adds_s` can be negative, a kernel missing in a profile is null, and details add up to lines."""
        training = EXAMPLES / "training"
        result = run("explain", "--baseline", training / "llama_bf16.sqlite", "--candidate",
                     training / "llama_fp8.sqlite", "--machine", EXAMPLES / "machine.json", "--rows", "100000",
                     "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines, details = json.loads(result.stdout)["findings"][0]["tables"][:2]
        adds = collections.Counter()
        for row in details["rows"]:
            self.assertEqual(list(row), ["id", "name", "baseline_s", "ideal_s", "candidate_s", "adds_s"])
            self.assertFalse(row["baseline_s"] is None and row["candidate_s"] is None, row)
            for key in ("baseline_s", "ideal_s", "candidate_s"):
                self.assertTrue(row[key] is None or row[key] >= 0, row)
            adds[row["id"]] += row["adds_s"]
        for line in lines["rows"][1:-1]:
            self.assertAlmostEqual(adds[line["id"]], line["time_s"], delta=1e-12)
        # The FP8 recipe runs the optimizer in FP32, as BF16 does: not in half of the time.
        optimizer = next(r for r in details["rows"] if (r["id"], r["name"]) == ("non_gemm", "optimizer"))
        self.assertAlmostEqual(optimizer["candidate_s"] / optimizer["baseline_s"], 1, delta=0.05)
        self.assertAlmostEqual(lines["rows"][0]["speed_up"], 2, delta=0.005)
        # No quantize kernel runs in BF16.
        self.assertTrue(all(r["baseline_s"] is None for r in details["rows"] if r["id"] == "quantize"))

    def test_launches_that_read_counters_are_excluded(self):
        """Each was wrong: 689 m launches of a kernel that runs once a step, 97.9 % idle, 254 J a step, no advice."""
        training = EXAMPLES / "training"
        result = run("compare", training / "llama_bf16.sqlite", training / "llama_fp8.sqlite", "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        finding = next(f for f in json.loads(result.stdout)["findings"] if f["id"] == "run_comparison")
        kernels = next(t for t in finding["tables"] if t["id"] == "kernels")["rows"]
        once = [k for k in kernels if k["launches_b"] == 1 and k["name"].startswith("nvjet") and k["b_s"] > 1.2e-3]
        self.assertTrue(once)
        for kernel in kernels:
            for launches in (kernel["launches_a"], kernel["launches_b"]):
                self.assertAlmostEqual(launches, round(launches), delta=1e-9, msg=kernel["name"])
        for kernel in once:
            self.assertAlmostEqual(kernel["typical_b_s"] / kernel["b_s"], 1, delta=0.02)
            self.assertAlmostEqual(kernel["median_b_s"], kernel["typical_b_s"], delta=1e-12)
        for file in sorted(training.glob("*.sqlite")):
            result = run("analyze", file, "--machine", EXAMPLES / "machine.json", "--format", "json")
            self.assertEqual(result.returncode, 0, result.stderr)
            findings = {f["id"]: f for f in json.loads(result.stdout)["findings"]}
            summary = findings["summary"]["tables"][0]["rows"][0]
            self.assertLess(summary["step_idle_s"] / summary["step_s"], 0.05, file.name)
            self.assertGreater(summary["busy_fraction"], 0.9, file.name)
            for table in findings["energy"]["tables"]:
                for row in table["rows"]:
                    if table["id"] == "energy_per_step" and row["energy_j"] is not None:
                        self.assertLess(row["energy_j"] / row["step_s"], 1.1 * 700, file.name)
            self.assertTrue(findings["advice"]["tables"], f"{file.name}: {findings['advice']['summary']}")

    def test_clocks_exclude_steps_that_read_counters(self):
        """A step takes 30 or 34 ms; one in which counters were read, or that follows one, takes more."""
        clock_ghz = {}
        for side, precision in (("A", "bf16"), ("B", "fp8")):
            database = sqlite3.connect(EXAMPLES / "training" / f"llama_{precision}.sqlite")
            clock_ghz[side], samples = database.execute(
                "SELECT avg(smClockMHz) / 1000, count(smClockMHz) FROM MANSARD_DEVICE_STATE s JOIN "
                "(SELECT min(k.start) AS start, max(k.end) AS end FROM CUPTI_ACTIVITY_KIND_KERNEL k "
                "JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId) "
                "JOIN NVTX_EVENTS n ON r.start >= n.start AND r.start < n.end "
                "WHERE n.text LIKE 'step %' GROUP BY n.text) step "
                "ON s.timestamp BETWEEN step.start AND step.end "
                "WHERE step.end - step.start < 38e6").fetchone()
            database.close()
            self.assertGreaterEqual(samples, 5)
        result = run("compare", EXAMPLES / "training" / "llama_bf16.sqlite",
                     EXAMPLES / "training" / "llama_fp8.sqlite", "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        notes = next(f for f in json.loads(result.stdout)["findings"] if f["id"] == "notes")["tables"][0]["rows"]
        stated = [float(ghz) for row in notes for ghz in re.findall(r"([\d.]+) GHz", row["note"])]
        self.assertEqual(len(stated), 2, notes)
        for side, ghz in zip("AB", stated):
            self.assertAlmostEqual(ghz, clock_ghz[side], delta=0.006, msg=side)

    def test_no_launch_is_faster_than_its_sol_time(self):
        """Launch by launch, over every recording with a measured machine: at most 3 % above. Launches whose work is
        only a mean over launches of different work have none of their own."""
        above = collections.Counter()
        for file in sorted([*EXAMPLES.glob("*.sqlite"), *(EXAMPLES / "training").glob("*.sqlite")]):
            result = run("export", file, "--to", "csv", "--machine", EXAMPLES / "machine.json")
            self.assertEqual(result.returncode, 0, result.stderr)
            for launch in csv.DictReader(io.StringIO(result.stdout)):
                if launch["bound"] in ("", "launch") or not launch["sol_s"]:
                    continue
                if float(launch["sol_s"]) > 1.03e-9 * int(launch["duration_ns"]):
                    above[(file.name, launch["class"], launch["bound"], launch["name"][:60])] += 1
        self.assertEqual(dict(above), {})

    def test_pageable_memcpys_get_bandwidth_and_advice(self):
        """Memcpys from pageable memory, without annotations, take 98 % of the GPU time."""
        file = EXAMPLES / "h200_offload.sqlite"
        database = sqlite3.connect(file)
        copies_ns, = database.execute("SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_MEMCPY").fetchone()
        kernels_ns, = database.execute("SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()
        bytes_, large_ns = database.execute(
            "SELECT sum(bytes), sum(end - start) FROM CUPTI_ACTIVITY_KIND_MEMCPY "
            "WHERE copyKind = 1 AND bytes > 1 << 20 AND bytes <= 1 << 24").fetchone()
        database.close()
        self.assertGreater(copies_ns / (copies_ns + kernels_ns), 0.975)
        result = run("analyze", file, "--machine", EXAMPLES / "machine.json", "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        findings = {f["id"]: f for f in json.loads(result.stdout)["findings"]}
        shares = collections.Counter()
        for part in findings["steps"]["tables"][0]["rows"]:
            shares[part["kind"]] += part["share"]
        self.assertEqual([kind for kind, _ in shares.most_common(2)], ["idle", "memcpy_memset"])
        advice = [r for r in findings["advice"]["tables"][0]["rows"] if r["id"] == "memory_operations"]
        self.assertEqual(len(advice), 1)
        evidence = [r for r in findings["advice"]["tables"][1]["rows"] if r["number"] == advice[0]["number"]]
        self.assertEqual([r["name"] for r in evidence], ["Memcpy HtoD (Pageable -> Device)"])
        copies = findings["kernels"]["tables"][0]["rows"][0]  # the ones with most time
        self.assertEqual((copies["name"], copies["slowdown"]), (evidence[0]["name"], evidence[0]["slowdown"]))
        self.assertAlmostEqual(copies["bytes_per_s"] / (1e9 * bytes_ / large_ns), 1)
        self.assertIn(f"{bytes_ / large_ns:.2f} GB/s", advice[0]["advice"])
        self.assertIn("pinned memory", advice[0]["advice"])
        self.assertLessEqual(advice[0]["saving_s"], advice[0]["concerned_s"] + 1e-12)

    def test_rounding_leaves_no_residual(self):
        training = EXAMPLES / "training"
        for file in sorted(training.glob("*.sqlite")):
            with self.subTest(file=file.name):
                result = run("explain", file, "--machine", EXAMPLES / "machine.json", "--format", "json")
                self.assertEqual(result.returncode, 0, result.stderr)
                last = json.loads(result.stdout)["findings"][0]["tables"][0]["rows"][-1]
                self.assertRegex(last["meaning"], r"[^\d.]0 s$")

    def test_fp8_is_explained_as_validated(self):
        """docs/validation/h200.md: removing the FP8 quantize kernels saved 1.24 ms per step."""
        training = EXAMPLES / "training"
        result = run("explain", "--baseline", training / "layer_bf16.sqlite", "--candidate",
                     training / "layer_fp8.sqlite", "--machine", EXAMPLES / "machine.json", "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        ledger = {line["id"]: line for line in json.loads(result.stdout)["findings"][0]["tables"][0]["rows"]}
        quantizing_s = ledger["amax"]["time_s"] + ledger["quantize"]["time_s"]
        self.assertAlmostEqual(quantizing_s / 1.24e-3, 1, delta=0.1)
        self.assertAlmostEqual(ledger["measured"]["speed_up"], 1.58, delta=0.01)

    def test_has_steps_that_hold_all_of_their_time(self):
        result = run("analyze", EXAMPLES / "h200_layer_bf16.sqlite", "--analysis", "steps", "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        parts, steps, phases = json.loads(result.stdout)["findings"][0]["tables"]
        self.assertEqual([s["step"] for s in steps["rows"]], [f"step {i}" for i in range(20)])
        self.assertAlmostEqual(sum(p["time_s"] for p in parts["rows"]),
                               sum(s["time_s"] for s in steps["rows"]) / 20, delta=1e-12)
        self.assertEqual({p["phase"]: p["steps"] for p in phases["rows"] if p["steps"]}, {"typical steps": 20})

    def test_traces_of_pytorch_and_nsight_systems_agree(self):
        """Two recordings of one program by different tools: the same launches, which take as long. (Of
        their names each has its own spelling: "(anonymous namespace)" and "<unnamed>".)"""
        with tempfile.TemporaryDirectory() as folder:
            for precision, kernels in (("bf16", 691), ("fp8", 1651)):
                imported = pathlib.Path(folder) / f"{precision}.sqlite"
                trace = EXAMPLES.parent / "kineto" / f"llama_{precision}.json.gz"
                result = run("import", trace, "-o", imported)
                self.assertEqual(result.returncode, 0, result.stderr)
                by_name = []
                for file in (imported, EXAMPLES.parent / "nsight" / f"llama_{precision}.sqlite"):
                    result = run("analyze", file, "--analysis", "kernels", "--machine",
                                 EXAMPLES / "machine.json", "--format", "json")
                    self.assertEqual(result.returncode, 0, result.stderr)
                    launches, seconds = collections.Counter(), 0
                    for row in json.loads(result.stdout)["findings"][0]["tables"][0]["rows"]:
                        if row["class"] in ("memcpy", "memset"):
                            continue
                        launches[row["signature"].rpartition(" <<<")[2]] += row["launches"]
                        seconds += row["time_s"]
                    by_name.append((launches, seconds))
                (ours, our_s), (theirs, their_s) = by_name
                self.assertEqual(sum(ours.values()), kernels)
                self.assertEqual(ours, theirs)
                self.assertAlmostEqual(our_s / their_s, 1, delta=0.02)

    def test_ranks_are_distinguished(self):
        """Two data-parallel GPUs: equal work, and one arrives later at the collectives."""
        result = run("analyze", EXAMPLES / "ranks.sqlite", "--analysis", "ranks", "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        finding = json.loads(result.stdout)["findings"][0]
        rows = finding["tables"][0]["rows"]
        self.assertEqual([row["device"] for row in rows], [0, 1])
        parts = ("kernels_s", "communication_s", "rank_wait_s", "memcpy_memset_s", "idle_s")
        for row in rows:
            self.assertAlmostEqual(sum(row[part] for part in parts), row["step_s"], delta=1e-12)
            self.assertEqual(row["collectives"], 72)
        # One rank is last in each collective; no rank waits for itself.
        self.assertGreaterEqual(sum(row["last_share"] for row in rows), 1)
        self.assertGreater(rows[0]["rank_wait_s"], rows[1]["rank_wait_s"])
        self.assertAlmostEqual(rows[1]["last_share"], 58 / 72)

    def test_explain_needs_one_profile_or_two(self):
        run_file = EXAMPLES / "h200_layer_bf16.sqlite"
        for arguments in ([], ["--baseline", run_file], [run_file, "--candidate", run_file]):
            result = run("explain", *arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("--baseline and --candidate", result.stderr)
        result = run("explain", run_file, "--step-range", "epoch")
        self.assertEqual(result.returncode, 1)
        self.assertIn("starts with 'epoch'", result.stderr)

    def test_the_old_name_of_step_range_works_with_a_note(self):
        for before in (["--steps-range", "epoch"], ["--steps-range=epoch"]):
            result = run("explain", EXAMPLES / "h200_layer_bf16.sqlite", *before)
            self.assertIn("--steps-range is now --step-range", result.stderr)
            self.assertIn("'epoch'", result.stderr)

    def test_the_old_names_of_options_of_compare_work_with_a_note(self):
        run_file = EXAMPLES / "h200_layer_bf16.sqlite"
        result = run("compare", run_file, run_file, "--fail-above-span", "3%")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("--fail-above-span is now --fail-above-time", result.stderr)
        machine = EXAMPLES / "machine.json"
        result = run("compare", machine, machine, "--gate", "1", "--at-clock")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("--at-clock is now --at-equal-clock", result.stderr)


class WithoutSteps(InFolder):
    """A trace without step ranges and without a repeating kernel pattern."""

    def test_a_step_is_not_compared_with_a_whole_profile(self):
        trace = self.folder / "whole.json"
        # Twenty kernels, each another one.
        trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [
            {"ph": "X", "cat": "kernel", "name": f"kernel_{i}", "pid": 0, "tid": 7, "ts": 100 * i, "dur": 90,
             "args": {"device": 0, "stream": 7, "correlation": i, "grid": [1, 1, 1], "block": [32, 1, 1]}}
            for i in range(20)]}))
        whole = self.folder / "whole.sqlite"
        result = run("import", trace, "-o", whole)
        self.assertEqual(result.returncode, 0, result.stderr)
        machine = ["-m", EXAMPLES / "machine.json"]
        of_steps = EXAMPLES / "training/llama_bf16.sqlite"
        for pair in (["--baseline", of_steps, "--candidate", whole],
                     ["--baseline", whole, "--candidate", of_steps]):
            self.assert_fails(run("explain", *pair, *machine), 1,
                              f"no steps were found in {whole}", of_steps, "--step-range")
        # Whole against whole adds up, and the page of the unequal two says why it has no ledger.
        same = run("explain", "--baseline", whole, "--candidate", whole, *machine, "--format", "json")
        self.assertEqual(same.returncode, 0, same.stderr)
        page = self.folder / "page.html"
        result = run("report", whole, "--baseline", of_steps, *machine, "-o", page)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("no steps were found in", result.stderr)
        self.assertIn("no steps were found in", page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
