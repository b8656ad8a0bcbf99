# SPDX-License-Identifier: Apache-2.0
"""Checks that CUDA graphs are recorded node by node, or each launch as a whole with the time of its nodes,
and that host activity has its API calls, in a GPU run whose steps are replays of a graph.

Usage: check_graph_trace.py MANSARD OUTPUT_FOLDER"""

import pathlib
import sqlite3
import subprocess
import sys

STEPS = 40
ALLOWED_DIFFERENCE = 0.05  # relative to the time of a replay, whose nodes may also wait for each other
GRAPHS = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
failures = 0


def check(good, text):
    global failures
    print(("ok      " if good else "FAILED  ") + text)
    failures += not good


def profile(mansard, file, mode):
    command = [mansard, "profile", "-f", "-o", str(file), "--cuda-graph-trace", mode, "--", mansard,
               "run", "layer", "--recipe", "bf16", "--device", "gpu", "--graph", "--steps", str(STEPS)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {result.returncode}\n{result.stderr}")
    print(result.stderr.strip())
    return sqlite3.connect(file)


def has_table(database, name):
    return database.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone()


def number(database, sql):
    return database.execute(sql).fetchone()[0] or 0


def graph_launches(database):
    return number(database, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s "
                            "ON s.id = r.nameId WHERE s.value LIKE 'cudaGraphLaunch%'")


def check_host(database):
    """Checks waits, allocations, streams and contexts of a profile."""
    waits = number(database, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION")
    matched = number(database, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION WHERE "
                               "correlationId IN (SELECT correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME)")
    check(waits > 0 and matched > 0, f"{matched} of {waits} waits have their API call")
    devices = number(database, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION y LEFT JOIN "
                               "TARGET_INFO_GPU g ON g.id = y.deviceId WHERE g.id IS NULL")
    check(devices == 0, f"{devices} waits without a GPU")
    allocated = number(database, "SELECT sum(bytes) FROM CUDA_GPU_MEMORY_USAGE_EVENTS "
                                 "WHERE memoryOperationType = 0 AND memKind = 2")
    check(allocated > 0, f"{allocated} bytes of device memory allocated")
    strangers = number(database, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k LEFT JOIN "
                                 "TARGET_INFO_CUDA_STREAM s USING (streamId, contextId) "
                                 "WHERE s.streamId IS NULL")
    check(strangers == 0, f"{strangers} kernels on streams without a description")
    for label, count, total_ns, threads in database.execute(
            "SELECT e.label, count(*), sum(o.end - o.start), group_concat(DISTINCT o.globalTid % "
            "0x1000000) FROM CUPTI_ACTIVITY_KIND_OVERHEAD o LEFT JOIN ENUM_CUPTI_OVERHEAD_TYPE e "
            "ON e.id = o.overheadType GROUP BY 1"):
        print(f"        overhead: {label}: {count}, {total_ns / 1e6:.3f} ms, threads {threads}")


def main():
    mansard, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    nodes = profile(mansard, folder / "graph_nodes.sqlite", "node")
    whole = profile(mansard, folder / "graph_whole.sqlite", "graph")
    for database in (nodes, whole):
        check_host(database)

    check(not has_table(nodes, GRAPHS), "node: no graphs recorded as a whole")
    in_graphs = number(nodes, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE graphNodeId > 0")
    check(in_graphs >= STEPS, f"node: {in_graphs} kernels in graphs")

    check(has_table(whole, GRAPHS), "graph: graphs recorded as a whole")
    in_graphs = number(whole, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE graphNodeId > 0")
    check(in_graphs == 0, f"graph: {in_graphs} kernels in graphs")
    replays = number(whole, f"SELECT count(*) FROM {GRAPHS}")
    launches = graph_launches(whole)
    check(replays == launches > 0, f"graph: {replays} replays of {launches} launches")
    joined = number(whole, f"SELECT count(*) FROM {GRAPHS} WHERE correlationId IN "
                           "(SELECT correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME)")
    check(joined == replays, f"graph: {joined} replays have their API call")

    # The span from the first start to the last end of the kernels of a launch, compared with the graph's.
    span_ns = number(nodes, "SELECT avg(span) FROM (SELECT max(end) - min(start) AS span FROM "
                            "CUPTI_ACTIVITY_KIND_KERNEL WHERE graphNodeId > 0 GROUP BY correlationId)")
    replay_ns = number(whole, f"SELECT avg(end - start) FROM {GRAPHS}")
    check(abs(replay_ns - span_ns) < ALLOWED_DIFFERENCE * span_ns,
          f"a replay takes {replay_ns / 1e3:.1f} µs as a whole, {span_ns / 1e3:.1f} µs by its nodes")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
