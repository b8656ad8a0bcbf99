// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/live_line.h"
#include "cli/output.h"
#include "cli/progress_lines.h"
#include "cli/write_file.h"
#include "collector/launch/launch.h"
#include "collector/launch/live_recording.h"
#include "collector/launch/redact.h"
#include "collector/session/output_pattern.h"
#include "collector/session/quiet_thread.h"
#include "collector/store/close_database.h"
#include "collector/store/recording_summary.h"
#include "support/files.h"
#include "support/text.h"

namespace mansard::cli {

void register_profile(CommandRegistry& registry);

namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> command;
  std::string output = "profile.sqlite";
  bool force = false;
  std::string progress;  // "": none, "line", "json"
  collector::RecordingOptions recording;
  std::string capture_range;
  std::string steps;
  std::string cuda_graph_trace = "node";
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

// What the options ask for. Throws UsageError that says what does not go together.
collector::RecordingOptions recording_options(const Options& options) {
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
    throw UsageError("--duration must be more than 0 seconds; leave it out to record to the end");
  }
  if (options.step_range_given && options.steps.empty()) {
    throw UsageError(
        "--step-range says which ranges are steps, but without --steps none is asked "
        "for; add --steps A:B");
  }
  return recording;
}

bool names_process(const std::string& pattern) { return pattern.find("%p") != std::string::npos; }

void require_own_file_per_rank(const std::string& pattern) {
  const auto rank = collector::rank_of_environment();
  if (!rank || pattern.find("%r") != std::string::npos || names_process(pattern) ||
      pattern.find("%q{") != std::string::npos) {
    return;
  }
  throw UsageError("this is rank " + std::to_string(*rank) +
                   " of a job, and all ranks would record to '" + pattern +
                   "'; give each its own file, for example -o run-%r.sqlite");
}

void prepare_output(const Options& options) {
  require_own_file_per_rank(options.output);
  const fs::path file = collector::expand_output_pattern(options.output, 0);
  // The process id is not known yet; a file that names one cannot be in the way either.
  const bool may_exist = options.force || names_process(options.output);
  if (!collector::can_be_expanded_here(options.output)) return;
  require_writable(file, may_exist, OutputKind::database);
  // `file` is the output only if its name does not depend on the process.
  if (!options.force || names_process(options.output)) return;
  const fs::path replaced = follow_links(file);
  if (store::is_being_recorded(replaced)) {
    const collector::DiscardedWriteSignals quiet;
    say(file.string() +
        " is being recorded by another process and is not replaced. This profile is written to " +
        replaced.stem().string() + ".<pid>" + replaced.extension().string() + ".");
    return;
  }
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    fs::remove(replaced.string() + suffix);
  }
}

std::string counted(std::int64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

// Returns how much is in the file.
std::int64_t report_file(const fs::path& file) {
  const store::RecordingSummary summary = store::summarize_recording(file);
  std::string text = file.string() + ": " + counted(summary.kernels, "kernel", "kernels") + ", " +
                     counted(summary.copies, "copy or fill", "copies and fills") + ", " +
                     counted(summary.ranges, "range", "ranges");
  if (summary.annotated_ranges > 0) {
    text += " (" + std::to_string(summary.annotated_ranges) + " with work annotations)";
  }
  if (summary.counter_readings > 0) {
    text += ", counters of " + counted(summary.counter_readings, "launch", "launches");
  }
  if (summary.graphs > 0) {
    text += ", " + counted(summary.graphs, "CUDA graph launch", "CUDA graph launches") +
            " without the kernels in them";
  }
  if (summary.state == store::RecordingState::interrupted) {
    text += "; interrupted: up to the last second before the end may be missing";
  } else if (summary.state == store::RecordingState::recording) {
    text += "; a process is still recording to it";
  }
  say(text);
  if (!summary.windows.empty()) say("this is " + summary.windows);
  if (summary.dropped_events > 0) {
    say(counted(summary.dropped_events, "event was", "events were") +
        " dropped; times of what was recorded are right, counts are too low");
  }
  return summary.kernels + summary.copies + summary.graphs + summary.ranges;
}

void report_nothing(const collector::RecordingOptions& recording) {
  if (recording.limited()) {
    say("nothing was recorded with " + describe(recording) + ". Unless a reason is given above, " +
        "the collector saw no GPU work and no NVTX range; without these options the whole program "
        "is recorded.");
    return;
  }
  say("nothing was recorded. Unless a reason is given above, the collector saw no GPU work and no "
      "NVTX range: the program has none or ended before its first, it is statically linked or "
      "set-uid, or it clears its environment.");
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
      ") ended by _exit(), exec() or a signal before the first events were written; nothing was "
      "recorded of " +
      (pids.size() == 1 ? "it" : "them") + ".");
}

