# SPDX-License-Identifier: Apache-2.0
"""Checks that kill -9 of a profiled GPU program leaves a database that opens, is marked interrupted, and
has lost at most the last second.

Usage: check_kill.py MANSARD OUTPUT_FOLDER [ROUNDS]   (default 50, at random moments, five at once)"""

import concurrent.futures
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import time

ALLOWED_LOSS_S = 1.0
AT_ONCE = 5
MOMENTS_S = (3.0, 8.0)  # after the start; on a busy machine the first kernels run after some seconds


def descendants(pid):
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    found = [int(c) for c in children]
    for child in list(found):
        found += descendants(child)
    return found


def one_round(mansard, file, run_s):
    """Returns the error, or None."""
    process = subprocess.Popen([mansard, "profile", "-f", "-o", file, "--", mansard, "run", "layer",
                                "--recipe", "bf16", "--device", "gpu", "--steps", "1000000"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(run_s)
    victims = descendants(process.pid)
    killed_utc_ns = time.time_ns()
    for victim in victims:
        os.kill(victim, signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    database = sqlite3.connect(file)
    if database.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
        return f"{file} is damaged"
    start = database.execute("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME").fetchone()[0]
    last, kernels = database.execute(
        "SELECT max(end), count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()
    state = database.execute("SELECT state FROM MANSARD_STATE").fetchone()[0]
    database.close()
    lost_s = (killed_utc_ns - (start + last)) * 1e-9 if kernels else float("inf")
    print(f"after {run_s:.2f} s: exit {process.returncode}, state {state}, {kernels} kernels, lost {lost_s:.3f} s")
    if process.returncode != 128 + signal.SIGKILL or state != "interrupted":
        return f"exit code or state of {file} is wrong; stderr:\n{err}"
    if lost_s > ALLOWED_LOSS_S:
        return f"{file} lost {lost_s:.3f} s"
    file.unlink()
    return ""


def main():
    mansard, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 50
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        results = list(pool.map(
            lambda i: one_round(mansard, folder / f"killed_{i}.sqlite", random.uniform(*MOMENTS_S)),
            range(rounds)))
    wrong = [result for result in results if result]
    print("\n".join(wrong))
    print(f"{rounds - len(wrong)} of {rounds} passed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
