# SPDX-License-Identifier: Apache-2.0
"""Files from somebody else: none is obeyed, waited for or read without end, and none acts on the terminal."""

import gzip
import hashlib
import os
import resource
import shutil
import sqlite3
import subprocess
import time

from cli_test import EXAMPLES, MANSARD, InFolder, run

RECORDING = EXAMPLES / "h200_layer_bf16.sqlite"
ESCAPE = "\x1b]0;title\x07\x1b[2J"


def within(bytes_):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))


class Hostile(InFolder):
    def test_pipes_and_devices_are_no_inputs(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for file in (pipe, "/dev/zero"):
            for arguments in (["analyze", file], ["analyze", RECORDING, "--machine", file], ["show", file],
                              ["analyze", RECORDING, "--rules", file], ["compare", file, file],
                              ["import", file, "-o", self.folder / "a.sqlite"]):
                start = time.monotonic()
                result = run(*arguments)
                self.assertLess(time.monotonic() - start, 5, arguments)
                self.assert_fails(result, 1, file)
                self.assertRegex(result.stderr, "not a regular file|is not a file", arguments)

    def test_a_text_without_end_takes_no_memory(self):
        for name, text in (("string", b'"' + b"a" * 1_000_000), ("number", b"1" * 1_000_000)):
            file = self.folder / f"{name}.json.gz"
            with gzip.open(file, "wb", compresslevel=1) as packed:
                packed.write(b'{"traceEvents": [{"ph": "X", "name": ')
                packed.write(text)
                for _ in range(2000):
                    packed.write(text[1:])
            result = subprocess.run([MANSARD, "import", file, "-o", self.folder / "a.sqlite"], capture_output=True,
                                    text=True, timeout=60, preexec_fn=within(1 << 30), check=False)
            self.assert_fails(result, 1, f"a {'text' if name == 'string' else 'number'} of more than")

    def test_names_do_not_act_on_the_terminal(self):
        file = self.folder / f"a{ESCAPE}\n.sqlite"
        result = run("analyze", file)
        self.assertEqual(result.returncode, 1)
        self.assertNotIn("\x1b", result.stderr)
        shutil.copy(RECORDING, file)
        database = sqlite3.connect(file)
        database.execute("UPDATE StringIds SET value = value || ?", (ESCAPE,))
        database.commit()
        database.close()
        for arguments in (["analyze", file], ["explain", file], ["analyze", file, "--format", "csv"],
                          ["analyze", file, "--format", "md"], ["export", file, "--to", "csv"],
                          ["report", file, "-o", self.folder / "page.html"]):
            result = run(*arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertNotIn("\x1b", result.stdout + result.stderr, arguments)

    def test_an_output_named_like_a_uri_is_that_file(self):
        """SQLite would take file:other.sqlite?x=1 for other.sqlite, and replace it."""
        shutil.copy(RECORDING, self.folder / "run.sqlite")
        (self.folder / "other.sqlite").write_text("of the user")
        result = run("export", "run.sqlite", "--to", "sqlite", "-o", "file:other.sqlite?x=1", cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((self.folder / "other.sqlite").read_text(), "of the user")
        self.assertEqual((self.folder / "file:other.sqlite?x=1").read_bytes()[:15], b"SQLite format 3")

    def test_a_view_that_never_ends_is_not_read(self):
        file = self.folder / "a.sqlite"
        shutil.copy(RECORDING, file)
        database = sqlite3.connect(file)
        database.execute("DROP TABLE NVTX_EVENTS")
        database.execute("CREATE VIEW NVTX_EVENTS AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL "
                         "SELECT start + 1 FROM n) SELECT start, start AS end FROM n")
        database.commit()
        database.close()
        start = time.monotonic()
        result = run("analyze", file)
        self.assertLess(time.monotonic() - start, 10)
        self.assertIn(result.returncode, (0, 1), result.stderr)

    def test_reading_changes_no_file(self):
        file = self.folder / "a.sqlite"
        shutil.copy(RECORDING, file)
        database = sqlite3.connect(file)
        # As a killed program leaves it, with a log that nobody has folded in.
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA wal_autocheckpoint = 0")
        database.execute("UPDATE MANSARD_STATE SET state = 'recording', pid = 999999999")
        database.commit()
        shutil.copy(file, self.folder / "b.sqlite")
        shutil.copy(f"{file}-wal", self.folder / "b.sqlite-wal")
        database.close()
        file.unlink()

        def content():
            return {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in self.folder.glob("b.sqlite*")}
        before = content()
        self.assertEqual(set(before), {"b.sqlite", "b.sqlite-wal"})
        for arguments in (["analyze"], ["explain"], ["export", "--to", "csv"], ["report", "-o", self.folder / "r.html"]):
            result = run(arguments[0], self.folder / "b.sqlite", *arguments[1:])
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(content(), before, arguments)
        self.assertIn("interrupted", run("analyze", self.folder / "b.sqlite").stdout)
        result = run("repair", self.folder / "b.sqlite")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(set(content()), {"b.sqlite"})
