// SPDX-License-Identifier: Apache-2.0
// Records a CUDA program on a real GPU. Exits with 77 without one.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/collector/run_program.h"

namespace mansard::collector {
namespace {

using namespace test;

TEST(Gpu, WorkOfACudaProgram) {
  const Scratch scratch;
  const Ran ran = run(scratch, "cuda_work", "");
  ASSERT_EQ(ran.result.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "11\n");
  EXPECT_EQ(ran.err, "");
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  EXPECT_EQ(p.session.state, store::RecordingState::complete);
  EXPECT_EQ(p.session.dropped_events, 0);

  ASSERT_FALSE(p.gpus.empty());
  EXPECT_EQ(p.gpus[0].uuid.size(), 40u) << p.gpus[0].uuid;
  EXPECT_GT(p.gpus[0].sm_count, 0);

  ASSERT_EQ(p.kernels.size(), 10u);
  const auto range = find(p, "ten steps | flop=1.048576e7 hbm=8.388608e7");
  ASSERT_NE(range, nullptr);
  for (const store::KernelRecord& k : p.kernels) {
    EXPECT_EQ(p.string(k.demangled_name), "void work::add_one<float>(float*, int)");
    EXPECT_EQ(p.string(k.short_name), "add_one");
    EXPECT_EQ(k.grid, (std::array<std::int32_t, 3>{4096, 1, 1}));
    EXPECT_EQ(k.block, (std::array<std::int32_t, 3>{256, 1, 1}));
    EXPECT_GT(k.end_ns, k.start_ns);
    // Device and host clocks agree to far less than the duration of this range.
    EXPECT_GE(k.start_ns, range->start_ns);
    EXPECT_LE(k.end_ns, range->end_ns);
    std::size_t launches = 0;
    for (const store::ApiRecord& call : p.api_calls) {
      if (call.correlation_id != k.correlation_id) continue;
      ++launches;
      EXPECT_EQ(call.global_tid, range->global_tid);
      EXPECT_GE(call.start_ns, range->start_ns);
      EXPECT_LE(call.end_ns, range->end_ns);
    }
    EXPECT_GE(launches, 1u);
  }
  ASSERT_EQ(p.memcpys.size(), 2u);
  EXPECT_EQ(p.memcpys[0].copy_kind, 1);
  EXPECT_EQ(p.memcpys[1].copy_kind, 2);
  EXPECT_EQ(p.memcpys[0].bytes, 4 << 20);
  ASSERT_EQ(p.memsets.size(), 1u);
  EXPECT_EQ(p.memsets[0].bytes, 4 << 20);
  EXPECT_TRUE(p.diagnostics.empty()) << p.diagnostics[0].text;
}

TEST(Gpu, HostActivity) {
  const Scratch scratch;
  ASSERT_EQ(run(scratch, "cuda_work", "").result.exit_code, 0);
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  ASSERT_FALSE(p.kernels.empty());
  const store::KernelRecord& kernel = p.kernels[0];
  const auto range = find(p, "ten steps | flop=1.048576e7 hbm=8.388608e7");
  ASSERT_NE(range, nullptr);

  // cudaDeviceSynchronize at the end of the range, on its thread.
  std::size_t waits = 0;
  for (const store::SynchronizationRecord& s : p.synchronizations) {
    if (s.sync_type != 4) continue;
    ++waits;
    EXPECT_EQ(s.device_id, kernel.device_id);
    EXPECT_EQ(s.context_id, kernel.context_id);
    EXPECT_EQ(s.stream_id, store::kNoId);
    EXPECT_GE(s.start_ns, range->start_ns);
    EXPECT_LE(s.end_ns, range->end_ns);
    std::size_t calls = 0;
    for (const store::ApiRecord& call : p.api_calls) {
      if (call.correlation_id != s.correlation_id) continue;
      ++calls;
      EXPECT_EQ(p.string(call.name).substr(0, 21), "cudaDeviceSynchronize");
      EXPECT_EQ(call.global_tid, range->global_tid);
    }
    EXPECT_EQ(calls, 1u);
  }
  EXPECT_EQ(waits, 1u);

  std::int64_t live_bytes = 0;
  std::size_t buffers = 0;
  for (const store::MemoryRecord& m : p.memory_events) {
    if (m.bytes != 4 << 20 || m.mem_kind != 2) continue;
    ++buffers;
    EXPECT_EQ(m.device_id, kernel.device_id);
    EXPECT_NE(m.address, 0);
    live_bytes += m.operation == 0 ? m.bytes : -m.bytes;
  }
  EXPECT_EQ(buffers, 2u) << "one cudaMalloc, one cudaFree";
  EXPECT_EQ(live_bytes, 0);

  ASSERT_EQ(p.contexts.size(), 1u);
  EXPECT_EQ(p.contexts[0].context_id, kernel.context_id);
  EXPECT_EQ(p.contexts[0].device_id, kernel.device_id);
  EXPECT_TRUE(std::any_of(p.streams.begin(), p.streams.end(), [&](const store::StreamRecord& s) {
    return s.stream_id == kernel.stream_id && s.context_id == kernel.context_id;
  }));
  for (const store::OverheadRecord& o : p.overheads) {
    EXPECT_GE(o.end_ns, o.start_ns);
    EXPECT_NE(o.type, store::OverheadType::unknown);
  }
  EXPECT_TRUE(p.graphs.empty());
}

TEST(Gpu, StateOfTheGpuInUse) {
  const Scratch scratch;
  collector::RecordingOptions options;
  options.device_state_period_ms = 50;
  const Ran ran = run_shell(scratch, "exec " + program("cuda_work") + " 3", "run.sqlite", options);
  ASSERT_EQ(ran.result.exit_code, 0) << ran.err;
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  ASSERT_FALSE(p.kernels.empty());
  if (p.device_states.empty() && !p.diagnostics.empty()) GTEST_SKIP() << p.diagnostics[0].text;
  // 60 in 3 s, minus the time to detect the GPU and start NVML.
  ASSERT_GE(p.device_states.size(), 10u) << ran.err;
  double busiest = 0;
  for (const store::DeviceStateSample& s : p.device_states) {
    EXPECT_EQ(s.device_id, p.kernels[0].device_id) << "a GPU that is not in use";
    EXPECT_GT(s.timestamp_ns, 0);
    EXPECT_GT(s.sm_clock_hz.value(), 100e6);
    EXPECT_LT(s.sm_clock_hz.value(), 5e9);
    EXPECT_GT(s.power_w.value(), 10);
    EXPECT_LT(s.power_w.value(), 2000);
    EXPECT_GT(s.temperature_c.value(), 10);
    EXPECT_LT(s.temperature_c.value(), 110);
    EXPECT_GT(s.memory_used_bytes.value(), 0);
    busiest = std::max(busiest, s.gpu_utilization.value());
  }
  EXPECT_GT(busiest, 0.5);
}

TEST(Gpu, StateIsNotSampledWhenDisabled) {
  const Scratch scratch;
  collector::RecordingOptions options;
  options.device_state_period_ms = 0;
  run_shell(scratch, "exec " + program("cuda_work") + " 1", "run.sqlite", options);
  EXPECT_TRUE(store::load_profile(scratch / "run.sqlite").device_states.empty());
}

}  // namespace
}  // namespace mansard::collector

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  constexpr int kSkipped = 77;
  {
    const mansard::test::Scratch scratch;
    if (mansard::test::run(scratch, "cuda_work", "").result.exit_code == kSkipped) return kSkipped;
  }
  return RUN_ALL_TESTS();
}
