# SPDX-License-Identifier: Apache-2.0
"""`mansard analyze` for several profiles: the ranks of a job.

Run by ctest; by hand: MANSARD=build/dev/bin/mansard
WRITE_RANK_PROFILES=build/dev/bin/write_rank_profiles python3 -m unittest -v ranks_test"""

import csv
import io
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

from sanitizer import limits_memory, records_other_programs

MANSARD = os.environ["MANSARD"]
WRITER = os.environ["WRITE_RANK_PROFILES"]
LAUNCHERS = {"torchrun": ("RANK", "WORLD_SIZE"), "srun": ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
             "mpirun": ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
             "mpiexec": ("PMI_RANK", "PMI_SIZE")}
VARIABLES = {name for pair in LAUNCHERS.values() for name in pair} | {
    "PMIX_RANK", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE",
    "SLURM_NTASKS", "SLURM_JOB_ID"}


def environment(**variables):
    return {k: v for k, v in os.environ.items() if k not in VARIABLES} | variables


def run(*arguments, cwd=None, **variables):
    return subprocess.run([MANSARD, *map(str, arguments)], capture_output=True, text=True, check=False,
                          timeout=200, cwd=cwd, env=environment(**variables))


def measure(*arguments):
    """CPU time in seconds and peak memory in bytes of a successful command."""
    child = subprocess.Popen([MANSARD, *map(str, arguments)], stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, env=environment())
    message = child.stderr.read()
    child.stderr.close()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise AssertionError(message.decode())
    return usage.ru_utime + usage.ru_stime, 1024 * usage.ru_maxrss


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, *arguments):
        subprocess.run([WRITER, self.folder, *map(str, arguments)], check=True, timeout=200)
        return f"{self.folder}/run-*.sqlite"

    def succeed(self, *arguments, **options):
        result = run("analyze", *arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def tables(self, *arguments, **options):
        result = json.loads(self.succeed(*arguments, "--format", "json", **options).stdout)
        return {table["id"]: table["rows"] for finding in result["findings"] for table in finding["tables"]}


class Ranks(InFolder):
    def test_first_screen_answers(self):
        pattern = self.write("ranks=12", "slow=7:0.4", "ends=3:9", "world=16")
        result = self.succeed(pattern)
        lines = result.stdout.splitlines()
        self.assertLessEqual(len(lines), 40)
        self.assertLessEqual(max(map(len, lines)), 100)
        text = " ".join(result.stdout.split())
        self.assertIn("Rank 7 (node-0, GPU 0) holds the job up", text)
        self.assertIn("gemm +400 µs", text)
        self.assertRegex(text, r"a rank waits \d+ µs \(\d+\.\d %\) per step for the last rank")
        self.assertIn("Save up to", text)
        self.assertIn("Ranks 12-15: missing (12 of 16 ranks analyzed)", text)
        self.assertIn("Rank 3: interrupted in step 9 of its profile; most ranks have 20", text)
        self.assertIn("next: mansard compare ", result.stderr)

    def test_first_screen_of_a_bad_job_fits(self):
        pattern = self.write("ranks=40", "steps=12", "slow=7:0.4", "slow=9:0.3", "idle=11:400", "slow=30:0.2",
                             "ends=3:9", "ends=5:4", "fewer=6:10", "fewer=8:11", "skips=20:3", "world=90")
        for rank in (12, 13):
            (self.folder / f"run-{rank}.sqlite").write_text("not a database")
        lines = self.succeed(pattern).stdout.splitlines()
        self.assertLessEqual(len(lines), 40, "\n".join(lines))
        self.assertLessEqual(max(map(len, lines)), 100)
        self.assertIn("(4 of ", "\n".join(lines), "problems that are not shown are counted")

    def test_every_rank_in_every_format(self):
        pattern = self.write("ranks=20", "steps=6", "slow=7:0.4")
        self.assertEqual(len(self.tables(pattern)["ranks"]), 20)
        text = self.succeed(pattern, "--format", "csv").stdout
        part = text[text.index("# ranks\n") + len("# ranks\n"):].split("\n\n")[0]
        self.assertEqual(sorted(int(row["rank"]) for row in csv.DictReader(io.StringIO(part))), list(range(20)))
        self.assertIn("| 7 |", self.succeed(pattern, "--format", "md").stdout)
        all_tables = self.succeed(pattern, "--all", "--rows", "0").stdout
        self.assertIn("Spread over the ranks", all_tables)
        self.assertIn("Clocks", all_tables)

    def test_page(self):
        pattern = self.write("ranks=40", "steps=6", "slow=7:0.4")
        page = self.folder / "job.html"
        self.succeed(pattern, "--format", "html", "-o", page)
        html = page.read_text()
        self.assertIn("<svg", html)
        self.assertIn("5 slowest", html)
        self.assertIn("holds the job up", html)
        again = run("analyze", pattern, "--format", "html", "-o", page)
        self.assertEqual(again.returncode, 1)
        self.assertIn("-f", again.stderr)

    def test_clock_offsets_are_recovered(self):
        rows = self.tables(self.write("steps=40", "ahead=1:1000", "ahead=2:-1000", "drift=2:20"))["clocks"]
        self.assertAlmostEqual(rows[1]["offset_s"], -1e-3, delta=5e-6)
        self.assertAlmostEqual(rows[2]["offset_s"], 1e-3, delta=50e-6, msg="the drift moves it from 0 s")
        self.assertAlmostEqual(rows[3]["offset_s"], 0, delta=5e-6)

    def test_files_that_are_no_profiles(self):
        pattern = self.write()
        (self.folder / "run-1.sqlite").write_text("not a database")
        rows = self.tables(pattern)
        self.assertEqual({row["rank"] for row in rows["ranks"]}, {0, 2, 3})
        kinds = {row["kind"]: row["problem"] for row in rows["problems"]}
        self.assertIn("run-1.sqlite", kinds["not analyzed"])
        self.assertIn("Rank 1: missing", kinds["missing rank"])
        for file in self.folder.iterdir():
            file.write_text("not a database")
        result = run("analyze", pattern)
        self.assertEqual(result.returncode, 1)
        self.assertIn("none of the files", result.stderr)
        self.assertEqual(result.stdout, "")

    def test_no_collectives(self):
        pattern = self.write("collectives=1", "steps=1", "ranks=2", "skips=0:1", "skips=1:1", "slow=1:0.4")
        text = " ".join(self.succeed(pattern).stdout.split())
        self.assertIn("Waiting for other ranks is not available, because the clocks cannot be aligned", text)
        self.assertIn("it has no collectives of NCCL", text)
        tables = self.tables(pattern)
        self.assertEqual(len(tables["ranks"]), 2)
        self.assertTrue(all(row["rank_wait_s"] is None for row in tables["ranks"]))
        self.assertNotIn("arrival_skew", tables)

    def test_usage_errors(self):
        pattern = self.write("ranks=2")
        for arguments, word in [((f"{self.folder}/none-*.sqlite",), "no file matches"),
                                ((pattern, "--what-if", "gemm=sol"), "--what-if needs a single profile"),
                                ((pattern, "--analysis", "steps"), "--analysis needs a single profile"),
                                ((pattern, "--merge"), "--summaries"),
                                ((pattern, "--jobs", "0"), "--jobs")]:
            result = run("analyze", *arguments)
            self.assertEqual(result.returncode, 2, (arguments, result.stderr))
            self.assertIn(word, result.stderr)

    def test_a_pattern_with_one_match_is_a_single_profile(self):
        self.write("ranks=1")
        self.assertIn("Longest kernels per step", self.succeed(f"{self.folder}/run-*.sqlite").stdout)

    @records_other_programs(MANSARD)
    def test_world_size_is_recorded(self):
        for launcher, (rank, size) in LAUNCHERS.items():
            file = self.folder / f"{launcher}-2.sqlite"
            script = "import mansard_annotate as a\nwith a.work('step'): pass\n"
            module = pathlib.Path(__file__).resolve().parents[2] / "kernels/annotation"
            result = run("profile", "-o", f"{self.folder}/{launcher}-%r.sqlite", "--", sys.executable, "-c", script,
                         PYTHONPATH=str(module), **{rank: "2", size: "24"})
            self.assertEqual(result.returncode, 0, result.stderr)
            database = sqlite3.connect(file)
            session = dict(database.execute("SELECT name, value FROM MANSARD_SESSION"))
            database.close()
            self.assertEqual((session["rank"], session["worldSize"]), ("2", "24"))


class Tasks(InFolder):
    """The profiles of a job, divided among the tasks of a launcher."""

    def tasks(self, pattern, launcher, count):
        rank, size = LAUNCHERS[launcher]
        summaries = self.folder / launcher
        children = [subprocess.Popen([MANSARD, "analyze", pattern, "--summaries", summaries],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                     env=environment(**{rank: str(task), size: str(count)}))
                    for task in range(count)]
        for child in children:
            out, err = child.communicate(timeout=200)
            self.assertEqual(child.returncode, 0, err)
            self.assertEqual(out, "", "a share is not a result")
        return summaries, err

    def test_every_launcher(self):
        pattern = self.write("ranks=7", "steps=6", "slow=5:0.4")
        expected = self.tables(pattern)
        for launcher in LAUNCHERS:
            summaries, message = self.tasks(pattern, launcher, 3)
            self.assertIn("task 2 of 3: 2 of 7 profiles, 2 summarized, 0 already done", message)
            self.assertEqual(len(list(summaries.iterdir())), 7, "and no temporary files")
            self.assertEqual(self.tables(f"{summaries}/*.summary.sqlite"), expected)

    def test_finished_summaries_are_not_made_again(self):
        pattern = self.write("ranks=4", "steps=6")
        summaries, _ = self.tasks(pattern, "srun", 2)
        times = {file: file.stat().st_mtime_ns for file in summaries.iterdir()}
        victim = summaries / "run-1.summary.sqlite"
        victim.unlink()
        _, message = self.tasks(pattern, "srun", 2)
        self.assertIn("task 1 of 2: 2 of 4 profiles, 1 summarized, 1 already done", message)
        for file, time in times.items():
            if file != victim:
                self.assertEqual(file.stat().st_mtime_ns, time)

    def test_merge_in_a_task(self):
        pattern = self.write("ranks=4", "steps=6")
        summaries, _ = self.tasks(pattern, "srun", 2)
        variables = {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "2"}
        (summaries / "run-3.summary.sqlite").unlink()
        rows = self.tables(pattern, "--summaries", summaries, "--merge", **variables)
        self.assertEqual(len(rows["ranks"]), 4)
        self.assertTrue((summaries / "run-3.summary.sqlite").exists(), "a missing one is made")

    def test_one_task_has_all(self):
        pattern = self.write("ranks=3", "steps=6")
        batch = {"SLURM_PROCID": "0", "SLURM_NTASKS": "3", "SLURM_JOB_ID": "4711"}
        rows = self.tables(pattern, "--summaries", self.folder / "b", **batch)
        self.assertEqual(len(rows["ranks"]), 3, "a batch script is one process")
        rows = self.tables(pattern, "--summaries", self.folder / "s")
        self.assertEqual(len(rows["ranks"]), 3)

    def test_bad_environment_and_names(self):
        pattern = self.write("ranks=2")
        result = run("analyze", pattern, "--summaries", self.folder / "s", SLURM_PROCID="2",
                     SLURM_STEP_NUM_TASKS="2")
        self.assertEqual(result.returncode, 2)
        self.assertIn("SLURM_PROCID=2 is impossible with SLURM_STEP_NUM_TASKS=2", result.stderr)
        other = self.folder / "other"
        subprocess.run([WRITER, other, "ranks=1"], check=True)
        result = run("analyze", pattern, f"{other}/run-0.sqlite", "--summaries", self.folder / "s")
        self.assertEqual(result.returncode, 2)
        self.assertIn("would have the same summary", result.stderr)

    def test_unreadable_profiles_are_named_by_their_task(self):
        pattern = self.write("ranks=2")
        (self.folder / "run-1.sqlite").write_text("no database")
        result = run("analyze", pattern, "--summaries", self.folder / "s", PMI_RANK="1", PMI_SIZE="2")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("run-1.sqlite", result.stderr)
        self.assertIn("1 not analyzed", result.stderr)


class Scale(InFolder):
    @limits_memory(MANSARD)
    def test_constant_memory_and_linear_time(self):
        # 10,000 kernels each: a profile takes more memory than its summary by far.
        self.write("ranks=32", "steps=50", "collectives=10", "kernels=19", "calls=0")
        files = sorted(self.folder.iterdir())
        few_s, few_bytes = measure("analyze", *files[:4], "--jobs", "1", "--format", "json")
        many_s, many_bytes = measure("analyze", *files, "--jobs", "1", "--format", "json")
        self.assertLess(many_bytes, 1.3 * few_bytes, "peak memory of 32 files and of 4")
        # 8 times the work; a quadratic algorithm would take 64 times.
        self.assertLess(many_s, 24 * few_s, "CPU time of 32 files and of 4")


    @limits_memory(MANSARD)
    def test_profiles_that_do_not_fit_together_are_analyzed_alone(self):
        pattern = self.write("ranks=8", "steps=100", "collectives=10", "kernels=99", "calls=0")
        rows = self.tables(pattern, "--jobs", "8", MANSARD_MEMORY="80M")
        self.assertEqual(len(rows["ranks"]), 8)
        self.assertNotIn("problems", rows)


if __name__ == "__main__":
    unittest.main()
