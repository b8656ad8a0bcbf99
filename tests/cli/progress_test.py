# SPDX-License-Identifier: Apache-2.0
"""--progress of `mansard profile` and `mansard characterize`: output on a terminal, in a log and as
JSON.

Run by ctest; by hand: MANSARD=build/dev/bin/mansard python3 -m unittest -v progress_test"""

import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import tempfile
import threading
import time
import unittest

MANSARD = os.environ["MANSARD"]
# Opens NVTX ranges on the CPU until it is killed.
ENDLESS = [MANSARD, "run", "layer", "--recipe", "nvfp4", "--device", "cpu", "--shape", "64x64x64",
           "--steps", "10000000", "--warmup", "0"]
LINE = re.compile(r"mansard: ([\d,]+) events/s, ([\d,]+) events, ([\d,]+) dropped, [\d.]+ (Ki|Mi|Gi)?B")
PATIENCE_S = 60


class Progress(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "run.sqlite"

    def start(self, *options, stderr, program=(), **more):
        process = subprocess.Popen(
            [MANSARD, "profile", "-o", str(self.file), *options, "--", *(program or ENDLESS)],
            stdout=subprocess.PIPE, stderr=stderr, text=True, start_new_session=True, **more)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        """Kills the process and the program that it profiles."""
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def read_terminal(self, terminal, enough):
        """Reads its output until `enough(text)`."""
        text = ""
        deadline = time.monotonic() + PATIENCE_S
        while not enough(text):
            self.assertLess(time.monotonic(), deadline, text)
            if not select.select([terminal], [], [], 0.1)[0]:
                continue
            try:
                data = os.read(terminal, 65536)
            except OSError:  # the other end is closed
                break
            text += data.decode()
        return text

    def test_a_terminal_gets_one_line_that_is_rewritten_and_cleared(self):
        terminal, theirs = pty.openpty()
        self.addCleanup(os.close, terminal)
        process = self.start("--progress", stderr=theirs, env={**os.environ, "TERM": "xterm"})
        os.close(theirs)
        text = self.read_terminal(terminal, lambda t: len(LINE.findall(t)) >= 4)
        self.assertNotIn("\n", text)
        self.assertTrue(all(part == "" or LINE.match(part) for part in text.split("\r\x1b[K")),
                        repr(text))
        process.terminate()
        rest = self.read_terminal(terminal, lambda t: "next:" in t)
        process.wait(PATIENCE_S)
        # The line is cleared at the end; the summary is the same as without --progress.
        after = (text + rest).rpartition("\r\x1b[K")[2]
        self.assertIn("mansard: the program was killed by signal 15", after)
        self.assertNotRegex(after, LINE)
        totals = [int(total.replace(",", "")) for _, total, _, _ in LINE.findall(text + rest)]
        self.assertEqual(totals, sorted(totals))
        self.assertGreater(totals[-1], 0)

    def test_a_narrow_terminal_is_never_wrapped(self):
        import fcntl
        import struct
        import termios
        terminal, theirs = pty.openpty()
        self.addCleanup(os.close, terminal)
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 30, 0, 0))
        self.start("--progress", stderr=theirs, env={**os.environ, "TERM": "xterm"})
        os.close(theirs)
        text = self.read_terminal(terminal, lambda t: t.count("\r") >= 4)
        for part in text.split("\r\x1b[K"):
            self.assertLess(len(part), 30, repr(part))

    def test_a_log_gets_lines_without_control_characters(self):
        process = self.start("--progress", stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        killer = threading.Timer(PATIENCE_S, process.kill)
        killer.start()
        self.addCleanup(killer.cancel)
        line = process.stderr.readline()
        self.assertRegex(line, "^" + LINE.pattern + "\n$")
        self.assertGreater(int(LINE.match(line)[2].replace(",", "")), 0)
        process.terminate()
        self.assertNotIn("\r", process.stderr.read())

    def test_a_short_program_is_recorded_as_without_it(self):
        short = [*ENDLESS]
        short[short.index("--steps") + 1] = "2"
        said = {}
        for options in ((), ("--progress",)):
            self.file.unlink(missing_ok=True)
            process = self.start(*options, stderr=subprocess.PIPE, program=short)
            out, said[options] = process.communicate(timeout=PATIENCE_S)
            self.assertEqual(process.returncode, 0, said[options])
        self.assertEqual(said[()].splitlines()[-2:], said[("--progress",)].splitlines()[-2:])
        self.assertNotRegex(said[("--progress",)], LINE)

    def test_programs_are_told_in_json(self):
        process = self.start("--progress=json", stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        killer = threading.Timer(PATIENCE_S, process.kill)
        killer.start()
        self.addCleanup(killer.cancel)
        events = []
        while len(events) < 3 or events[-1] == 0:
            line = process.stderr.readline()
            self.assertTrue(line.startswith('{"mansard_progress":1,'), line)
            told = json.loads(line)
            self.assertIn(told["files"], ([], [str(self.file)]))
            self.assertEqual(told["dropped_events"], 0)
            events.append(told["events"])
        self.assertEqual(events, sorted(events))
        self.assertEqual(told["files"], [str(self.file)])
        self.assertGreater(told["file_bytes"], 0)
        process.terminate()
        rest = process.stderr.read().splitlines()
        self.assertEqual(json.loads(rest[-1]),
                         {"mansard_progress": 1, "result": str(self.file)})
        self.assertNotRegex("\n".join(rest), LINE)

    def test_an_unknown_value_is_refused(self):
        for command in (["profile", "--progress=yaml", "--", "true"],
                        ["characterize", "--progress=yaml"]):
            result = subprocess.run([MANSARD, *command], capture_output=True, text=True, check=False,
                                    cwd=self.file.parent)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("--progress", result.stderr)


class Characterize(unittest.TestCase):
    SHORT = ["--device", "cpu", "--only", "cpu_fma_fp64,cpu_fma_fp32", "--min-time", "0",
             "--min-samples", "2", "--max-time", "0.01", "--campaigns", "2"]

    def test_programs_are_told_in_json(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "machine.json"
            result = subprocess.run(
                [MANSARD, "characterize", *self.SHORT, "--progress=json", "-o", str(file)],
                capture_output=True, text=True, check=False, timeout=PATIENCE_S)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = [json.loads(line) for line in result.stderr.splitlines() if line[0] == "{"]
        self.assertEqual(lines.pop(), {"mansard_progress": 1, "result": str(file)})
        self.assertTrue(all(line["mansard_progress"] == 1 for line in lines))
        self.assertEqual([line["done"] for line in lines], list(range(len(lines))))
        self.assertEqual(lines[-1]["done"], lines[-1]["total"])
        self.assertIsNone(lines[0]["left_s"])
        self.assertGreaterEqual(lines[-2]["left_s"], 0)
        self.assertTrue(lines[0]["device"])
        self.assertEqual({line["ceiling"].split("@")[0] for line in lines[:-1]},
                         {"cpu_fma_fp64", "cpu_fma_fp32"})


if __name__ == "__main__":
    unittest.main()
