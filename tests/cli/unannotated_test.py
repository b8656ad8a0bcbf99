# SPDX-License-Identifier: Apache-2.0
"""Recorded programs without NVTX ranges: their steps, step times and GEMMs, against what the programs printed
(examples/h200/README.md)."""

import json
import unittest

from cli_test import EXAMPLES, run

FOLDER = EXAMPLES / "unannotated"
LLAMA_TFLOP = 6.5842
# GEMMs of 4 layers with 12 hidden^2 weights and of the head, for 4 x 1024 tokens: forward, and twice that backward.
GRAPH_TFLOP = 6 * (4 * 12 * 1024**2 + 16384 * 1024) * 4096 / 1e12

# QK^T and PV without a causal mask in 4 layers of 16 heads of 64: forward, and twice that backward.
ATTENTION_TFLOP = 3 * 4 * 2 * (2 * 4 * 16 * 1024**2 * 64) / 1e12


def tables(file, analysis):
    result = run("analyze", FOLDER / file, "--analysis", analysis, "--machine", EXAMPLES / "machine.json",
                 "--format", "json")
    assert result.returncode == 0, result.stderr
    return {table["id"]: table["rows"] for table in json.loads(result.stdout)["findings"][0]["tables"]}


def typical_ms(rows):
    times = [row["time_s"] for row in rows if row["typical"] == "yes"]
    return 1e3 * sum(times) / len(times)


def gemm_tflop(file):
    return sum(row["flop"] for row in tables(file, "kernels")["kernels"]
               if row["class"] == "gemm" and isinstance(row["flop"], (int, float))) / 1e12


class Unannotated(unittest.TestCase):
    def test_steps_and_times_are_those_of_the_program(self):
        for file, median_ms in (("huggingface_eager.sqlite", 30.61), ("huggingface_compile.sqlite", 20.03)):
            steps = tables(file, "steps")["steps"]
            self.assertEqual(len(steps), 12, file)
            self.assertAlmostEqual(typical_ms(steps) / median_ms, 1, delta=0.01, msg=file)

    def test_replays_of_a_graph_are_steps(self):
        steps = tables("pytorch_graph.sqlite", "steps")["steps"]
        self.assertIn(len(steps), (21, 22, 23))  # 20 replays, and the steps before the capture
        self.assertGreaterEqual(sum(row["typical"] == "yes" for row in steps), 19)
        self.assertAlmostEqual(typical_ms(steps) / 6.675, 1, delta=0.01)

    def test_executions_of_a_jax_module_are_steps(self):
        steps = tables("jax.sqlite", "steps")["steps"]
        self.assertEqual(len(steps), 20)
        # The program's 8.32 ms contain the wait for the last step, and thus up to one step more.
        self.assertLess(typical_ms(steps), 8.32)
        self.assertGreater(typical_ms(steps), 8.32 * 10 / 11)

    def test_gemms_have_the_flops_of_the_models_formula(self):
        for file in ("huggingface_eager.sqlite", "huggingface_compile.sqlite"):
            self.assertAlmostEqual(gemm_tflop(file) / 12 / LLAMA_TFLOP, 1, delta=0.01, msg=file)
        self.assertAlmostEqual(gemm_tflop("pytorch_graph.sqlite") / 23 / GRAPH_TFLOP, 1, delta=0.01)
        # The JAX program has the same shapes; its attention consists of GEMMs, too. XLA ran other GEMMs before to
        # choose kernels.
        rows = [row for row in tables("jax.sqlite", "kernels")["kernels"] if row["class"] == "gemm" and row["flop"]]
        step_tflop = sum(row["flop"] / row["launches"] * row["step_launches"] for row in rows) / 1e12
        self.assertAlmostEqual(step_tflop / (GRAPH_TFLOP + ATTENTION_TFLOP), 1, delta=0.001)

    def test_start_up_is_a_phase_of_its_own(self):
        for file in ("huggingface_eager.sqlite", "huggingface_compile.sqlite", "pytorch_graph.sqlite"):
            found = tables(file, "steps")
            phases = {row["phase"]: row for row in found["phases"]}
            self.assertIn("start-up", phases, file)
            # Parameters are copied to the GPU before the first step, which is longer for no program.
            self.assertIn("memcpy", phases["start-up"]["classes"])
            self.assertEqual(phases["typical steps"]["steps"], sum(row["typical"] == "yes" for row in found["steps"]))
            self.assertAlmostEqual(sum(row["share"] for row in phases.values()), 1, places=9)


if __name__ == "__main__":
    unittest.main()
