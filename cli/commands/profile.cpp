// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/profile_progress.h"
#include "cli/progress_lines.h"
#include "cli/write_file.h"
#include "collector/launch/launch.h"
#include "collector/launch/live_recording.h"
#include "collector/launch/redact.h"
#include "collector/session/background_thread.h"
#include "collector/session/output_pattern.h"
#include "collector/store/close_database.h"
#include "collector/store/recording_summary.h"
#include "support/files.h"
#include "support/job_rank.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::cli {

void register_profile(CommandRegistry& registry);

namespace {

namespace fs = std::filesystem;

struct ProfileOptions {
  std::vector<std::string> command;
  std::string output = "profile.sqlite";
  bool force = false;
  std::string progress;  // "": none, "line", "json"
  collector::RecordingOptions recording;
  std::string capture_range;
  std::string steps;
  std::string cuda_graph_trace = "node";
  std::string library_calls = "on";
  std::string pytorch;
  std::string memory_limit = "512M";
  std::vector<std::string> redact;
  bool step_range_given = false;
  bool duration_given = false;
};

std::int64_t memory_limit(const std::string& text) {
  try {
    return collector::parse_memory_limit(text);
  } catch (const std::invalid_argument& error) {
    throw UsageError("--memory-limit: " + std::string(error.what()));
  }
}

// Converts the command-line options. Throws UsageError for invalid combinations.
collector::RecordingOptions recording_options(const ProfileOptions& options) {
  collector::RecordingOptions recording = options.recording;
  recording.memory_limit_bytes = memory_limit(options.memory_limit);
  try {
    if (!options.capture_range.empty())
      collector::parse_capture_range(options.capture_range, recording);
    if (!options.steps.empty()) collector::parse_steps(options.steps, recording);
    recording.cuda_graph_trace = collector::parse_cuda_graph_trace(options.cuda_graph_trace);
    check(recording);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  if (options.duration_given && recording.duration_s <= 0) {
    throw UsageError(
        "--duration must be greater than 0 seconds; leave it out to record until the program "
        "exits");
  }
  if (options.step_range_given && options.steps.empty()) {
    throw UsageError("--step-range has no effect without --steps; add --steps A:B");
  }
  return recording;
}

bool names_process(const std::string& pattern) { return pattern.find("%p") != std::string::npos; }

void require_own_file_per_rank(const std::string& pattern) {
  const auto rank = rank_of_environment();
  if (!rank || pattern.find("%r") != std::string::npos || names_process(pattern) ||
      pattern.find("%q{") != std::string::npos) {
    return;
  }
  throw UsageError("this process is rank " + std::to_string(*rank) +
                   " of a job, and all ranks would write to '" + pattern +
                   "'; give each rank its own file, for example -o run-%r.sqlite");
}

void prepare_output(const ProfileOptions& options) {
  require_own_file_per_rank(options.output);
  const fs::path file = collector::expand_output_pattern(options.output, 0);
  // The process ID is still unknown, so a name with %p cannot collide with an existing file.
  const bool may_exist = options.force || names_process(options.output);
  if (!collector::can_be_expanded_here(options.output)) return;
  require_writable(file, may_exist, OutputKind::database);
  // `file` is the output only if its name does not depend on the process.
  if (!options.force || names_process(options.output)) return;
  const fs::path replaced = follow_links(file);
  if (store::is_being_recorded(replaced)) {
    const collector::DiscardedWriteSignals quiet;
    say(file.string() +
        " is being written by another process and is not replaced. This profile goes to " +
        replaced.stem().string() + ".<pid>" + replaced.extension().string() + ".");
    return;
  }
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    fs::remove(replaced.string() + suffix);
  }
}

std::string counted(std::int64_t count, const char* one, const char* many) {
  return format_whole(count) + " " + (count == 1 ? one : many);
}

std::int64_t gpu_operations(const store::ProfileSummary& s) {
  return s.kernels + s.copies + s.graphs;
}

void report_file(const fs::path& file, const store::ProfileSummary& summary) {
  std::string text = file.string() + ": " + counted(summary.kernels, "kernel", "kernels") + ", " +
                     counted(summary.copies, "memcpy or memset", "memcpy and memset operations") +
                     ", " + counted(summary.ranges, "NVTX range", "NVTX ranges");
  if (summary.annotated_ranges > 0) {
    text += " (" + format_whole(summary.annotated_ranges) + " with work annotations)";
  }
  if (summary.counter_readings > 0) {
    text += ", counters of " + counted(summary.counted_kernels, "kernel", "kernels");
    if (summary.pause_s > 0) text += " (read in " + format_si(summary.pause_s, "s") + ")";
  }
  if (summary.graphs > 0) {
    text += ", " + counted(summary.graphs, "CUDA graph launch", "CUDA graph launches") +
            " without their kernels";
  }
  if (summary.state == store::RecordingState::interrupted) {
    text += "; interrupted: up to one second of events before the end may be missing";
  } else if (summary.state == store::RecordingState::recording) {
    text += "; a process is still recording to it";
  }
  say(text);
  if (!summary.windows.empty()) say("this is " + summary.windows);
  if (summary.dropped_events > 0) {
    say(counted(summary.dropped_events, "event was", "events were") +
        " dropped: recorded times are correct, counts are too low");
  }
}

void report_nothing(const collector::RecordingOptions& recording) {
  if (recording.limited()) {
    say("nothing was recorded with " + describe(recording) + ". Unless a reason is given above, " +
        "there was no GPU work and no NVTX range in that time; leave these options out to record "
        "the whole program.");
    return;
  }
  say("nothing was recorded. Unless a reason is given above, the collector saw no GPU work and no "
      "NVTX range: the program has none or exited before the first one, is statically linked or "
      "setuid, or clears its environment.");
}

void report_lost(const std::vector<std::int64_t>& pids) {
  if (pids.empty()) return;
  constexpr std::size_t kNamed = 5;
  std::string named;
  for (std::size_t i = 0; i < std::min(pids.size(), kNamed); ++i) {
    named += (i > 0 ? ", " : "") + std::to_string(pids[i]);
  }
  if (pids.size() > kNamed) named += ", ...";
  say(counted(std::ssize(pids), "process", "processes") + " (" + named +
      ") ended by _exit(), exec() or a signal before any events were written; " +
      (pids.size() == 1 ? "its" : "their") + " events are lost.");
}

// Returns a relative path if the file is in the current folder.
fs::path as_seen_from_here(const fs::path& file) {
  const fs::path relative = file.lexically_relative(fs::current_path());
  const bool inside = !relative.empty() && *relative.begin() != "..";
  return inside ? relative : file;
}

void write_progress(const std::vector<fs::path>& recorded,
                    const collector::RecordingProgress& progress) {
  nlohmann::json files = nlohmann::json::array();
  for (const fs::path& file : recorded) files.push_back(file.string());
  write_progress_line({{"files", std::move(files)},
                       {"events", progress.events},
                       {"dropped_events", progress.dropped_events},
                       {"file_bytes", progress.file_bytes}});
}

collector::LaunchResult run_program(const ProfileOptions& options,
                                    const std::vector<std::string>& command,
                                    const collector::RecordingOptions& recording) {
  collector::LaunchOptions launched = {.command = command,
                                       .output = options.output,
                                       .collector = {},
                                       .recording = recording,
                                       .library_calls = options.library_calls == "on",
                                       .pytorch = options.pytorch,
                                       .redact = options.redact};
  if (options.progress.empty()) return launch(launched);
  collector::LiveRecording live;
  if (options.progress == "json") {
    launched.watch = [&](const std::vector<fs::path>& recorded) {
      write_progress(recorded, live.look(recorded));
    };
    return launch(launched);
  }
  ProfileProgress line;
  launched.watch = [&](const std::vector<fs::path>& recorded) { line.update(live.look(recorded)); };
  return launch(launched);
}

// Reading counters delays the program, which must not come as a surprise.
void announce_counters(const collector::RecordingOptions& recording) {
  const bool has_gpu = fs::exists("/proc/driver/nvidia/version");
  if (!has_gpu || recording.counters != collector::kAutoCounters || !recording.reads_counters()) {
    return;
  }
  say("hardware counters are read for at most " +
      format_si(1e-3 * static_cast<double>(collector::kAutoCountersBudget.count()), "s") +
      (recording.limited() ? " after the recorded window" : " once the program repeats itself") +
      " (--counters off: never)");
}

// The ranks of a job are analyzed together if they use GPUs; rank 0 says so for those that are
// profiled one by one.
void suggest_analysis(const std::string& pattern, std::size_t files, const fs::path& fullest,
                      bool uses_gpu) {
  const bool is_rank = world_size_of_environment().value_or(1) > 1;
  const bool names_rank = uses_gpu && pattern.find("%r") != std::string::npos;
  if (is_rank && names_rank && rank_of_environment() != 0) return;
  const bool are_ranks = names_rank && (is_rank || files > 1);
  suggest_next(
      "mansard analyze " +
      join_command({are_ranks ? collector::glob_of_output_pattern(pattern) : fullest.string()}));
}

int profile(const ProfileOptions& options, std::vector<std::string> command) {
  if (!command.empty() && command.front() == "--") command.erase(command.begin());
  if (command.empty()) {
    throw UsageError("no program given; usage: mansard profile [-o FILE] -- PROGRAM [ARGUMENTS]");
  }
  const collector::RecordingOptions recording = recording_options(options);
  try {
    collector::redact(command, options.redact);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  prepare_output(options);
  announce_counters(recording);
  collector::LaunchResult result;
  try {
    result = run_program(options, command, recording);
  } catch (const collector::CannotRun& error) {
    say(error.what());
    return error.exit_code;
  }
  // A closed stderr must not change the exit code, which is the program's.
  const collector::DiscardedWriteSignals quiet;
  if (result.signal != 0) {
    say("the program was killed by signal " + std::to_string(result.signal) + " (" +
        strsignal(result.signal) + ")");
  }
  for (const std::string& warning : result.warnings) say(warning);
  report_lost(result.lost);
  if (result.recorded.empty()) {
    if (result.lost.empty()) report_nothing(recording);
    return result.exit_code;
  }
  fs::path fullest;  // the profile with the most events
  std::int64_t most_events = -1;
  bool uses_gpu = false;
  for (const fs::path& recorded : result.recorded) {
    const fs::path file = as_seen_from_here(recorded);
    try {
      store::repair_profile(file);
      const store::ProfileSummary summary = store::summarize_profile(file);
      report_file(file, summary);
      uses_gpu |= gpu_operations(summary) > 0;
      const std::int64_t events = gpu_operations(summary) + summary.ranges;
      if (events > most_events) {
        most_events = events;
        fullest = file;
      }
    } catch (const std::exception& error) {
      say(error.what());  // the program's exit code is still returned
    }
  }
  if (!fullest.empty()) {
    suggest_analysis(options.output, result.recorded.size(), fullest, uses_gpu);
    if (options.progress == "json") write_result_line(fullest);
  }
  return result.exit_code;
}

std::function<int()> declare_profile(CLI::App& app) {
  auto options = std::make_shared<ProfileOptions>();
  app.add_option(
         "-o,--output", options->output,
         "Profile to write. %h: host, %p: process ID, %r: rank, %q{NAME}: environment variable. "
         "Further processes of the program write to NAME.<pid>.sqlite")
      ->capture_default_str();
  app.add_flag("-f,--force", options->force, "Replace the output file if it exists");
  app.add_flag(
         "--progress{line}", options->progress,
         "Print recording progress on stderr: one updating line on a terminal, else a line every "
         "10 s; --progress=json: one JSON object per line every 0.5 s, for programs")
      ->check(CLI::IsMember({"line", "json"}));
  collector::RecordingOptions& recording = options->recording;
  app.add_option("--delay", recording.delay_s, "Delay recording by this many seconds")
      ->type_name("SECONDS")
      ->group("What to record");
  app.add_option("--duration", recording.duration_s, "Record for this many seconds after the delay")
      ->type_name("SECONDS")
      ->group("What to record");
  app.add_option(
         "--capture-range", options->capture_range,
         "Record only while an NVTX range of this name is open in any thread (nvtx:NAME, or "
         "nvtx:NAME@DOMAIN), or between cudaProfilerStart and cudaProfilerStop "
         "(cudaProfilerApi)")
      ->type_name("nvtx:NAME|cudaProfilerApi")
      ->group("What to record");
  app.add_option("--steps", options->steps,
                 "Record from the start of step A to the start of step B, counted from 1. Steps "
                 "are NVTX ranges (--step-range) or, without any, repetitions of the program's "
                 "kernel launches, recognized after 2 s without a new kernel")
      ->type_name("A:B")
      ->group("What to record");
  app.add_option("--step-range", recording.step_prefix,
                 "Name prefix of the NVTX ranges that --steps counts; nested ones are not counted")
      ->type_name("PREFIX")
      ->capture_default_str()
      ->group("What to record");
  app.add_flag(
         "--paused", recording.paused,
         "Start with recording paused; use 'mansard control FILE start' and 'stop' at any time")
      ->group("What to record");
  app.add_option(
         "--counters", recording.counters,
         "Read hardware counters of kernels. auto: bytes per memory tier and FLOP per precision of "
         "the kernels that take 99 % of the time, for at most 3.5 s once the program has repeated "
         "itself for 2 s. roofline: of all kernels, and bytes over NVLink and PCIe, from the "
         "start. "
         "full: adds unit utilization and warp stall reasons, with kernel replay. Or "
         "comma-separated metrics. off: none. With --delay, --steps etc., counters are read after "
         "the recorded window, so that it is not disturbed")
      ->type_name("auto|roofline|full|METRIC,...|off")
      ->capture_default_str()
      ->group("Hardware counters");
  app.add_option("--counters-per-kernel", recording.counters_per_kernel,
                 "Launches of each kernel to read per counter group, except with auto, which reads "
                 "one")
      ->type_name("COUNT")
      ->capture_default_str()
      ->group("Hardware counters");
  app.add_option(
         "--cuda-graph-trace", options->cuda_graph_trace,
         "How to record CUDA graphs: each kernel in them (node), which the analyses need, or "
         "each graph launch as a whole (graph), with lower overhead")
      ->type_name("node|graph")
      ->capture_default_str()
      ->group("What to record");
  app.add_option(
         "--library-calls", options->library_calls,
         "Record the shapes of calls of cuBLAS, cuBLASLt and cuDNN, and of the operations of XLA, "
         "from which their FLOPs and least bytes are computed; a library is preloaded into the "
         "program, and XLA_FLAGS names a folder for XLA's modules")
      ->type_name("on|off")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str()
      ->group("What to record");
  app.add_option(
         "--pytorch", options->pytorch,
         "Add NVTX ranges to a PyTorch program: of each operator, forward and backward (nvtx), "
         "with the sizes of its inputs (shapes), or of each nn.Module by its path, as "
         "model.layers.3.mlp.down_proj (modules). This costs host time per operator or module")
      ->type_name("nvtx|shapes|modules")
      ->check(CLI::IsMember(std::vector<std::string>(collector::kPytorchRanges.begin(),
                                                     collector::kPytorchRanges.end())))
      ->group("What to record");
  app.add_option("--memory-limit", options->memory_limit,
                 "Maximum host memory for buffered events; when it is full, events are dropped and "
                 "counted")
      ->type_name("SIZE")
      ->capture_default_str()
      ->group("How to record");
  app.add_option(
         "--redact", options->redact,
         "Regular expression: remove matches from the stored command line, in addition to what "
         "looks like a secret (docs/collector.md); repeatable")
      ->type_name("REGEX")
      ->allow_extra_args(false)
      ->group("How to record");
  app.add_option("--exit-timeout", recording.exit_timeout_s,
                 "Maximum time to delay the program's exit while its last events are written")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->group("How to record");
  app.add_option("--device-state-period", recording.device_state_period_ms,
                 "Sampling period of clocks, power and temperature of the GPUs in use (0: off)")
      ->type_name("MILLISECONDS")
      ->capture_default_str()
      ->group("How to record");
  app.add_option("--gpu-metrics-period", recording.gpu_metrics_period_us,
                 "Sampling period of GPU-wide metrics: Tensor Cores, memory, links (0: off; 1000 "
                 "suits most "
                 "programs)")
      ->type_name("MICROSECONDS")
      ->capture_default_str()
      ->group("Hardware counters");
  app.add_option("program", options->command, "Program to run and its arguments, after '--'")
      ->type_name("PROGRAM ARGUMENTS")
      ->required();
  app.footer(
      "Usage: mansard profile [OPTIONS] -- PROGRAM [ARGUMENTS]\n"
      "Exits with the program's exit code: 128 + N if signal N killed it, 127 if the program is\n"
      "not found, 126 if it cannot be run.");
  return [options, &app] {
    options->step_range_given = app.count("--step-range") > 0;
    options->duration_given = app.count("--duration") > 0;
    return profile(*options, options->command);
  };
}

}  // namespace

void register_profile(CommandRegistry& registry) {
  registry.add({.name = "profile",
                .summary = "Run a program and record its GPU work and NVTX ranges into a profile",
                .order = 20,
                .declare = declare_profile});
}

}  // namespace mansard::cli
