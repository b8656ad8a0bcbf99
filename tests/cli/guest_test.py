# SPDX-License-Identifier: Apache-2.0
"""A program behaves the same with and without `mansard profile`, however it ends and whichever resource is missing: its
output, exit code and files are the same, it takes at most 2 s longer, and Mansard leaves nothing but the profiles."""

import os
import pathlib
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

from cli_test import MANSARD
from sanitizer import unless_sanitized

PROGRAM = pathlib.Path(MANSARD).parent / "collector_program_guest"
ENDING = pathlib.Path(MANSARD).parent / "collector_program_ending"
ENDINGS = ["return", "exit", "_exit", "quick_exit", "abort", "kill", "segv", "term", "xfsz", "terminate", "exec",
           "exit_on_thread", "exit_with_threads", "pthread_exit", "close_descriptors", "close_all", "daemon"]
# By the missing resource: shell commands that take it away before the shell executes the program.
LACKS = {
    "files of any size": "ulimit -f 0",
    "files of 8 KiB": "ulimit -f 8",
    "files of 200 KiB": "ulimit -f 200",
    "descriptors": "ulimit -n 20",
    "most descriptors": "ulimit -n 200",
    "a folder for temporary files": "export TMPDIR=/no/such/folder",
    "a right to write temporary files": "export TMPDIR=/proc",
    "shared memory for control": "export MANSARD_CONTROL_FOLDER=/proc/no/such",
    "standard error": "exec 2>&-",
    "a reader of standard error": "exec 2> >(exec sleep 0); sleep 0.1",
    "room on standard error": "exec 2>/dev/full",
    "standard input": "exec 0<&-",
    "a stack": "ulimit -s 256",
    "a home": "unset HOME PATH USER",
}
EXTRA_SECONDS = 2.0
# LeakSanitizer has a thread of its own and changes exit codes.
AS_WITHOUT = unless_sanitized(MANSARD, "LeakSanitizer takes part in the ending of a program", "address")


class Run:
    """The externally visible behavior of a program."""

    def __init__(self, command, folder, control):
        environment = {**os.environ, "MANSARD_CONTROL_FOLDER": str(control), "TMPDIR": str(folder.parent / "tmp")}
        start = time.monotonic()
        # Through pipes, to which limits on file size do not apply.
        process = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120,
                                 check=False)
        self.seconds = time.monotonic() - start
        time.sleep(1 if "daemon" in command[-1] else 0)
        self.code = process.returncode if process.returncode >= 0 else 128 - process.returncode
        self.out = process.stdout
        lines = process.stderr.splitlines()
        self.said = [line for line in lines if line.startswith(("mansard: ", "next: "))]
        self.err = [line for line in lines if line not in self.said]
        self.profiles = sorted(str(p.relative_to(folder)) for p in folder.rglob("run*.sqlite*"))
        beside = [name for name in self.profiles if not name.endswith(".sqlite")]
        # Logs of a daemon that outlives the launcher.
        self.left = [] if "daemon" in command[-1] else beside
        self.files = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*")
                      if p.is_file() and not p.name.startswith("run")}
        self.left += sorted(p.name for p in (folder.parent / "tmp").iterdir())
        self.left += [str(p) for p in control.rglob("*")] if control.exists() else []


@AS_WITHOUT
class Guest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="guest-"))
        self.addCleanup(shutil.rmtree, self.root)

    def run_in(self, name, *command):
        root = self.root / name
        (root / "tmp").mkdir(parents=True)
        (root / "work").mkdir()
        return Run([str(c) for c in command], root / "work", root / "control")

    def compare(self, plain, profiled, left=()):
        self.assertEqual(profiled.code, plain.code, profiled.said)
        self.assertEqual(profiled.out, plain.out)
        self.assertEqual(profiled.err, plain.err)
        self.assertEqual(profiled.files, plain.files)
        self.assertEqual(profiled.left, list(left))
        self.assertLess(profiled.seconds, plain.seconds + EXTRA_SECONDS + 0.5, "0.5 s: a busy machine")

    def test_endings(self):
        for ending in ENDINGS:
            with self.subTest(ending=ending):
                plain = self.run_in(ending + "-plain", PROGRAM, ending)
                profiled = self.run_in(ending, MANSARD, "profile", "-o", "run.sqlite", "--", PROGRAM, ending)
                # A daemon that outlives the launcher and ends with _exit() leaves its control block behind.
                control = self.root / ending / "control"
                left = [str(p) for p in control.rglob("*")] if ending == "daemon" else []
                self.compare(plain, profiled, left)
                self.assertIn("run.sqlite", profiled.profiles, profiled.said)
                subprocess.run([MANSARD, "profile", "-o", self.root / "none.sqlite", "--", "true"],
                               env={**os.environ, "MANSARD_CONTROL_FOLDER": str(control)}, capture_output=True,
                               check=True)
                self.assertEqual(list(control.rglob("*")), [])

    def test_program_with_a_missing_resource(self):
        for i, (lack, shell) in enumerate(LACKS.items()):
            with self.subTest(lack=lack):
                script = ["bash", "-c", f'{shell}; exec "$0" return', str(PROGRAM)]
                plain = self.run_in(f"{i}-plain", *script)
                profiled = self.run_in(f"{i}", MANSARD, "profile", "-o", "run.sqlite", "--", *script)
                self.compare(plain, profiled)

    def test_launcher_with_a_missing_resource(self):
        for i, (lack, shell) in enumerate(LACKS.items()):
            with self.subTest(lack=lack):
                plain = self.run_in(f"{i}-plain", "bash", "-c", f'{shell}; exec "$0" return', PROGRAM)
                profiled = self.run_in(f"{i}", "bash", "-c",
                                       f'{shell}; exec "$0" profile -o run.sqlite -- "$1" return', MANSARD, PROGRAM)
                self.compare(plain, profiled)


