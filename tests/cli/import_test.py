# SPDX-License-Identifier: Apache-2.0
"""`mansard import`, and the errors of other commands for files that need it.

Run by ctest; by hand: MANSARD=build/dev/bin/mansard python3 -m unittest -v import_test"""

import gzip
import json
import os
import pathlib
import sqlite3
import subprocess
import tempfile
import unittest

MANSARD = os.environ["MANSARD"]
GEMM = "void gemm<128, true>(float*)"
TRACE = {
    "schemaVersion": 1,
    "deviceProperties": [{"id": 0, "name": "NVIDIA H200", "computeMajor": 9, "computeMinor": 0}],
    "baseTimeNanoseconds": 1743521598000000000,
    "traceEvents": [
        {"ph": "X", "cat": "user_annotation", "name": "fprop | flop=1e12 precision=bf16",
         "pid": 4711, "tid": 4711, "ts": 100, "dur": 50},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4711, "tid": 4711,
         "ts": 110, "dur": 5, "args": {"correlation": 1}},
        {"ph": "X", "cat": "kernel", "name": GEMM, "pid": 0, "tid": 7, "ts": 200, "dur": 2000,
         "args": {"device": 0, "stream": 7, "correlation": 1, "grid": [132, 1, 1],
                  "block": [384, 1, 1]}},
    ],
}
TABLE = """==PROF== Connected to process 4711
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","dram__bytes.sum","gpu__time_duration.sum"
"","","","","","","","","","","","Gbyte","ms"
"0","4711","python3","h","void gemm<(int)128, (bool)1>(float *)","1","7","(384, 1, 1)","(132, 1, 1)","0","9.0","3.00","2.50"
"""


