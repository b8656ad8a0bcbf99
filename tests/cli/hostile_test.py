# SPDX-License-Identifier: Apache-2.0
"""Untrusted files cannot run anything, block, be read without end, or control the terminal."""

import gzip
import hashlib
import os
import resource
import shutil
import sqlite3
import subprocess
import time
import unittest

from cli_test import EXAMPLES, MANSARD, InFolder, run
from sanitizer import limits_memory, sanitizer_of

RECORDING = EXAMPLES / "h200_layer_bf16.sqlite"
ESCAPE = "\x1b]0;title\x07\x1b[2J"


def within(bytes_):
    """Limits the address space, unless a sanitizer reserves terabytes of it."""
    if sanitizer_of(MANSARD):
        return None
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))


def varint(data, at):
    """Returns value and length of an SQLite varint: https://www.sqlite.org/fileformat.html#varint"""
    value = 0
    for i in range(9):
        value = value << 7 | data[at + i] & 0x7f
        if data[at + i] < 0x80:
            return value, i + 1
    return value, 9


def pages(data, kind):
    """Of b-trees of this kind: each with the places of its cells."""
    size = int.from_bytes(data[16:18], "big")
    for page in range(size, len(data), size):
        if data[page] == kind:
            header = 8 if kind == LEAF else 12
            count = int.from_bytes(data[page + 3:page + 5], "big")
            places = [page + header + 2 * i for i in range(count)]
            yield page, [page + int.from_bytes(data[p:p + 2], "big") for p in places]


INTERIOR, LEAF = 5, 13