// Names as the user typed them, where that is shorter.
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

collector::LaunchResult run_program(const Options& options, const std::vector<std::string>& command,
                                    const collector::RecordingOptions& recording) {
  collector::LaunchOptions launched = {.command = command,
                                       .output = options.output,
                                       .collector = {},
                                       .recording = recording,
                                       .redact = options.redact};
  if (options.progress.empty()) return launch(launched);
  collector::LiveRecording live;
  if (options.progress == "json") {
    launched.watch = [&](const std::vector<fs::path>& recorded) {
      write_progress(recorded, live.look(recorded));
    };
    return launch(launched);
  }
  LiveLine line;
  launched.watch = [&](const std::vector<fs::path>& recorded) { line.update(live.look(recorded)); };
  return launch(launched);
}

int profile(const Options& options, std::vector<std::string> command) {
  if (!command.empty() && command.front() == "--") command.erase(command.begin());
  if (command.empty()) {
    throw UsageError("no program was given: mansard profile [-o FILE] -- PROGRAM [ARGUMENTS]");
  }
  const collector::RecordingOptions recording = recording_options(options);
  try {
    collector::redact(command, options.redact);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  prepare_output(options);
  collector::LaunchResult result;
  try {
    result = run_program(options, command, recording);
  } catch (const collector::CannotRun& error) {
    say(error.what());
    return error.exit_code;
  }
  // The exit code is the program's, even if nobody reads what is said.
  const collector::DiscardedWriteSignals quiet;
  if (result.signal != 0) {
    say("the program was killed by signal " + std::to_string(result.signal) + " (" +
        strsignal(result.signal) + ")");
  }
  report_lost(result.lost);
  if (result.recorded.empty()) {
    if (result.lost.empty()) report_nothing(recording);
    return result.exit_code;
  }
  fs::path fullest;  // of several processes, most likely the one that matters
  std::int64_t most_events = -1;
  for (const fs::path& recorded : result.recorded) {
    const fs::path file = as_seen_from_here(recorded);
    try {
      store::repair_profile(file);
      const std::int64_t events = report_file(file);
      if (events > most_events) {
        most_events = events;
        fullest = file;
      }
    } catch (const std::exception& error) {
      say(error.what());  // the program's own result counts more
    }
  }
  if (!fullest.empty()) {
    suggest_next("mansard analyze " + join_command({fullest.string()}));
    if (options.progress == "json") write_result_line(fullest);
  }
  return result.exit_code;
}

std::function<int()> declare(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("-o,--output", options->output,
                 "File to record to. %h is the host, %p the process, %r the rank, %q{NAME} an "
                 "environment variable. A second process of the program that records gets "
                 "NAME.<pid>.sqlite.")
      ->capture_default_str();
  app.add_flag("-f,--force", options->force, "Replace the file if it exists");
  app.add_flag("--progress{line}", options->progress,
               "Say on stderr while the program runs how much is recorded: in one line that is "
               "rewritten on a terminal, otherwise every 10 s; --progress=json: as JSON, an object "
               "a line every half second, for programs")
      ->check(CLI::IsMember({"line", "json"}));
  collector::RecordingOptions& recording = options->recording;
  app.add_option("--delay", recording.delay_s, "Record nothing for so many seconds")
      ->type_name("SECONDS")
      ->group("What to record");
  app.add_option("--duration", recording.duration_s,
                 "Record for so many seconds, from the end of the delay")
      ->type_name("SECONDS")
      ->group("What to record");
  app.add_option("--capture-range", options->capture_range,
                 "Record while an NVTX range of this name is open in any thread (nvtx:NAME, in one "
                 "domain nvtx:NAME@DOMAIN), or between cudaProfilerStart and cudaProfilerStop "
                 "(cudaProfilerApi)")
      ->type_name("nvtx:NAME|cudaProfilerApi")
      ->group("What to record");
  app.add_option("--steps", options->steps,
                 "Record from the A-th step to the begin of the B-th, counted from 1")
      ->type_name("A:B")
      ->group("What to record");
  app.add_option("--step-range", recording.step_prefix,
                 "Steps are the NVTX ranges whose names begin so, without those inside another")
      ->type_name("PREFIX")
      ->capture_default_str()
      ->group("What to record");
  app.add_flag(
         "--paused", recording.paused,
         "Record nothing until `mansard control FILE start`; stop and start as often as needed")
      ->group("What to record");
  app.add_option(
         "--counters", recording.counters,
         "Read hardware counters of the program's kernels: roofline (time, bytes of every "
         "tier, operations of every precision), full (also how busy the units were and why "
         "warps waited; each kernel is replayed), or metrics with commas between them. With "
         "a window of recording they are read after it, so that it stays undisturbed.")
      ->type_name("roofline|full|METRIC,...")
      ->group("Hardware counters");
  app.add_option("--counters-per-kernel", recording.counters_per_kernel,
                 "Launches of each kernel that are read for each group of counters")
      ->type_name("COUNT")
      ->capture_default_str()
      ->group("Hardware counters");
  app.add_option("--cuda-graph-trace", options->cuda_graph_trace,
                 "Record the kernels within CUDA graphs (node), which the analysis needs, or only "
                 "each launch of a graph as a whole (graph), which costs the program less")
      ->type_name("node|graph")
      ->capture_default_str()
      ->group("What to record");
  app.add_option("--memory-limit", options->memory_limit,
                 "Memory of the program that events may take until they are written, at most; "
                 "beyond it they are dropped and counted")
      ->type_name("SIZE")
      ->capture_default_str()
      ->group("How to record");
  app.add_option("--redact", options->redact,
                 "Regular expression of what to leave out of the command line that the profile "
                 "holds, beside what looks like a secret (docs/collector.md); can be repeated")
      ->type_name("REGEX")
      ->allow_extra_args(false)
      ->group("How to record");
  app.add_option("--exit-timeout", recording.exit_timeout_s,
                 "Time that the program's exit may wait until its last events are written")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->group("How to record");
  app.add_option("--device-state-period", recording.device_state_period_ms,
                 "Read clocks, power and temperature of the GPUs in use so often; 0: never")
      ->type_name("MILLISECONDS")
      ->capture_default_str()
      ->group("How to record");
  app.add_option(
         "--gpu-metrics-period", recording.gpu_metrics_period_us,
         "Sample counters of the whole GPU so often (tensor cores, memory, links; 1000 suits "
         "most), also while several kernels run; 0: never")
      ->type_name("MICROSECONDS")
      ->capture_default_str()
      ->group("Hardware counters");
  app.add_option("program", options->command,
                 "The program and its arguments, after -- so that its options stay its own")
      ->type_name("PROGRAM ARGUMENTS")
      ->required();
  app.footer(
      "Usage: mansard profile [OPTIONS] -- PROGRAM [ARGUMENTS]\n"
      "Exits with the program's own code: 128 + N if signal N killed it, 127 if there is no such\n"
      "program, 126 if it cannot be run.");
  return [options, &app] {
    options->step_range_given = app.count("--step-range") > 0;
    options->duration_given = app.count("--duration") > 0;
    return profile(*options, options->command);
  };
}

}  // namespace

void register_profile(CommandRegistry& registry) {
  registry.add({.name = "profile",
                .summary = "Run a program and record its kernels and NVTX ranges",
                .order = 20,
                .declare = declare});
}

}  // namespace mansard::cli
