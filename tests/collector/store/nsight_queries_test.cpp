// SPDX-License-Identifier: Apache-2.0
// Typical SQL queries for Nsight Systems exports, which use only that schema, and their expected
// results for nsight_recording.h.
#include <gtest/gtest.h>

#include "collector/store/sqlite.h"
#include "tests/collector/store/nsight_recording.h"
#include "tests/support/scratch.h"

namespace mansard::store {
namespace {

struct NsightQuery {
  const char* name;
  int columns;
  const char* sql;
  const char* expected;  // columns divided by |, rows by a newline
};

constexpr NsightQuery kQueries[] = {
    {"KernelSummary", 7, R"(
      SELECT s.value AS name, sum(k.end - k.start) AS total, count(*) AS instances,
             round(avg(k.end - k.start), 1) AS average, min(k.end - k.start) AS shortest,
             max(k.end - k.start) AS longest,
             round(100.0 * sum(k.end - k.start) / sum(sum(k.end - k.start)) OVER (), 1) AS share
      FROM CUPTI_ACTIVITY_KIND_KERNEL AS k JOIN StringIds AS s ON s.id = k.shortName
      GROUP BY s.value ORDER BY total DESC)",
     "gemm|3500|3|1166.7|500|2000|70.0\n"
     "relu|1500|1|1500.0|1500|1500|30.0\n"},
    {"ApiSummary", 5, R"(
      SELECT s.value, sum(r.end - r.start) AS total, count(*), min(r.end - r.start),
             max(r.end - r.start)
      FROM CUPTI_ACTIVITY_KIND_RUNTIME AS r JOIN StringIds AS s ON s.id = r.nameId
      JOIN ENUM_NSYS_EVENT_CLASS AS c ON c.id = r.eventClass
      WHERE c.label = 'CUDA runtime' GROUP BY r.nameId ORDER BY total DESC)",
     "cudaStreamSynchronize_v3020|3440|2|120|3320\n"
     "cudaDeviceSynchronize_v3020|2520|1|2520|2520\n"
     "cudaLaunchKernel_v7000|250|4|50|100\n"
     "cudaMalloc_v3020|110|2|10|100\n"
     "cudaGraphLaunch_v10000|50|1|50|50\n"},
    {"CopySummaryByKind", 5, R"(
      SELECT e.label, count(*), sum(m.bytes) AS bytes, sum(m.end - m.start) AS total,
             round(1.0 * sum(m.bytes) / sum(m.end - m.start), 2) AS gigabytes_per_second
      FROM CUPTI_ACTIVITY_KIND_MEMCPY AS m JOIN ENUM_CUDA_MEMCPY_OPER AS e ON e.id = m.copyKind
      GROUP BY m.copyKind ORDER BY total DESC)",
     "Host-to-Device|2|5000000|1250|4000.0\n"
     "Device-to-Host|1|2000000|400|5000.0\n"},
    {"FillSummary", 4, R"(
      SELECT e.label, count(*), sum(m.bytes), sum(m.end - m.start)
      FROM CUPTI_ACTIVITY_KIND_MEMSET AS m LEFT JOIN ENUM_CUDA_MEM_KIND AS e ON e.id = m.memKind
      GROUP BY m.memKind)",
     "Device|1|4096|100\n"},
    {"PushPopRangeSummary", 5, R"(
      SELECT coalesce(n.text, s.value) AS range, count(*), sum(n.end - n.start) AS total,
             min(n.end - n.start), max(n.end - n.start)
      FROM NVTX_EVENTS AS n LEFT JOIN StringIds AS s ON s.id = n.textId
      JOIN ENUM_NSYS_EVENT_TYPE AS t ON t.id = n.eventType
      WHERE t.name = 'NvtxPushPopRange' AND n.end IS NOT NULL
      GROUP BY range ORDER BY total DESC)",
     "step|2|600|200|400\n"
     "fprop|2|245|120|125\n"},
    {"KernelsInsideRanges", 5, R"(
      SELECT coalesce(n.text, ns.value) AS range, n.start, ks.value, count(*),
             sum(k.end - k.start) AS total
      FROM NVTX_EVENTS AS n LEFT JOIN StringIds AS ns ON ns.id = n.textId
      JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS r
        ON r.globalTid = n.globalTid AND r.start >= n.start AND r.end <= n.end
      JOIN CUPTI_ACTIVITY_KIND_KERNEL AS k
        ON k.correlationId = r.correlationId AND k.globalPid = r.globalTid / 0x1000000 * 0x1000000
      JOIN StringIds AS ks ON ks.id = k.shortName
      WHERE n.eventType = 59 GROUP BY n.rowid, k.shortName ORDER BY n.start, ks.value)",
     "fprop|790|gemm|1|500\n"
     "step|880|gemm|2|3000\n"
     "step|880|relu|1|1500\n"
     "fprop|890|gemm|2|3000\n"},
    {"GapsBetweenKernelsOfAStream", 4, R"(
      SELECT deviceId, streamId, start, gap FROM (
        SELECT deviceId, streamId, start,
               start - lag("end") OVER (PARTITION BY deviceId, streamId ORDER BY start) AS gap
        FROM CUPTI_ACTIVITY_KIND_KERNEL)
      WHERE gap IS NOT NULL)",
     "0|7|2500|500\n"},
    {"BusyTimeOfEachStream", 3, R"(
      SELECT deviceId, streamId, sum("end" - start) FROM CUPTI_ACTIVITY_KIND_KERNEL
      GROUP BY deviceId, streamId ORDER BY 1, 2)",
     "0|7|3000\n0|8|1500\n1|7|500\n"},
    {"BusyTimeOfEachGpuAsAUnion", 2, R"(
      WITH work AS (
        SELECT deviceId, start, "end" FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL
        SELECT deviceId, start, "end" FROM CUPTI_ACTIVITY_KIND_MEMCPY UNION ALL
        SELECT deviceId, start, "end" FROM CUPTI_ACTIVITY_KIND_MEMSET UNION ALL
        SELECT deviceId, start, "end" FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE),
      covered AS (
        SELECT *, max("end") OVER (PARTITION BY deviceId ORDER BY start, "end"
                                   ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS until
        FROM work)
      SELECT deviceId, sum(max(0, "end" - max(start, coalesce(until, start)))) FROM covered
      GROUP BY deviceId ORDER BY deviceId)",
     "0|6250\n1|500\n"},
    {"LaunchLatency", 4, R"(
      SELECT s.value, min(k.start - r.end), round(avg(k.start - r.end), 1), max(k.start - r.end)
      FROM CUPTI_ACTIVITY_KIND_KERNEL AS k
      JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS r ON r.correlationId = k.correlationId
      JOIN StringIds AS s ON s.id = k.shortName GROUP BY s.value ORDER BY s.value)",
     "gemm|50|546.7|1490\n"
     "relu|430|430.0|430\n"},
    {"WaitingTimeOfEachThread", 5, R"(
      SELECT r.globalTid % 0x1000000 AS tid, names.value, e.label, count(*), sum(y.end - y.start)
      FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION AS y
      JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS r ON r.correlationId = y.correlationId
      JOIN ENUM_CUPTI_SYNC_TYPE AS e ON e.id = y.syncType
      LEFT JOIN ThreadNames AS t ON t.globalTid = r.globalTid
      LEFT JOIN StringIds AS names ON names.id = t.nameId
      GROUP BY r.globalTid, y.syncType ORDER BY tid)",
     "4711|main|Stream sync|2|3400\n"
     "4712|loader|Context sync|1|2500\n"},
    {"PeakMemoryOfEachGpu", 2, R"(
      SELECT deviceId, max(used) FROM (
        SELECT deviceId, sum(CASE memoryOperationType WHEN 0 THEN bytes ELSE -bytes END)
                         OVER (PARTITION BY globalPid, deviceId ORDER BY start) AS used
        FROM CUDA_GPU_MEMORY_USAGE_EVENTS AS m JOIN ENUM_CUDA_MEM_KIND AS e ON e.id = m.memKind
        WHERE e.label = 'Device') GROUP BY deviceId)",
     "0|8000\n"},
    {"TopAllocatingThreads", 4, R"(
      SELECT r.globalTid % 0x1000000, s.value, o.label, sum(m.bytes) AS bytes
      FROM CUDA_GPU_MEMORY_USAGE_EVENTS AS m
      JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS r ON r.correlationId = m.correlationId
      JOIN StringIds AS s ON s.id = r.nameId
      JOIN ENUM_CUDA_DEV_MEM_EVENT_OPER AS o ON o.id = m.memoryOperationType
      GROUP BY r.globalTid, m.memoryOperationType ORDER BY bytes DESC)",
     "4712|cudaMalloc_v3020|Allocation|5000\n"
     "4711|cudaMalloc_v3020|Allocation|4000\n"},
    {"ProfilerOverhead", 3, R"(
      SELECT e.label, count(*), sum(o.end - o.start) AS total
      FROM CUPTI_ACTIVITY_KIND_OVERHEAD AS o
      LEFT JOIN ENUM_CUPTI_OVERHEAD_TYPE AS e ON e.id = o.overheadType
      JOIN StringIds AS s ON s.id = o.nameId
      WHERE o.globalTid % 0x1000000 = 4711 GROUP BY o.overheadType ORDER BY total DESC)",
     "Lazy function loading (CUDA)|1|30\n"
     "Buffer flush (Profiler)|2|12\n"},
    {"GraphLaunches", 4, R"(
      SELECT g.graphId, count(*), sum(g.end - g.start), s.value
      FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE AS g
      JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS r ON r.correlationId = g.correlationId
      JOIN StringIds AS s ON s.id = r.nameId GROUP BY g.graphExecId)",
     "17|1|1000|cudaGraphLaunch_v10000\n"},
    {"StreamsWithWork", 5, R"(
      SELECT DISTINCT c.deviceId, k.streamId, t.label, s.priority, p.pid
      FROM CUPTI_ACTIVITY_KIND_KERNEL AS k
      JOIN TARGET_INFO_CUDA_STREAM AS s ON s.streamId = k.streamId AND s.contextId = k.contextId
        AND (s.hwId << 56) + (s.vmId << 48) + (s.processId << 24) = k.globalPid
      JOIN TARGET_INFO_CUDA_CONTEXT_INFO AS c
        ON c.contextId = k.contextId AND c.processId = s.processId
      JOIN ENUM_CUPTI_STREAM_TYPE AS t ON t.id = s.flag
      JOIN PROCESSES AS p ON p.globalPid = k.globalPid ORDER BY 1, 2)",
     "0|7|Null stream|0|4711\n"
     "0|8|Non-blocking stream|-5|4711\n"
     "1|7|Null stream|0|4711\n"},
    {"GpusAndSessionStart", 5, R"(
      SELECT g.id, g.name, g.smCount, g.computeMajor || '.' || g.computeMinor, t.utcTime
      FROM TARGET_INFO_GPU AS g, TARGET_INFO_SESSION_START_TIME AS t ORDER BY g.id)",
     "0|NVIDIA H200|132|9.0|2023-11-14 22:13:20\n"
     "1|NVIDIA H200|132|9.0|2023-11-14 22:13:20\n"},
    {"Diagnostics", 4, R"(
      SELECT d.timestamp, o.label, e.label, d.text FROM DIAGNOSTIC_EVENT AS d
      JOIN ENUM_DIAGNOSTIC_SEVERITY_LEVEL AS e ON e.id = d.severity
      JOIN ENUM_DIAGNOSTIC_SOURCE_TYPE AS o ON o.id = d.source
      WHERE e.name <> 'Verbose' ORDER BY d.timestamp)",
     "40|Injection|Info|started\n"
     "50|Injection|Warning|slow\n"},
};

