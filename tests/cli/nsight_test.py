# SPDX-License-Identifier: Apache-2.0
"""Nsight Systems exports of real runs (examples/nsight): analyze, explain and compare agree with SQL
queries on the same files.

Run by ctest; by hand: MANSARD=build/dev/bin/mansard python3 -m unittest -v nsight_test"""

import json
import shutil
import sqlite3
import unittest

from cli_test import EXAMPLES, InFolder, run

NSIGHT = EXAMPLES.parent / "nsight"
BF16 = NSIGHT / "llama_bf16.sqlite"
FP8 = NSIGHT / "llama_fp8.sqlite"
MACHINE = EXAMPLES / "machine.json"
LAUNCHED_IN_STEPS = """
    FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId)
    JOIN NVTX_EVENTS n ON r.start >= n.start AND r.start < n.end WHERE n.text LIKE 'step %'"""


def findings(*arguments):
    result = run(*arguments, "--format", "json")
    assert result.returncode == 0, result.stderr
    return {f["id"]: f for f in json.loads(result.stdout)["findings"]}


def table(finding, name):
    return next(t["rows"] for t in finding["tables"] if t["id"] == name)


def sql(file, query):
    database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        return database.execute(query).fetchone()[0]
    finally:
        database.close()


class Nsight(InFolder):
    def test_an_export_is_analyzed_without_import(self):
        for file, kernels in ((BF16, 691), (FP8, 1651)):
            found = findings("analyze", file, "--machine", MACHINE)
            rows = [r for r in table(found["kernels"], "kernels") if r["class"] not in ("memcpy", "memset")]
            self.assertEqual(sum(r["launches"] for r in rows), kernels)
            self.assertAlmostEqual(
                sum(r["time_s"] for r in rows),
                1e-9 * sql(file, "SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL"))
            products = [r for r in rows if r["class"] == "gemm"]
            self.assertEqual({r["origin"] for r in products}, {"annotated"})
            # 5 steps, 3 passes, 2 FLOP per product: two layers and the head.
            weights = 2 * (512 * 1536 + 512 * 512 + 512 * 3072 + 1536 * 512) + 512 * 2048
            self.assertEqual(sum(r["flop"] for r in products), 5 * 3 * 2 * 512 * weights)
            steps = table(found["steps"], "steps")
            self.assertEqual([s["step"] for s in steps], [f"step {i}" for i in range(5)])

    def test_fp8_is_explained_against_bf16(self):
        ledger = table(findings("explain", "--baseline", BF16, "--candidate", FP8, "--machine",
                                MACHINE)["gap_ledger"], "ledger")
        self.assertEqual((ledger[0]["id"], ledger[-1]["id"]), ("ideal", "measured"))
        total = ledger[0]["after_s"] + sum(line["time_s"] for line in ledger[1:-1])
        self.assertAlmostEqual(total, ledger[-1]["after_s"], delta=1e-12)
        lines = {line["id"]: line for line in ledger}
        self.assertGreater(lines["quantize"]["time_s"], 0)
        self.assertLess(lines["measured"]["speed_up"], 1, "layers this small gain nothing by FP8")

    def test_exports_are_compared_per_step(self):
        found = findings("compare", BF16, FP8)
        totals = {r["what"]: r for r in table(found["run_comparison"], "totals")}
        for side, file in (("a_s", BF16), ("b_s", FP8)):
            steps = table(findings("analyze", file, "--analysis", "steps")["steps"], "steps")
            typical = [s for s in steps if s["typical"] == "yes"]
            self.assertGreaterEqual(len(typical), 3)
            self.assertAlmostEqual(totals["step time"][side], sum(s["time_s"] for s in typical) / len(typical))
            self.assertAlmostEqual(totals["GPU busy"][side],
                                   sum(s["time_s"] - s["idle_s"] for s in typical) / len(typical))
        kernels = table(found["run_comparison"], "kernels")
        verdicts = {r["verdict"] for r in kernels if r["name"].startswith("nvjet_sm90_qqtst")}
        self.assertEqual(verdicts, {"added"})
        gate = run("compare", BF16, FP8, "--fail-above", "10%")
        self.assertEqual(gate.returncode, 3, gate.stderr)
        self.assertEqual(run("compare", FP8, FP8, "--fail-above", "0", "--fail-above-kernel", "0",
                             "--fail-above-time", "0").returncode, 0)

    def test_graphs_recorded_as_a_whole_explain_their_time(self):
        """The optimizer's kernels form a CUDA graph, which nsys records as a whole by default."""
        file = self.folder / "graphs.sqlite"
        shutil.copy(BF16, file)
        file.chmod(0o644)
        optimizer = ("FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE demangledName IN "
                     "(SELECT id FROM StringIds WHERE value LIKE '%multi_tensor_apply%')")
        database = sqlite3.connect(file)
        database.execute(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER NOT NULL, end INTEGER NOT NULL, "
            "deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER "
            "NOT NULL, correlationId INTEGER, globalPid INTEGER, graphId INTEGER NOT NULL, graphExecId "
            "INTEGER NOT NULL)")
        database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE SELECT start, end, deviceId, contextId, "
                         "greenContextId, streamId, correlationId, globalPid, 1, 2 " + optimizer)
        database.execute("DELETE " + optimizer)
        database.commit()
        database.close()
        found = findings("compare", BF16, file)
        totals = {r["what"]: r for r in table(found["run_comparison"], "totals")}
        for what in ("GPU busy", "sum of kernels and memory operations"):
            self.assertAlmostEqual(totals[what]["difference_s"], 0, delta=1e-12)
        # Steps 2 to 4 are the typical ones: 0 and 1 compile and warm up.
        steps = table(findings("analyze", file, "--analysis", "steps")["steps"], "steps")
        self.assertEqual([s["step"] for s in steps if s["typical"] == "yes"], ["step 2", "step 3", "step 4"])
        graphs_s = 1e-9 * sql(file, """
            SELECT sum(g.end - g.start) FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE g
            JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId)
            JOIN NVTX_EVENTS n ON r.start >= n.start AND r.start < n.end
            WHERE n.text IN ('step 2', 'step 3', 'step 4')""") / 3
        for name, key in (("classes", "class"), ("kernels", "name")):
            rows = table(found["run_comparison"], name)
            row = next(r for r in rows if r[key] == "CUDA graphs")
            self.assertEqual(row["a_s"], 0)
            self.assertAlmostEqual(row["b_s"], graphs_s)
            self.assertAlmostEqual(sum(r["b_s"] for r in rows), totals["sum of kernels and memory operations"]["b_s"])
        graphs = sql(file, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE")
        self.assertTrue(any(f" {graphs} CUDA graph" in r["note"] for r in table(found["notes"], "notes")))

    def test_the_gpu_is_the_one_visible_to_cuda(self):
        """As with CUDA_VISIBLE_DEVICES=1: CUDA's device 0 is Nsight's GPU 1, and an A100 stays idle."""
        file = self.folder / "second.sqlite"
        shutil.copy(BF16, file)
        file.chmod(0o644)
        database = sqlite3.connect(file)
        columns = [c[1] for c in database.execute("PRAGMA table_info(TARGET_INFO_GPU)")]
        database.execute("UPDATE TARGET_INFO_GPU SET id = 1")
        values = ", ".join({"id": "0", "name": "'NVIDIA A100-SXM4-80GB'", "uuid": "'0'", "smCount": "108",
                            "cuDevice": "NULL"}.get(c, c) for c in columns)
        database.execute(f"INSERT INTO TARGET_INFO_GPU SELECT {values} FROM TARGET_INFO_GPU")
        database.execute("UPDATE TARGET_INFO_CUDA_DEVICE SET gpuId = 1")
        database.commit()
        database.close()
        of_first, of_second = (
            {r["name"]: r["sol_s"] for r in table(findings("analyze", f)["kernels"], "kernels")}
            for f in (BF16, file))
        self.assertEqual(of_first, of_second)


if __name__ == "__main__":
    unittest.main()