class Hostile(InFolder):
    def assert_damaged(self, file, seconds=10):
        start = time.monotonic()
        result = subprocess.run([MANSARD, "analyze", file], capture_output=True, text=True, timeout=60,
                                preexec_fn=within(1 << 30), check=False)
        self.assertLess(time.monotonic() - start, seconds)
        self.assert_fails(result, 1, "contains more data than a file of its size can hold")

    def strings(self, file, page_bytes):
        """A profile with an empty string table."""
        shutil.copy(RECORDING, file)
        database = sqlite3.connect(file)
        database.executescript(f"DELETE FROM StringIds; PRAGMA journal_mode=DELETE; PRAGMA page_size={page_bytes}; VACUUM;")
        return database

    def test_rows_that_share_one_text(self):
        """5 MB that claim to hold 200 texts of 1 MB: all point to the pages of one."""
        file = self.folder / "a.sqlite"
        database = self.strings(file, 4096)
        # Lengths that leave as much of the text in the row itself.
        small, large = 20_000, 20_000 + 4092 * 239
        database.execute("INSERT INTO StringIds VALUES (1000, ?)", ("x" * large,))
        database.executemany("INSERT INTO StringIds VALUES (?, ?)", [(1001 + i, "y" * small) for i in range(200)])
        database.commit()
        database.close()
        data = bytearray(file.read_bytes())
        cells = [cell for _, places in pages(data, LEAF) for cell in places]
        lengths = [varint(data, cell)[0] for cell in cells]
        big = cells[max(range(len(cells)), key=lambda i: lengths[i])]
        self.assertEqual(varint(data, big)[1], 3)
        after = 3 + varint(data, big + 3)[1]
        shared = 0
        for cell, length in zip(cells, lengths):
            if small < length < small + 20:
                local = (length - 489) % 4092 + 489
                local = local if local <= 4061 else 489
                data[cell:cell + 3] = data[big:big + 3]
                data[cell + after:cell + after + local + 4] = data[big + after:big + after + local + 4]
                shared += 1
        self.assertEqual(shared, 200)
        file.write_bytes(data)
        self.assert_damaged(file)

    def test_a_b_tree_with_exponentially_many_paths(self):
        """Each page in a chain of 12 points to the next about 60 times."""
        file = self.folder / "a.sqlite"
        database = self.strings(file, 512)
        database.executemany("INSERT INTO StringIds VALUES (?, 'text')", [(i,) for i in range(60_000)])
        database.commit()
        root, = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'StringIds'").fetchone()
        database.close()
        data = bytearray(file.read_bytes())
        top = (root - 1) * 512
        chain = [p for p in pages(data, INTERIOR) if p[0] != top and len(p[1]) > 20][:12]
        chain.insert(0, next(p for p in pages(data, INTERIOR) if p[0] == top))
        leaf = next(p for p, cells in pages(data, LEAF) if len(cells) > 20 and b"text" in data[p:p + 512])
        targets = [p for p, _ in chain[1:]] + [leaf]
        for (page, cells), target in zip(chain, targets):
            number = (target // 512 + 1).to_bytes(4, "big")
            for cell in cells:
                data[cell:cell + 4] = number
            data[page + 8:page + 12] = number
        file.write_bytes(data)
        self.assert_damaged(file)

    def test_impossible_times_are_refused(self):
        for table, column in (("CUPTI_ACTIVITY_KIND_KERNEL", "end"), ("NVTX_EVENTS", "start"),
                              ("CUPTI_ACTIVITY_KIND_RUNTIME", "start")):
            for value in (2**63 - 1, -2**63, 2**62):
                file = self.folder / "a.sqlite"
                shutil.copy(RECORDING, file)
                database = sqlite3.connect(file)
                changed = database.execute(f'UPDATE {table} SET "{column}" = ? WHERE rowid = 1', (value,)).rowcount
                database.commit()
                database.close()
                self.assertEqual(changed, 1, table)
                self.assert_fails(run("analyze", file), 1, f"has an event at {value} ns")

    def test_deep_stacks_of_ranges_stay_readable(self):
        file = self.folder / "a.sqlite"
        shutil.copy(RECORDING, file)
        database = sqlite3.connect(file)
        thread, = database.execute("SELECT globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME LIMIT 1").fetchone()
        database.executemany("INSERT INTO NVTX_EVENTS (start, end, eventType, globalTid, text) VALUES (?, ?, 59, ?, ?)",
                             [(-10_000 + i, 10**15 - i, thread, f"level {i}") for i in range(2000)])
        database.commit()
        launches, = database.execute("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()
        database.close()
        result = run("export", file, "--to", "csv", "-o", self.folder / "launches.csv")
        self.assertEqual(result.returncode, 0, result.stderr)
        csv = (self.folder / "launches.csv").read_text()
        self.assertIn(" more) / ", csv)
        self.assertIn("level 1999", csv)
        self.assertLess(len(csv), launches * 3000)

    def test_pipes_and_devices_are_refused_as_inputs(self):
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

    def test_an_endless_text_does_not_exhaust_memory(self):
        for name, text in (("string", b'"' + b"a" * 1_000_000), ("number", b"1" * 1_000_000)):
            file = self.folder / f"{name}.json.gz"
            with gzip.open(file, "wb", compresslevel=1) as packed:
                packed.write(b'{"traceEvents": [{"ph": "X", "name": ')
                packed.write(text)
                for _ in range(2000):
                    packed.write(text[1:])
            result = subprocess.run([MANSARD, "import", file, "-o", self.folder / "a.sqlite"], capture_output=True,
                                    text=True, timeout=60, preexec_fn=within(1 << 30), check=False)
            self.assert_fails(result, 1, f"a {name} longer than")

    @limits_memory(MANSARD)
    def test_exceeding_the_memory_limit_is_reported(self):
        """A small compressed trace with 150 MB of distinct kernel names."""
        file = self.folder / "many.json.gz"
        with gzip.open(file, "wb", compresslevel=6) as packed:
            packed.write(b'{"traceEvents": [')
            for i in range(300_000):
                packed.write(b'{"ph": "X", "cat": "kernel", "name": "%s%d", "pid": 0, "tid": 7, "ts": 1, "dur": 1, "args": '
                             b'{"device": 0, "stream": 7, "correlation": 1}},' % (b"k" * 500, i))
            packed.write(b'{"ph": "M"}]}')
        result = subprocess.run([MANSARD, "import", file, "-o", self.folder / "a.sqlite"], capture_output=True, text=True,
                                timeout=60, env={**os.environ, "MANSARD_MEMORY": "64M"}, check=False)
        self.assert_fails(result, 1, "needs more than the limit of 64 MiB")
        self.assertFalse((self.folder / "a.sqlite").exists())
        result = subprocess.run([MANSARD, "show", file], capture_output=True, text=True, timeout=60,
                                env={**os.environ, "MANSARD_MEMORY": "much"}, check=False)
        self.assert_fails(result, 2, "MANSARD_MEMORY")

    def test_names_do_not_control_the_terminal(self):
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

    def test_an_endless_view_is_not_read(self):
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
        # As a killed program leaves it, with a write-ahead log that is not merged.
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