std::string answer(Database& database, const std::string& sql, int columns) {
  Statement row = database.prepare(sql);
  std::string text;
  while (row.step()) {
    for (int column = 0; column < columns; ++column) {
      text += (column > 0 ? "|" : "") + (row.is_null(column) ? "NULL" : row.text(column));
    }
    text += '\n';
  }
  return text;
}

class NsightQueries : public testing::TestWithParam<NsightQuery> {};

TEST_P(NsightQueries, Answer) {
  const test::Scratch scratch;
  test::NsightRecording(scratch / "a.sqlite");
  Database database((scratch / "a.sqlite").string(), Database::Access::read_only);
  EXPECT_EQ(answer(database, GetParam().sql, GetParam().columns), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(All, NsightQueries, testing::ValuesIn(kQueries),
                         [](const auto& instance) { return std::string(instance.param.name); });

struct NsightTable {
  const char* name;
  const char* columns;  // in the order of Nsight Systems' schema; ! after those that are NOT NULL
};

class NsightTables : public testing::TestWithParam<NsightTable> {};

TEST_P(NsightTables, HaveItsColumns) {
  const test::Scratch scratch;
  test::NsightRecording(scratch / "a.sqlite");
  Database database((scratch / "a.sqlite").string(), Database::Access::read_only);
  const std::string sql =
      R"(SELECT group_concat(name || iif("notnull", '!', ''), ' ') FROM pragma_table_info(')" +
      std::string(GetParam().name) + "')";
  EXPECT_EQ(answer(database, sql, 1), std::string(GetParam().columns) + '\n');
}

INSTANTIATE_TEST_SUITE_P(
    All, NsightTables,
    testing::Values(
        NsightTable{"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                    "start! end! deviceId! contextId! greenContextId streamId! correlationId "
                    "globalPid graphId! graphExecId!"},
        NsightTable{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                    "start! end! deviceId! contextId! greenContextId streamId! correlationId "
                    "globalPid deprecatedSyncType syncType! eventId! eventSyncId"},
        NsightTable{"CUPTI_ACTIVITY_KIND_OVERHEAD",
                    "start! end! eventClass! globalTid correlationId nameId overheadType!"},
        NsightTable{"CUDA_GPU_MEMORY_USAGE_EVENTS",
                    "start! globalPid! deviceId! contextId! address! pc! bytes! memKind! "
                    "memoryOperationType! name correlationId streamId localMemoryPoolAddress "
                    "localMemoryPoolReleaseThreshold localMemoryPoolSize "
                    "localMemoryPoolUtilizedSize importedMemoryPoolAddress "
                    "importedMemoryPoolProcessId"},
        NsightTable{"TARGET_INFO_CUDA_STREAM",
                    "streamId! hwId! vmId! processId! contextId! priority! flag!"}),
    [](const auto& instance) { return std::string(instance.param.name); });

// Exports have no indexes, and queries build what they need.
TEST(NsightSchema, HasNoIndexes) {
  const test::Scratch scratch;
  test::NsightRecording(scratch / "a.sqlite");
  Database database((scratch / "a.sqlite").string(), Database::Access::read_only);
  EXPECT_EQ(
      answer(database, "SELECT name FROM sqlite_master WHERE type = 'index' AND sql <> ''", 1), "");
}

}  // namespace
}  // namespace mansard::store
