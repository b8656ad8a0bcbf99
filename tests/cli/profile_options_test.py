# SPDX-License-Identifier: Apache-2.0
"""Options of `mansard profile` that limit recording: invalid values.

Run by ctest; by hand: MANSARD=build/dev/bin/mansard python3 -m unittest -v profile_options_test"""

import os
import pathlib
import subprocess
import tempfile
import unittest

MANSARD = os.environ["MANSARD"]


class ProfileOptions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def assert_usage_error(self, option, value, words):
        file = self.folder / "r.sqlite"
        result = subprocess.run([MANSARD, "profile", "-o", str(file), option, value, "--", "true"],
                                capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(option, result.stderr)
        self.assertIn(words, result.stderr)
        self.assertFalse(file.exists())

    def test_memory_limit_must_be_a_size_of_at_least_16_mib(self):
        for value, words in (("lots", "not a size"), ("1.5G", "not a size"), ("", "not a size"),
                             ("512", "at least 16M"), ("8M", "at least 16M"),
                             ("-1G", "at least 16M"), ("99999999999G", "is too large")):
            with self.subTest(value=value):
                self.assert_usage_error("--memory-limit", value, words)

    def test_device_state_period_must_be_0_or_in_range(self):
        for value, words in (("5", "10 to 60000"), ("-1", "10 to 60000"), ("100000", "10 to 60000"),
                             ("often", "often")):
            with self.subTest(value=value):
                self.assert_usage_error("--device-state-period", value, words)


if __name__ == "__main__":
    unittest.main()
