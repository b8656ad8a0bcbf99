# SPDX-License-Identifier: Apache-2.0
"""`mansard counters`, and `mansard profile --counters` without a GPU.

Run by ctest; by hand: MANSARD=build/dev/bin/mansard python3 -m unittest -v counters_test"""

import csv
import os
import pathlib
import subprocess
import tempfile
import unittest

MANSARD = os.environ["MANSARD"]


def run(*arguments):
    return subprocess.run([MANSARD, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, check=False)


def rows_of(result):
    return list(csv.DictReader(line for line in result.stdout.splitlines()
                               if line and not line.startswith("#")))


class Counters(unittest.TestCase):
    def setUp(self):
        result = run("counters", "--chip", "GH100")
        if result.returncode != 0:
            self.assertIn("CUPTI", result.stderr)
            self.skipTest(result.stderr.strip())

    def test_metrics_of_a_chip_that_this_machine_lacks(self):
        rows = rows_of(run("counters", "--chip", "GH100", "--format", "csv"))
        group_of = {row["metric"]: row["group"] for row in rows}
        self.assertEqual(group_of["dram__bytes.sum"], "1")
        self.assertEqual(group_of["sm__ops_path_tensor_src_fp8.sum"], "1")
        self.assertEqual(group_of["sm__ops_path_tensor_src_fp4_dst_fp32.sum"], "")

    def test_every_chip_has_a_row(self):
        rows = {row["chip"]: row for row in rows_of(run("counters", "--format", "csv"))}
        for chip in ("GA100", "AD102", "GH100", "GB100", "GB202"):
            self.assertIn("HBM", rows[chip]["tiers"])
        self.assertIn("NVFP4", rows["GB100"]["tensor_cores"])
        self.assertNotIn("NVFP4", rows["GH100"]["tensor_cores"])

    def test_metrics_named_by_the_user(self):
        result = run("counters", "--chip", "GH100", "--set", "dram__bytes.sum,no__such.sum",
                     "--format", "csv")
        self.assertEqual({row["metric"]: row["group"] for row in rows_of(result)},
                         {"gpu__time_duration.sum": "1", "dram__bytes.sum": "1",
                          "no__such.sum": ""})

    def test_unknown_chip_and_unknown_set(self):
        unknown = run("counters", "--chip", "GX1")
        self.assertEqual(unknown.returncode, 1)
        self.assertIn("GH100", unknown.stderr)
        self.assertEqual(run("counters", "--set", "rooflines").returncode, 2)


class Profile(unittest.TestCase):
    def test_bad_counters_exit_2_and_nothing_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            made = pathlib.Path(folder) / "made"
            for options, word in ((["--counters", "rooflines"], "roofline"),
                                  (["--counters-per-kernel", "0"], "1 to 1000")):
                result = run("profile", "-o", f"{folder}/r.sqlite", *options, "--", "touch", made)
                self.assertEqual(result.returncode, 2)
                self.assertIn(word, result.stderr)
                self.assertFalse(made.exists())

    def test_a_program_without_a_gpu_is_recorded(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "r.sqlite"
            result = run("profile", "--counters", "roofline", "-o", file, "--", MANSARD, "run",
                         "layer", "--device", "cpu", "--shape", "64x64x64", "--steps", "1")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertTrue(file.exists())
            self.assertNotIn("counters", result.stderr)
