// SPDX-License-Identifier: Apache-2.0
// A whole profile in memory, as read by the analyzer and the GUI.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collector/store/record_list.h"
#include "collector/store/tables.h"
#include "collector/store/work_by_range.h"

namespace mansard::store {

enum class RecordingState { recording, complete, interrupted, foreign };
std::string_view to_string(RecordingState state);

// SessionInfo::host of a profile merged from ranks on different hosts.
inline constexpr std::string_view kSeveralHosts = "several hosts";

struct SessionInfo {
  RecordingState state =
      RecordingState::foreign;  // foreign: another tool's export, without a state
  std::int64_t start_utc_ns = 0;
  std::string command;  // as typed after "--"
  std::string host;
  std::string cpu_name;
  int cpu_cores = 0;  // this process might run on
  std::int64_t pid = 0;
  int rank = -1;  // -1: not part of a multi-rank job
  std::string mansard_version;
  std::string imported_from;  // the file that `mansard import` read; "": not imported
  std::string driver_version;
  std::int64_t dropped_events = 0;      // events that are not in the file
  std::string window_request;           // "--steps 3:5 ..."; "": the whole program
  std::vector<RecordedWindow> windows;  // empty: from the first event to the last

  // Whether another tool recorded the run: Nsight Systems, PyTorch's profiler or Nsight Compute.
  // The user may have neither the program nor its machine then.
  bool by_another_tool() const {
    return state == RecordingState::foreign || !imported_from.empty();
  }
};

// "2 recording windows (--steps 3:5), 1.25 s in total"; "" if the whole program was recorded.
std::string describe_windows(const SessionInfo& session);

struct Profile {
  std::filesystem::path file;
  SessionInfo session;
  std::unordered_map<StringId, std::string> strings;
  std::vector<GpuRecord> gpus;
  RecordList<KernelRecord> kernels;  // each list is ordered by start_ns
  std::vector<MemcpyRecord> memcpys;
  std::vector<MemsetRecord> memsets;
  RecordList<ApiRecord> api_calls;
  std::vector<CounterReading> counter_readings;
  std::vector<PauseRecord> pauses;
  std::vector<GraphNodeRecord> graph_nodes;
  std::vector<GraphRecord> graphs;  // empty unless graphs were recorded as a whole
  std::vector<SynchronizationRecord> synchronizations;
  std::vector<OverheadRecord> overheads;
  std::vector<MemoryRecord> memory_events;
  std::vector<MemoryPoolRecord> memory_pool_events;
  std::vector<StreamRecord> streams;  // this and the next: ordered by id
  std::vector<ContextRecord> contexts;
  RecordList<NvtxRecord> nvtx;
  WorkByRange work;
  std::vector<TensorNumericsRow> tensor_numerics;  // this and the next: ordered by step
  std::vector<TrainingStepRow> training_steps;
  std::vector<DiagnosticRecord> diagnostics;
  std::vector<DeviceStateSample> device_states;  // ordered by timestamp_ns
  std::vector<GpuMetricSample> gpu_metrics;      // ordered by end_ns
  std::vector<CollectiveRecord> collectives;     // ordered by start_ns
  // Whether correlation ids are unique across processes.
  bool correlations_unique = false;

  const std::string& string(StringId id) const;  // "" for none
  const std::string& text(const NvtxRecord& record) const {
    return record.text_id != 0 ? string(record.text_id) : record.text;
  }
  std::string text(NvtxRecord&& record) const {
    return text(record);
  }  // by value, as the record is temporary
};

// Throws std::runtime_error that names the file, the problem and what to do, if the file does not
// exist, is not a SQLite database, is corrupt, is not a profile, or was written by a newer Mansard.
// If the recording process has ended without closing the file, the state is interrupted.
Profile load_profile(const std::filesystem::path& file);

// Name of the GPU with this id; "" if the profile does not describe it.
inline std::string gpu_name(const Profile& profile, std::int32_t id) {
  for (const GpuRecord& gpu : profile.gpus) {
    if (gpu.id == id) return gpu.name;
  }
  return "";
}

}  // namespace mansard::store
