# SPDX-License-Identifier: Apache-2.0
"""Runs of `mansard train` with several processes on the CPU, for tests."""

import csv
import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

MANSARD = os.environ["MANSARD"]
SIZES = ["--hidden", 32, "--layers", 2, "--heads", 2, "--ffn", 64, "--batch", 2, "--sequence", 32, "--device", "cpu"]


class RankRuns(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.checkpoints = self.folder / "checkpoints"
        words = random.Random(1)
        self.data = self.folder / "data.txt"
        self.data.write_text(" ".join(words.choice(["roof", "line", "of", "the", "machine"])
                                      for _ in range(6000)))

    def command(self, *arguments):
        return [str(word) for word in (MANSARD, "train", "--data", self.data, *SIZES, *arguments)]

    def train(self, *arguments, **options):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=100, check=False,
                              **options)

    def result(self, *arguments):
        """The result's tables as lists of rows, and the messages."""
        run = self.train(*arguments, "--format", "json")
        self.assertEqual(run.returncode, 0, run.stderr)
        tables = {table["id"]: table["rows"] for table in json.loads(run.stdout)["findings"][0]["tables"]}
        return tables, run.stderr

    def losses(self, *arguments, log="log.csv"):
        log = self.folder / log
        result = self.train(*arguments, "--log", log)
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.logged(log)

    def logged(self, log):
        with open(log, encoding="utf-8") as file:
            return [float(row["loss"]) for row in csv.DictReader(file)]

    def start(self, *arguments):
        """Starts a run, and returns when it has completed a step."""
        process = subprocess.Popen(self.command(*arguments), stderr=subprocess.PIPE, text=True,
                                   stdout=subprocess.DEVNULL)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        self.read_until(process, "step 1/")
        return process

    def read_until(self, process, text):
        for line in process.stderr:
            if text in line:
                return
        self.fail(f"no '{text}'")

    def ranks_of(self, process):
        """The processes of the ranks, in the order of their start."""
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True,
                                check=True)
        return [int(pid) for pid in listed.stdout.split()]
