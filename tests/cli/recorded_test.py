# SPDX-License-Identifier: Apache-2.0
"""The runs recorded on an H200, some of which the quickstart shows on machines without a GPU."""

import json
import unittest

from cli_test import EXAMPLES, run


class Recorded(unittest.TestCase):
    def test_is_analysed_against_its_own_machine(self):
        for recipe, kernels in (("bf16", 288), ("nvfp4", 1760)):
            result = run("analyze", EXAMPLES / f"h200_layer_{recipe}.sqlite", "--machine",
                         EXAMPLES / "machine.json", "--format", "json")
            self.assertEqual(result.returncode, 0, result.stderr)
            findings = {f["id"]: f for f in json.loads(result.stdout)["findings"]}
            rows = findings["kernels"]["tables"][0]["rows"]
            self.assertEqual(sum(r["launches"] for r in rows), kernels)
            gemms = [r for r in rows if r["class"] == "gemm"]
            # 23 steps; fprop, dgrad and wgrad of four layers, 2 * M * N * K FLOP each.
            weights = 4096 * 6144 + 4096 * 4096 + 4096 * 28672 + 14336 * 4096
            self.assertAlmostEqual(sum(r["flop"] for r in gemms) / (23 * 6 * 8192 * weights), 1)
            for row in rows:
                if isinstance(row["inefficiency"], float):
                    self.assertGreater(row["inefficiency"], 0.95, row["name"])

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


if __name__ == "__main__":
    unittest.main()
