# SPDX-License-Identifier: Apache-2.0
"""`mansard predict --goodput`: its output in each format, and its error messages.

Run by ctest; by hand: MANSARD=build/dev/bin/mansard python3 -m unittest -v goodput_test"""

import csv
import json
import os
import subprocess
import time
import unittest

MANSARD = os.environ["MANSARD"]
GIVEN = ("--step-s", 4, "--gpus", 16384, "--checkpoint-save-s", 20, "--checkpoint-load-s", 30)


def goodput(*arguments):
    return subprocess.run([MANSARD, "predict", "--goodput", *map(str, arguments)], capture_output=True,
                          text=True, check=False, timeout=60)


def findings(*arguments):
    result = goodput(*arguments, "--format", "json")
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    return json.loads(result.stdout)["findings"]


def tables(*arguments):
    return {table["id"]: table["rows"] for table in findings(*arguments)[0]["tables"]}


class Goodput(unittest.TestCase):
    def assert_fails(self, arguments, *words):
        result = goodput(*arguments)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        for word in words:
            self.assertIn(word, result.stderr)

    def test_causes_add_up(self):
        found = tables(*GIVEN, "--days", 54, "--spares", 3, "--sync-s", 0.3, "--sync-exposed-s", 0.1)
        *causes, wall = found["overhead"]
        self.assertAlmostEqual(sum(row["time_h"] for row in causes), wall["time_h"], places=9)
        self.assertAlmostEqual(wall["time_h"], 54 * 24, places=3)
        self.assertAlmostEqual(sum(row["share"] for row in causes), 1, places=12)
        result, = found["goodput"]
        self.assertEqual(result["goodput"], causes[0]["share"])
        self.assertAlmostEqual(result["steps"] * 4 / 3600, causes[0]["time_h"], delta=0.001)
        self.assertAlmostEqual(result["step_s"], 4.1)
        # The default: 419 interruptions of 16,384 GPUs in 54 days; waiting jobs do not fail.
        waiting = next(row for row in causes if row["cause"].startswith("waiting"))
        self.assertAlmostEqual(result["failures"], 419 * (1 - waiting["share"]), delta=0.01)
        self.assertAlmostEqual(result["interval_min"], result["optimum_min"])

    def test_replicas_that_train_on(self):
        options = (*GIVEN, "--gpus-per-node", 1024, "--days", 30, "--recovery", "partial", "--checkpoint-every-s", 1800)
        waiting, = tables(*options)["goodput"]
        found = tables(*options, "--replicated", "--simulate")
        result, = found["goodput"]

        def recoveries(rows):
            return sum(row["time_h"] for row in rows
                       if row["cause"] in ("detecting failures", "rescheduling and restart", "loading checkpoints"))

        self.assertAlmostEqual(recoveries(found["overhead"]) / recoveries(tables(*options)["overhead"]), 1 / 16,
                               delta=0.002)
        simulated = found["simulation"][0]
        self.assertAlmostEqual(simulated["goodput"], result["goodput"], delta=1e-3)
        self.assertAlmostEqual(simulated["lost_samples"] / result["lost_samples"], 1, delta=0.05)
        choices = {row["choice"]: row for row in found["alternatives"]}
        self.assertEqual(choices["partial, of replicas, background"]["goodput"], result["goodput"])
        self.assertAlmostEqual(choices["partial, background"]["goodput"], waiting["goodput"], places=5)
        self.assertIn({"input": "replicas", "value": "16", "source": "the job"}, found["inputs"])

    def test_replicas_must_be_several(self):
        self.assert_fails((*GIVEN, "--gpus-per-node", 16384, "--recovery", "partial", "--replicated"),
                          "partial recovery of replicas: the job has only one")
        self.assert_fails((*GIVEN, "--recovery", "partial", "--replicated", "--shards", 4), "--replicated",
                          "--shards")

    def test_chain_of_a_predicted_step(self):
        found = findings("--model", "llama3-8b", "--machine", "gb200", "--recipe", "nvfp4")
        self.assertEqual([finding["id"] for finding in found], ["goodput", "step_nvfp4"])
        goodput_tables = {table["id"]: table["rows"] for table in found[0]["tables"]}
        step, = next(table["rows"] for table in found[1]["tables"] if table["id"] == "step")
        *chain, wall = goodput_tables["chain"]
        self.assertEqual(chain[0]["of_peak"], 1)
        self.assertAlmostEqual(chain[0]["flop_per_s"] / 1e15, 10)  # GB200's NVFP4 peak, dense
        self.assertAlmostEqual(chain[0]["after_s"] + sum(row["time_s"] for row in chain[1:]),
                               wall["after_s"], places=9)
        row = next(row for row in chain if row["cause"] == "Exposed synchronization")
        self.assertAlmostEqual(row["after_s"], step["step_s"], places=9)
        self.assertAlmostEqual(row["flop_per_s"] / step["model_flop_per_s"], 1, places=9)
        result, = goodput_tables["goodput"]
        self.assertAlmostEqual(wall["after_s"], 3600 * result["wall_h"] / result["steps"], places=4)
        foreground, = tables("--model", "llama3-8b", "--machine", "gb200", "--recipe", "nvfp4",
                             "--sync", "foreground")["goodput"]
        # All of the gradient communication, of which 80 % overlap by default.
        exposed = next(row["time_s"] for row in chain if row["cause"] == "Exposed synchronization")
        self.assertAlmostEqual(foreground["step_s"], step["step_s"] + 4 * exposed, places=9)

    def test_checkpoint_size(self):
        inputs = {row["input"]: row for row in tables("--step-s", 4, "--gpus", 16384, "--model",
                                                      "llama3-405b", "--storage-gb-s", 2000)["inputs"]}
        self.assertEqual(inputs["checkpoint"]["value"], "5.68 TB")  # 14 x 405.853e9
        self.assertEqual(inputs["blocking save time"]["value"], "2.84097 s")
        self.assertEqual(inputs["load time"]["source"], "checkpoint / storage bandwidth")

    def test_against_a_simulation(self):
        found = tables(*GIVEN, "--days", 54, "--simulate", "--seed", 3, "--replications", 200)
        simulated, exact, first = found["simulation"]
        self.assertLess(abs(exact["difference"]), 0.002)
        self.assertGreater(first["goodput"], exact["goodput"])
        self.assertAlmostEqual(simulated["wall_h"], exact["wall_h"], delta=2 * simulated["wall_error_h"])
        self.assertLess(simulated["low"], exact["goodput"])
        self.assertGreater(simulated["high"], exact["goodput"])

    def test_same_seed_same_output(self):
        arguments = (*GIVEN, "--simulate", "--replications", 5, "--format", "csv")
        once = goodput(*arguments, "--seed", 7).stdout
        self.assertEqual(once, goodput(*arguments, "--seed", 7).stdout)
        self.assertNotEqual(once, goodput(*arguments, "--seed", 8).stdout)
        lines = [line for line in once.splitlines() if not line.startswith("#")]
        self.assertGreater(len(list(csv.reader(lines))), 40)

    def test_partial_recovery(self):
        found = tables(*GIVEN, "--days", 600, "--recovery", "partial", "--max-lost-samples", 0.001, "--shards", 100)
        result, = found["goodput"]
        self.assertAlmostEqual(result["lost_samples"], 0.001)
        rows = {row["choice"]: row for row in found["alternatives"]}
        self.assertGreater(rows["partial, background"]["goodput"], rows["full, background"]["goodput"])
        self.assertIsNone(rows["full, background"]["lost_samples"])
        self.assertEqual(rows["partial, background"]["goodput"], result["goodput"])

    def test_first_screen_answers(self):
        text = " ".join(goodput(*GIVEN, "--days", 54).stdout.split())
        for part in ("Training takes 90.9 % of the wall time", "54.0 days on 16,384 GPUs",
                     "a failure every 3.09 h, 419 expected", "lost work 2.9 %",
                     "Best checkpoint interval: 10.9 min", "Largest gain: half as many failures"):
            self.assertIn(part, text)

    def test_given_interval(self):
        text = " ".join(goodput(*GIVEN, "--checkpoint-every-s", 3600).stdout.split())
        self.assertIn("Checkpoints every 60.0 min of training; every 10.9 min would be best", text)
        self.assertIn("a checkpoint every 10.9 min", text)

    def test_formats(self):
        for name, start in (("md", "## Goodput of 16,384 GPUs"), ("html", "<!DOCTYPE html>"),
                            ("csv", "# overhead\n")):
            result = goodput(*GIVEN, "--format", name)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertTrue(result.stdout.startswith(start), result.stdout[:80])

    def test_hundred_thousand_ranks_for_60_days(self):
        """Cost follows failures and checkpoints: steps of 1 ms change nothing."""
        began = time.monotonic()
        found = tables("--step-s", 0.001, "--ranks", 100_000, "--gpus-per-node", 1, "--checkpoint-save-s", 20,
                       "--checkpoint-load-s", 30, "--days", 60, "--simulate", "--replications", 20)
        self.assertLess(time.monotonic() - began, 50, "seconds are expected")
        self.assertGreater(found["goodput"][0]["failures"], 2800)
        self.assertLess(abs(found["simulation"][1]["difference"]), 0.01)

    def test_mistakes(self):
        for arguments, words in (
                (("--mtbf-hours", 0), ("--mtbf-hours: must be a number above 0",)),
                (("--mtbf-hours", "nan"), ("--mtbf-hours",)),
                (("--mtbf-hours", 100, "--node-mtbf-hours", 3), ("excludes",)),
                (("--mtbf-hours", 0.001), ("makes no progress: it fails every 900 ms",)),
                (("--step-s", 3), ("number of GPUs with --gpus",)),
                (("--step-s", 3, "--gpus", 64), ("--checkpoint-save-s and --checkpoint-load-s",)),
                (("--step-s", 3, "--gpus", 0, "--model", "llama3-8b"), ("--gpus 0: must be 1 or more",)),
                ((*GIVEN, "--storage-gb-s", 4), ("replace --checkpoint-bytes-per-parameter",)),
                ((*GIVEN, "--against", "bf16"), ("omit --step-s",)),
                (("--days", 3, "--steps", 4), ("excludes",)),
                (("--days", 0.00001), ("is shorter than a step of 7.19 s",)),
                (("--seed", 3), ("--seed requires --simulate",)),
                (("--simulate", "--replications", 1), ("between 2 and 100,000",)),
                (("--simulate", "--weibull-shape", 0.01), ("between 0.2 and 10",)),
                (("--spares", -1), ("--spares",)),
                (("--repair-hours", 3), ("requires --spares",)),
                (("--recovery", "none"), ("--recovery",)),
                (("--recovery", "partial", "--max-lost-samples", 2), ("share of lost samples 2",)),
                (("--recovery", "partial", "--max-lost-samples", 1e-9), ("use full recovery",)),
                (("--published",), ("cannot be combined",)),
                (("--checkpoint-every-s", 0.5), ("shorter than a step of 7.18",)),
                (("--checkpoint-every-s", 10, "--checkpoint-write-s", 1000), ("before the next one",)),
                (("--sync-exposed-s", 10, "--sync-s", 1), ("must not exceed",)),
                (("--gpus-per-node", 0), ("--gpus-per-node",)),
        ):
            with self.subTest(arguments=arguments):
                self.assert_fails(arguments, *words)
        alone = subprocess.run([MANSARD, "predict", "--mtbf-hours", "5"], capture_output=True, text=True, check=False)
        self.assertEqual(alone.returncode, 2)
        self.assertIn("--mtbf-hours requires --goodput", alone.stderr)


if __name__ == "__main__":
    unittest.main()
