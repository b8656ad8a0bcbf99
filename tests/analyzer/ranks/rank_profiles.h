// SPDX-License-Identifier: Apache-2.0
// Synthetic profiles of a job's ranks. In each step a rank computes and enters collectives, each of
// which ends when the last rank has entered it and the transfer is done. Events happen at true
// times, and each rank records the time of its own clock.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "collector/store/profile_writer.h"
#include "collector/store/schema.h"
#include "collector/store/sqlite.h"
#include "support/hash.h"

namespace mansard::test {

inline constexpr std::int64_t kJobStart_ns = 1'700'000'000'000'000'000;
inline constexpr const char* kJobAllReduce =
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

// Differences of a rank from the others.
struct RankVariation {
  double slow_gemms = 0;        // 0.1: its GEMMs take 10 % longer
  std::int64_t idle_ns = 0;     // per step, before its first kernel
  int steps = -1;               // it ends after this number; -1: after all
  int skipped_collectives = 0;  // at the end of its last step
  bool complete = true;
  bool recording = false;  // as if still being recorded, by this process
  std::int64_t clock_ahead_ns = 0;
  double clock_drift = 0;  // 1e-6: it gains 1 µs per second
  std::string command = "python train.py";
};

struct JobScenario {
  int ranks = 4;
  int ranks_per_host = 8;
  int steps = 20;
  int collectives = 4;       // per step
  int segment_kernels = 10;  // before each collective
  std::int64_t kernel_ns = 50'000;
  std::int64_t transfer_ns = 200'000;
  double arrival_jitter = 0.02;       // of the time between collectives, by rank and collective
  std::int64_t end_jitter_ns = 2000;  // between the ends of one collective
  int world_size = 0;                 // recorded; 0: not recorded
  bool api_calls = true;
  std::map<int, RankVariation> variations;

  const RankVariation& variation(int rank) const {
    static const RankVariation kNone;
    const auto found = variations.find(rank);
    return found == variations.end() ? kNone : found->second;
  }
};

class SyntheticJob {
 public:
  explicit SyntheticJob(JobScenario scenario) : s_(std::move(scenario)) {
    std::int64_t now_ns = kJobStart_ns + 1'000'000'000;
    for (int segment = 0; segment < segments(); ++segment) {
      begins_ns_.push_back(now_ns);
      std::int64_t last_ns = now_ns;
      for (int rank = 0; rank < s_.ranks; ++rank) {
        last_ns = std::max(last_ns, arrival_ns(rank, segment));
      }
      now_ns = last_ns + s_.transfer_ns + s_.end_jitter_ns;
      ends_ns_.push_back(last_ns + s_.transfer_ns);
    }
  }

  static std::string file_name(int rank) { return "run-" + std::to_string(rank) + ".sqlite"; }

  std::vector<std::filesystem::path> write_all(const std::filesystem::path& folder) const {
    std::vector<std::filesystem::path> files;
    for (int rank = 0; rank < s_.ranks; ++rank) {
      files.push_back(folder / file_name(rank));
      write(rank, files.back());
    }
    return files;
  }

  void write(int rank, const std::filesystem::path& file) const {
    const RankVariation& v = s_.variation(rank);
    store::SessionInfo session;
    session.rank = rank;
    session.pid = v.recording ? 0 : 1000 + rank;
    session.host = "node-" + std::to_string(rank / s_.ranks_per_host);
    session.command = v.command;
    session.start_utc_ns = own_ns(v, kJobStart_ns);
    store::ProfileWriter writer(file, session);
    if (s_.world_size > 0) {
      writer.set_session_value(store::kWorldSize, std::to_string(s_.world_size));
    }
    store::GpuRecord gpu;
    gpu.name = "NVIDIA H200";
    gpu.uuid = "GPU-" + std::to_string(rank);
    writer.add(gpu);
    Events events{writer, v, session.start_utc_ns};
    events.gemm = writer.intern("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64");
    events.add = writer.intern("void at::native::vectorized_elementwise_kernel<4>(int)");
    events.all_reduce = writer.intern(kJobAllReduce);
    events.launch = writer.intern("cudaLaunchKernel");
    const int steps = v.steps < 0 ? s_.steps : v.steps;
    for (int step = 0; step < steps; ++step) write_step(rank, step, step + 1 == steps, events);
    if (v.recording) {
      writer.commit();
      return;  // as a crash would leave it; its process is this one
    }
    writer.finish(v.complete ? store::RecordingState::complete
                             : store::RecordingState::interrupted);
    store::Database database(file.string(), store::Database::Access::read_write);
    database.prepare("UPDATE MANSARD_STATE SET processScope = ?")
        .run(std::string_view("boot-of-" + session.host + " pid:[1]"));
  }

 private:
  struct Events {
    store::ProfileWriter& writer;
    const RankVariation& variation;
    std::int64_t start_utc_ns;
    store::StringId gemm = 0, add = 0, all_reduce = 0, launch = 0;
    std::int64_t correlation = 0;

