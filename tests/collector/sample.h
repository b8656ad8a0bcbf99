// SPDX-License-Identifier: Apache-2.0
// A profile with one or more rows of every kind. All numbers differ, so that mixed-up columns are
// detected.
#pragma once

#include <filesystem>
#include <limits>

#include "collector/store/profile.h"
#include "collector/store/profile_writer.h"

namespace mansard::test {

inline store::SessionInfo sample_session() {
  store::SessionInfo session;
  session.start_utc_ns = 1'700'000'000'000'000'000;
  session.command = "python 'train it.py' --steps 3";
  session.host = "node-17";
  session.cpu_name = "Some CPU";
  session.cpu_cores = 24;
  session.pid = 4711;
  session.rank = 5;
  session.mansard_version = "9.8.7";
  session.driver_version = "580.65";
  return session;
}

inline store::KernelRecord sample_kernel(store::ProfileWriter& writer) {
  store::KernelRecord k;
  k.start_ns = 1001;
  k.end_ns = 2002;
  k.device_id = 1;
  k.context_id = 2;
  k.stream_id = 7;
  k.correlation_id = 77;
  k.demangled_name = writer.intern("void ns::gemm<float>(float*)");
  k.short_name = writer.intern("gemm");
  k.mangled_name = writer.intern("_ZN2ns4gemmIfEEvPT_");
  k.grid = {11, 12, 13};
  k.block = {128, 2, 3};
  k.cluster = {2, 1, 4};
  k.registers_per_thread = 168;
  k.static_shared_bytes = 1024;
  k.dynamic_shared_bytes = 232448;
  k.local_bytes_per_thread = 16;
  k.local_bytes_total = 5'000'000'000;
  k.grid_id = 99;
  k.graph_node_id = 8'589'934'595;
  k.graph_id = 3;
  k.launch_type = 1;
  return k;
}

inline store::CounterReading sample_reading(store::ProfileWriter& writer) {
  store::CounterReading r;
  r.start_ns = 1500;
  r.device_id = 1;
  r.correlation_id = 80;
  r.demangled_name = writer.intern("void ns::gemm<float>(float*)");
  r.mangled_name = writer.intern("_ZN2ns4gemmIfEEvPT_");
  r.grid = {21, 22, 23};
  r.block = {24, 25, 26};
  r.dynamic_shared_bytes = 27;
  r.passes = 4;
  r.values = {{writer.intern("gpu__time_duration.sum"), 12345.5},
              {writer.intern("dram__bytes.sum"), std::numeric_limits<double>::quiet_NaN()}};
  return r;
}

inline store::MemcpyRecord sample_memcpy() {
  store::MemcpyRecord m;
  m.start_ns = 3001;
  m.end_ns = 3101;
  m.device_id = 1;
  m.context_id = 2;
  m.stream_id = 8;
  m.correlation_id = 78;
  m.bytes = 6'000'000'000;
  m.copy_kind = 1;
  m.src_kind = 6;
  m.dst_kind = 2;
  m.graph_node_id = 9;
  return m;
}

inline store::MemsetRecord sample_memset() {
  store::MemsetRecord m;
  m.start_ns = 4001;
  m.end_ns = 4051;
  m.device_id = 1;
  m.context_id = 2;
  m.stream_id = 9;
  m.correlation_id = 79;
  m.value = 255;
  m.bytes = 4096;
  m.mem_kind = 2;
  m.graph_node_id = 10;
  return m;
}

inline store::ApiRecord sample_api(store::ProfileWriter& writer) {
  store::ApiRecord a;
  a.start_ns = 900;
  a.end_ns = 950;
  a.event_class = 1;
  a.global_tid = (std::int64_t{4711} << 24) | 4712;
  a.correlation_id = 77;
  a.name = writer.intern("cuLaunchKernelEx");
  a.return_value = 0;
  return a;
}

inline store::NvtxRecord sample_range() {
  store::NvtxRecord n;
  n.start_ns = 800;
  n.end_ns = 2500;
  n.type = store::NvtxEventType::push_pop;
  n.category = 4;
  n.color = 0xff00ff00;
  n.global_tid = (std::int64_t{4711} << 24) | 4712;
  n.text = "fprop | flop=1.1e12 hbm=4.03e8 l2=5e8 precision=nvfp4 class=gemm shape=8x4x2 bogus=1";
  n.payload = 2.5;
  return n;
}

// Writes one record of each kind and finishes the file.
inline void write_sample(const std::filesystem::path& file) {
  store::ProfileWriter writer(file, sample_session());
  writer.add(sample_kernel(writer));
  writer.add(sample_reading(writer));
  writer.add(sample_memcpy());
  writer.add(sample_memset());
  writer.add(sample_api(writer));
  writer.add(sample_range());
  store::GpuRecord gpu;
  gpu.id = 1;
  gpu.name = "NVIDIA H200";
  gpu.uuid = "GPU-00112233-4455-6677-8899-aabbccddeeff";
  gpu.bus_location = "0000:3b:00.0";
  gpu.total_memory_bytes = 150'754'820'096;
  gpu.l2_bytes = 62'914'560;
  gpu.clock_rate_hz = 1'980'000'000;
  gpu.memory_bandwidth_bytes_per_s = 4'800'000'000'000;
  gpu.sm_count = 132;
  gpu.compute_major = 9;
  gpu.compute_minor = 1;
  writer.add(gpu);
  writer.add(store::DiagnosticRecord{5000, store::Severity::warning, "something was slow"});
  writer.add_thread_name((std::int64_t{4711} << 24) | 4712, "trainer");
  writer.finish(store::RecordingState::complete);
}

}  // namespace mansard::test
