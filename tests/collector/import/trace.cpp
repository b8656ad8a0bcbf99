// SPDX-License-Identifier: Apache-2.0
// Tests the import of PyTorch profiler traces, event by event.
#include <fstream>

#include <gtest/gtest.h>

#include "collector/import/import_result.h"
#include "collector/import/profile_source.h"
#include "collector/merge/rank_recording.h"
#include "tests/analyzer/profile_builder.h"
#include "tests/collector/import/trace_file.h"

namespace mansard::test {
namespace {

// As written by PyTorch 2.6: a step with an annotated matrix product, a memcpy, a memset and a
// wait.
constexpr const char* kHead = R"({
  "schemaVersion": 1,
  "deviceProperties": [
    {"id": 0, "name": "Test GPU", "totalGlobalMem": 150000000000, "computeMajor": 9,
     "computeMinor": 0, "warpSize": 32, "numSms": 132, "regsPerBlock": 65536}
  ],
  "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "pg_config": [{"pg_name": "0",
    "ranks": [0, 1]}]},
  "displayTimeUnit": "ms", "baseTimeNanoseconds": 1743521598000000000,
  "traceEvents": [)";
constexpr const char* kEvents = R"json(
  {"ph": "M", "name": "thread_name", "pid": 4711, "tid": 4712, "ts": 0, "args": {"name": "thread 4712 (python3)"}},
  {"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "args": {"name": "stream 7"}},
  {"ph": "X", "cat": "user_annotation", "name": "fprop | flop=1e12 hbm=5e9 precision=bf16 class=gemm",
   "pid": 4711, "tid": 4712, "ts": 198093488368.463, "dur": 425.453, "args": {"External id": 1}},
  {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 4711, "tid": 4712, "ts": 198093488400.000,
   "dur": 100, "args": {"External id": 2, "Input Dims": [[8192, 4096], [4096, 4096]], "Concrete Inputs": ["", "[2, 2]"]}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernelExC", "pid": 4711, "tid": 4712,
   "ts": 198093488410.5, "dur": 4.25, "args": {"External id": 2, "cbid": 211, "correlation": 77}},
  {"ph": "s", "id": 77, "pid": 4711, "tid": 4712, "ts": 198093488410.5, "cat": "ac2g", "name": "ac2g"},
  {"ph": "X", "cat": "kernel", "name": "void gemm<128>(float*)", "pid": 0, "tid": 7,
   "ts": 198093489000.001, "dur": 2000000, "args": {"External id": 2, "queued": 0, "device": 0,
   "context": 1, "stream": 7, "correlation": 77, "registers per thread": 168, "shared memory": 213248,
   "blocks per SM": 0.5, "grid": [132, 2, 1], "block": [384, 1, 1], "est. achieved occupancy %": NaN}},
  {"ph": "f", "id": 77, "pid": 0, "tid": 7, "ts": 198093489000.001, "cat": "ac2g", "name": "ac2g", "bp": "e"},
  {"ph": "X", "cat": "cuda_driver", "name": "cuLaunchKernel", "pid": 4711, "tid": 4712,
   "ts": 198093488600, "dur": 1, "args": {"correlation": 78}},
  {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pinned -> Device)", "pid": 0, "tid": 7,
   "ts": 198095500000, "dur": 10.5, "args": {"device": 0, "context": 1, "stream": 20, "correlation": 79,
   "bytes": 4096, "memory bandwidth (GB/s)": 0.39}},
  {"ph": "X", "cat": "gpu_memset", "name": "Memset (Device)", "pid": 0, "tid": 7, "ts": 198095500020,
   "dur": 1, "args": {"device": 0, "context": 1, "stream": 7, "correlation": 80, "bytes": 64}},
  {"ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "pid": 0, "tid": 7, "ts": 198095500030,
   "dur": 2, "args": {"stream": 7, "correlation": 81, "device": 0, "context": 1, "wait_on_stream": 20,
   "wait_on_cuda_event_id": 5}},
  {"ph": "X", "cat": "overhead", "name": "Command Buffer Full", "pid": -1, "tid": 0, "ts": 198095500040, "dur": 3},
  {"ph": "X", "cat": "gpu_user_annotation", "name": "fprop", "pid": 0, "tid": 7, "ts": 198093489000, "dur": 5},
  {"ph": "i", "s": "g", "name": "Iteration Start: PyTorch Profiler", "pid": "Traces", "tid": "Trace PyTorch Profiler", "ts": 198093488368})json";
