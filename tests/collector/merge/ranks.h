// SPDX-License-Identifier: Apache-2.0
// Profiles of a job's ranks with known clocks: events happen at true times, and each rank records
// the time of its own clock.
#pragma once

#include <cmath>
#include <random>

#include "collector/merge/merge.h"
#include "collector/store/profile_writer.h"
#include "collector/store/sqlite.h"
#include "tests/support/scratch.h"

namespace mansard::test {

inline constexpr std::int64_t kTrueStart_ns = 1'700'000'000'000'000'000;
inline constexpr const char* kAllReduce =
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
inline constexpr const char* kBroadcast =
    "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

struct RankClock {
  std::int64_t ahead_ns = 0;  // at kTrueStart_ns
  double drift = 0;

  std::int64_t says(std::int64_t true_ns) const {
    return true_ns + ahead_ns + std::llround(drift * static_cast<double>(true_ns - kTrueStart_ns));
  }
};

struct RankScenario {
  int rank = 0;
  RankClock clock;
  std::int64_t pid = 1000;
  std::string host = "node-0";
  std::string command = "python train.py";
  std::int64_t recording_starts_ns = 0;  // true, after kTrueStart_ns
  int collectives = 100;                 // one in every step of 50 ms
  std::string name = kAllReduce;
  std::int64_t device = 0;
  std::string uuid = "GPU-0";
  std::string imported_from = "";   // a trace; "": recorded by Mansard
  std::int64_t measured_step = -1;  // a training step with a numerics record; -1: none
  std::int64_t jitter_ns = 2000;    // maximum difference between the ends of one collective
};

inline std::int64_t true_end_ns(int step) {
  return kTrueStart_ns + 1'000'000'000 + step * 50'000'000LL;
}

// Each step has a GEMM in a range with work, then a collective that each rank enters at its own
// time.
inline std::filesystem::path write_rank(const std::filesystem::path& file, const RankScenario& s) {
  store::SessionInfo session;
  session.rank = s.rank;
  session.pid = s.pid;
  session.host = s.host;
  session.command = s.command;
  session.start_utc_ns = s.clock.says(kTrueStart_ns + s.recording_starts_ns);
  const auto own = [&](std::int64_t true_ns) {
    return s.clock.says(true_ns) - session.start_utc_ns;
  };
  std::mt19937_64 random(static_cast<std::uint64_t>(s.rank) + 1);
  store::ProfileWriter writer(file, session);
  if (!s.imported_from.empty()) writer.set_session_value("importedFrom", s.imported_from);
  // String ids differ between ranks.
  for (int i = 0; i < 3 * s.rank; ++i) writer.intern("only here " + std::to_string(i));
  const store::StringId gemm = writer.intern("gemm_of_rank_" + std::to_string(s.rank));
  const store::StringId shared = writer.intern(s.name);
  store::GpuRecord gpu;
  gpu.id = static_cast<std::int32_t>(s.device);
  gpu.name = "NVIDIA H200";
  gpu.uuid = s.uuid;
  writer.add(gpu);
  store::DeviceStateSample state;
  state.timestamp_ns = own(kTrueStart_ns + 1'500'000'000);
  state.device_id = gpu.id;
  state.power_w = 100 + s.rank;
  writer.add(state);
  const store::StringId metric = writer.intern("dram__bytes_read.sum");
  writer.add(store::GpuMetricSample{state.timestamp_ns, gpu.id, {{metric, 100.0 + s.rank}}});
  const std::int64_t tid = s.pid << 24 | (s.pid + 1);
  for (int step = 0; step < s.collectives; ++step) {
    const std::int64_t end = true_end_ns(step);
    const auto noise = [&](std::int64_t most) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1));
    };
    store::NvtxRecord range;
    range.start_ns = own(end - 40'000'000);
    range.end_ns = own(end - 39'000'000);
    range.global_tid = tid;
    range.text = "fprop | flop=1e9 hbm=1e6 class=gemm";
    range.domain_id = 0;
    writer.add(range);
    store::KernelRecord k;
    k.device_id = static_cast<std::int32_t>(s.device);
    k.correlation_id = 2 * step + 1;
    k.demangled_name = k.short_name = gemm;
    k.start_ns = own(end - 39'500'000);
    k.end_ns = own(end - 30'000'000);
    writer.add(k);
    if (step == 0) {
      store::CounterReading reading;
      reading.start_ns = k.start_ns;
      reading.device_id = k.device_id;
      reading.correlation_id = k.correlation_id;
      reading.demangled_name = gemm;
      reading.values = {{writer.intern("dram__bytes.sum"), 100.0 + s.rank}};
      writer.add(reading);
    }
    store::ApiRecord api;
    api.start_ns = own(end - 39'900'000);
    api.end_ns = own(end - 39'890'000);
    api.global_tid = tid;
    api.correlation_id = k.correlation_id;
    api.name = writer.intern("cudaLaunchKernel");
    writer.add(api);
    k.correlation_id = 2 * step + 2;
    k.demangled_name = k.short_name = shared;
    k.start_ns = own(end - 1'000'000 - noise(20'000'000));
    k.end_ns = own(end + noise(s.jitter_ns));
    writer.add(k);
  }
  if (s.measured_step >= 0) {
    store::NvtxRecord mark;
    mark.type = store::NvtxEventType::mark;
    mark.start_ns = own(true_end_ns(0));
    mark.global_tid = tid;
    kernels::TensorNumerics numerics{s.measured_step, "layer of rank " + std::to_string(s.rank),
                                     "dy", "dgrad"};
    numerics.elements = 32;
    mark.text = to_text(numerics);
    writer.add(mark);
    mark.text = to_text(kernels::TrainingProgress{s.measured_step, 64});
    writer.add(mark);
  }
  writer.finish(store::RecordingState::complete);
  // As if it had been written on that host.
  store::Database database(file.string(), store::Database::Access::read_write);
  database.prepare("UPDATE MANSARD_STATE SET processScope = ?")
      .run(std::string_view("boot-of-" + s.host + " pid:[1]"));
  return file;
}

}  // namespace mansard::test
