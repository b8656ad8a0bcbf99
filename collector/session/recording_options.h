// SPDX-License-Identifier: Apache-2.0
// Options of a recording: when to record, and in what detail. The launcher passes them to the
// collector in environment variables, which can also be set by hand.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "collector/session/memory_limit.h"

namespace mansard::collector {

// Record either the kernels within CUDA graphs, or each graph launch as a whole.
enum class CudaGraphTrace { node, graph };

// Reads the kernels that take the most time, once the program repeats itself.
inline constexpr std::string_view kAutoCounters = "auto";
inline constexpr std::chrono::milliseconds kAutoCountersBudget{3500};  // taken from the program
inline constexpr std::string_view kNoCounters = "off";

struct RecordingOptions {
  double delay_s = 0;     // from start_utc_ns
  double duration_s = 0;  // from the end of the delay; 0: to the end of the program
  // Record while a range of this name is open. Domain "": any domain; name "": not used.
  std::string capture_range;
  std::string capture_domain;
  bool capture_profiler_api = false;  // record between cudaProfilerStart and cudaProfilerStop
  // Record from the start of first_step to the start of end_step, numbered from 1; 0: not used.
  std::int64_t first_step = 0;
  std::int64_t end_step = 0;
  std::string step_prefix = "step";  // steps are ranges whose names begin with it
  // Hardware counters of kernels: kAutoCounters, "roofline", "full", comma-separated metric names,
  // or kNoCounters. Each kernel signature is read counters_per_kernel times for each group of them
  // (by kAutoCounters: once).
  std::string counters = std::string(kAutoCounters);
  int counters_per_kernel = 2;
  bool paused = false;  // do not record until `mansard control` starts it
  CudaGraphTrace cuda_graph_trace = CudaGraphTrace::node;
  std::int64_t start_utc_ns = 0;  // when the launcher started; 0: when the recorder did
  std::int64_t memory_limit_bytes = kDefaultMemoryLimit_bytes;
  std::int64_t device_state_period_ms = 100;  // 0: not sampled
  double exit_timeout_s = 2;                  // maximum wait for the last events at program exit

  // Sampling period of whole-GPU counters; 0: not sampled.
  std::int64_t gpu_metrics_period_us = 0;

  // Counters and GPU metrics use the same hardware, so sampled metrics turn kAutoCounters off.
  bool reads_counters() const {
    return counters != kNoCounters && (counters != kAutoCounters || gpu_metrics_period_us == 0);
  }
  bool timed() const { return delay_s > 0 || duration_s > 0; }
  // Whether only part of the program is to be recorded.
  bool limited() const {
    return timed() || !capture_range.empty() || capture_profiler_api || first_step > 0 || paused;
  }
};

// Parses "nvtx:NAME", "nvtx:NAME@DOMAIN" or "cudaProfilerApi". The last @ is the separator, so a
// name can contain @. Throws std::invalid_argument that lists what is accepted.
void parse_capture_range(std::string_view text, RecordingOptions& options);

// Parses "NAME,NAME,..." with metric names of Nsight Compute. Throws std::invalid_argument for an
// implausible name.
std::vector<std::string> parse_metric_names(std::string_view text);

// Parses "A:B" with 1 <= A < B. Throws std::invalid_argument.
void parse_steps(std::string_view text, RecordingOptions& options);

// Parses "node" or "graph". Throws std::invalid_argument.
CudaGraphTrace parse_cuda_graph_trace(std::string_view text);

// Throws std::invalid_argument, with the reason, if options are out of range or contradict each
// other.
void check(const RecordingOptions& options);

// Returns the options that limit recording as on the command line: "--steps 3:5 --step-range
// iteration"; "" if everything is recorded.
std::string describe(const RecordingOptions& options);

// Converts to environment variables of the program, and back from getenv(). Invalid values throw
// std::invalid_argument that names the variable.
std::map<std::string, std::string> to_environment(const RecordingOptions& options);
RecordingOptions recording_options_of_environment();

}  // namespace mansard::collector
