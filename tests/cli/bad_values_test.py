# SPDX-License-Identifier: Apache-2.0
"""Invalid values of options, and files of the wrong kind."""

import unittest

from cli_test import EXAMPLES, InFolder, run


class BadValues(InFolder):
    def test_numbers_out_of_range_are_refused_with_a_short_error(self):
        layer, machine = EXAMPLES / "training/layer_fp8.sqlite", EXAMPLES / "machine.json"
        positive, from_zero = ("0", "-1", "nan", "inf", "x"), ("-1", "nan", "inf", "x")
        for arguments, values in ((["compare", machine, machine, "--gate"], from_zero),
                                  (["compare", layer, layer, "--rows"], from_zero),
                                  (["analyze", layer, "--tokens-per-step"], positive),
                                  (["analyze", layer, "--rows"], from_zero),
                                  (["explain", "--baseline", layer, "--candidate", layer,
                                    "--ceiling-ratio"], positive),
                                  (["explain", layer, "--rows"], from_zero),
                                  (["characterize", "--max-time"], positive),
                                  (["run", "cpu_triad", "--steps"], positive)):
            for value in values:
                with self.subTest(arguments=arguments, value=value):
                    result = run(*arguments, value)
                    self.assert_fails(result, 2, arguments[-1], value,
                                      "above 0" if values is positive else "0 or more")
                    self.assertLess(len(result.stderr), 300)

    def test_invalid_machine_models_get_a_readable_error(self):
        file = self.folder / "m.json"
        for content, words in ((b"", "is empty"), (b" \n", "is empty"), (b"CREATE TABLE", "not a machine model"),
                               (b'{"a": 1}', "not a machine model"), (b"[1]", "not a machine model"),
                               (b'{"devices": [', "invalid JSON after byte 13 of 13"),
                               (b'{"mansard_machine_model": "x"}', "type must be number"),
                               (b'{"mansard_machine_model": 1}', "key 'provenance' not found"), (b"\xff\xfe\x00", "not a machine model")):
            file.write_bytes(content)
            with self.subTest(content=content):
                result = run("show", file)
                self.assert_fails(result, 1, file, words, "mansard characterize -o machine.json")
                self.assertNotIn("exception", result.stderr)
        for arguments in (["show", self.folder], ["report", "-m", self.folder],
                          ["analyze", EXAMPLES / "training/layer_fp8.sqlite", "-m", self.folder]):
            self.assert_fails(run(*arguments), 1, self.folder, "is a folder")

    def test_options_without_effect_are_refused(self):
        file = EXAMPLES / "training/layer_fp8.sqlite"
        for form in ([], ["--format", "html"], ["--format", "txt"]):
            self.assert_fails(run("report", file, "--figure", "bogus", *form, "-o", self.folder / "x"), 2,
                              "--figure bogus", "--format svg")
        self.assert_fails(run("explain", file, "--ceiling-ratio", "3"), 2, "--ceiling-ratio", "--baseline")
        self.assert_fails(run("analyze", file, "--what-if", "gemm=2x", "--what-if", "norm=0", "--what-if",
                              "gemm=sol"), 2, "--what-if", "'gemm'")
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
