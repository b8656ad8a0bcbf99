// SPDX-License-Identifier: Apache-2.0
// Tiny profiles and machines with round numbers, so that a test can derive its answer by hand.
#pragma once

#include <algorithm>
#include <string>

#include "analyzer/run_analysis.h"

namespace mansard::test {

inline constexpr std::int64_t kMainThread = (std::int64_t{7} << 24) | 1;
inline constexpr std::int64_t kOtherThread = (std::int64_t{7} << 24) | 2;

// In ns.
inline constexpr std::int64_t kMs = 1'000'000, kSecond = 1'000'000'000;

// Rows may be added in any order; build() sorts them by start, like the store. All times are ns.
class ProfileBuilder {
 public:
  ProfileBuilder() {
    profile_.file = "runs/tiny.sqlite";
    profile_.session.state = store::RecordingState::complete;
    profile_.session.cpu_name = "Test CPU";
    profile_.session.host = "testhost";
    store::GpuRecord& gpu = profile_.gpus.emplace_back();
    gpu.name = "Test GPU";
    gpu.uuid = "GPU-1";
  }

  store::StringId intern(const std::string& text) {
    for (const auto& [id, known] : profile_.strings) {
      if (known == text) return id;
    }
    const store::StringId id = static_cast<store::StringId>(profile_.strings.size()) + 1;
    profile_.strings[id] = text;
    return id;
  }

  // A range, annotated if its text has an annotation; end -1 leaves it open.
  ProfileBuilder& range(std::int64_t start, std::int64_t end, const std::string& text,
                        std::int64_t thread = kMainThread,
                        store::NvtxEventType type = store::NvtxEventType::push_pop) {
    store::NvtxRecord record;
    record.row_id = static_cast<std::int64_t>(profile_.nvtx.size()) + 1;
    record.start_ns = start;
    record.end_ns = end;
    record.type = type;
    record.global_tid = thread;
    record.text = text;
    if (auto work = kernels::parse_work_annotation(text)) profile_.work.set(record.row_id, *work);
    profile_.nvtx.push_back(record);
    return *this;
  }

  ProfileBuilder& call(std::int64_t start, const char* name, std::int64_t correlation_id,
                       std::int64_t thread = kMainThread) {
    store::ApiRecord record;
    record.start_ns = start;
    record.end_ns = start + 1;
    record.global_tid = thread;
    record.correlation_id = correlation_id;
    record.name = intern(name);
    profile_.api_calls.push_back(record);
    return *this;
  }

  // A kernel whose launch was not recorded. The returned record may be changed further.
  store::KernelRecord& kernel(std::int64_t start, std::int64_t end, const std::string& name) {
    store::KernelRecord record;
    record.start_ns = start;
    record.end_ns = end;
    record.demangled_name = intern(name);
    record.grid = {1, 1, 1};
    record.block = {128, 1, 1};
    record.correlation_id = ++correlation_;
    profile_.kernels.push_back(record);
    return profile_.kernels.back();
  }

  // A kernel and the call that launched it.
  store::KernelRecord& launch(std::int64_t call_time, std::int64_t start, std::int64_t end,
                              const std::string& name, std::int64_t thread = kMainThread) {
    store::KernelRecord& record = kernel(start, end, name);
    call(call_time, "cudaLaunchKernel", record.correlation_id, thread);
    return record;
  }

  // The creation of a graph node, or its cloning from `original`.
  ProfileBuilder& graph_node(std::int64_t time, std::int64_t id, std::int64_t original = 0,
                             std::int64_t thread = kMainThread) {
    store::GraphNodeRecord record;
    record.start_ns = record.end_ns = time;
    record.global_tid = thread;
    record.graph_node_id = id;
    record.original_graph_node_id = original;
    profile_.graph_nodes.push_back(record);
    return *this;
  }

  store::MemcpyRecord& memcpy(std::int64_t start, std::int64_t end) {
    store::MemcpyRecord record;
    record.start_ns = start;
    record.end_ns = end;
    record.correlation_id = ++correlation_;
    profile_.memcpys.push_back(record);
    return profile_.memcpys.back();
  }

