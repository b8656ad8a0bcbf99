# SPDX-License-Identifier: Apache-2.0
"""kill -9 of a profiled GPU program in mid-run leaves a database that opens, is marked interrupted,
and has lost at most the last second (plus the time the program needs to see its first kernel).

Usage: check_kill.py MANSARD OUTPUT_FOLDER"""

import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import time

ALLOWED_LOSS_S = 1.25  # one second, and the scheduling of a loaded machine
ROUNDS = 5


def descendants(pid):
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    found = [int(c) for c in children]
    for child in list(found):
        found += descendants(child)
    return found


def one_round(mansard, file, run_s):
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
    assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    start = database.execute("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME").fetchone()[0]
    last, kernels = database.execute(
        "SELECT max(end), count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()
    state = database.execute("SELECT state FROM MANSARD_STATE").fetchone()[0]
    lost_s = (killed_utc_ns - (start + last)) * 1e-9
    print(f"exit {process.returncode}, state {state}, {kernels} kernels, lost {lost_s:.3f} s")
    if process.returncode != 128 + signal.SIGKILL or state != "interrupted":
        sys.exit(f"exit code or state is wrong; stderr:\n{err}")
    if lost_s > ALLOWED_LOSS_S:
        sys.exit(f"lost {lost_s:.3f} s")


def main():
    file = pathlib.Path(sys.argv[2]) / "killed.sqlite"
    for i in range(ROUNDS):
        one_round(sys.argv[1], file, 5 + 0.37 * i)
    file.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
