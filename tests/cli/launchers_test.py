# SPDX-License-Identifier: Apache-2.0
"""Mansard under the launchers that this machine has: Open MPI, MPICH, and a Slurm cluster of one node.

Run by ctest, which skips it without any of them; by hand:
MANSARD=build/dev/bin/mansard WRITE_RANK_PROFILES=build/dev/bin/write_rank_profiles \\
    python3 -m unittest -v launchers_test"""

import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from rank_runs import MANSARD, RankRuns

SLURM = ("munged", "munge", "slurmctld", "slurmd", "srun", "sinfo", "scancel", "squeue")
SEARCH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def program(name):
    return shutil.which(name, path=SEARCH)


def launchers():
    """The commands that start two processes, by launcher; each has its own environment variables."""
    found = {}
    if program("mpirun.openmpi"):
        root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        found["Open MPI"] = [program("mpirun.openmpi"), *root, "--oversubscribe", "-n", "2"]
    if program("mpiexec.hydra"):
        found["MPICH"] = [program("mpiexec.hydra"), "-n", "2"]
    if all(map(program, SLURM)):
        found["Slurm"] = [program("srun"), "-n", "2"]
    return found


class SlurmNode:
    """A cluster of this host alone, with all of its files in one folder and daemons of this user."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm-"))
        self.daemons = []
        for name in ("state", "spool", "munge"):
            (self.folder / name).mkdir(mode=0o755)
        self.folder.chmod(0o755)
        key = self.folder / "munge" / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        ports = []
        for _ in range(2):
            with socket.socket() as s:
                s.bind(("127.0.0.1", 0))
                ports.append(s.getsockname()[1])
        self.configuration = self.folder / "slurm.conf"
        munge = self.folder / "munge" / "socket"
        self.configuration.write_text("\n".join((
            f"ClusterName=test{os.getpid()}", f"SlurmctldHost={socket.gethostname().split('.')[0]}(127.0.0.1)",
            f"SlurmUser={getpass.getuser()}", f"SlurmdUser={getpass.getuser()}",
            f"SlurmctldPort={ports[0]}", f"SlurmdPort={ports[1]}",
            "AuthType=auth/munge", f"AuthInfo=socket={munge}", "CredType=cred/munge",
            "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "MpiDefault=none",
            "JobAcctGatherType=jobacct_gather/none", "SelectType=select/cons_tres",
            "SlurmdParameters=config_overrides", f"StateSaveLocation={self.folder}/state",
            f"SlurmdSpoolDir={self.folder}/spool", f"SlurmctldPidFile={self.folder}/slurmctld.pid",
            f"SlurmdPidFile={self.folder}/slurmd.pid", f"SlurmctldLogFile={self.folder}/slurmctld.log",
            f"SlurmdLogFile={self.folder}/slurmd.log",
            f"NodeName={socket.gethostname().split('.')[0]} NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN",
            "PartitionName=all Nodes=ALL Default=YES State=UP", "")))
        # Without its own variables, as a job of this cluster, even if the tests are a job of another one.
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("SLURM_")}
        self.environment["SLURM_CONF"] = str(self.configuration)
        self.start("munged", "--foreground", "--force", "--key-file", key, "--socket", munge, "--pid-file",
                   self.folder / "munge" / "pid", "--log-file", self.folder / "munge" / "log", "--seed-file",
                   self.folder / "munge" / "seed")
        self.wait(lambda: munge.exists(), "munged")
        self.start("slurmctld", "-D")
        self.start("slurmd", "-D")
        self.wait(lambda: "idle" in self.run("sinfo", "-h", "-o", "%T"), "a node")

    def start(self, name, *arguments):
        with open(self.folder / f"{name}.out", "wb") as output:
            self.daemons.append(subprocess.Popen([program(name), *map(str, arguments)], env=self.environment,
                                                 stdout=output, stderr=output, stdin=subprocess.DEVNULL))

    def run(self, name, *arguments):
        """What it prints; nothing if the cluster does not answer."""
        try:
            return subprocess.run([program(name), *arguments], env=self.environment, capture_output=True, text=True,
                                  timeout=20, check=False).stdout
        except subprocess.TimeoutExpired:
            return ""

    def wait(self, condition, what):
        deadline = time.monotonic() + 40
        while not condition():
            if time.monotonic() > deadline or any(d.poll() is not None for d in self.daemons):
                logs = "\n".join(f"{f.name}: {f.read_text()[-600:]}" for f in self.folder.glob("*.out"))
                self.stop()
                raise RuntimeError(f"{what} did not start\n{logs}")
            time.sleep(0.1)

    def stop(self):
        # The daemons leave the steps of a job running.
        if all(daemon.poll() is None for daemon in self.daemons):
            self.run("scancel", "--user", getpass.getuser())
            deadline = time.monotonic() + 10
            while self.run("squeue", "-h") and time.monotonic() < deadline:
                time.sleep(0.1)
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Launchers(RankRuns):
    @classmethod
    def setUpClass(cls):
        cls.commands = launchers()
        cls.environment = dict(os.environ)
        if "Slurm" not in cls.commands:
            return
        try:
            node = SlurmNode()
        except RuntimeError as error:  # a user may not be allowed to run these daemons
            print(f"without Slurm: {error}", file=sys.stderr)
            del cls.commands["Slurm"]
            if not cls.commands:
                raise unittest.SkipTest("no launcher works") from error
            return
        cls.addClassCleanup(node.stop)
        cls.environment = node.environment

    def launch(self, command, *arguments, **options):
        return subprocess.run([*command, *map(str, arguments)], env=self.environment, capture_output=True, text=True,
                              timeout=100, check=False, **options)

    def test_ranks_train_as_those_of_the_option(self):
        expected = self.losses("--steps", 5, "--ranks", 2)
        for name, command in self.commands.items():
            with self.subTest(name):
                log = self.folder / f"{name}.csv"
                result = self.launch(command, *self.command("--steps", 5, "--log", log))
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(self.logged(log), expected)
                self.assertEqual(result.stderr.count("2 ranks, connected with TCP"), 1, result.stderr)

    def test_the_other_rank_names_a_killed_one(self):
        for name, command in self.commands.items():
            with self.subTest(name):
                log = self.folder / f"{name}.csv"
                process = subprocess.Popen(
                    [*command, *self.command("--steps", 1000000, "--log", log)], env=self.environment,
                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                self.addCleanup(process.stderr.close)
                self.addCleanup(process.kill)
                self.read_until(process, "step 1/")
                os.kill(self.process_of_rank_1(log), signal.SIGKILL)
                _, errors = process.communicate(timeout=60)
                self.assertNotEqual(process.returncode, 0)
                # A launcher may end the other ranks before they can say it.
                if name == "Slurm":
                    self.assertIn("rank 0 stops: rank 1 has ended", errors)

    @staticmethod
    def process_of_rank_1(log):
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
                variables = (folder / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0] == MANSARD.encode() and str(log).encode() in words and any(
                    v in variables for v in (b"OMPI_COMM_WORLD_RANK=1", b"PMI_RANK=1", b"SLURM_PROCID=1")):
                return int(folder.name)
        raise AssertionError("rank 1 was not found")

    def test_each_rank_is_profiled(self):
        for name, command in self.commands.items():
            with self.subTest(name):
                pattern = self.folder / f"{name}-%r.sqlite"
                result = self.launch(command, MANSARD, "profile", "-o", pattern, "--",
                                     *self.command("--steps", 3))
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(sorted(f.name for f in self.folder.glob(f"{name}-*.sqlite")),
                                 [f"{name}-0.sqlite", f"{name}-1.sqlite"])
                # Without work of a GPU, ranks are not analyzed together.
                self.assertEqual(result.stderr.count("next: mansard analyze"), 2, result.stderr)
                self.assertNotIn("-*.sqlite", result.stderr)

    def test_a_task_per_host_starts_its_own_ranks(self):
        for name, command in self.commands.items():
            with self.subTest(name):
                result = self.launch([*command[:-1], "1"],
                                     *self.command("--steps", 30, "--ranks", 2, "--sync", "average", "--recovery",
                                                   "partial", "--kill", "1@15", "--checkpoints",
                                                   self.folder / name, "--checkpoint-every", 5))
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn("restart 1 of", result.stderr)

    def test_tasks_analyze_their_part_of_the_profiles(self):
        profiles = self.folder / "profiles"
        subprocess.run([os.environ["WRITE_RANK_PROFILES"], profiles, "ranks=4"], check=True, stdout=subprocess.DEVNULL)
        for name, command in self.commands.items():
            with self.subTest(name):
                summaries = self.folder / f"{name} summaries"
                result = self.launch(command, MANSARD, "analyze", f"{profiles}/*.sqlite", "--summaries", summaries,
                                     "--jobs", 1)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn("task 0 of 2: 2 of 4 profiles, 2 summarized", result.stderr)
                self.assertIn("task 1 of 2: 2 of 4 profiles, 2 summarized", result.stderr)
                self.assertEqual(len(list(summaries.glob("*.sqlite"))), 4)


if __name__ == "__main__":
    if not launchers():
        sys.exit(77)
    unittest.main(verbosity=2)
