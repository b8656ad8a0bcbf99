// SPDX-License-Identifier: Apache-2.0
// A run with all cases that exports must handle, and readers of exports.
#pragma once

#include <string>

#include "reports/export/export.h"
#include "tests/analyzer/profile_builder.h"
#include "tests/reports/fixture.h"

namespace mansard::test {

class StringSink : public reports::ByteSink {
 public:
  void write(std::string_view bytes) override { text += bytes; }
  void finish() override {}
  std::string text;
};

// An uptime of 70 days: doubles in microseconds cannot represent the nanoseconds of such times.
inline constexpr std::int64_t kStart = 6'048'000'000'000'001;

inline store::ApiRecord& call_of(ProfileBuilder& builder, std::int64_t start, std::int64_t end,
                                 const char* name, std::int64_t correlation) {
  builder.call(start, name, correlation);
  store::ApiRecord& call = builder.profile().api_calls.back();
  call.end_ns = end;
  return call;
}

// The names of the kernels; the first two are hostile.
inline std::vector<std::string> kernel_names() {
  return {fixture::hostile_name(), std::string(4000, '<'), "void gemm<128, true>(float*)", "node_a",
          "node_b"};
}

// A range that was open before recording started: part of its work is missing.
inline constexpr const char* kBeganEarlierText = "began | flop=7e9 precision=bf16";

// One thread: a step with an annotated layer, an API call that launches a kernel, one that launches
// two overlapping kernels (programmatic dependent launch), a graph of two nodes, a memcpy and a
// memset. Another thread: start/end ranges that are not nested, a mark, and a range that stays
// open. A kernel without times. GPU state samples, and samples of a metric.
inline store::Profile export_profile() {
  ProfileBuilder b;
  const std::vector<std::string> names = kernel_names();
  const std::int64_t t = kStart;
  b.range(t, t + 100'000, "step 0");
  b.range(t + 1'000, t + 9'000, "layer.0 | flop=3e6 hbm=2e4 precision=bf16 class=gemm");
  const auto launched = [&](std::int64_t at, std::int64_t start, std::int64_t end,
                            const std::string& name) -> store::KernelRecord& {
    store::KernelRecord& k = b.kernel(start, end, name);
    call_of(b, at, at + 500, "cudaLaunchKernel", k.correlation_id);
    k.stream_id = 7;
    k.context_id = 1;
    return k;
  };
  store::KernelRecord& gemm = launched(t + 2'000, t + 10'003, t + 13'004, names[2]);
  gemm.grid = {132, 2, 3};
  gemm.block = {384, 1, 1};
  gemm.registers_per_thread = 168;
  gemm.static_shared_bytes = 1024;
  gemm.dynamic_shared_bytes = 200'000;
  launched(t + 10'000, t + 20'000, t + 25'000, names[0]);
  launched(t + 11'000, t + 24'000, t + 27'000, names[1]);  // starts before the previous one ends

  const std::int64_t graph = launched(t + 30'000, t + 40'000, t + 42'000, names[3]).correlation_id;
  b.profile().kernels.back().graph_node_id = 11;
  store::KernelRecord& other_node = b.kernel(t + 41'000, t + 43'000, names[4]);
  other_node.correlation_id = graph;
  other_node.stream_id = 7;
  other_node.context_id = 1;
  other_node.graph_node_id = 12;

  store::MemcpyRecord& copy = b.memcpy(t + 50'000, t + 51'000);
  copy.bytes = 4096;
  copy.copy_kind = 1;
  copy.src_kind = 1;
  copy.dst_kind = 2;
  copy.stream_id = 13;
  copy.context_id = 1;
  call_of(b, t + 45'000, t + 46'000, "cudaMemcpyAsync", copy.correlation_id);
  store::MemsetRecord fill;
  fill.start_ns = t + 52'000;
  fill.end_ns = t + 52'000;  // below the clock resolution
  fill.bytes = 64;
  fill.mem_kind = 2;
  fill.stream_id = 13;
  fill.context_id = 1;
  b.profile().memsets.push_back(fill);

  b.range(t + 60'000, t + 61'000, kBeganEarlierText);
  b.profile().nvtx.back().began_earlier = true;
  b.profile().work.erase(b.profile().nvtx.back().row_id);
  b.range(t + 5, t + 60, "first", kOtherThread, store::NvtxEventType::start_end);
  b.range(t + 50, t + 90, "overlaps", kOtherThread, store::NvtxEventType::start_end);
  b.range(t + 70, -1, "stays open", kOtherThread);
  store::NvtxRecord mark;
  mark.row_id = 100;
  mark.type = store::NvtxEventType::mark;
  mark.start_ns = t + 80;
  mark.global_tid = kOtherThread;
  mark.text = fixture::hostile_name();
  b.profile().nvtx.push_back(mark);

  b.kernel(0, 0, "lost its times");

  store::DeviceStateSample state;
  state.timestamp_ns = t + 30'000;
  state.sm_clock_hz = 1.755e9;
  state.power_w = 612.5;
  b.profile().device_states.push_back(state);
  const store::StringId metric = b.intern("tensor pipe");
  b.profile().gpu_metrics = {{t + 20'000, 0, {{metric, 12.5}}}, {t + 30'000, 0, {{metric, 99}}}};
  b.profile().session.start_utc_ns = 1'762'248'093'000'000'000;
  b.profile().session.rank = 3;
  b.profile().session.command = "python train.py";
  return b.build();
}

inline analysis::RunAnalysis export_run() {
  return analysis::analyze_run(export_profile(), {test_machine()});
}

inline store::HostNames export_names() {
  store::HostNames names;
  names.threads[kMainThread] = "main " + fixture::hostile_name();
  return names;
}

}  // namespace mansard::test
