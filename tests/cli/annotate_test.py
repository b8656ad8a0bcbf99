# SPDX-License-Identifier: Apache-2.0
"""kernels/annotation/mansard_annotate.py: the text format, no effect without a tool, and the recorded
annotations.

Run by ctest; by hand: MANSARD=build/dev/bin/mansard python3 -m unittest -v annotate_test"""

import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import unittest

from sanitizer import records_other_programs

MANSARD = os.environ["MANSARD"]
MODULE = pathlib.Path(__file__).resolve().parents[2] / "kernels/annotation"
sys.path.insert(0, str(MODULE))
os.environ.pop("NVTX_INJECTION64_PATH", None)
import mansard_annotate as annotate  # noqa: E402


def run_script(script, *before, **variables):
    """Runs Python text, behind the command `before` if there is one."""
    env = {k: v for k, v in os.environ.items() if k != "NVTX_INJECTION64_PATH"}
    env.update(PYTHONPATH=str(MODULE), PYTHONDONTWRITEBYTECODE="1", **variables)
    return subprocess.run([*before, sys.executable, "-c", textwrap.dedent(script)], env=env, text=True,
                          capture_output=True, check=False, timeout=120)


class Texts(unittest.TestCase):
    def test_grammar(self):
        self.assertEqual(
            annotate.text("fprop", flop=1.5e12, hbm=3, precision="bf16", operation_class="gemm",
                          shape=(8, 4, 2)),
            "fprop | flop=1500000000000 hbm=3 precision=bf16 class=gemm shape=8x4x2")
        self.assertEqual(annotate.text("no work"), "no work")
        self.assertEqual(annotate.text("a | b", l2=0.5), "a | b | l2=0.5")

    def test_large_integers_are_exact(self):
        flop = 2 * 123457 * 654323 * 99991
        self.assertEqual(annotate.text("x", flop=flop), f"x | flop={flop}")

    def test_invalid_values_are_left_out(self):
        for value in (0, -1, float("nan"), float("inf"), 1e30, "many", None, object(), 10**400):
            self.assertEqual(annotate.text("x", flop=value, hbm=value), "x")
        self.assertEqual(annotate.text("x", shape="a b\tc"), "x | shape=a_b_c")

    def test_work_of_a_gemm(self):
        work = annotate.gemm_work(8, 4, 2, precision="fp8_e4m3", in_bytes=1)
        self.assertEqual(work, {"flop": 128, "hbm": 16 + 8 + 64, "precision": "fp8_e4m3",
                                "operation_class": "gemm", "shape": (8, 4, 2)})


class WithoutTool(unittest.TestCase):
    def test_nothing_is_created_or_wrapped(self):
        self.assertFalse(annotate.recording())
        self.assertIs(annotate.work("a", flop=1), annotate.gemm("b", 1, 2, 3))

        def function():
            pass
        self.assertIs(annotate.work("f")(function), function)
        annotate.pop()
        annotate.push("x")

    def test_coroutines_and_generators_are_refused(self):
        async def coroutine():
            pass

        def generator():
            yield
        for function in (coroutine, generator):
            with self.assertRaises(TypeError):
                annotate.work("f")(function)

    def test_an_invalid_tool_is_ignored(self):
        for path in ("/no/such/library.so", "libc.so.6", str(MODULE)):
            result = run_script("import mansard_annotate as a; print(a.recording())",
                                NVTX_INJECTION64_PATH=path)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "False\n", ""))


@records_other_programs(MANSARD)
class Recorded(unittest.TestCase):
    def record(self, script):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = pathlib.Path(folder.name) / "run.sqlite"
        result = run_script(script, MANSARD, "profile", "-o", str(file), "--")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        database = sqlite3.connect(file)
        self.addCleanup(database.close)
        return database

    def test_work_arrives(self):
        database = self.record("""
            import mansard_annotate as annotate
            assert annotate.recording()
            @annotate.work("step")
            def step(x):
                with annotate.gemm("fprop", 8192, 4096, 14336, precision="bf16", in_bytes=2):
                    with annotate.work("quantize", hbm=12.5, l2=7, operation_class="quantize",
                                       shape=[3, 4]):
                        return x + 1
            assert step(1) == 2 and step.__name__ == "step"
            annotate.push("by hand \\0 \\ud800", flop=5)
            annotate.pop()
            annotate.pop()  # one too many
            try:
                with annotate.work("left by an exception", flop=9): raise KeyError
            except KeyError: pass
            """)
        rows = database.execute("SELECT name, flop, precision, class, shape, unknownKeys "
                                "FROM MANSARD_WORK ORDER BY flop").fetchall()
        self.assertEqual(rows, [
            ("quantize", 0, None, "quantize", "3x4", 0),
            ("by hand   ?", 5, None, None, None, 0),
            ("left by an exception", 9, None, None, None, 0),
            ("fprop", 2.0 * 8192 * 4096 * 14336, "bf16", "gemm", "8192x4096x14336", 0)])
        tiers = database.execute("SELECT name, level, bytes FROM MANSARD_WORK_BYTES "
                                 "JOIN MANSARD_WORK USING (eventId) ORDER BY bytes").fetchall()
        self.assertEqual(tiers, [
            ("quantize", "l2", 7), ("quantize", "hbm", 12.5),
            ("fprop", "hbm", 2 * (8192 * 14336 + 14336 * 4096 + 8192 * 4096))])
        # Nested as the script nested them.
        spans = dict((t.split(" | ")[0], (s, e)) for t, s, e in
                     database.execute('SELECT text, start, "end" FROM NVTX_EVENTS'))
        for outer, inner in (("step", "fprop"), ("fprop", "quantize")):
            self.assertLessEqual(spans[outer][0], spans[inner][0])
            self.assertGreaterEqual(spans[outer][1], spans[inner][1])

    def test_it_can_be_turned_off(self):
        script = "import mansard_annotate as a; print(a.recording())"
        for value, recording in (("0", "False\n"), ("1", "True\n")):
            with tempfile.TemporaryDirectory() as folder:
                profile = (MANSARD, "profile", "-o", f"{folder}/r.sqlite", "--")
                result = run_script(script, *profile, MANSARD_ANNOTATE=value)
                self.assertEqual((result.returncode, result.stdout), (0, recording))

    def test_threads_and_forked_children(self):
        database = self.record("""
            import os, threading
            import mansard_annotate as annotate
            def enter():
                for _ in range(1000):
                    with annotate.work("tick", flop=1): pass
            threads = [threading.Thread(target=enter) for _ in range(4)]
            for t in threads: t.start()
            for t in threads: t.join()
            if (child := os.fork()) == 0:
                enter()
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
            """)
        by_thread = database.execute("SELECT count(*) FROM NVTX_EVENTS GROUP BY globalTid").fetchall()
        self.assertEqual(by_thread, [(1000,)] * 4)


if __name__ == "__main__":
    unittest.main()
