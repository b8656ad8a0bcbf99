// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>

#include "collector/store/global_ids.h"
#include "tests/collector/sample.h"
#include "tests/support/scratch.h"

namespace mansard::store {
namespace {

using test::Scratch;

TEST(RoundTrip, EveryRecordComesBackAsWritten) {
  const Scratch scratch;
  test::write_sample(scratch / "a.sqlite");
  const Profile p = load_profile(scratch / "a.sqlite");

  ASSERT_EQ(p.kernels.size(), 1u);
  const KernelRecord& k = p.kernels[0];
  EXPECT_EQ(k.start_ns, 1001);
  EXPECT_EQ(k.end_ns, 2002);
  EXPECT_EQ(k.device_id, 1);
  EXPECT_EQ(k.context_id, 2);
  EXPECT_EQ(k.stream_id, 7);
  EXPECT_EQ(k.correlation_id, 77);
  EXPECT_EQ(p.string(k.demangled_name), "void ns::gemm<float>(float*)");
  EXPECT_EQ(p.string(k.short_name), "gemm");
  EXPECT_EQ(p.string(k.mangled_name), "_ZN2ns4gemmIfEEvPT_");
  EXPECT_EQ(k.grid, (std::array<std::int32_t, 3>{11, 12, 13}));
  EXPECT_EQ(k.block, (std::array<std::int32_t, 3>{128, 2, 3}));
  EXPECT_EQ(k.cluster, (std::array<std::int32_t, 3>{2, 1, 4}));
  EXPECT_EQ(k.registers_per_thread, 168);
  EXPECT_EQ(k.static_shared_bytes, 1024);
  EXPECT_EQ(k.dynamic_shared_bytes, 232448);
  EXPECT_EQ(k.local_bytes_per_thread, 16);
  EXPECT_EQ(k.local_bytes_total, 5'000'000'000);
  EXPECT_EQ(k.grid_id, 99);
  EXPECT_EQ(k.graph_node_id, 8'589'934'595);
  EXPECT_EQ(k.graph_id, 3);
  EXPECT_EQ(k.launch_type, 1);

  ASSERT_EQ(p.counter_readings.size(), 1u);
  const CounterReading& r = p.counter_readings[0];
  EXPECT_EQ(r.start_ns, 1500);
  EXPECT_EQ(r.device_id, 1);
  EXPECT_EQ(r.correlation_id, 80);
  EXPECT_EQ(r.demangled_name, k.demangled_name);
  EXPECT_EQ(r.mangled_name, k.mangled_name);
  EXPECT_EQ(r.grid, (std::array<std::int32_t, 3>{21, 22, 23}));
  EXPECT_EQ(r.block, (std::array<std::int32_t, 3>{24, 25, 26}));
  EXPECT_EQ(r.dynamic_shared_bytes, 27);
  EXPECT_EQ(r.passes, 4);
  ASSERT_EQ(r.values.size(), 2u);
  EXPECT_EQ(p.string(r.values[0].first), "gpu__time_duration.sum");
  EXPECT_EQ(r.values[0].second, 12345.5);
  EXPECT_EQ(p.string(r.values[1].first), "dram__bytes.sum");
  EXPECT_TRUE(std::isnan(r.values[1].second)) << "not available";

  ASSERT_EQ(p.memcpys.size(), 1u);
  const MemcpyRecord& c = p.memcpys[0];
  EXPECT_EQ(c.start_ns, 3001);
  EXPECT_EQ(c.end_ns, 3101);
  EXPECT_EQ(c.stream_id, 8);
  EXPECT_EQ(c.correlation_id, 78);
  EXPECT_EQ(c.bytes, 6'000'000'000);
  EXPECT_EQ(c.copy_kind, 1);
  EXPECT_EQ(c.src_kind, 6);
  EXPECT_EQ(c.dst_kind, 2);
  EXPECT_EQ(c.graph_node_id, 9);

  ASSERT_EQ(p.memsets.size(), 1u);
  const MemsetRecord& m = p.memsets[0];
  EXPECT_EQ(m.start_ns, 4001);
  EXPECT_EQ(m.end_ns, 4051);
  EXPECT_EQ(m.stream_id, 9);
  EXPECT_EQ(m.correlation_id, 79);
  EXPECT_EQ(m.value, 255);
  EXPECT_EQ(m.bytes, 4096);
  EXPECT_EQ(m.mem_kind, 2);
  EXPECT_EQ(m.graph_node_id, 10);

  ASSERT_EQ(p.api_calls.size(), 1u);
  const ApiRecord& a = p.api_calls[0];
  EXPECT_EQ(a.start_ns, 900);
  EXPECT_EQ(a.end_ns, 950);
  EXPECT_EQ(a.event_class, 1);
  EXPECT_EQ(a.global_tid, global_tid(4711, 4712));
  EXPECT_EQ(a.correlation_id, 77);
  EXPECT_EQ(p.string(a.name), "cuLaunchKernelEx");

  ASSERT_EQ(p.gpus.size(), 1u);
  const GpuRecord& g = p.gpus[0];
  EXPECT_EQ(g.id, 1);
  EXPECT_EQ(g.name, "NVIDIA H200");
  EXPECT_EQ(g.uuid, "GPU-00112233-4455-6677-8899-aabbccddeeff");
  EXPECT_EQ(g.bus_location, "0000:3b:00.0");
  EXPECT_EQ(g.total_memory_bytes, 150'754'820'096);
  EXPECT_EQ(g.l2_bytes, 62'914'560);
  EXPECT_EQ(g.clock_rate_hz, 1'980'000'000);
  EXPECT_EQ(g.memory_bandwidth_bytes_per_s, 4'800'000'000'000);
  EXPECT_EQ(g.sm_count, 132);
  EXPECT_EQ(g.compute_major, 9);
  EXPECT_EQ(g.compute_minor, 1);

  ASSERT_EQ(p.diagnostics.size(), 1u);
  EXPECT_EQ(p.diagnostics[0].timestamp_ns, 5000);
  EXPECT_EQ(p.diagnostics[0].severity, Severity::warning);
  EXPECT_EQ(p.diagnostics[0].text, "something was slow");
}

TEST(RoundTrip, SamplesOfGpuMetrics) {
  const Scratch scratch;
  {
    ProfileWriter writer(scratch / "a.sqlite", test::sample_session());
    const StringId read = writer.intern("dram__bytes_read.sum");
    const StringId tensor = writer.intern("sm__pipe_tensor_cycles_active.avg");
    writer.add(GpuMetricSample{9000, 1, {{read, 64.0}}});
    writer.add(GpuMetricSample{8000, 1, {{read, 4.8e6}, {tensor, 0.125}}});
    writer.add(GpuMetricSample{8000, 0, {{read, 32.0}}});
    writer.finish(RecordingState::complete);
  }
  const Profile p = load_profile(scratch / "a.sqlite");
  ASSERT_EQ(p.gpu_metrics.size(), 3u);
  EXPECT_EQ(p.gpu_metrics[0].device_id, 0);
  const GpuMetricSample& s = p.gpu_metrics[1];
  EXPECT_EQ(s.end_ns, 8000);
  EXPECT_EQ(s.device_id, 1);
  ASSERT_EQ(s.values.size(), 2u);
  EXPECT_EQ(p.string(s.values[0].first), "dram__bytes_read.sum");
  EXPECT_EQ(s.values[0].second, 4.8e6);
  EXPECT_EQ(s.values[1].second, 0.125);
  EXPECT_EQ(p.gpu_metrics[2].end_ns, 9000);
}

TEST(RoundTrip, DeviceStatesWithAndWithoutValues) {
  const Scratch scratch;
  {
    ProfileWriter writer(scratch / "a.sqlite", test::sample_session());
    DeviceStateSample all;
    all.timestamp_ns = 7001;
    all.device_id = 2;
    all.sm_clock_hz = 1410e6;
    all.memory_clock_hz = 3201e6;
    all.power_w = 699.501;
    all.power_is_instant = true;
    all.temperature_c = 71;
    all.clocks_event_reasons = 0x44;
    all.gpu_utilization = 0.97;
    all.memory_utilization = 0.0;
    all.memory_used_bytes = 80'000'000'001;
    writer.add(all);
    DeviceStateSample none;
    none.timestamp_ns = 6001;
    writer.add(none);
    writer.finish(RecordingState::complete);
  }
  const Profile p = load_profile(scratch / "a.sqlite");
  ASSERT_EQ(p.device_states.size(), 2u);
  const DeviceStateSample& none = p.device_states[0];
  EXPECT_EQ(none.timestamp_ns, 6001);
  EXPECT_FALSE(none.sm_clock_hz || none.memory_clock_hz || none.power_w || none.temperature_c ||
               none.clocks_event_reasons || none.gpu_utilization || none.memory_utilization ||
               none.memory_used_bytes);
  const DeviceStateSample& all = p.device_states[1];
  EXPECT_EQ(all.timestamp_ns, 7001);
  EXPECT_EQ(all.device_id, 2);
  EXPECT_EQ(all.sm_clock_hz, 1410e6);
  EXPECT_EQ(all.memory_clock_hz, 3201e6);
  EXPECT_DOUBLE_EQ(all.power_w.value(), 699.501);
  EXPECT_TRUE(all.power_is_instant);
  EXPECT_EQ(all.temperature_c, 71);
  EXPECT_EQ(all.clocks_event_reasons, 0x44u);
  EXPECT_DOUBLE_EQ(all.gpu_utilization.value(), 0.97);
  EXPECT_EQ(all.memory_utilization, 0.0);
  EXPECT_EQ(all.memory_used_bytes, 80'000'000'001);
}

TEST(RoundTrip, SessionAndState) {
  const Scratch scratch;
  test::write_sample(scratch / "a.sqlite");
  const SessionInfo s = load_profile(scratch / "a.sqlite").session;
  EXPECT_EQ(s.state, RecordingState::complete);
  EXPECT_EQ(s.start_utc_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(s.command, "python 'train it.py' --steps 3");
  EXPECT_EQ(s.host, "node-17");
  EXPECT_EQ(s.cpu_name, "Some CPU");
  EXPECT_EQ(s.cpu_cores, 24);
  EXPECT_EQ(s.pid, 4711);
  EXPECT_EQ(s.rank, 5);
  EXPECT_EQ(s.mansard_version, "9.8.7");
  EXPECT_EQ(s.driver_version, "580.65");
  EXPECT_EQ(s.dropped_events, 0);
}

TEST(RoundTrip, RangesOfEveryKindWithPayloads) {
  const Scratch scratch;
  const std::vector<NvtxPayload> payloads = {std::monostate{},
                                             std::uint64_t{1} << 63,
                                             std::int64_t{-5},
                                             2.5,
                                             std::uint32_t{4'000'000'000},
                                             std::int32_t{-7},
                                             1.5f};
  {
    ProfileWriter writer(scratch / "a.sqlite", test::sample_session());
    for (std::size_t i = 0; i < payloads.size(); ++i) {
      NvtxRecord n = test::sample_range();
      n.start_ns = static_cast<std::int64_t>(i);
      n.payload = payloads[i];
      writer.add(n);
    }
    NvtxRecord crossing;
    crossing.start_ns = 100;
    crossing.end_ns = 200;
    crossing.type = NvtxEventType::start_end;
    crossing.range_id = 31;
    crossing.domain_id = 3;
    crossing.global_tid = 1;
    crossing.end_global_tid = 2;
    crossing.text_id = writer.intern("registered");
    writer.add(crossing);
    writer.finish(RecordingState::complete);
  }
  const Profile p = load_profile(scratch / "a.sqlite");
  ASSERT_EQ(p.nvtx.size(), payloads.size() + 1);
  for (std::size_t i = 0; i < payloads.size(); ++i) {
    EXPECT_EQ(p.nvtx[i].payload, payloads[i]) << i;
    EXPECT_EQ(p.nvtx[i].end_ns, 2500);
    EXPECT_EQ(p.nvtx[i].category, 4);
    EXPECT_EQ(p.nvtx[i].color, 0xff00ff00);
  }
  const NvtxRecord& crossing = p.nvtx.back();
  EXPECT_EQ(crossing.type, NvtxEventType::start_end);
  EXPECT_EQ(crossing.range_id, 31);
  EXPECT_EQ(crossing.domain_id, 3);
  EXPECT_EQ(crossing.global_tid, 1);
  EXPECT_EQ(crossing.end_global_tid, 2);
  EXPECT_EQ(p.string(crossing.text_id), "registered");
  EXPECT_EQ(crossing.text, "");
  EXPECT_EQ(crossing.color, -1);
}

TEST(RoundTrip, WorkAnnotationsOfPlainAndRegisteredText) {
  const Scratch scratch;
  {
    ProfileWriter writer(scratch / "a.sqlite", test::sample_session());
    writer.add(test::sample_range());
    NvtxRecord registered;
    registered.start_ns = 900;
    registered.text_id = writer.intern("dgrad | flop=7 dram=8");
    writer.add(registered);
    NvtxRecord bare;
    bare.start_ns = 901;
    bare.text = "a | b";
    writer.add(bare);
    writer.finish(RecordingState::complete);
  }
  const Profile p = load_profile(scratch / "a.sqlite");
  ASSERT_EQ(p.nvtx.size(), 3u);
  ASSERT_EQ(p.work.size(), 2u);
  const kernels::WorkAnnotation& first = p.work.at(p.nvtx[0].row_id);
  EXPECT_EQ(first.name, "fprop");
  EXPECT_DOUBLE_EQ(first.flop, 1.1e12);
  EXPECT_EQ(first.precision, Precision::nvfp4);
  EXPECT_EQ(first.operation_class, "gemm");
  EXPECT_EQ(first.shape, "8x4x2");
  EXPECT_EQ(first.unknown_keys, 1);
  ASSERT_EQ(first.bytes.size(), 2u);
  EXPECT_DOUBLE_EQ(first.bytes.at(MemoryLevel::hbm), 4.03e8);
  EXPECT_DOUBLE_EQ(first.bytes.at(MemoryLevel::l2), 5e8);
  const kernels::WorkAnnotation& second = p.work.at(p.nvtx[1].row_id);
  EXPECT_EQ(second.name, "dgrad");
  EXPECT_DOUBLE_EQ(second.bytes.at(MemoryLevel::dram), 8);
}

TEST(RoundTrip, RowsAreSortedByStart) {
  const Scratch scratch;
  {
    ProfileWriter writer(scratch / "a.sqlite", test::sample_session());
    for (const std::int64_t start : {30, 10, 20}) {
      KernelRecord k = test::sample_kernel(writer);
      k.start_ns = start;
      writer.add(k);
      NvtxRecord n = test::sample_range();
      n.start_ns = start;
      writer.add(n);
    }
    writer.finish(RecordingState::complete);
  }
  const Profile p = load_profile(scratch / "a.sqlite");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(p.kernels.at(i).start_ns, 10 * (static_cast<std::int64_t>(i) + 1));
    EXPECT_EQ(p.nvtx.at(i).start_ns, 10 * (static_cast<std::int64_t>(i) + 1));
  }
}

TEST(RoundTrip, FinishedProfileIsOneFile) {
  const Scratch scratch;
  test::write_sample(scratch / "a.sqlite");
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(scratch.folder())) {
    ++files;
  }
  EXPECT_EQ(files, 1u);
}

TEST(RoundTrip, NeverAppendsToAnExistingFile) {
  const Scratch scratch;
  test::write_sample(scratch / "a.sqlite");
  const auto before = std::filesystem::file_size(scratch / "a.sqlite");
  EXPECT_THROW(ProfileWriter(scratch / "a.sqlite", test::sample_session()), std::runtime_error);
  EXPECT_EQ(std::filesystem::file_size(scratch / "a.sqlite"), before);
}

}  // namespace
}  // namespace mansard::store
