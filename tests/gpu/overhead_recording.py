# SPDX-License-Identifier: Apache-2.0
"""Checks that the profile recorded by check_overhead.py is complete: overhead measured with missing records proves
nothing."""

import bisect
import sqlite3
import statistics

KERNELS_MAY_DIFFER = 0.01  # relative, per step, between windows of equal steps


class Failed(Exception):
    """A way of recording gave no result."""


def read_recording(file):
    """(windows as (start, end), kernels of each window, number of dropped events)"""
    if not file.exists():
        raise Failed("nothing was recorded: no window opened")
    database = sqlite3.connect(file)
    try:
        windows = database.execute('SELECT start, "end" FROM MANSARD_WINDOW ORDER BY start').fetchall()
        dropped = database.execute("SELECT sum(value) FROM MANSARD_SESSION "
                                   "WHERE name LIKE 'dropped%'").fetchone()[0]
        starts = [row[0] for row in database.execute("SELECT start FROM CUPTI_ACTIVITY_KIND_KERNEL")]
    except sqlite3.OperationalError as error:
        raise Failed(f"the profile is incomplete: {error}") from None
    finally:
        database.close()
    return windows, kernels_by_window(windows, starts), int(dropped or 0)


def kernels_by_window(windows, starts):
    """The clocks of GPU and host agree only to some microseconds, so the kernels of a window are searched from
    the middle of the gap before it to the middle of the gap after it: it starts and ends with an idle GPU."""
    borders = [(before[1] + after[0]) / 2 for before, after in zip(windows, windows[1:])
               if before[1] is not None]
    counts = [0] * (len(borders) + 1)
    for start in starts:
        counts[bisect.bisect(borders, start)] += 1
    return counts


def judge_recording(file, cases, results):
    """(notes on what was recorded, errors), as sentences."""
    windows, kernels, dropped = read_recording(file)
    wrong = [f"{dropped} events were dropped"] if dropped else []
    steps = [[w["steps"] for w in result["windows"] if w["recorded"]] for result in results]
    expected = sum(map(len, steps))
    if len(windows) != expected or any(end is None for _, end in windows) or len(kernels) != expected:
        return [], wrong + [f"{len(windows)} recording windows with an end, not {expected}"]
    notes = []
    for case, of_case in zip(cases, steps):
        per_step = [kernels.pop(0) / of_window for of_window in of_case]
        notes.append(f"{case.name}: {len(per_step)} windows with {statistics.median(per_step):g} kernels a "
                     "step")
        wrong += [f"{case.name}: {w}" for w in judge_kernels(per_step, case)]
    return notes, wrong


def judge_kernels(per_step, case):
    """All steps are equal; and each of the four linear layers per layer, and the head, has three GEMMs per step,
    of at least one kernel each."""
    middle, fewest = statistics.median(per_step), 3 * (4 * case.layers + 1)
    if middle < fewest:
        yield f"{middle:g} kernels per step were recorded; there are at least {fewest}"
    if max(per_step) - min(per_step) > KERNELS_MAY_DIFFER * middle:
        yield f"windows have between {min(per_step):g} and {max(per_step):g} kernels per step"
