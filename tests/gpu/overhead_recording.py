# SPDX-License-Identifier: Apache-2.0
"""Whether the recording that check_overhead.py had made is whole: costs of records that are missing prove
nothing."""

import bisect
import sqlite3
import statistics

KERNELS_MAY_DIFFER = 0.01  # a step, between windows of equal steps


class Failed(Exception):
    """A way of recording that gave no result."""


def read_recording(file):
    """(windows as (start, end), kernels of each window, events that were dropped)"""
    if not file.exists():
        raise Failed("nothing was recorded: no window opened")
    database = sqlite3.connect(file)
    try:
        windows = database.execute('SELECT start, "end" FROM MANSARD_WINDOW ORDER BY start').fetchall()
        dropped = database.execute("SELECT sum(value) FROM MANSARD_SESSION "
                                   "WHERE name LIKE 'dropped%'").fetchone()[0]
        starts = [row[0] for row in database.execute("SELECT start FROM CUPTI_ACTIVITY_KIND_KERNEL")]
    except sqlite3.OperationalError as error:
        raise Failed(f"the recording lacks what it should have: {error}") from None
    finally:
        database.close()
    return windows, kernels_by_window(windows, starts), int(dropped or 0)


def kernels_by_window(windows, starts):
    """The GPU's clock and the host's agree to some microseconds only, so a window's kernels are sought
    from half way to the window before, to half way to the next: it began and ended with an idle GPU."""
    borders = [(before[1] + after[0]) / 2 for before, after in zip(windows, windows[1:])
               if before[1] is not None]
    counts = [0] * (len(borders) + 1)
    for start in starts:
        counts[bisect.bisect(borders, start)] += 1
    return counts


def judge_recording(file, cases, results):
    """(what was recorded, what is wrong with it), in words."""
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
    """All steps are equal; and each of the four linear layers of a layer and the head has three products a
    step, of a kernel at least."""
    middle, fewest = statistics.median(per_step), 3 * (4 * case.layers + 1)
    if middle < fewest:
        yield f"{middle:g} kernels a step were recorded; there are {fewest} at least"
    if max(per_step) - min(per_step) > KERNELS_MAY_DIFFER * middle:
        yield f"windows have from {min(per_step):g} to {max(per_step):g} kernels for each of their steps"
