# SPDX-License-Identifier: Apache-2.0
"""`mansard export`: formats, errors and standard output.

Run by ctest; by hand: MANSARD=build/dev/bin/mansard python3 -m unittest -v export_test"""

import csv
import gzip
import io
import json
import pathlib
import sqlite3
import subprocess
import unittest

from cli_test import EXAMPLES, MANSARD, SMALL_LAYER, InFolder, run
from import_test import GEMM, TABLE, TRACE
import merge_test

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAYER = EXAMPLES / "training/layer_fp8.sqlite"
# Annotated; without counters, which a trace cannot contain.
ANNOTATED = EXAMPLES / "h200_layer_nvfp4.sqlite"
MACHINE = ["--machine", EXAMPLES / "machine.json"]
BINARY = ("perfetto", "sqlite")
# Characters that need quoting or escaping; each name must survive a round trip.
HOSTILE = 'a<b>"q",\'r\' \\ \n\t\x1b[31m </script><script>alert(1)</script> = 計算'


def table(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def kernels_of(file):
    result = run("analyze", file, "--analysis", "kernels", "--format", "json", *MACHINE)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)["findings"][0]["tables"][0]["rows"]


class Export(InFolder):
    def done(self, *arguments):
        result = run("export", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("next: ", result.stderr)
        return result

    def database(self, file):
        database = sqlite3.connect(file)
        self.addCleanup(database.close)
        return database

    def from_sql(self, name):
        file = self.folder / (name + ".sqlite")
        self.database(file).executescript((ROOT / "tests/fixtures" / (name + ".sql")).read_text())
        return file

    def hostile_recording(self):
        """An imported profile with kernel names that could break an output format."""
        trace = json.loads(json.dumps(TRACE))
        for i, name in enumerate((HOSTILE, "<" * 4000)):
            kernel = dict(trace["traceEvents"][2], name=name, ts=3000 * (i + 1))
            kernel["args"] = dict(kernel["args"], correlation=i + 2)
            trace["traceEvents"].append(kernel)
        (self.folder / "trace.json").write_text(json.dumps(trace))
        file = self.folder / "hostile.sqlite"
        result = run("import", self.folder / "trace.json", "-o", file)
        self.assertEqual(result.returncode, 0, result.stderr)
        return file

    def record_ranks(self):
        """Profiles of two ranks, with collectives to align their clocks on."""
        files = [self.folder / f"rank{rank}.sqlite" for rank in (0, 1)]
        first_ns = None
        for rank, file in enumerate(files):
            result = merge_test.run("profile", "-o", self.folder / "rank%r.sqlite", "--", *SMALL_LAYER, RANK=str(rank))
            self.assertEqual(result.returncode, 0, result.stderr)
            start_ns, = self.database(file).execute(
                "SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME").fetchone()
            first_ns = first_ns or start_ns
            merge_test.add_collectives(file, [first_ns + 10**9 * (i + 1) for i in range(10)])
        return files

    # ---- Refused input -------------------------------------------------------------------------

    def test_bad_values_get_an_error_with_advice(self):
        self.assert_fails(run("export", LAYER, "--to", "chrom"), 2, "'chrom'",
                          "Did you mean 'chrome'?", "chrome, perfetto, csv, json or sqlite")
        self.assert_fails(run("export", LAYER), 2, "--to")
        self.assert_fails(run("export", LAYER, "--to", "csv", "--table", "kernls"), 2, "'kernls'",
                          "Did you mean 'kernels'?", "launches, kernels, ranges, memory_operations or api")
        self.assert_fails(run("export", LAYER, "--to", "json", "--table", "kernels"), 2,
                          "--table kernels", "csv")
        self.assert_fails(run("export", self.folder / "none.sqlite", "--to", "csv"), 1, "none.sqlite")
        self.assert_fails(run("export", LAYER, "--to", "csv", "-o", self.folder / "no/a.csv"), 1,
                          "does not exist")
        packed = self.folder / "a.sqlite.gz"
        self.assert_fails(run("export", LAYER, "--to", "sqlite", "-o", packed), 2, ".gz")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_binary_formats_are_not_printed(self):
        for target in BINARY:
            for output in ([], ["-o", "-"]):
                self.assert_fails(run("export", LAYER, "--to", target, *output), 2, target, "-o")

    def test_column_names_are_unique(self):
        # A profile with counted bytes of shared memory, in addition to the shared memory per block.
        file = EXAMPLES / "h200_pytorch_counters.sqlite"
        for name in ("launches", "kernels", "ranges", "memory_operations", "api"):
            text = self.done(file, "--to", "csv", "--table", name, *MACHINE).stdout
            header = next(csv.reader(io.StringIO(text)))
            self.assertEqual(sorted(set(header)), sorted(header))
            if name == "launches":
                self.assertLessEqual({"shared_bytes", "shared_memory_bytes"}, set(header))

    def test_nothing_is_overwritten_without_force(self):
        for target in ("chrome", "perfetto", "csv", "json", "sqlite"):
            file = self.folder / f"out.{target}"
            file.write_text("mine")
            self.assert_fails(run("export", LAYER, "--to", target, "-o", file), 1, file, "-f")
            self.assertEqual(file.read_text(), "mine")
            self.done(LAYER, "--to", target, "-o", file, "-f")
            self.assertGreater(file.stat().st_size, 1000)
        own = self.folder / "own.sqlite"
        own.write_bytes(LAYER.read_bytes())
        for name in (own, f"{self.folder}/./own.sqlite"):
            self.assert_fails(run("export", own, "--to", "csv", "-o", name, "-f"), 2, "itself")
        self.assertEqual(own.read_bytes(), LAYER.read_bytes())
        self.assertEqual(len(list(self.folder.iterdir())), 6, "something was left behind")

    def test_a_full_disk_is_reported(self):
        if not pathlib.Path("/dev/full").exists():
            self.skipTest("there is no /dev/full")
        with open("/dev/full", "wb") as full:
            result = subprocess.run([MANSARD, "export", LAYER, "--to", "chrome"], stdout=full,
                                    stderr=subprocess.PIPE, text=True, check=False, timeout=120)
        self.assertEqual(result.returncode, 1)
        self.assertIn("No space left on device", result.stderr)

    # ---- Output -------------------------------------------------------------------------

    def test_an_exported_trace_imports_with_the_same_kernels(self):
        trace = self.folder / "trace.json"
        self.done(ANNOTATED, "--to", "chrome", "-o", trace, *MACHINE)
        events = json.loads(trace.read_text())["traceEvents"]
        self.assertLess(min(e["ts"] for e in events if "ts" in e), 0.001)
        again = self.folder / "again.sqlite"
        result = run("import", trace, "-o", again)
        self.assertEqual(result.returncode, 0, result.stderr)
        before, after = kernels_of(ANNOTATED), kernels_of(again)
        self.assertGreater(len(before), 10)
        same = ("class", "time_s", "launches", "precision", "flop", "hbm_bytes", "sol_s",
                "bound", "signature", "origin", "min_s", "median_s", "max_s")
        as_set = lambda rows: {tuple(row.get(key) for key in same) for row in rows}
        self.assertEqual(as_set(after), as_set(before))
        sql = ("SELECT s.value, k.start + t.utcEpochNs, k.end - k.start, k.streamId, k.correlationId, "
               "k.gridX, k.blockX, k.registersPerThread FROM CUPTI_ACTIVITY_KIND_KERNEL k, "
               "TARGET_INFO_SESSION_START_TIME t JOIN StringIds s ON s.id = k.demangledName ORDER BY 2")
        kernels = [self.database(file).execute(sql).fetchall() for file in (ANNOTATED, again)]
        self.assertEqual(kernels[0], kernels[1])
        self.assertGreater(len(kernels[0]), 100)

    def test_a_name_that_ends_in_gz_is_compressed(self):
        for target in ("chrome", "perfetto", "csv", "json"):
            plain, packed = self.folder / target, self.folder / f"{target}.gz"
            self.done(LAYER, "--to", target, "-o", plain)
            result = run("export", LAYER, "--to", target, "-o", packed)
            self.assertEqual(result.returncode, 0, result.stderr)
            without_command = lambda data: [line for line in data.split(b"\n") if b'"command"' not in line]
            self.assertEqual(without_command(gzip.decompress(packed.read_bytes())),
                             without_command(plain.read_bytes()))

    def test_text_formats_go_to_standard_output(self):
        for target in ("chrome", "csv", "json"):
            file = self.folder / target
            self.done(LAYER, "--to", target, "-o", file)
            printed = self.done(LAYER, "--to", target)
            dashed = self.done(LAYER, "--to", target, "-o", "-")
            strip = lambda text: [line for line in text.splitlines() if '"command"' not in line]
            self.assertEqual(strip(printed.stdout), strip(file.read_text()))
            self.assertEqual(strip(dashed.stdout), strip(file.read_text()))

    def test_findings_are_those_of_analyze(self):
        analyzed = run("analyze", LAYER, "--format", "json", *MACHINE)
        self.assertEqual(self.done(LAYER, "--to", "json", *MACHINE).stdout, analyzed.stdout)

    def test_launches_add_up_to_the_kernels(self):
        launches = table(self.done(LAYER, "--to", "csv", *MACHINE).stdout)
        self.assertEqual({row["disturbed"] for row in launches}, {"0", "1"}, "counters were read in it")
        launches = [row for row in launches if row["disturbed"] == "0"]
        kernels = table(self.done(LAYER, "--to", "csv", "--table", "kernels", *MACHINE).stdout)
        kernels = [row for row in kernels if row["class"] not in ("memcpy", "memset")]
        self.assertEqual(len(launches), sum(int(row["launches"]) for row in kernels))
        number = lambda row, key: float(row[key] or 0)
        for name in {row["class"] for row in kernels}:
            of_class = lambda rows: [row for row in rows if row["class"] == name]
            time_s = 1e-9 * sum(number(row, "duration_ns") for row in of_class(launches))
            self.assertAlmostEqual(time_s / sum(number(r, "time_s") for r in of_class(kernels)), 1)
            for key in ("flop", "hbm_bytes"):
                expected = sum(number(row, key) for row in of_class(kernels))
                self.assertAlmostEqual(sum(number(row, key) for row in of_class(launches)), expected,
                                       delta=1e-9 * expected)
        self.assertTrue(any(row["range_path"].count(" / ") >= 1 for row in launches))
        limited = [row for row in launches if row["sol_s"]]
        self.assertGreater(len(limited), 100)

    def test_other_tables(self):
        database = self.database(LAYER)
        for name, sql in (("api", "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME"),
                          ("ranges", "SELECT count(*) FROM NVTX_EVENTS WHERE eventType IN (34, 59, 60)")):
            rows = table(self.done(LAYER, "--to", "csv", "--table", name).stdout)
            self.assertEqual(len(rows), database.execute(sql).fetchone()[0], name)
            starts = [int(row["start_ns"]) for row in rows]
            self.assertEqual(starts, sorted(starts))

    def test_the_database_answers_in_sql(self):
        copy = self.folder / "copy.sqlite"
        result = self.done(LAYER, "--to", "sqlite", "-o", copy, *MACHINE)
        self.assertEqual([f.name for f in self.folder.iterdir()], ["copy.sqlite"])
        database = self.database(copy)
        self.assertEqual(database.execute("PRAGMA journal_mode").fetchone()[0], "delete")
        self.assertEqual(database.execute("PRAGMA integrity_check").fetchone()[0], "ok")
        by_class = dict(database.execute(
            "SELECT r.class, sum(k.end - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN "
            "MANSARD_KERNEL_LAUNCHES l ON l.kernelId = k.rowid JOIN MANSARD_KERNEL_ROWS r ON r.id = "
            "l.rowId GROUP BY r.class"))
        rows = kernels_of(LAYER)
        for name, time_ns in by_class.items():
            of_class = [row for row in rows if row["class"] == name]
            self.assertAlmostEqual(sum(r["time_s"] for r in of_class), 1e-9 * time_ns, places=12)
        slowdown = dict(database.execute(
            "SELECT id, slowdown FROM MANSARD_KERNEL_ROWS WHERE speedOfLightNs IS NOT NULL"))
        self.assertEqual(len(slowdown), len([r for r in rows if r["sol_s"] is not None]))
        self.assertEqual(kernels_of(copy), rows, "it is a recording like the one it was made of")
        # The suggested next command works.
        self.assertIn(f"next: sqlite3 {copy} ", result.stderr)

    # ---- Other kinds of profiles ---------------------------------------------------------------

    def test_hostile_names_in_every_target(self):
        recording = self.hostile_recording()
        for target in ("chrome", "csv", "json"):
            text = self.done(recording, "--to", target).stdout
            self.assertNotIn("\x1b", text)
            hostile = HOSTILE
            if target == "chrome":
                names = {e["name"] for e in json.loads(text)["traceEvents"]}
            elif target == "csv":
                names = {row["name"] for row in table(text)}
                hostile = HOSTILE.replace("\x1b", "\ufffd")
            else:
                tables = json.loads(text)["findings"]
                names = {row["signature"].split(" <<<")[0] for f in tables for t in f["tables"]
                         for row in t["rows"] if "signature" in row}
            self.assertLessEqual({hostile, "<" * 4000, GEMM}, names, target)
        self.done(recording, "--to", "perfetto", "-o", self.folder / "a.pftrace")
        written = (self.folder / "a.pftrace").read_bytes()
        self.assertEqual(written.count(HOSTILE.encode()), 1, "a name is interned")
        self.done(recording, "--to", "sqlite", "-o", self.folder / "a.sqlite")
        names = self.database(self.folder / "a.sqlite").execute("SELECT name FROM MANSARD_KERNEL_ROWS")
        self.assertEqual({name for name, in names}, {HOSTILE, "<" * 4000, GEMM})

    def test_commands_that_change_a_profile_drop_its_analysis_tables(self):
        copies = []
        for file in self.record_ranks():
            copies.append(file.with_suffix(".copy"))
            self.done(file, "--to", "sqlite", "-o", copies[-1])
        merged = self.folder / "merged.sqlite"
        result = run("merge", *copies, "-o", merged)
        self.assertEqual(result.returncode, 0, result.stderr)

        (self.folder / "counters.csv").write_text(TABLE)
        with_rows, counted = self.folder / "rows.sqlite", self.folder / "counted.sqlite"
        self.done(self.hostile_recording(), "--to", "sqlite", "-o", with_rows)
        result = run("import", with_rows, self.folder / "counters.csv", "-o", counted)
        self.assertEqual(result.returncode, 0, result.stderr)
        tables = "SELECT count(*) FROM sqlite_master WHERE name LIKE 'MANSARD_KERNEL_%'"
        for file, expected in ((copies[0], 3), (merged, 0), (with_rows, 3), (counted, 0)):
            self.assertEqual(self.database(file).execute(tables).fetchone()[0], expected, file)

    def test_ranks_are_distinguished(self):
        merged = self.folder / "merged.sqlite"
        self.assertEqual(run("merge", *self.record_ranks(), "-o", merged).returncode, 0)
        events = json.loads(self.done(merged, "--to", "chrome").stdout)["traceEvents"]
        names = {e["args"]["name"]: e["pid"] for e in events if e["name"] == "process_name"}
        ranks = sorted(name.split(",")[0] for name in names if name.startswith("rank"))
        self.assertEqual(ranks, ["rank 0", "rank 1"])
        self.assertEqual(len(set(names.values())), len(names))

    def test_several_processes(self):
        file = self.from_sql("nsys_two_processes")
        events = json.loads(self.done(file, "--to", "chrome").stdout)["traceEvents"]
        kernels = {e["name"]: e for e in events if e.get("cat") == "kernel"}
        calls = [e for e in events if e.get("cat") == "cuda_runtime"]
        self.assertEqual({e["pid"] for e in calls}, {100, 200})
        self.assertEqual(len({e["pid"] for e in kernels.values()}), 2, "two GPUs")
        self.assertFalse({e["pid"] for e in kernels.values()} & {100, 200})
        arrows = {e["id"]: e["pid"] for e in events if e["ph"] == "s"}
        for name, pid in (("void gemm<128>(float*)", 100), ("void copy(float*)", 200)):
            end, = [e for e in events if e["ph"] == "f" and e["pid"] == kernels[name]["pid"]]
            self.assertEqual(arrows[end["id"]], pid, "both processes count their calls from 11")
        paths = {row["name"]: row["range_path"] for row in table(self.done(file, "--to", "csv").stdout)}
        self.assertEqual(paths, {"void gemm<128>(float*)": "a", "void copy(float*)": "b"})
        self.done(file, "--to", "perfetto", "-o", self.folder / "two.pftrace")
        self.done(file, "--to", "sqlite", "-o", self.folder / "two.sqlite")
        rows = self.database(self.folder / "two.sqlite").execute(
            "SELECT k.globalPid >> 24, r.name FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN "
            "MANSARD_KERNEL_LAUNCHES l ON l.kernelId = k.rowid JOIN MANSARD_KERNEL_ROWS r ON r.id = "
            "l.rowId").fetchall()
        self.assertEqual(sorted(rows), [(100, "void gemm<128>(float*)"), (200, "void copy(float*)")])

    def test_exports_of_nsight_systems(self):
        for name in ("nsys_2021", "nsys_3_16", "nsys_3_25"):
            file = self.from_sql(name)
            kernels = table(self.done(file, "--to", "csv").stdout)
            self.assertTrue(kernels, name)
            events = json.loads(self.done(file, "--to", "chrome").stdout)["traceEvents"]
            self.assertEqual(len([e for e in events if e.get("cat") == "kernel"]), len(kernels), name)
            self.done(file, "--to", "sqlite", "-o", self.folder / f"{name}.copy")

    def test_a_profile_without_kernels(self):
        file = self.profile_small_layer()
        self.assertEqual(table(self.done(file, "--to", "csv").stdout), [])
        trace = json.loads(self.done(file, "--to", "chrome").stdout)
        self.assertTrue([e for e in trace["traceEvents"] if e.get("cat") == "user_annotation"])
        self.assertFalse([e for e in trace["traceEvents"] if e.get("cat") == "kernel"])
        self.done(file, "--to", "perfetto", "-o", self.folder / "a.pftrace")
        self.done(file, "--to", "sqlite", "-o", self.folder / "a.sqlite")
        copied = self.database(self.folder / "a.sqlite")
        self.assertGreater(copied.execute("SELECT count(*) FROM MANSARD_KERNEL_ROWS WHERE isHost")
                           .fetchone()[0], 0)


if __name__ == "__main__":
    unittest.main()
