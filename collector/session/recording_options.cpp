// SPDX-License-Identifier: Apache-2.0
#include "collector/session/recording_options.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace mansard::collector {
namespace {

constexpr std::string_view kNvtx = "nvtx:";
constexpr std::string_view kProfilerApi = "cudaProfilerApi";
constexpr std::string_view kNode = "node";
constexpr std::string_view kGraph = "graph";
// NVML updates its values every 20 ms at best.
constexpr std::int64_t kShortestPeriod_ms = 10;
constexpr std::int64_t kLongestPeriod_ms = 60'000;
// A sample takes about 0.1 ms of a core to decode (H200, 12 metrics).
constexpr std::int64_t kShortestSampling_us = 200;
constexpr std::int64_t kLongestSampling_us = 1'000'000;
constexpr double kLongest_s = 1e9;  // still fits into 64-bit nanoseconds

template <class T>
bool parse_whole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

std::string number(double value) {
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}

// Calls `use` with the variable's value if the variable is set.
template <class Use>
void with_variable(const char* name, Use use) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return;
  try {
    use(std::string_view(value));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(std::string(name) + "=" + value + ": " + error.what());
  }
}

template <class T>
void read_number(const char* name, T& number) {
  with_variable(name, [&](std::string_view text) {
    if (!parse_whole(text, number)) throw std::invalid_argument("not a number");
  });
}

void require_seconds(double seconds, const char* option) {
  if (std::isfinite(seconds) && seconds >= 0 && seconds <= kLongest_s) return;
  throw std::invalid_argument(std::string(option) + " takes seconds from 0 to 1e9, not " +
                              number(seconds));
}

}  // namespace

void parse_capture_range(std::string_view text, RecordingOptions& options) {
  if (text == kProfilerApi) {
    options.capture_profiler_api = true;
    return;
  }
  if (!text.starts_with(kNvtx)) {
    throw std::invalid_argument("'" + std::string(text) +
                                "' is neither nvtx:NAME, nvtx:NAME@DOMAIN nor cudaProfilerApi");
  }
  text.remove_prefix(kNvtx.size());
  const std::size_t at = text.rfind('@');
  if (at != std::string_view::npos) {
    options.capture_domain = text.substr(at + 1);
    text = text.substr(0, at);
    if (options.capture_domain.empty()) {
      throw std::invalid_argument("no domain after the @; omit the @ to match any domain");
    }
  }
  if (text.empty()) throw std::invalid_argument("nvtx: needs a range name");
  options.capture_range = text;
}

void parse_steps(std::string_view text, RecordingOptions& options) {
  const std::size_t colon = text.find(':');
  std::int64_t first = 0;
  std::int64_t end = 0;
  const bool numbers = colon != std::string_view::npos &&
                       parse_whole(text.substr(0, colon), first) &&
                       parse_whole(text.substr(colon + 1), end);
  if (!numbers) {
    throw std::invalid_argument(
        "'" + std::string(text) +
        "' is not a step range A:B of two whole numbers; 3:5 records steps 3 and 4");
  }
  if (first < 1) throw std::invalid_argument("steps are numbered from 1");
  if (end <= first) {
    throw std::invalid_argument("A:B ends before step B, so B must be greater than A");
  }
  options.first_step = first;
  options.end_step = end;
}

std::vector<std::string> parse_metric_names(std::string_view text) {
  std::vector<std::string> names;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    const std::string_view name = text.substr(0, comma);
    more = comma != std::string_view::npos;
    text.remove_prefix(more ? comma + 1 : 0);
    const bool plausible = name.find("__") != std::string_view::npos &&
                           name.find('.') != std::string_view::npos &&
                           name.find_first_of(" \t\"'") == std::string_view::npos;
    if (!plausible) {
      throw std::invalid_argument(
          "'" + std::string(name) +
          "' is neither a counter set (auto, roofline, full, off) nor a metric name such as "
          "dram__bytes.sum");
    }
    names.emplace_back(name);
  }
  return names;
}

CudaGraphTrace parse_cuda_graph_trace(std::string_view text) {
  if (text == kNode) return CudaGraphTrace::node;
  if (text == kGraph) return CudaGraphTrace::graph;
  throw std::invalid_argument("'" + std::string(text) + "' is neither node nor graph");
}