  store::Profile& profile() { return profile_; }

  store::Profile build() {
    const auto by_start = [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; };
    std::stable_sort(profile_.kernels.begin(), profile_.kernels.end(), by_start);
    std::stable_sort(profile_.memcpys.begin(), profile_.memcpys.end(), by_start);
    std::stable_sort(profile_.memsets.begin(), profile_.memsets.end(), by_start);
    std::stable_sort(profile_.api_calls.begin(), profile_.api_calls.end(), by_start);
    std::stable_sort(profile_.graph_nodes.begin(), profile_.graph_nodes.end(), by_start);
    std::stable_sort(profile_.nvtx.begin(), profile_.nvtx.end(), by_start);
    return profile_;
  }

 private:
  store::Profile profile_;
  std::int64_t correlation_ = 0;
};

inline roofline::Ceiling compute_ceiling(Precision precision, double flop_per_s) {
  roofline::Ceiling c;
  c.id = std::string(info(precision).key) + "_mma";
  c.role = kernels::KernelRole::compute_ceiling;
  c.precision = precision;
  c.unit = "FLOP/s";
  c.value = flop_per_s;
  return c;
}

inline roofline::Ceiling bandwidth_ceiling(MemoryLevel level, double bytes_per_s) {
  roofline::Ceiling c;
  c.id = std::string(info(level).key) + "_copy";
  c.role = kernels::KernelRole::bandwidth_ceiling;
  c.level = level;
  c.unit = "B/s";
  c.value = bytes_per_s;
  return c;
}

inline roofline::Ceiling launch_ceiling(double seconds) {
  roofline::Ceiling c;
  c.id = "launch_stream";
  c.role = kernels::KernelRole::overhead_ceiling;
  c.overhead = kernels::Overhead::kernel_launch;
  c.unit = "s";
  c.value = seconds;
  return c;
}

// BF16 1e12 FLOP/s, FP8 2e12 FLOP/s, FP32 1e11 FLOP/s, HBM 1e10 B/s, L2 4e10 B/s, launch 1 us.
inline roofline::DeviceModel test_gpu() {
  roofline::DeviceModel model;
  model.device.target = kernels::Target::cuda;
  model.device.name = "Test GPU";
  model.device.uuid = "GPU-1";
  model.ceilings = {
      compute_ceiling(Precision::bf16, 1e12),   compute_ceiling(Precision::fp8_e4m3, 2e12),
      compute_ceiling(Precision::fp32, 1e11),   bandwidth_ceiling(MemoryLevel::hbm, 1e10),
      bandwidth_ceiling(MemoryLevel::l2, 4e10), launch_ceiling(1e-6)};
  return model;
}

// FP32 1e10 FLOP/s, DRAM 1e9 B/s.
inline roofline::DeviceModel test_cpu() {
  roofline::DeviceModel model;
  model.device.target = kernels::Target::host;
  model.device.name = "Test CPU";
  model.device.uuid = "testhost";
  model.ceilings = {compute_ceiling(Precision::fp32, 1e10),
                    bandwidth_ceiling(MemoryLevel::dram, 1e9)};
  return model;
}

inline roofline::MachineModel test_machine() {
  roofline::MachineModel machine;
  machine.name = "test";
  machine.provenance.host = "testhost";
  machine.devices = {test_gpu(), test_cpu()};
  return machine;
}

// The row with this name and origin; nullptr: none.
inline const analysis::KernelRow* find_row(const analysis::RunAnalysis& run,
                                           const std::string& name,
                                           std::optional<analysis::WorkOrigin> origin = {}) {
  for (const analysis::KernelRow& row : run.rows) {
    if (row.name == name && (!origin || row.origin == *origin)) return &row;
  }
  return nullptr;
}

inline bool has_note(const analysis::RunAnalysis& run, std::string_view part) {
  return std::any_of(run.notes.begin(), run.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

}  // namespace mansard::test
