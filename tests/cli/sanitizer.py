# SPDX-License-Identifier: Apache-2.0
"""Which sanitizer mansard was compiled with, for tests whose subject a sanitizer replaces."""

import subprocess
import unittest


def sanitizer_of(program):
    """Returns "address", "thread" or "" (none)."""
    libraries = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    return "address" if "libasan" in libraries else "thread" if "libtsan" in libraries else ""


def unless_sanitized(program, reason, *sanitizers):
    """Skips a test if `program` was compiled with one of `sanitizers`, by default with any."""
    found = sanitizer_of(program)
    return unittest.skipIf(found and (not sanitizers or found in sanitizers), reason)


def records_other_programs(program):
    """For tests that load the collector into a program that was compiled without a sanitizer."""
    return unless_sanitized(program, "a sanitizer's runtime must be loaded before any other library")


def limits_memory(program):
    """For tests that limit the address space or the heap."""
    return unless_sanitized(program, "a sanitizer reserves memory of its own")
