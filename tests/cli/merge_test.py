# SPDX-License-Identifier: Apache-2.0
"""`mansard merge`: ranks are recorded with `mansard profile`, and collectives are then written into
the profiles, so that no GPU is needed.

Run by ctest; by hand: MANSARD=build/dev/bin/mansard python3 -m unittest -v merge_test"""

import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

from sanitizer import records_other_programs

MANSARD = os.environ["MANSARD"]
MODULE = pathlib.Path(__file__).resolve().parents[2] / "kernels/annotation"
SCRIPT = """
import mansard_annotate as annotate
with annotate.work("step 0"):
    with annotate.gemm("fprop", 64, 64, 64, precision="bf16"): pass
"""
RANK_VARIABLES = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                  "MV2_COMM_WORLD_RANK", "LOCAL_RANK")
COLLECTIVE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


def run(*arguments, **variables):
    env = {k: v for k, v in os.environ.items() if k not in RANK_VARIABLES}
    env.update(PYTHONPATH=str(MODULE), **variables)
    return subprocess.run([MANSARD, *map(str, arguments)], capture_output=True, text=True, check=False,
                          timeout=120, env=env)


def add_collectives(file, ends_utc_ns):
    database = sqlite3.connect(file)
    start = database.execute("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME").fetchone()[0]
    process = database.execute("SELECT globalPid FROM PROCESSES").fetchone()[0]
    database.execute("CREATE TABLE IF NOT EXISTS StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT)")
    name = database.execute("INSERT INTO StringIds (value) VALUES (?)", (COLLECTIVE,)).lastrowid
    database.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId "
                     "INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, "
                     "shortName INTEGER)")
    database.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, ?, ?, ?, ?)",
                         [(end - start - 50000, end - start, i + 1, process, name, name)
                          for i, end in enumerate(ends_utc_ns)])
    database.commit()
    database.close()
    return start


@records_other_programs(MANSARD)
class Merge(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def record_ranks(self, ahead_ns, collectives=20):
        files = []
        first_start = None
        for rank, ahead in enumerate(ahead_ns):
            result = run("profile", "-o", f"{self.folder}/run-%r.sqlite", "--", sys.executable, "-c",
                         SCRIPT, RANK=str(rank))
            self.assertEqual(result.returncode, 0, result.stderr)
            file = self.folder / f"run-{rank}.sqlite"
            if first_start is None:
                database = sqlite3.connect(file)
                first_start = database.execute(
                    "SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME").fetchone()[0]
                database.close()
            add_collectives(file, [first_start + 10**9 * (i + 1) + ahead for i in range(collectives)])
            files.append(file)
        return files

    def test_ranks_are_merged_and_analyzed(self):
        files = self.record_ranks([0, 250000, -1000000])
        out = self.folder / "all.sqlite"
        result = run("merge", *reversed(files), "-o", out, "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        finding = json.loads(result.stdout)["findings"][0]
        self.assertIn("20 collectives", finding["summary"])
        rows = finding["tables"][0]["rows"]
        self.assertEqual([r["rank"] for r in rows], [0, 1, 2])
        for row, offset in zip(rows, (0, -250e-6, 1e-3)):
            self.assertAlmostEqual(row["clock_offset_s"], offset, 9)
        database = sqlite3.connect(out)
        self.addCleanup(database.close)
        spread = database.execute('SELECT max(s) FROM (SELECT max("end") - min("end") s FROM '
                                  "CUPTI_ACTIVITY_KIND_KERNEL GROUP BY (correlationId - 1) % 20)")
        self.assertEqual(spread.fetchone()[0], 0)
        self.assertEqual(database.execute("SELECT count(*) FROM MANSARD_WORK w JOIN NVTX_EVENTS n "
                                          "ON n.rowid = w.eventId AND n.text LIKE 'fprop%'"
                                          ).fetchone()[0], 3)
        self.assertEqual(database.execute("PRAGMA integrity_check").fetchone()[0], "ok")
        analyzed = run("analyze", out)
        self.assertEqual(analyzed.returncode, 0, analyzed.stderr)

    def test_conventions(self):
        files = self.record_ranks([0, 0])
        out = self.folder / "all.sqlite"
        self.assertEqual(run("merge", files[0], "-o", out).returncode, 2)
        self.assertEqual(run("merge", *files).returncode, 2)
        out.write_text("mine")
        refused = run("merge", *files, "-o", out)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("-f", refused.stderr)
        self.assertEqual(out.read_text(), "mine")
        self.assertEqual(run("merge", *files, "-f", "-o", files[0]).returncode, 2)
        self.assertEqual(run("merge", *files, "-f", "-o", out).returncode, 0)

    def test_too_few_collectives_to_align(self):
        files = self.record_ranks([0, 0], collectives=3)
        result = run("merge", *files, "-o", self.folder / "all.sqlite")
        self.assertEqual(result.returncode, 1)
        self.assertIn("at least 8", result.stderr)
        self.assertIn("3 were found", result.stderr)
        self.assertFalse((self.folder / "all.sqlite").exists())

    def test_a_launcher_that_records_nothing_leaves_no_file(self):
        launcher = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SCRIPT!r}], check=True)"
        result = run("profile", "-o", f"{self.folder}/run.sqlite", "--", sys.executable, "-c", launcher)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([f.name for f in self.folder.iterdir()], ["run.sqlite"])


if __name__ == "__main__":
    unittest.main()
