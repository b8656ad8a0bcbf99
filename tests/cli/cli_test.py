# SPDX-License-Identifier: Apache-2.0
"""Conventions of the command line, and its errors on bad input.

Run by ctest; by hand: MANSARD=build/dev/bin/mansard python3 -m unittest -v cli_test"""

import json
import os
import pathlib
import shutil
import signal
import sqlite3
import stat
import subprocess
import tempfile
import time
import unittest

MANSARD = os.environ["MANSARD"]
COMMANDS = ["characterize", "compare", "profile", "merge", "import", "control", "run", "analyze",
            "explain", "predict", "report", "export", "gui", "list", "doctor"]
# Minimal work to record: two steps of one small layer on the CPU.
SMALL_LAYER = [MANSARD, "run", "layer", "--recipe", "nvfp4", "--device", "cpu", "--shape",
               "64x64x64", "--steps", "2", "--warmup", "0"]
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples/h200"


def run(*arguments, **options):
    return subprocess.run([MANSARD, *map(str, arguments)], capture_output=True, text=True,
                          check=False, timeout=300, **options)


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def assert_fails(self, result, code, *words):
        self.assertEqual(result.returncode, code, result.stderr)
        for word in words:
            self.assertIn(str(word), result.stderr)
        self.assertEqual(result.stdout, "", "data on stdout despite the error")

    def profile_small_layer(self, name="run.sqlite"):
        file = self.folder / name
        result = run("profile", "-o", file, "--", *SMALL_LAYER)
        self.assertEqual(result.returncode, 0, result.stderr)
        return file


