# SPDX-License-Identifier: Apache-2.0
"""The statements of docs/datasets.md, on the profiles and summaries of a synthetic job.

Run by ctest; by hand: MANSARD=build/dev/bin/mansard
WRITE_RANK_PROFILES=build/dev/bin/write_rank_profiles python3 -m unittest -v datasets_test"""

import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

MANSARD = os.environ["MANSARD"]
WRITER = os.environ["WRITE_RANK_PROFILES"]
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/datasets.md"
TABLES = ("RANK", "RANK_STEP", "RANK_PART", "RANK_COLLECTIVE", "RANK_SAMPLE")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)


class Datasets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        subprocess.run([WRITER, folder.name, "ranks=4", "world=6", "slow=2:0.4", "ends=3:9"], check=True)
        cls.run_in_folder(MANSARD, "analyze", "run-*.sqlite", "--summaries", "summaries")
        cls.results = cls.run_page()

    @classmethod
    def run_in_folder(cls, *command):
        environment = {k: v for k, v in os.environ.items() if "RANK" not in k and "PROCID" not in k}
        result = subprocess.run(command, cwd=cls.folder, capture_output=True, text=True, check=False,
                                timeout=120, env=environment)
        assert result.returncode == 0, result.stderr
        return result.stdout

    @classmethod
    def run_page(cls):
        """The rows of each SELECT of the page, as dictionaries."""
        cls.unite()
        database = sqlite3.connect(":memory:")
        database.row_factory = sqlite3.Row
        results = []
        for block in blocks("sql"):
            for statement in filter(str.strip, block.split(";")):
                # As if run in the folder.
                here = statement.replace("ATTACH '", f"ATTACH '{cls.folder}/")
                rows = [dict(row) for row in database.execute(here)]
                if not statement.strip().startswith("ATTACH"):
                    results.append((statement, rows))
        database.close()
        return results

    @classmethod
    def unite(cls):
        if shutil.which("sqlite3"):
            cls.run_in_folder("sh", "-e", "-c", blocks("sh")[0])
            return
        job = sqlite3.connect(cls.folder / "job.sqlite")
        for i, file in enumerate(sorted((cls.folder / "summaries").iterdir())):
            job.execute("ATTACH ? AS one", (str(file),))
            for table in TABLES:
                new = "CREATE TABLE" if i == 0 else "INSERT INTO"
                job.execute(f"{new} MANSARD_{table} {'AS ' if i == 0 else ''}SELECT * FROM one.MANSARD_{table}")
            job.commit()
            job.execute("DETACH one")
        job.close()

    def result(self, part):
        found = [rows for statement, rows in self.results if part in statement]
        self.assertEqual(len(found), 1, part)
        return found[0]

    def test_every_statement_finds_something(self):
        self.assertGreaterEqual(len(self.results), 7)
        for statement, rows in self.results:
            self.assertTrue(rows, statement)

    def test_the_slow_rank_is_found(self):
        slowest = self.result("hidden_ms")[0]
        self.assertEqual((slowest["rank"], slowest["host"]), (2, "node-0"))
        self.assertAlmostEqual(slowest["own_ms"], 2.5, delta=0.1)
        classes = self.result("1.02 * mean_ms")
        self.assertEqual((classes[0]["rank"], classes[0]["name"]), (2, "gemm"))

    def test_incomplete_ranks_are_found(self):
        early = self.result("complete = 0")
        self.assertEqual([(row["rank"], row["steps"]) for row in early], [(3, 9)])
        self.assertEqual([row["rank"] for row in self.result("RECURSIVE")], [4, 5])

    def test_kernels_of_profiles(self):
        self.assertTrue(any("AllReduce" in row["name"] for row in self.result("difference_ms")))
        steps = self.result("'step %'")
        self.assertEqual(steps[0]["text"], "step 0")
        self.assertGreater(steps[0]["kernels"], 40)

    def test_csv(self):
        if not shutil.which("sqlite3"):
            self.skipTest("sqlite3 is not installed")
        self.run_in_folder("sh", "-e", "-c", blocks("sh")[1])
        lines = (self.folder / "ranks.csv").read_text().splitlines()
        self.assertEqual(len(lines), 5)
        self.assertTrue(lines[0].startswith("version,rank,"))


if __name__ == "__main__":
    unittest.main()
