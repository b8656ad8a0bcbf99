# SPDX-License-Identifier: Apache-2.0
"""`mansard predict`: its output in each format, and its error messages.

Run by ctest; by hand: MANSARD=build/dev/bin/mansard python3 -m unittest -v predict_test"""

import csv
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

MANSARD = os.environ["MANSARD"]
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples/h200"


def predict(*arguments):
    return subprocess.run([MANSARD, "predict", *map(str, arguments)], capture_output=True,
                          text=True, check=False, timeout=60)


def findings(*arguments):
    result = predict(*arguments, "--format", "json")
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    return {f["id"]: f for f in json.loads(result.stdout)["findings"]}


def rows(finding, table):
    return next(t for t in finding["tables"] if t["id"] == table)["rows"]


class Predict(unittest.TestCase):
    def assert_fails(self, code, arguments, *words):
        result = predict(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        for word in words:
            self.assertIn(word, result.stderr)

    def test_step_and_ledger(self):
        found = findings("--model", "llama3-8b", "--machine", "gb200", "--recipe", "nvfp4",
                         "--against", "bf16")
        step = rows(found["step_nvfp4"], "step")[0]
        before = rows(found["step_bf16"], "step")[0]
        ledger = rows(found["ledger"], "ledger")
        self.assertAlmostEqual(sum(r["saved_s"] for r in ledger[:-1]),
                               before["step_s"] - step["step_s"], places=9)
        self.assertAlmostEqual(ledger[-1]["saved_s"], before["step_s"] - step["step_s"], places=9)
        self.assertAlmostEqual(sum(r["time_s"] for r in rows(found["step_nvfp4"], "parts")),
                               step["step_s"], places=9)
        self.assertGreater(step["error_s"], 0)
        speed_up = rows(found["ledger"], "speed_up")[0]
        self.assertEqual(speed_up["peak_ratio"], 4)
        self.assertAlmostEqual(speed_up["speed_up"], before["step_s"] / step["step_s"])
        self.assertIn("last:4", found["step_nvfp4"]["summary"])

    def test_times_are_labeled_as_predicted(self):
        found = findings("--model", "llama3-8b", "--machine", "gb200", "--recipe", "nvfp4",
                         "--against", "bf16")
        for finding, table, key in (("ledger", "ledger", "before_s"), ("ledger", "ledger", "after_s"),
                                    ("ledger", "ledger", "saved_s"), ("step_nvfp4", "step", "step_s"),
                                    ("step_nvfp4", "parts", "time_s")):
            columns = next(t for t in found[finding]["tables"] if t["id"] == table)["columns"]
            label = next(c["label"] for c in columns if c["key"] == key)
            self.assertIn("predicted", label)

    def test_settings_change_the_result(self):
        common = ("--model", "llama3-70b", "--machine", "b200", "--recipe", "nvfp4", "--gpus", 64,
                  "--global-batch", 256, "--micro-batch", 1, "--tp", 2, "--pp", 4, "--vp", 5)
        none = rows(findings(*common)["step_nvfp4"], "step")[0]["step_s"]
        kept = rows(findings(*common, "--keep-bf16", "first:2,last:8")["step_nvfp4"],
                    "step")[0]["step_s"]
        again = rows(findings(*common, "--recompute", "full")["step_nvfp4"], "step")[0]["step_s"]
        slower = rows(findings(*common, "--set", "clock_loss=0.3")["step_nvfp4"],
                      "step")[0]["step_s"]
        for step_s in (kept, again, slower):
            self.assertGreater(step_s, 1.02 * none)

    def test_machine_model(self):
        found = findings("--machine", EXAMPLES / "machine.json", "--recipe", "fp8", "--gpus", 8)
        self.assertIn("are measured values", found["step_fp8"]["summary"])

    def test_lists(self):
        names = [r["name"] for r in rows(findings("--list-assumptions")["assumptions"],
                                         "assumptions")]
        self.assertIn("clock_loss", names)
        self.assertEqual(len(rows(findings("--list-data")["gemm_data"], "gemm_data")), 26)
        published = rows(findings("--published")["published"], "published")
        self.assertGreater(len(published), 130)
        groups = {g["group"]: g for g in rows(findings("--published")["published"], "groups")}
        jobs = rows(findings("--published")["published"], "jobs")
        self.assertEqual(groups["all"]["jobs"], len(jobs))
        self.assertEqual(groups["held-out"]["jobs"],
                         sum(1 for j in jobs if j["use"] == "held-out"))
        text = predict("--published", "--format", "csv").stdout
        table = list(csv.reader(line for line in text.splitlines() if not line.startswith("#")))
        self.assertGreater(len(table), len(published))

    def test_exceeding_gpu_memory_is_reported(self):
        alone = ("--gpus", 8, "--tp", 1, "--pp", 1, "--cp", 1, "--global-batch", 8,
                 "--micro-batch", 1, "--sharding", "optimizer")

        def needs(model, *relief):
            """The summary, and the bytes of parameters with gradients and optimizer, and of all."""
            step = findings("--model", model, "--machine", "h100", "--recipe", "bf16", *alone,
                            *relief)["step_bf16"]
            memory = {r["what"]: r["bytes"] for r in rows(step, "memory")}
            return step["summary"], memory["total"] - memory["activations"], memory["total"]

        # 70B in BF16: weights and gradients take 282 GB, Adam's share 106 GB.
        summary, parameters, _ = needs("llama3-70b")
        self.assertAlmostEqual(parameters / 388e9, 1, delta=0.01)
        self.assertIn("84.9 GB", summary)
        self.assertIn("shard parameters", summary)
        # 8B: they take 44 GB with Adam's share, activations the rest.
        summary, parameters, total = needs("llama3-8b")
        self.assertAlmostEqual(parameters / 44e9, 1, delta=0.01)
        self.assertGreater(total, 84.9e9)
        self.assertIn("84.9 GB", summary)
        self.assertIn("recompute activations", summary)
        for relief in (("--recompute", "full"), ("--offload", 32)):
            summary, _, total = needs("llama3-8b", *relief)
            self.assertLess(total, 84.9e9)
            self.assertNotIn(" GB", summary)

    def test_published_pipeline_given_again(self):
        common = ("--model", "llama3-70b", "--machine", "gb200", "--recipe", "nvfp4")
        same = findings(*common, "--pp", 4)["step_nvfp4"]
        self.assertEqual(rows(same, "step"), rows(findings(*common)["step_nvfp4"], "step"))
        self.assertIn("virtual 5", same["summary"])

    def test_inherited_settings_are_named(self):
        summary = findings("--model", "llama3-70b", "--machine", "gb200", "--recipe", "fp8",
                           "--gpus", 64)["step_fp8"]["summary"]
        for part in ("global batch 256", "sharding full", "offload 40", "recompute none"):
            self.assertIn(part, summary)
        summary = findings("--machine", "gb200", "--keep-bf16", "")["step_nvfp4"]["summary"]
        self.assertIn("No layers stay in BF16.", summary)

    def test_cuda_graphs(self):
        common = ("--model", "llama3-70b", "--machine", "gb200", "--recipe", "mxfp8", "--gpus", 64,
                  "--global-batch", 128, "--micro-batch", 1, "--tp", 2, "--pp", 4, "--vp", 5,
                  "--cp", 2)
        parts = [r["part"] for r in rows(findings(*common)["step_mxfp8"], "parts")]
        self.assertIn("launch-bound: waiting for the host", parts)
        parts = [r["part"] for r in rows(findings(*common, "--cuda-graphs")["step_mxfp8"], "parts")]
        self.assertNotIn("launch-bound: waiting for the host", parts)

    def test_rates_of_another_gpu_are_noted(self):
        found = findings("--machine", "rtx_5090", "--recipe", "mxfp8", "--gpus", 1,
                         "--global-batch", 1, "--micro-batch", 1)["step_mxfp8"]["summary"]
        self.assertIn("RTX PRO 6000", found)
        self.assertIn("GB200", found)

    def test_mistakes(self):
        for arguments, words in (
                (("--model", "llama3-8"), ("Did you mean 'llama3-8b'", "llama3-70b")),
                (("--machine", "gb20"), ("Did you mean 'gb200'",)),
                (("--recipe", "nvpf4"), ("Did you mean 'nvfp4'",)),
                (("--against", "fp16"), ("unknown recipe 'fp16'",)),
                (("--set", "clock_los=0.1"), ("Did you mean 'clock_loss'",)),
                (("--set", "clock_loss"), ("a number must follow",)),
                (("--set", "clock_loss=fast"), ("a number must follow",)),
                (("--set", "clock_loss=7"), ("between 0 and 1",)),
                (("--keep-bf16", "last:40"), ("exceeds the model's 32 layers",)),
                (("--recompute", "some"), ("expected none, selective",)),
                (("--gpus", "6", "--tp", "4"), ("does not divide gpus = 6",)),
                (("--micro-batch", "5"), ("does not divide global batch",)),
                (("--gpus", "0"), ("gpus 0",)),
                (("--machine", "h100", "--recipe", "nvfp4"), ("has no published NVFP4 rate",)),
                (("--recompute", "full:99"), ("a pipeline stage has 32 layers",)),
                (("--offload", "40"), ("a pipeline stage has 32 layers",)),
                (("--offload", "-1"), ("--offload",)),
                (("--sharding", "some"), ("--sharding",)),
        ):
            with self.subTest(arguments=arguments):
                self.assert_fails(2, arguments, *words)
        self.assert_fails(1, ("--machine", "absent.json"), "machine model 'absent.json'")

    def test_existing_output_is_not_overwritten(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "out.md"
            self.assertEqual(predict("-o", file, "--format", "md").returncode, 0)
            self.assertIn("tokens/s", file.read_text(encoding="utf-8"))
            self.assert_fails(1, ("-o", file), "-f")
            self.assertEqual(predict("-f", "-o", file).returncode, 0)


if __name__ == "__main__":
    unittest.main()