def run(*arguments, **options):
    return subprocess.run([MANSARD, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, check=False, **options)


def kernels_of(file):
    result = run("analyze", file, "--analysis", "kernels", "--format", "json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)["findings"][0]["tables"][0]["rows"]


class Import(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "run.sqlite"

    def write(self, name, text):
        file = self.folder / name
        file.write_text(text, encoding="utf-8")
        return file

    def assert_fails(self, result, code, *words):
        self.assertEqual(result.returncode, code, result.stderr)
        for word in words:
            self.assertIn(str(word), result.stderr)
        self.assertEqual(result.stdout, "")

    def assert_done(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_trace(self):
        result = run("import", self.write("a.json", json.dumps(TRACE)), "-o", self.out)
        self.assert_done(result)
        self.assertIn("kernels", result.stdout)
        self.assertIn(f"mansard analyze {self.out}", result.stderr)
        kernel, = kernels_of(self.out)
        self.assertEqual(kernel["flop"], 1e12)
        self.assertAlmostEqual(kernel["time_s"], 2e-3)

    def test_advice_on_a_trace_needs_neither_its_program_nor_its_machine(self):
        gpu = "NVIDIA of Another Machine"
        trace = {**TRACE, "deviceProperties": [{**TRACE["deviceProperties"][0], "name": gpu}]}
        trace["traceEvents"] = [e for e in TRACE["traceEvents"] if e["cat"] != "user_annotation"]
        self.assert_done(run("import", self.write("a.json", json.dumps(trace)), "-o", self.out))
        analyzed = run("analyze", self.out, "--format", "json")
        self.assert_done(analyzed)
        notes = next(f for f in json.loads(analyzed.stdout)["findings"] if f["id"] == "notes")
        text = json.dumps(notes)
        self.assertIn(f"No machine model for {gpu}", text)
        self.assertIn("If you have a machine model that was measured on a GPU of this type", text)
        self.assertIn("If you can run the program yourself", text)
        self.assertNotIn("characterize", text)
        # The suggested next command works here, too.
        reported = run("report", self.out, "-o", self.folder / "page.html")
        self.assert_done(reported)
        self.assertNotIn("characterize", reported.stderr)
        self.assertIn("xdg-open", reported.stderr)

    def test_a_compressed_trace_with_any_name(self):
        file = self.folder / "trace"
        file.write_bytes(gzip.compress(json.dumps(TRACE).encode()))
        result = run("import", file, "-o", self.out)
        self.assert_done(result)
        self.assertEqual(len(kernels_of(self.out)), 1)

    def test_counts_as_data(self):
        result = run("import", self.write("a.json", json.dumps(TRACE)), "-o", self.out,
                     "--format", "json")
        table = json.loads(result.stdout)["findings"][0]["tables"][0]
        self.assertEqual({row["what"]: row["count"] for row in table["rows"]},
                         {"annotations": 1, "runtime API calls": 1, "kernels": 1})

    def test_a_table_without_a_profile(self):
        self.assert_done(run("import", self.write("c.csv", TABLE), "-o", self.out))
        kernel, = kernels_of(self.out)
        self.assertAlmostEqual(kernel["time_s"], 2.5e-3)

    def test_counters_for_a_trace_and_for_a_profile(self):
        trace, table = self.write("a.json", json.dumps(TRACE)), self.write("c.csv", TABLE)
        both = self.folder / "both.sqlite"
        result = run("import", trace, table, "-o", both, "--format", "json")
        self.assert_done(result)
        added = json.loads(result.stdout)["findings"][-1]
        self.assertIn("100.0 %", added["summary"])
        tables = [t["id"] for t in added["tables"]]
        self.assertIn("imported", tables)
        self.assertNotIn("unmatched", tables)
        self.assertNotIn("without_counters", tables)
        self.assert_done(run("import", trace, "-o", self.out))
        joined = self.folder / "joined.sqlite"
        self.assert_done(run("import", table, self.out, "-o", joined))  # in any order
        for file in both, joined:
            kernel, = kernels_of(file)
            self.assertAlmostEqual(kernel["time_s"], 2e-3)  # not ncu's
            self.assertEqual(kernel["flop"], 1e12)
            self.assertEqual(kernel["origin"], "annotation and counters")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()),
                         ["a.json", "both.sqlite", "c.csv", "joined.sqlite", "run.sqlite"])

    def test_a_truncated_trace(self):
        text = json.dumps(TRACE)[:-5]
        result = run("import", self.write("a.json", text), "-o", self.out)
        self.assert_done(result)
        self.assertIn("The trace is truncated", result.stderr)
        state, = sqlite3.connect(self.out).execute("SELECT state FROM MANSARD_STATE").fetchone()
        self.assertEqual(state, "interrupted")

    def test_nothing_is_overwritten(self):
        trace = self.write("a.json", json.dumps(TRACE))
        self.out.write_text("mine")
        self.assert_fails(run("import", trace, "-o", self.out), 1, "-f")
        self.assertEqual(self.out.read_text(), "mine")
        self.assert_done(run("import", trace, "-o", self.out, "-f"))
        self.assert_fails(run("import", trace, "-o", trace, "-f"), 2, "one of the files")

    def test_files_that_cannot_be_imported(self):
        table = self.write("c.csv", TABLE)
        cases = [("missing", None, "no such file"),
                 ("empty.json", "", "is empty"),
                 ("model.json", '{"devices": []}', "neither a profile nor a trace"),
                 ("notes.txt", "some words", "unknown format"),
                 ("a.nsys-rep", "binary", "nsys export --type sqlite"),
                 ("a.ncu-rep", "NVR\0", "ncu --import")]
        for name, text, said in cases:
            file = self.folder / name
            if text is not None:
                self.write(name, text)
            self.assert_fails(run("import", file, "-o", self.out), 1, name, said)
            self.assertFalse(self.out.exists())
        # A database with an unknown schema.
        other = self.folder / "other.sqlite"
        database = sqlite3.connect(other)
        database.execute("CREATE TABLE recipes (name TEXT)")
        database.commit()
        database.close()
        self.assert_fails(run("import", other, table, "-o", self.out), 1, "other.sqlite",
                          "nsys export --type sqlite")

    def test_a_profile_needs_no_import(self):
        trace = self.write("a.json", json.dumps(TRACE))
        self.assert_done(run("import", trace, "-o", self.out))
        other = self.folder / "x.sqlite"
        self.assert_fails(run("import", self.out, "-o", other), 2, "needs no import")
        self.assert_fails(run("import", self.out, trace, "-o", other), 2, "mansard merge")

    def test_traces_of_ranks_are_merged(self):
        """Rank 1's clock is 7 us ahead; both name a process 100, on hosts that nobody knows."""
        files = []
        for rank, ahead_us in enumerate([0, 7]):
            events = [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 100, "tid": 100,
                       "ts": 1, "dur": 1}]
            events += [{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_bf16",
                        "pid": 0, "tid": 7, "ts": 1000 + 1000 * i + ahead_us, "dur": 50,
                        "args": {"device": 0, "correlation": i + 1, "Collective name": "allreduce",
                                 "dtype": "BFloat16", "In msg nelems": 4, "Group size": 2}}
                       for i in range(20)]
            trace = self.write(f"{rank}.json", json.dumps(
                {**TRACE, "distributedInfo": {"rank": rank}, "traceEvents": events}))
            files.append(self.folder / f"{rank}.sqlite")
            self.assert_done(run("import", trace, "-o", files[-1]))
        result = run("merge", *files, "-o", self.out, "--format", "json")
        self.assert_done(result)
        ranks = json.loads(result.stdout)["findings"][0]["tables"][0]["rows"]
        self.assertAlmostEqual(ranks[1]["clock_offset_s"], -7e-6, delta=1e-8)
        database = sqlite3.connect(self.out)
        self.assertEqual(database.execute(
            "SELECT count(*), count(DISTINCT globalPid), count(DISTINCT correlationId), "
            "sum(inElements * elementBytes) FROM MANSARD_COLLECTIVE").fetchone(), (40, 2, 40, 320))
        database.close()
        result = run("analyze", self.out, "--format", "json")
        self.assert_done(result)
        self.assertNotIn("correlation ids can collide", result.stdout)

    def test_other_commands_suggest_import(self):
        trace, table = self.write("a.json", json.dumps(TRACE)), self.write("c.csv", TABLE)
        for file in trace, table:
            for command in (["analyze", file], ["report", file, "-o", self.folder / "r.html"]):
                self.assert_fails(run(*command), 1, file.name, f"mansard import {file}")


if __name__ == "__main__":
    unittest.main()