void check(const RecordingOptions& options) {
  const bool named = options.counters == kAutoCounters || options.counters == kNoCounters ||
                     options.counters == "roofline" || options.counters == "full";
  if (!named) parse_metric_names(options.counters);
  if (options.counters_per_kernel < 1 || options.counters_per_kernel > 1000) {
    throw std::invalid_argument("--counters-per-kernel takes 1 to 1000, not " +
                                std::to_string(options.counters_per_kernel));
  }
  require_seconds(options.delay_s, "--delay");
  require_seconds(options.duration_s, "--duration");
  require_seconds(options.exit_timeout_s, "--exit-timeout");
  const bool range = !options.capture_range.empty();
  const bool steps = options.first_step > 0;
  if (range && options.capture_profiler_api) {
    throw std::invalid_argument(
        "--capture-range takes either nvtx:NAME or cudaProfilerApi, not both");
  }
  if ((range || options.capture_profiler_api) && steps) {
    throw std::invalid_argument(
        "--capture-range and --steps both set when recording starts; use only one of them");
  }
  if (options.timed() && (range || steps || options.capture_profiler_api)) {
    throw std::invalid_argument(
        "--delay and --duration (times from program start) cannot be combined with --capture-range "
        "or --steps (events in the program)");
  }
  if (options.paused && (options.timed() || range || steps || options.capture_profiler_api)) {
    throw std::invalid_argument(
        "--paused cannot be combined with options that start recording themselves: --delay, "
        "--duration, --capture-range, --steps. With --paused, `mansard control` starts it");
  }
  const std::int64_t period_ms = options.device_state_period_ms;
  if (period_ms != 0 && (period_ms < kShortestPeriod_ms || period_ms > kLongestPeriod_ms)) {
    throw std::invalid_argument("--device-state-period takes 0, or 10 to 60000 milliseconds, not " +
                                std::to_string(period_ms));
  }
  const std::int64_t sampling_us = options.gpu_metrics_period_us;
  if (sampling_us != 0 &&
      (sampling_us < kShortestSampling_us || sampling_us > kLongestSampling_us)) {
    throw std::invalid_argument(
        "--gpu-metrics-period takes 0, or 200 to 1000000 microseconds, not " +
        std::to_string(sampling_us));
  }
  if (sampling_us != 0 && options.reads_counters()) {
    throw std::invalid_argument(
        "--gpu-metrics-period and --counters use the same hardware; profile once with each");
  }
  if (options.step_prefix.empty()) {
    throw std::invalid_argument("--step-range must not be empty: every range would be a step");
  }
}

std::string describe(const RecordingOptions& options) {
  std::ostringstream text;
  if (options.delay_s > 0) text << " --delay " << options.delay_s;
  if (options.duration_s > 0) text << " --duration " << options.duration_s;
  if (options.capture_profiler_api) text << " --capture-range " << kProfilerApi;
  if (!options.capture_range.empty()) {
    text << " --capture-range " << kNvtx << options.capture_range;
    if (!options.capture_domain.empty()) text << '@' << options.capture_domain;
  }
  if (options.first_step > 0) {
    text << " --steps " << options.first_step << ':' << options.end_step;
    text << " --step-range " << options.step_prefix;
  }
  if (options.paused) text << " --paused";
  return text.str().empty() ? "" : text.str().substr(1);
}

std::map<std::string, std::string> to_environment(const RecordingOptions& options) {
  // Sets all variables, so that those of an enclosing `mansard profile` have no effect.
  std::string range = options.capture_profiler_api ? std::string(kProfilerApi) : "";
  if (!options.capture_range.empty()) {
    range = std::string(kNvtx) + options.capture_range;
    if (!options.capture_domain.empty()) {
      range += '@' + options.capture_domain;
    }
  }
  return {{"MANSARD_DELAY", number(options.delay_s)},
          {"MANSARD_DURATION", number(options.duration_s)},
          {"MANSARD_CAPTURE_RANGE", range},
          {"MANSARD_STEPS", options.first_step > 0 ? std::to_string(options.first_step) + ":" +
                                                         std::to_string(options.end_step)
                                                   : ""},
          {"MANSARD_STEP_RANGE", options.step_prefix},
          {"MANSARD_COUNTERS", options.counters},
          {"MANSARD_COUNTERS_PER_KERNEL", std::to_string(options.counters_per_kernel)},
          {"MANSARD_PAUSED", options.paused ? "1" : "0"},
          {"MANSARD_CUDA_GRAPH_TRACE",
           std::string(options.cuda_graph_trace == CudaGraphTrace::graph ? kGraph : kNode)},
          {"MANSARD_START_UTC_NS", std::to_string(options.start_utc_ns)},
          {"MANSARD_MEMORY_LIMIT", std::to_string(options.memory_limit_bytes)},
          {"MANSARD_DEVICE_STATE_PERIOD", std::to_string(options.device_state_period_ms)},
          {"MANSARD_EXIT_TIMEOUT", number(options.exit_timeout_s)},
          {"MANSARD_GPU_METRICS_PERIOD", std::to_string(options.gpu_metrics_period_us)}};
}

RecordingOptions recording_options_of_environment() {
  RecordingOptions options;
  read_number("MANSARD_DELAY", options.delay_s);
  read_number("MANSARD_DURATION", options.duration_s);
  with_variable("MANSARD_CAPTURE_RANGE",
                [&](std::string_view text) { parse_capture_range(text, options); });
  with_variable("MANSARD_STEPS", [&](std::string_view text) { parse_steps(text, options); });
  with_variable("MANSARD_STEP_RANGE", [&](std::string_view text) { options.step_prefix = text; });
  with_variable("MANSARD_COUNTERS", [&](std::string_view text) { options.counters = text; });
  read_number("MANSARD_COUNTERS_PER_KERNEL", options.counters_per_kernel);
  int paused = 0;
  read_number("MANSARD_PAUSED", paused);
  options.paused = paused != 0;
  with_variable("MANSARD_CUDA_GRAPH_TRACE", [&](std::string_view text) {
    options.cuda_graph_trace = parse_cuda_graph_trace(text);
  });
  read_number("MANSARD_START_UTC_NS", options.start_utc_ns);
  with_variable("MANSARD_MEMORY_LIMIT", [&](std::string_view text) {
    options.memory_limit_bytes = parse_memory_limit(text);
  });
  read_number("MANSARD_DEVICE_STATE_PERIOD", options.device_state_period_ms);
  read_number("MANSARD_GPU_METRICS_PERIOD", options.gpu_metrics_period_us);
  read_number("MANSARD_EXIT_TIMEOUT", options.exit_timeout_s);
  check(options);
  return options;
}

}  // namespace mansard::collector
