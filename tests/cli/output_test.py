# SPDX-License-Identifier: Apache-2.0
"""What -o does with existing files, links, FIFOs and inputs."""

import os
import stat
import subprocess
import threading
import unittest

from cli_test import EXAMPLES, MANSARD, SMALL_LAYER, InFolder, run

LAYER = EXAMPLES / "training/layer_fp8.sqlite"
MACHINE = EXAMPLES / "machine.json"
# All commands that write text, each with a marker in its output.
WRITERS = {"analyze": (["analyze", LAYER, "--analysis", "summary", "--format", "json"], '"findings"'),
           "explain": (["explain", LAYER, "-m", MACHINE, "--format", "json"], '"findings"'),
           "predict": (["predict", "--format", "json"], '"findings"'),
           "report": (["report", LAYER, "-m", MACHINE], "<!DOCTYPE html>"),
           "export": (["export", LAYER, "--to", "csv"], "start_ns,")}


class Replaced(InFolder):
    def each(self):
        for name, (arguments, mark) in WRITERS.items():
            with self.subTest(command=name):
                yield arguments, mark

    def done(self, *arguments, **options):
        result = run(*arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def test_a_link_is_kept_and_its_target_replaced(self):
        for arguments, mark in self.each():
            (self.folder / "there").mkdir(exist_ok=True)
            target, link = self.folder / "there/target", self.folder / "link"
            target.write_text("old")
            link.unlink(missing_ok=True)
            link.symlink_to("there/target")
            self.assert_fails(run(*arguments, "-o", link), 1, "link", "-f")
            self.done(*arguments, "-f", "-o", link)
            self.assertTrue(link.is_symlink())
            self.assertIn(mark, target.read_text())
            # A link whose target does not exist yet.
            target.unlink()
            self.done(*arguments, "-o", link)
            self.assertTrue(link.is_symlink())
            self.assertIn(mark, target.read_text())
            self.assertEqual(os.listdir(self.folder / "there"), ["target"])
        self.assertEqual(sorted(os.listdir(self.folder)), ["link", "there"])

    def test_link_loops_are_refused(self):
        (self.folder / "a").symlink_to("b")
        (self.folder / "b").symlink_to("a")
        self.assert_fails(run("predict", "-f", "-o", self.folder / "a"), 1, "link")

    def test_a_file_keeps_its_permissions(self):
        for arguments, mark in self.each():
            for mode in (0o600, 0o664):
                file = self.folder / "private"
                file.write_text("old")
                file.chmod(mode)
                self.done(*arguments, "-f", "-o", file)
                self.assertEqual(stat.S_IMODE(file.stat().st_mode), mode)
                self.assertIn(mark, file.read_text())

    def test_a_fifo_is_written_into(self):
        for arguments, mark in self.each():
            fifo = self.folder / "fifo"
            os.mkfifo(fifo)
            read = []
            reader = threading.Thread(target=lambda: read.append(fifo.read_text()), daemon=True)
            reader.start()
            self.done(*arguments, "-o", fifo)
            reader.join(30)
            self.assertIn(mark, read[0])
            self.assertTrue(stat.S_ISFIFO(fifo.stat().st_mode))
            fifo.unlink()

    def test_standard_output_by_name(self):
        for arguments, mark in self.each():
            piped = self.done(*arguments, "-o", "/dev/stdout")
            self.assertIn(mark, piped.stdout[:200])
            # A file that the shell has opened for appending.
            log = self.folder / "log"
            log.write_text("first\n")
            with log.open("a") as out:
                subprocess.run([MANSARD, *map(str, arguments), "-o", "/dev/stdout"], stdout=out,
                               stderr=subprocess.PIPE, check=True, timeout=300)
            self.assertTrue(log.read_text().startswith("first\n"))
            self.assertIn(mark, log.read_text())
            self.assertNotIn("/dev/stdout", log.read_text().splitlines()[-1])

    def test_databases_keep_links_and_permissions_and_need_a_file(self):
        writers = (["export", LAYER, "--to", "sqlite"],
                   ["import", EXAMPLES.parent / "kineto/llama_fp8.json.gz"])
        for arguments in writers:
            with self.subTest(command=arguments[0]):
                target, link, fifo = (self.folder / name for name in ("target", "link", "fifo"))
                target.write_text("old")
                target.chmod(0o600)
                link.unlink(missing_ok=True)
                link.symlink_to("target")
                self.done(*arguments, "-f", "-o", link)
                self.assertTrue(link.is_symlink())
                self.assertTrue(target.read_bytes().startswith(b"SQLite format 3"))
                self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o600)
                os.mkfifo(fifo)
                self.assert_fails(run(*arguments, "-f", "-o", fifo), 1, "fifo", "not a regular file")
                self.assertTrue(stat.S_ISFIFO(fifo.stat().st_mode))
                fifo.unlink()

    def test_a_profile_is_written_to_the_target_of_a_link(self):
        target, link = self.folder / "target.sqlite", self.folder / "link.sqlite"
        target.write_text("old")
        link.symlink_to("target.sqlite")
        self.done("profile", "-f", "-o", link, "--", *SMALL_LAYER)
        self.assertTrue(link.is_symlink())
        self.assertTrue(target.read_bytes().startswith(b"SQLite format 3"))
        self.done("analyze", link)

    def test_inputs_are_not_overwritten(self):
        recording, other, machine, rules = (self.folder / n for n in ("a.sqlite", "b.sqlite", "m.json", "r"))
        recording.write_bytes(LAYER.read_bytes())
        other.write_bytes((EXAMPLES / "training/layer_bf16.sqlite").read_bytes())
        machine.write_bytes(MACHINE.read_bytes())
        rules.write_text("attention - my_kernel\n")
        link = self.folder / "link"
        given = {recording: "profile", other: "--baseline", machine: "--machine", rules: "--rules"}
        of_machine, of_rules = ["-m", machine], ["--rules", rules]
        pair = ["--baseline", other, "--candidate", recording]
        commands = ((["analyze", recording, *of_machine, *of_rules], (recording, machine, rules)),
                    (["explain", recording, *of_machine], (recording, machine)),
                    (["explain", *pair, *of_machine], (other, machine)),
                    (["report", "--baseline", other, LAYER, *of_machine, *of_rules], (other, machine, rules)),
                    (["report", *of_machine], (machine,)),
                    (["predict", *of_machine], (machine,)),
                    (["export", recording, "--to", "csv", *of_machine, *of_rules], (recording, machine, rules)))
        before = {file: file.read_bytes() for file in given}
        for arguments, inputs in commands:
            for file in inputs:
                link.unlink(missing_ok=True)
                link.symlink_to(file)
                for name in (file, link):
                    for force in ([], ["-f"]):
                        with self.subTest(arguments=arguments, output=name):
                            self.assert_fails(run(*arguments, *force, "-o", name), 2, f"-o {name} is",
                                              given[file], "another output file")
        trace = self.folder / "trace.json.gz"
        trace.write_bytes((EXAMPLES.parent / "kineto/llama_fp8.json.gz").read_bytes())
        self.assert_fails(run("import", trace, "-f", "-o", trace), 2, f"-o {trace} is", "to import")
        self.assert_fails(run("merge", recording, other, "-f", "-o", other), 2, f"-o {other} is", "to merge")
        for file, content in before.items():
            self.assertEqual(file.read_bytes(), content)


if __name__ == "__main__":
    unittest.main()