constexpr const char* kTail = R"(
  ], "traceName": "/tmp/trace.json"})";

std::string whole_trace() { return std::string(kHead) + kEvents + kTail; }

// Start of the first event, base time plus ts: 1743521598000000000 ns + 198093488368463 ns.
constexpr std::int64_t kFirst_utc_ns = 1743719691488368463;

TEST(ImportTrace, EveryKindOfEvent) {
  const TraceFile trace(whole_trace());
  const store::Profile p = trace.imported();
  EXPECT_EQ(p.session.state, store::RecordingState::complete);
  EXPECT_EQ(p.session.pid, 4711);
  EXPECT_EQ(p.session.rank, 3);
  EXPECT_EQ(collector::read_rank_head(p.file).world_size, 8);
  EXPECT_NE(p.session.mansard_version.find("PyTorch"), std::string::npos);
  EXPECT_EQ(collector::profile_source(p.session), collector::ProfileSource::pytorch_profiler);
  EXPECT_NE(p.session.command.find("imported"), std::string::npos);
  ASSERT_EQ(p.gpus.size(), 1u);
  EXPECT_EQ(p.gpus[0].name, "Test GPU");
  EXPECT_EQ(p.gpus[0].sm_count, 132);
  EXPECT_EQ(p.gpus[0].total_memory_bytes, 150'000'000'000);

  ASSERT_EQ(p.kernels.size(), 1u);
  const store::KernelRecord& k = p.kernels[0];
  EXPECT_EQ(p.string(k.demangled_name), "void gemm<128>(float*)");
  EXPECT_EQ(p.string(k.short_name), "gemm");
  EXPECT_EQ(p.session.start_utc_ns + k.start_ns, kFirst_utc_ns + 631'538);  // 0.001 - 368.463 us
  EXPECT_EQ(k.end_ns - k.start_ns, 2'000'000'000);
  EXPECT_EQ(k.correlation_id, 77);
  EXPECT_EQ(k.grid, (std::array<std::int32_t, 3>{132, 2, 1}));
  EXPECT_EQ(k.block, (std::array<std::int32_t, 3>{384, 1, 1}));
  EXPECT_EQ(k.registers_per_thread, 168);
  EXPECT_EQ(k.dynamic_shared_bytes, 213248);
  EXPECT_EQ(k.stream_id, 7);

  ASSERT_EQ(p.api_calls.size(), 2u);
  EXPECT_EQ(p.api_calls[0].event_class, 0);
  EXPECT_EQ(p.api_calls[0].end_ns - p.api_calls[0].start_ns, 4250);
  EXPECT_EQ(p.api_calls[0].global_tid, std::int64_t{4711} << 24 | 4712);
  EXPECT_EQ(p.api_calls[1].event_class, 1);

  ASSERT_EQ(p.memcpys.size(), 1u);
  EXPECT_EQ(p.memcpys[0].copy_kind, 1);
  EXPECT_EQ(p.memcpys[0].src_kind, 1);
  EXPECT_EQ(p.memcpys[0].dst_kind, 2);
  EXPECT_EQ(p.memcpys[0].bytes, 4096);
  EXPECT_EQ(p.memcpys[0].stream_id, 20);
  ASSERT_EQ(p.memsets.size(), 1u);
  EXPECT_EQ(p.memsets[0].mem_kind, 2);
  ASSERT_EQ(p.synchronizations.size(), 1u);
  EXPECT_EQ(p.synchronizations[0].sync_type, 2);
  EXPECT_EQ(p.synchronizations[0].event_id, 5);
  ASSERT_EQ(p.overheads.size(), 1u);
  EXPECT_EQ(p.overheads[0].type, store::OverheadType::command_buffer_full);
}

TEST(ImportTrace, RangesHaveSeparateDomains) {
  const store::Profile p = TraceFile(whole_trace()).imported();
  std::map<std::string, std::int64_t> domain_of;
  std::map<std::int64_t, std::string> domains;
  for (const store::NvtxRecord& n : p.nvtx) {
    if (n.type == store::NvtxEventType::domain_create) domains[n.domain_id] = p.text(n);
    domain_of[p.text(n)] = n.domain_id;
  }
  EXPECT_EQ(domains[domain_of["aten::mm"]], "PyTorch operations");
  EXPECT_EQ(domains[domain_of["fprop | flop=1e12 hbm=5e9 precision=bf16 class=gemm"]],
            "PyTorch annotations");
}

// 1e12 FLOP at 1e12 FLOP/s: T_sol = 1 s, T = 2 s.
TEST(ImportTrace, AnnotationsStateWork) {
  const analysis::RunAnalysis run =
      analysis::analyze_run(TraceFile(whole_trace()).imported(), {test_machine()});
  ASSERT_EQ(run.rows.size(), 3u) << "the kernel, a memcpy and a memset";
  EXPECT_EQ(run.rows[0].origin, analysis::WorkOrigin::annotated);
  EXPECT_DOUBLE_EQ(run.rows[0].work.flop.at(Precision::bf16), 1e12);
  ASSERT_TRUE(run.rows[0].slowdown);
  EXPECT_DOUBLE_EQ(*run.rows[0].slowdown, 2);
}

// Shapes as PyTorch's profiler records them with record_shapes, those of a list of tensors nested.
TEST(ImportTrace, ShapesGiveWork) {
  const TraceFile trace = TraceFile::of_events(
      R"({"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 1, "tid": 1, "ts": 10, "dur": 20,
          "args": {"External id": 5, "Input Dims": [[512], [1024, 1705], [1705, 512], [], []],
          "Input type": ["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"],
          "Concrete Inputs": ["", "", "", "1", "1"]}},
         {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 15,
          "dur": 5, "args": {"correlation": 7}},
         {"ph": "X", "cat": "kernel", "name": "nvjet_tst", "pid": 0, "tid": 7, "ts": 40, "dur": 10,
          "args": {"device": 0, "stream": 7, "correlation": 7}},
         {"ph": "X", "cat": "cpu_op", "name": "aten::cat", "pid": 1, "tid": 1, "ts": 60, "dur": 5,
          "args": {"Input Dims": [[[4, 4], [8, 4]], []], "Input type": ["TensorList", "Scalar"]}},
         {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 70, "dur": 5,
          "args": {"Input Dims": "damaged", "Input type": [["x"], 3, null]}})");
  const store::Profile p = trace.imported();
  EXPECT_EQ(p.nvtx.size(), 4u) << "three operations and their domain";
  ASSERT_EQ(p.work.size(), 1u);
  EXPECT_EQ(trace.result().imported.of("operations with work from their shapes"), 1);
  const analysis::RunAnalysis run = analysis::analyze_run(p, {});
  ASSERT_EQ(run.rows.size(), 1u);
  EXPECT_EQ(run.rows[0].origin, analysis::WorkOrigin::modeled);
  EXPECT_DOUBLE_EQ(run.rows[0].work.flop.at(Precision::bf16), 2.0 * 1024 * 512 * 1705);
  EXPECT_DOUBLE_EQ(run.rows[0].work.bytes.at(MemoryLevel::hbm),
                   2.0 * (1024 * 1705 + 1705 * 512 + 1024 * 512 + 512));
  EXPECT_EQ(run.rows[0].shape, "1024x512x1705");
}

TEST(ImportTrace, CountsImportedAndSkippedEvents) {
  const TraceFile trace(whole_trace());
  trace.imported();
  EXPECT_EQ(trace.result().imported.of("kernels"), 1);
  EXPECT_EQ(trace.result().imported.of("annotations"), 1);
  EXPECT_EQ(trace.result().skipped.of("flow events"), 2);
  EXPECT_EQ(trace.result().skipped.of("events of category 'gpu_user_annotation'"), 1);
  EXPECT_EQ(trace.result().skipped.of("instant events"), 1);
}

TEST(ImportTrace, Collectives) {
  const store::Profile p =
      TraceFile::of_events(
          R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "pid": 0,
          "tid": 20, "ts": 10, "dur": 50, "args": {"device": 0, "correlation": 5,
          "Collective name": "allreduce", "In msg nelems": 1000, "Out msg nelems": 1000,
          "Group size": 8, "dtype": "BFloat16", "Process Group Name": "0",
          "Process Group Ranks": "[0, 1, 2, 3, 4, 5, 6, 7]"}})")
          .imported();
  ASSERT_EQ(p.collectives.size(), 1u);
  const store::CollectiveRecord& c = p.collectives[0];
  EXPECT_EQ(c.name, "allreduce");
  EXPECT_EQ(c.correlation_id, 5);
  EXPECT_EQ(c.in_elements * c.element_bytes, 2000);
  EXPECT_EQ(c.group_size, 8);
  EXPECT_EQ(c.group_name, "0");
  EXPECT_EQ(c.group_ranks, "[0, 1, 2, 3, 4, 5, 6, 7]");
  EXPECT_EQ(c.start_ns, p.kernels.at(0).start_ns);
}

// Data after the events is known only at the end.
TEST(ImportTrace, HeadAfterTheEvents) {
  const store::Profile p =
      TraceFile(R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 5, "dur": 1}],
                    "distributedInfo": {"rank": 2}, "baseTimeNanoseconds": 7000000000,
                    "deviceProperties": [{"id": 0, "name": "Test GPU"}]})")
          .imported();
  EXPECT_EQ(p.session.start_utc_ns + p.kernels.at(0).start_ns, 7'000'005'000);
  EXPECT_EQ(p.session.rank, 2);
  EXPECT_EQ(p.gpus.size(), 1u);
}