class Files(unittest.TestCase):
    """Signals, secrets, programs with the same output name, and names that only the program can expand."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="guest-files-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {**os.environ, "MANSARD_CONTROL_FOLDER": str(self.folder / "control")}

    def profile(self, *arguments, cwd=None, **variables):
        return subprocess.Popen([MANSARD, "profile", *map(str, arguments)], cwd=cwd or self.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**self.environment, **variables})

    def finish(self, process, code):
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, err)
        return err

    def ranges(self, file):
        result = subprocess.run([MANSARD, "repair", file], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        database = sqlite3.connect(file)
        names = {name for name, in database.execute("SELECT text FROM NVTX_EVENTS")}
        names |= {name for name, in database.execute("SELECT value FROM NVTX_EVENTS JOIN StringIds ON id = textId")}
        database.close()
        return names

    def wait_for(self, what):
        for _ in range(500):
            if what():
                return
            time.sleep(0.02)
        self.fail("did not happen")

    def forever(self):
        """Starts an endless program that records to run.sqlite."""
        process = self.profile("-o", "run.sqlite", "--", ENDING, "forever", self.folder / "pid")
        self.wait_for((self.folder / "run.sqlite").exists)
        time.sleep(1)  # more than a transaction's 0.2 s
        return process, int((self.folder / "pid").read_text())

    def test_signals_to_the_process_group_end_only_the_program(self):
        """Slurm sends them before a checkpoint. The program handles them and exits with 35, 36, 37."""
        for number, code in ((signal.SIGUSR1, 35), (signal.SIGUSR2, 36), (signal.SIGALRM, 37)):
            with self.subTest(signal=number):
                pid = self.folder / f"pid{code}"
                process = subprocess.Popen([MANSARD, "profile", "-o", f"run{code}.sqlite", "--", ENDING,
                                            "wait_for_signal", pid], cwd=self.folder, env=self.environment, text=True,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
                self.wait_for(pathlib.Path(f"{pid}.ready").exists)
                os.killpg(process.pid, number)
                self.finish(process, code)

    def test_secrets_are_neither_stored_nor_readable_by_others(self):
        secrets = ["hf_abcdefghijklmnopqrstuvwxyz123456", "hunter2hunter2", "project-falcon"]
        self.finish(self.profile("-o", "run.sqlite", "--redact", "project-[a-z]+", "--", ENDING, "exit", "3", secrets[0],
                                 f"--api-key={secrets[1]}", secrets[2]), 3)
        file = self.folder / "run.sqlite"
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        page = self.folder / "page.html"
        subprocess.run([MANSARD, "report", file, "-o", page], capture_output=True, check=True)
        for secret in secrets:
            self.assertNotIn(secret.encode(), file.read_bytes())
            self.assertNotIn(secret.encode(), page.read_bytes())

    def test_force_does_not_replace_a_profile_being_written(self):
        process, pid = self.forever()
        err = self.finish(self.profile("-f", "-o", "run.sqlite", "--", ENDING, "exit", "3"), 3)
        self.assertIn("run.sqlite is being written by another process and is not replaced", err)
        os.kill(pid, signal.SIGKILL)
        self.finish(process, 128 + signal.SIGKILL)
        self.assertIn("tick", self.ranges(self.folder / "run.sqlite"))
        other, = set(self.folder.glob("run.*.sqlite"))
        self.assertEqual(self.ranges(other), {"r"})

    def test_force_deletes_only_the_output(self):
        """Names that the launcher cannot expand: with a PID, and with a variable that only the program has."""
        for existing, pattern in (("run-0.sqlite", "run-%p.sqlite"), ("run.sqlite", "%q{ONLY_OF_THE_PROGRAM}run.sqlite")):
            (self.folder / existing).write_text("precious")
            self.finish(self.profile("-f", "-o", pattern, "--", "sh", "-c", f"ONLY_OF_THE_PROGRAM=a- exec {ENDING} exit 3"),
                        3)
            self.assertEqual((self.folder / existing).read_text(), "precious")

    @AS_WITHOUT
    @unittest.skipIf(os.geteuid() != 0, "root starts this as a user, whose processes can be limited")
    def test_without_threads_the_program_runs_unrecorded(self):
        self.folder.chmod(0o777)
        # The launcher, the program and the collector's threads.
        result = subprocess.run([MANSARD, "profile", "-o", "run.sqlite", "--", ENDING, "exit", "3"], cwd=self.folder,
                                env={**self.environment, "MANSARD_CONTROL_FOLDER": str(self.folder / "of-user")},
                                capture_output=True, text=True, user="nobody", check=False,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (2, 2)))
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("this process is not recorded: ", result.stderr)
        self.assertEqual(list(self.folder.glob("run*")), [])

    def test_an_unrelated_profile_in_the_folder_is_not_reported(self):
        silent = self.profile("-o", "run.sqlite", "--", "sleep", "3")
        time.sleep(0.5)
        self.finish(self.profile("-o", "run.sqlite", "--", ENDING, "exit", "3"), 3)
        err = self.finish(silent, 0)
        self.assertIn("nothing was recorded", err)
        self.assertNotIn("run.sqlite", err)

    def test_a_variable_of_the_program_may_hold_a_whole_path(self):
        (self.folder / "there").mkdir()
        script = f"WHERE={self.folder}/there exec {ENDING} exit 3"
        self.finish(self.profile("-o", "%q{WHERE}/run.sqlite", "--", "sh", "-c", script), 3)
        self.assertEqual(self.ranges(self.folder / "there" / "run.sqlite"), {"r"})

    def test_the_name_of_the_current_folder_is_not_a_pattern(self):
        folder = self.folder / "100%pure"
        folder.mkdir()
        self.finish(self.profile("-o", "run.sqlite", "--", ENDING, "exit", "3", cwd=folder), 3)
        self.assertEqual(self.ranges(folder / "run.sqlite"), {"r"})

    def test_a_line_end_in_the_name(self):
        name = "two\nlines%%.sqlite"
        err = self.finish(self.profile("-o", name, "--", ENDING, "exit", "3"), 3)
        self.assertIn("10 NVTX ranges", err)
        self.assertEqual(self.ranges(self.folder / "two\nlines%.sqlite"), {"r"})

    def test_a_process_that_exits_at_once_is_reported(self):
        err = self.finish(self.profile("-o", "run.sqlite", "--", ENDING, "_exit_at_once"), 4)
        self.assertRegex(err, r"1 process \(\d+\) ended by _exit\(\), exec\(\) or a signal before any events")
        self.assertEqual(list((self.folder / "control").iterdir()), [])

    def test_a_truncated_control_block_is_not_touched(self):
        process, pid = self.forever()
        os.truncate(self.folder / "control" / str(pid), 0)
        time.sleep(1.5)  # the thread that waits for requests looks every second
        self.assertIsNone(process.poll())
        os.kill(pid, signal.SIGKILL)
        self.finish(process, 128 + signal.SIGKILL)
        self.assertIn("tick", self.ranges(self.folder / "run.sqlite"))

    def set_uid(self, program):
        copy = self.folder / f"set-uid-{pathlib.Path(program).name}"
        shutil.copy(program, copy)
        os.chown(copy, 65534, 65534)
        os.chmod(copy, 0o4755)
        return copy

    @AS_WITHOUT
    @unittest.skipIf(os.geteuid() != 0, "only root can make a program that is set-uid to another user")
    def test_a_set_uid_program_is_not_recorded(self):
        self.folder.chmod(0o777)
        if subprocess.check_output([self.set_uid(shutil.which("id")), "-u"], text=True).strip() != "65534":
            self.skipTest("set-uid bits have no effect here")
        program = self.set_uid(ENDING)
        err = self.finish(self.profile("-o", "run.sqlite", "--", program, "exit", "3"), 3)
        self.assertIn("nothing was recorded", err)
        self.assertEqual(list(self.folder.glob("run*")), [])


if __name__ == "__main__":
    unittest.main()