    std::int64_t at(std::int64_t true_ns) const {
      return own_ns(variation, true_ns) - start_utc_ns;
    }
  };

  static std::int64_t own_ns(const RankVariation& v, std::int64_t true_ns) {
    return true_ns + v.clock_ahead_ns +
           std::llround(v.clock_drift * static_cast<double>(true_ns - kJobStart_ns));
  }

  int segments() const { return s_.steps * s_.collectives; }

  // Uniform in [0, 1), alike in every run.
  static double random(int rank, int segment, int kind) {
    const auto seed = static_cast<std::uint64_t>(rank) << 34 |
                      static_cast<std::uint64_t>(segment) << 4 | static_cast<std::uint64_t>(kind);
    return static_cast<double>(splitmix64(seed) >> 11) * 0x1p-53;
  }

  std::int64_t gemm_ns(int rank) const {
    return std::llround(static_cast<double>(s_.kernel_ns) * (1 + s_.variation(rank).slow_gemms));
  }

  // Every second kernel is a GEMM. 1 µs between kernels.
  std::int64_t compute_ns(int rank) const {
    const int gemms = (s_.segment_kernels + 1) / 2;
    return gemms * gemm_ns(rank) + (s_.segment_kernels - gemms) * s_.kernel_ns +
           s_.segment_kernels * 1000;
  }

  std::int64_t delay_ns(int rank, int segment) const {
    const bool first = segment % s_.collectives == 0;
    const double base = static_cast<double>(s_.segment_kernels * s_.kernel_ns);
    return (first ? s_.variation(rank).idle_ns : 0) + 10'000 +
           std::llround(s_.arrival_jitter * base * random(rank, segment, 0));
  }

  // When a rank enters the collective of a segment. One that has ended holds nobody up.
  std::int64_t arrival_ns(int rank, int segment) const {
    const RankVariation& v = s_.variation(rank);
    const bool ended = v.steps >= 0 && segment >= v.steps * s_.collectives;
    const std::int64_t begin = begins_ns_[static_cast<std::size_t>(segment)];
    return ended ? begin : begin + delay_ns(rank, segment) + compute_ns(rank);
  }

  void write_kernel(Events& e, store::StringId name, std::int64_t start_ns, std::int64_t end_ns,
                    std::int32_t grid) const {
    store::KernelRecord kernel;
    kernel.start_ns = e.at(start_ns);
    kernel.end_ns = e.at(end_ns);
    kernel.demangled_name = kernel.short_name = name;
    kernel.grid = {grid, 1, 1};
    kernel.block = {128, 1, 1};
    kernel.correlation_id = ++e.correlation;
    kernel.stream_id = 7;
    e.writer.add(kernel);
    if (!s_.api_calls) return;
    store::ApiRecord call;
    call.start_ns = kernel.start_ns - 8000;
    call.end_ns = call.start_ns + 2000;
    call.global_tid = kThread;
    call.correlation_id = kernel.correlation_id;
    call.name = e.launch;
    e.writer.add(call);
  }

  void write_step(int rank, int step, bool is_last, Events& e) const {
    const int first = step * s_.collectives;
    for (int segment = first; segment < first + s_.collectives; ++segment) {
      const auto at = static_cast<std::size_t>(segment);
      std::int64_t now_ns = begins_ns_[at] + delay_ns(rank, segment);
      for (int kernel = 0; kernel < s_.segment_kernels; ++kernel) {
        const bool gemm = kernel % 2 == 0;
        const std::int64_t end_ns = now_ns + (gemm ? gemm_ns(rank) : s_.kernel_ns);
        write_kernel(e, gemm ? e.gemm : e.add, now_ns, end_ns, 1 + kernel % 4);
        now_ns = end_ns + 1000;
      }
      const int left = first + s_.collectives - segment;
      if (is_last && left <= e.variation.skipped_collectives) continue;
      const std::int64_t end_ns =
          ends_ns_[at] +
          std::llround(static_cast<double>(s_.end_jitter_ns) * random(rank, segment, 1));
      write_kernel(e, e.all_reduce, now_ns, end_ns, 16);
    }
    store::NvtxRecord range;
    range.start_ns = e.at(begins_ns_[static_cast<std::size_t>(first)]) - 10'000;
    range.end_ns = e.at(ends_ns_[static_cast<std::size_t>(first + s_.collectives - 1)]) - 15'000;
    range.global_tid = kThread;
    range.text = "step " + std::to_string(step);
    e.writer.add(range);
  }

  static constexpr std::int64_t kThread = (std::int64_t{1000} << 24) | 1000;

  JobScenario s_;
  std::vector<std::int64_t> begins_ns_;  // by segment: when ranks start to compute
  std::vector<std::int64_t> ends_ns_;    // of the collectives
};

}  // namespace mansard::test