TEST(ImportTrace, PlainArrayOfEvents) {
  const store::Profile p =
      TraceFile(R"([{"ph": "X", "cat": "kernel", "name": "k", "ts": 5, "dur": 1}])").imported();
  EXPECT_EQ(p.kernels.size(), 1u);
}

// PyTorch 1.8: other spellings, no base time, microseconds since 1970.
TEST(ImportTrace, OlderTraces) {
  const store::Profile p = TraceFile(R"({"schemaVersion": 1, "traceEvents": [
      {"ph": "X", "cat": "Operator", "name": "aten::mm", "pid": 9, "tid": "9", "ts": 1617000000000000, "dur": 20},
      {"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": "9", "tid": "9",
       "ts": 1617000000000001, "dur": 2, "args": {"external id": 1, "correlation": 4}},
      {"ph": "X", "cat": "Kernel", "name": "k", "pid": 0, "tid": "stream 7", "ts": 1617000000000002,
       "dur": 7, "args": {"device": 0, "stream": 7, "correlation": "4"}}]})")
                               .imported();
  EXPECT_EQ(p.session.pid, 9);
  ASSERT_EQ(p.kernels.size(), 1u);
  EXPECT_EQ(p.kernels[0].correlation_id, 4);
  EXPECT_EQ(p.session.start_utc_ns + p.kernels[0].start_ns, 1617000000000002000);
  ASSERT_EQ(p.api_calls.size(), 1u);
  EXPECT_EQ(p.api_calls[0].global_tid, std::int64_t{9} << 24 | 9);
}

}  // namespace
}  // namespace mansard::test
