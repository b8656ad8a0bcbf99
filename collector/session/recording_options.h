// SPDX-License-Identifier: Apache-2.0
// What a user asks of a recording: when to record, and in what detail. It travels from the
// launcher to the collector in environment variables, which can also be set by hand.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "collector/session/memory_limit.h"

namespace mansard::collector {

// CUPTI records either the kernels within CUDA graphs, or each launch of a graph as one.
enum class CudaGraphTrace { node, graph };

struct RecordingOptions {
  double delay_s = 0;     // from start_utc_ns
  double duration_s = 0;  // from the end of the delay; 0: to the end of the program
  // While a range of this name is open; domain "": any. Name "": not asked for.
  std::string capture_range;
  std::string capture_domain;
  bool capture_profiler_api = false;  // between cudaProfilerStart and cudaProfilerStop
  // From the begin of the first to that of the end step, counted from 1; 0: not asked for.
  std::int64_t first_step = 0;
  std::int64_t end_step = 0;
  std::string step_prefix = "step";  // steps are ranges whose names begin with it
  // Hardware counters of kernels: "roofline", "full" or metric names with commas; "": none. Each
  // kernel is read so many times for each group of them.
  std::string counters;
  int counters_per_kernel = 2;
  bool paused = false;  // until `mansard control` starts it
  CudaGraphTrace cuda_graph_trace = CudaGraphTrace::node;
  std::int64_t start_utc_ns = 0;  // when the launcher started; 0: when the recorder did
  std::int64_t memory_limit_bytes = kDefaultMemoryLimit_bytes;
  std::int64_t device_state_period_ms = 100;  // 0: not sampled
  double exit_timeout_s = 2;  // the program's exit waits no longer for its last events

  // Counters of the whole GPU are sampled so often; 0: not.
  std::int64_t gpu_metrics_period_us = 0;

  bool timed() const { return delay_s > 0 || duration_s > 0; }
  // Whether less than the whole program is to be recorded.
  bool limited() const {
    return timed() || !capture_range.empty() || capture_profiler_api || first_step > 0 || paused;
  }
};

// "nvtx:NAME", "nvtx:NAME@DOMAIN" or "cudaProfilerApi". The last @ separates, so that a name can
// hold one. Throws std::invalid_argument that says what is accepted.
void parse_capture_range(std::string_view text, RecordingOptions& options);

// The metrics of "NAME,NAME,...", Nsight Compute's names. Throws std::invalid_argument for what
// cannot be one.
std::vector<std::string> parse_metric_names(std::string_view text);

// "A:B" with 1 <= A < B. Throws std::invalid_argument.
void parse_steps(std::string_view text, RecordingOptions& options);

// "node" or "graph". Throws std::invalid_argument.
CudaGraphTrace parse_cuda_graph_trace(std::string_view text);

// Throws std::invalid_argument for what contradicts itself, and says why.
void check(const RecordingOptions& options);

// When to record, as the command line has it: "--steps 3:5 --step-range iteration"; "" for a whole
// recording.
std::string describe(const RecordingOptions& options);

// Variables for the program's environment, and back from getenv(). What cannot be understood there
// throws std::invalid_argument, which names the variable.
std::map<std::string, std::string> to_environment(const RecordingOptions& options);
RecordingOptions recording_options_of_environment();

}  // namespace mansard::collector