class Conventions(InFolder):
    def test_version_and_help(self):
        self.assertRegex(run("--version").stdout, r"^mansard \d+\.\d+\.\d+\n$")
        help_text = run("--help").stdout
        for command in COMMANDS:
            self.assertIn(command, help_text)
            own = run(command, "--help")
            self.assertEqual(own.returncode, 0)
            self.assertIn("--help", own.stdout)

    def test_mistyped_command_and_option_exit_2(self):
        self.assert_fails(run("charcterize"), 2, "Did you mean 'characterize'?")
        self.assert_fails(run("analyze", "x.sqlite", "--no-such-option"), 2, "--no-such-option")
        self.assert_fails(run("list", "--format", "yaml"), 2, "yaml")

    def test_list_comes_from_the_registries_in_every_format(self):
        for columns in (60, 120):
            text = run("list", "ceilings", env={**os.environ, "COLUMNS": str(columns)}).stdout
            self.assertLessEqual(max(map(len, text.splitlines())), columns)
        listed = json.loads(run("list", "--format", "json").stdout)
        tables = {t["id"]: t["rows"] for t in listed["findings"][0]["tables"]}
        self.assertIn("cpu_fma_fp64", [r["name"] for r in tables["ceilings"]])
        self.assertIn("hbm", [r["key"] for r in tables["tiers"]])
        for analysis in ("summary", "kernels", "classes", "roofline"):
            self.assertIn(analysis, [r["name"] for r in tables["analyses"]])
        self.assertGreaterEqual(len(tables["machines"]), 8)
        for text_format in ("table", "csv", "md"):
            text = run("list", "machines", "--format", text_format).stdout
            self.assertIn("NVIDIA H200", text)

    def test_doctor_gives_advice_for_each_failed_check(self):
        result = run("doctor", "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = json.loads(result.stdout)["findings"][0]["tables"][0]["rows"]
        subjects = {r["subject"]: r for r in rows}
        self.assertEqual(subjects["CPU"]["state"], "ok")
        self.assertEqual(subjects["Collector"]["state"], "ok")
        for row in rows:
            if row["state"] != "ok":
                self.assertTrue(row["advice"], row)

    def test_doctor_reports_the_injection_of_another_tool(self):
        env = dict(os.environ, NVTX_INJECTION64_PATH="/opt/other/libtool.so")
        result = run("doctor", env=env)
        self.assertIn("/opt/other/libtool.so", result.stdout)


class BadInput(InFolder):
    def test_missing_database(self):
        self.assert_fails(run("analyze", self.folder / "none.sqlite"), 1, "none.sqlite")

    def test_file_that_is_not_a_database(self):
        file = self.folder / "text.sqlite"
        file.write_text("this is not a database, but long enough to look like one\n" * 100)
        self.assert_fails(run("analyze", file), 1, "text.sqlite")

    def test_truncated_database(self):
        file = self.profile_small_layer()
        content = file.read_bytes()
        file.write_bytes(content[: len(content) // 3])
        self.assert_fails(run("analyze", file), 1, "run.sqlite")

    def test_database_that_is_not_a_profile(self):
        file = self.folder / "other.sqlite"
        database = sqlite3.connect(file)
        database.execute("CREATE TABLE recipes(name TEXT)")
        database.commit()
        database.close()
        self.assert_fails(run("analyze", file), 1, "other.sqlite")

    def test_machine_model_of_unknown_version(self):
        run_file = self.profile_small_layer()
        machine = self.folder / "machine.json"
        machine.write_text('{"mansard_machine_model": 77, "devices": []}')
        self.assert_fails(run("analyze", run_file, "--machine", machine), 1, "machine.json",
                          "version 77", "characterize")
        machine.write_text('{"devices": [')
        self.assert_fails(run("analyze", run_file, "--machine", machine), 1, "machine.json")
        self.assert_fails(run("analyze", run_file, "--machine", self.folder / "no.json"), 1,
                          "no.json")

    def test_unknown_names_get_a_suggestion(self):
        self.assert_fails(run("run", "cpu_traid"), 2, "cpu_traid",
                          "Did you mean 'cpu_triad'?")
        self.assert_fails(run("characterize", "--only", "cpu_fma_fp46"), 2,
                          "Did you mean 'cpu_fma_fp64'?")
        run_file = self.profile_small_layer()
        self.assert_fails(run("analyze", run_file, "--analysis", "kernls"), 2,
                          "Did you mean 'kernels'?")

    def test_existing_output_is_not_overwritten(self):
        file = self.profile_small_layer()
        before = file.read_bytes()
        self.assert_fails(run("profile", "-o", file, "--", *SMALL_LAYER), 1, "run.sqlite", "-f")
        page = self.folder / "page.html"
        page.write_text("mine")
        self.assert_fails(run("report", file, "-o", page), 1, "page.html", "-f")
        machine = self.folder / "machine.json"
        machine.write_text("mine")
        self.assert_fails(run("characterize", "-o", machine), 1, "machine.json", "-f")
        self.assertEqual(file.read_bytes(), before)
        self.assertEqual(page.read_text(), "mine")
        self.assertEqual(machine.read_text(), "mine")
        self.assertEqual(run("profile", "-f", "-o", file, "--", *SMALL_LAYER).returncode, 0)

    def test_unwritable_output(self):
        nowhere = self.folder / "no" / "such" / "folder"
        self.assert_fails(run("profile", "-o", nowhere / "r.sqlite", "--", "true"), 1, "r.sqlite")
        self.assert_fails(run("characterize", "-o", nowhere / "m.json"), 1, "m.json")
        self.assert_fails(run("report", self.profile_small_layer(), "-o", nowhere / "p.html"), 1,
                          "p.html")
        self.assert_fails(run("characterize", "-o", self.folder), 1, "folder")

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_read_only_folder(self):
        self.folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
        self.addCleanup(self.folder.chmod, stat.S_IRWXU)
        self.assert_fails(run("profile", "-o", self.folder / "r.sqlite", "--", "true"), 1,
                          "r.sqlite")

    def test_program_that_does_not_exist(self):
        result = run("profile", "-o", self.folder / "r.sqlite", "--", "no-such-program-here")
        self.assert_fails(result, 127, "no-such-program-here")
        self.assertFalse((self.folder / "r.sqlite").exists())

    def test_html_in_a_title_is_escaped(self):
        page = self.folder / "page.html"
        result = run("report", self.profile_small_layer(), "--title", "</script><b>x", "-o", page)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("</script><b>x", page.read_text(encoding="utf-8"))


class Profiling(InFolder):
    def test_exit_code_and_output_of_the_program_pass_through(self):
        file = self.folder / "r.sqlite"
        result = run("profile", "-o", file, "--", "sh", "-c", "echo out; echo err >&2; exit 42")
        self.assertEqual(result.returncode, 42)
        self.assertEqual(result.stdout, "out\n")
        self.assertIn("err\n", result.stderr)

    def test_program_killed_by_a_signal(self):
        result = run("profile", "-o", self.folder / "r.sqlite", "--", "sh", "-c", "kill -SEGV $$")
        self.assertEqual(result.returncode, 128 + signal.SIGSEGV)
        self.assertIn(f"signal {signal.SIGSEGV.value}", result.stderr)

    def test_a_run_is_profiled_analyzed_and_reported(self):
        file = self.profile_small_layer()
        self.assertEqual([f.name for f in self.folder.iterdir()], ["run.sqlite"])
        result = run("analyze", file, "--analysis", "kernels", "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = json.loads(result.stdout)["findings"][0]["tables"][0]["rows"]
        gemm = [r for r in rows if r["class"] == "gemm"]
        self.assertTrue(gemm)
        # fprop, dgrad and wgrad of 64 x 64 x 64, two steps: 2 * 64^3 FLOP each.
        self.assertAlmostEqual(sum(r["flop"] for r in gemm), 2 * 3 * 2 * 64**3)
        page = self.folder / "page.html"
        self.assertEqual(run("report", file, "-o", page).returncode, 0)
        self.assertIn("<html", page.read_text(encoding="utf-8"))

    def test_the_first_screen_without_a_machine_model_says_how_to_get_one(self):
        file = self.profile_small_layer()
        cpu, = sqlite3.connect(file).execute("SELECT value FROM MANSARD_SESSION WHERE name = 'cpuName'").fetchone()
        text = " ".join(run("analyze", file).stdout.split())
        self.assertTrue(text.startswith(f"run on {cpu} "), text[:200])
        self.assertIn("mansard characterize -o machine.json", text)
        self.assertIn("No issues found without ceilings.", text)
        self.assertNotIn("What to change first", text)

    def test_profiling_is_suggested_unless_a_profiler_is_attached(self):
        self.assertIn("next: mansard profile -o run.sqlite -- mansard run layer", run(*SMALL_LAYER[1:]).stderr)
        result = run("profile", "-o", self.folder / "run.sqlite", "--", *SMALL_LAYER)
        self.assertNotIn("next: mansard profile", result.stderr)
        self.assertIn("next: mansard analyze", result.stderr)

    def test_kill_9_leaves_a_profile_marked_interrupted(self):
        file = self.folder / "killed.sqlite"
        endless = [*SMALL_LAYER]
        endless[endless.index("--steps") + 1] = "10000000"
        process = subprocess.Popen([MANSARD, "profile", "-o", str(file), "--", *endless],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(4)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        killed_ns = time.time_ns()
        for child in children.split():
            os.kill(int(child), signal.SIGKILL)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGKILL, err)
        database = sqlite3.connect(file)
        self.addCleanup(database.close)
        self.assertEqual(database.execute("PRAGMA integrity_check").fetchone()[0], "ok")
        self.assertEqual(database.execute("SELECT state FROM MANSARD_STATE").fetchone()[0],
                         "interrupted")
        start = database.execute("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME")
        last = database.execute("SELECT max(end) FROM NVTX_EVENTS").fetchone()[0]
        lost_s = 1e-9 * (killed_ns - start.fetchone()[0] - last)
        # At most the last second, plus the scheduling delay of the writer on a busy machine.
        self.assertLess(lost_s, 2.0)
        result = run("analyze", file)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("interrupted", result.stdout + result.stderr)

    def test_only_the_requested_steps_are_recorded(self):
        file = self.folder / "steps.sqlite"
        layer = [*SMALL_LAYER]
        layer[layer.index("--steps") + 1] = "5"
        result = run("profile", "-o", file, "--steps", "2:4", "--", *layer)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("1 recording window (--steps 2:4", result.stderr)
        database = sqlite3.connect(file)
        self.addCleanup(database.close)
        steps = database.execute("SELECT text FROM NVTX_EVENTS WHERE text LIKE 'step %' "
                                 "ORDER BY start").fetchall()
        self.assertEqual(steps, [("step 1",), ("step 2",)])  # the second and third, from 0
        self.assertEqual(database.execute("SELECT count(*) FROM MANSARD_WINDOW").fetchone(), (1,))
        result = run("analyze", file)
        self.assertIn("Only part of the program was recorded", result.stdout + result.stderr)

    def test_missing_steps_are_reported(self):
        file = self.folder / "none.sqlite"
        result = run("profile", "-o", file, "--steps", "50:60", "--", *SMALL_LAYER)
        self.assertEqual(result.returncode, 0)
        self.assertIn("only 2 ranges", result.stderr)
        self.assertFalse(file.exists())

    def test_control_starts_and_stops_a_paused_program(self):
        file = self.folder / "paused.sqlite"
        endless = [*SMALL_LAYER]
        endless[endless.index("--steps") + 1] = "10000000"
        process = subprocess.Popen([MANSARD, "profile", "--paused", "-o", str(file), "--", *endless],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        status = None
        for _ in range(100):
            status = run("control", file, "status")
            if status.returncode == 0:
                break
            time.sleep(0.1)
        self.assertIn("waiting", status.stdout, status.stderr)
        self.assertFalse(file.exists())
        self.assertIn("recording", run("control", file, "start").stdout)
        again = run("control", file, "start")
        self.assertEqual(again.returncode, 0)
        self.assertIn("already recording", again.stderr)
        time.sleep(0.5)
        stop = run("control", file, "stop")
        self.assertEqual(stop.returncode, 0, stop.stderr)
        self.assertIn("waiting  1 window ", stop.stdout)
        self.assertIn("mansard analyze", stop.stderr)
        result = run("analyze", file)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("--paused", result.stdout)

    def test_control_names_a_target_that_does_not_exist(self):
        self.assert_fails(run("control", self.folder / "none.sqlite", "start"), 1, "none.sqlite")
        self.assert_fails(run("control", self.folder / "none.sqlite", "pause"), 2, "pause")

    def test_invalid_recording_windows_exit_2(self):
        for words, options in (("times", ["--delay", "1", "--steps", "1:2"]),
                               ("one of them", ["--capture-range", "nvtx:a", "--steps", "1:2"]),
                               ("B must be greater", ["--steps", "4:4"]),
                               ("numbered from 1", ["--steps", "0:4"]),
                               ("--steps A:B", ["--step-range", "iteration"]),
                               ("cudaProfilerApi", ["--capture-range", "step"]),
                               ("greater than 0", ["--duration", "0"]),
                               ("--paused", ["--paused", "--delay", "1"]),
                               ("neither node nor graph", ["--cuda-graph-trace", "all"]),
                               ("--delay", ["--delay", "-1"])):
            with self.subTest(options=options):
                file = self.folder / "r.sqlite"
                self.assert_fails(run("profile", "-o", file, *options, "--", "true"), 2, words)
                self.assertFalse(file.exists())

    def test_a_program_without_ranges_is_not_an_error(self):
        file = self.folder / "empty.sqlite"
        result = run("profile", "-o", file, "--", "true")
        self.assertEqual(result.returncode, 0)
        self.assertIn("nothing", result.stderr.lower())


class Machine(InFolder):
    def test_one_ceiling_of_the_cpu(self):
        file = self.folder / "m.json"
        result = run("characterize", "--device", "cpu", "--only", "cpu_fma_fp64", "--min-time",
                     "0", "--min-samples", "5", "--max-time", "0.1", "-o", file, "--format",
                     "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        model = json.loads(file.read_text())
        (ceiling,) = model["devices"][0]["ceilings"]
        self.assertEqual(ceiling["id"], "cpu_fma_fp64")
        self.assertEqual(ceiling["unit"], "FLOP/s")
        self.assertGreater(ceiling["value"], 1e8)
        self.assertGreater(ceiling["clock_hz"], 1e8)
        self.assertGreaterEqual(len(ceiling["samples"]["value"]), 5)
        self.assertEqual(model["provenance"]["origin"], "measured")
        self.assertIn("--only cpu_fma_fp64", model["provenance"]["command"])

    def test_show_prints_what_characterize_printed(self):
        file = self.folder / "m.json"
        measured = run("characterize", *self.SHORT, "--only", "cpu_fma_fp64", "-o", file)
        shown = run("show", file)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertEqual(shown.stdout, measured.stdout)

    def test_run_with_a_machine_model_shows_sol_time(self):
        file = self.folder / "m.json"
        run("characterize", *self.SHORT, "--only", "cpu_fma_fp32,cpu_read", "-o", file)
        layer = ["run", "layer", "--device", "cpu", "--shape", "64x64x64", "--steps", "1"]
        result = run(*layer, "--machine", file, "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        for row in json.loads(result.stdout)["findings"][0]["tables"][0]["rows"]:
            self.assertGreater(row["sol_s"], 0)
            self.assertAlmostEqual(row["sol_fraction"], row["sol_s"] / row["time_s"])
        other = run(*layer, "--machine", EXAMPLES / "machine.json")
        self.assertEqual(other.returncode, 1)
        self.assertIn("has no ceilings for", other.stderr)

    def test_micro_batches_are_summed_per_pass(self):
        layer = ["run", "layer", "--device", "cpu", "--recipe", "nvfp4", "--shape", "64x64x64",
                 "--steps", "1", "--warmup", "0", "--verify", "--format", "json"]
        tables = []
        for count in (1, 3):
            result = run(*layer, "--micro-batches", count)
            self.assertEqual(result.returncode, 0, result.stderr)
            finding = json.loads(result.stdout)["findings"][0]
            self.assertIn("B of memory", finding["summary"])
            tables.append(finding["tables"][0]["rows"])
        one, three = tables
        self.assertEqual([(r["layer"], r["pass"]) for r in one],
                         [(r["layer"], r["pass"]) for r in three])
        for a, b in zip(one, three):
            self.assertEqual(3 * a["flop"], b["flop"])
        fprop, dgrad, wgrad, step = range(4)
        self.assertLess(three[fprop]["bytes"], 3 * one[fprop]["bytes"], "the weight is reused")
        self.assertEqual(three[dgrad]["bytes"], 3 * one[dgrad]["bytes"])
        self.assertEqual(three[wgrad]["bytes"], 3 * one[wgrad]["bytes"] + 2 * 4 * 64 * 64)
        self.assertEqual(sum(r["bytes"] for r in three[:step]), three[step]["bytes"])

    def test_graph_is_refused_on_a_cpu(self):
        self.assert_fails(run("run", "layer", "--device", "cpu", "--shape", "64x64x64", "--graph"),
                          2, "--graph", "GPU")

    def test_more_layers_than_memory_are_refused(self):
        self.assert_fails(run("run", "layer", "--device", "cpu", "--preset", "llama3-405b",
                              "--tokens", 1 << 26), 1, "TB of memory", "free", "--tokens",
                          "--preset MODEL:LAYER")

    def test_show_prints_datasheet_peaks_by_name(self):
        result = run("show", "B200 HGX", "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        rates = json.loads(result.stdout)["findings"][0]["tables"][0]["rows"]
        self.assertIn(9e15, [r["flop_per_s"] for r in rates])
        unknown = run("show", "B2000")
        self.assertEqual(unknown.returncode, 1)
        self.assertIn("mansard list machines", unknown.stderr)

    SHORT = ["--device", "cpu", "--min-time", "0", "--min-samples", "2", "--max-time", "0.01"]

    def start_and_interrupt(self, file, options, with_signal):
        """Sends the signal once some, but not all, measurements of this run are on disk; returns the run's end."""
        partial = pathlib.Path(f"{file}.partial")

        def lines():
            return partial.read_text().count("\n") if partial.exists() else 0

        awaited = max(4, lines() + 2)
        with subprocess.Popen([MANSARD, "characterize", "-o", file, *options], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            deadline = time.monotonic() + 60
            while lines() < awaited:
                self.assertIsNone(child.poll(), "ended before it could be interrupted")
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            child.send_signal(with_signal)
            _, stderr = child.communicate(timeout=60)
        return child.returncode, stderr

    def test_an_interrupted_run_can_be_resumed(self):
        file = self.folder / "m.json"
        options = [*self.SHORT, "--only", "cpu_fma_fp64,cpu_fma_fp32", "--campaigns", "12"]
        code, stderr = self.start_and_interrupt(file, options, signal.SIGINT)
        self.assertEqual(code, 130, stderr)
        self.assertIn("--resume", stderr)
        self.assertFalse(file.exists(), "a partial model")

        code, stderr = self.start_and_interrupt(file, [*options, "--resume"], signal.SIGTERM)
        self.assertEqual(code, 143, stderr)
        self.assertIn("finished measurements are in", stderr)
        code, _ = self.start_and_interrupt(file, [*options, "--resume"], signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL)
        self.assert_fails(run("characterize", "-o", file, *options), 1, "--resume", "-f")
        self.assert_fails(run("characterize", "-o", file, *options, "--uncertainty",
                              "0.5", "--resume"), 1, "different settings")

        result = run("characterize", "-o", file, *options, "--resume")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"resuming with [1-9]\d* finished measurements")
        ceilings = json.loads(file.read_text())["devices"][0]["ceilings"]
        self.assertEqual([c["campaigns"] for c in ceilings], [12, 12])
        self.assertEqual(list(self.folder.iterdir()), [file], "the partial file was left behind")

    def test_every_ceiling_has_spread_uncertainty_and_data_pattern(self):
        result = run("characterize", *self.SHORT, "--only", "cpu_fma_fp64,cpu_triad", "--quick",
                     "--campaigns", "3", "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        for table in json.loads(result.stdout)["findings"][0]["tables"]:
            for row in table["rows"]:
                for field in ("spread", "uncertainty", "clock_hz", "data_pattern", "regime"):
                    self.assertTrue(row[field], f"{row['kernel']} lacks {field}")

    def machine_file(self, name, values, uncertainty=0.01):
        ceilings = [{"id": key, "role": "compute", "value": value, "unit": "FLOP/s",
                     "uncertainty": uncertainty} for key, value in values.items()]
        file = self.folder / name
        file.write_text(json.dumps({
            "mansard_machine_model": 1, "name": name, "provenance": {"origin": "measured"},
            "devices": [{"device": {"target": "cuda", "name": "GPU"}, "ceilings": ceilings}]}))
        return file

    def test_compared_ceilings_get_a_significance_verdict(self):
        a = self.machine_file("a.json", {"same": 100, "faster": 100, "slower": 100, "gone": 1})
        b = self.machine_file("b.json", {"same": 101, "faster": 110, "slower": 90, "new": 1})
        result = run("compare", a, b, "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = json.loads(result.stdout)["findings"][0]["tables"][0]["rows"]
        verdicts = {r["ceiling"]: r["verdict"] for r in rows}
        self.assertEqual(verdicts, {"same": "no significant difference", "faster": "better",
                                    "slower": "worse", "gone": "only in baseline",
                                    "new": "only in candidate"})
        self.assertEqual(run("compare", a, b, "--gate", "11").returncode, 0)
        gated = run("compare", a, b, "--gate", "5")
        self.assertEqual(gated.returncode, 3)
        self.assertIn("slower: -10.00 %", gated.stderr)
        self.assert_fails(run("compare", a, self.folder / "none.json"), 1, "none.json")

    def test_characterize_without_a_gpu_names_the_gpu(self):
        if shutil.which("nvidia-smi"):
            self.skipTest("this machine has an NVIDIA driver")
        self.assert_fails(run("characterize", "--device", "gpu"), 1, "GPU")


if __name__ == "__main__":
    unittest.main()
