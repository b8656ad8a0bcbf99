// SPDX-License-Identifier: Apache-2.0
// Summary of one rank's profile, for the analysis of its job: of bounded size, however long the
// profile. Times with "utc" are UTC in ns on the clock of the rank's host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/run_analysis.h"
#include "collector/merge/rank_recording.h"

namespace mansard::analysis {

// Raised when the meaning of a member changes. Summaries of other versions are made again.
inline constexpr int kRankSummaryVersion = 1;

// Limits of the vectors of a summary. Longer profiles are sampled.
inline constexpr std::size_t kMaxRankSteps = 512;
inline constexpr std::size_t kMaxCollectiveNames = 16;
inline constexpr std::size_t kMaxCollectiveSamples = 256;
inline constexpr std::int64_t kFirstCollectives = 16;  // of each name, besides these samples

// Time of a step on a device. The parts except hidden_ns add up to the step.
struct StepSplit {
  std::int64_t kernels_ns = 0;
  // Collectives while no kernel computes, waiting included, and exposed synchronization of
  // replicas.
  std::int64_t exposed_ns = 0;
  std::int64_t memcpy_ns = 0;  // memcpys and memsets while no kernel or collective runs
  std::int64_t graphs_ns = 0;  // CUDA graphs that were recorded as a whole
  std::int64_t idle_ns = 0;
  std::int64_t hidden_ns = 0;  // collectives while a kernel computes

  std::int64_t total_ns() const {
    return kernels_ns + exposed_ns + memcpy_ns + graphs_ns + idle_ns;
  }
  // Without exposed communication, in which a rank may only wait for others.
  std::int64_t own_ns() const { return total_ns() - exposed_ns; }
};

struct RankStep : StepSplit {
  std::int64_t number = 0;  // from 0, in the profile
  std::int64_t start_utc_ns = 0;
  std::int64_t end_utc_ns = 0;
  bool typical = false;
};

// A part of the typical steps: the kernels of a class, or the idle time with a cause.
struct RankPart {
  bool idle = false;
  std::string name;  // of an OperationClass, or the key of an IdleCauseInfo
  std::int64_t time_ns = 0;
};

// The kernels of a collective whose ends are simultaneous on all ranks.
struct RankCollective {
  std::int64_t id = 0;  // in this summary
  std::string name;     // of the kernel
  std::int64_t launches = 0;
  std::int64_t time_ns = 0;  // sum of their durations
};

struct CollectiveSample {
  std::int64_t collective = 0;  // RankCollective::id
  std::int64_t launch = 0;      // from 0, among those of its name
  std::int64_t start_utc_ns = 0;
  std::int64_t end_utc_ns = 0;
  // The longest time in it during which no kernel computes; empty (equal) if it is hidden.
  std::int64_t exposed_start_utc_ns = 0;
  std::int64_t exposed_end_utc_ns = 0;
  bool typical = false;  // within a typical step
};

struct RankSummary {
  // The file that it was made from, and the options.
  std::string file;
  std::int64_t file_bytes = 0;
  std::int64_t file_changed_utc_ns = 0;
  std::string options;

  int rank = 0;
  int world_size = 0;  // 0: unknown
  std::string host;
  std::string boot;  // ranks with one boot have one clock
  std::int64_t pid = 0;
  std::string command;
  bool complete = false;  // otherwise interrupted
  std::int64_t dropped_events = 0;

  // The device with the most kernel time; everything below is of this one.
  int device_id = 0;
  std::string device;
  std::string device_uuid;
  int devices = 0;  // with activity, in the profile

  std::int64_t start_utc_ns = 0;  // first activity
  std::int64_t end_utc_ns = 0;    // end of the last
  std::int64_t kernels = 0;       // in the profile

  StepOrigin origin = StepOrigin::whole;
  std::int64_t steps = 0;
  std::int64_t typical_steps = 0;
  std::int64_t disturbed_steps = 0;  // counters were read
  std::int64_t step_stride = 1;      // step_samples has those whose number is a multiple of it
  StepSplit typical;                 // sum over the typical steps
  std::int64_t step_median_ns = 0;   // of the undisturbed steps
  std::int64_t step_p95_ns = 0;
  std::int64_t step_max_ns = 0;
  double step_launches = 0;  // kernels of a typical step
  std::optional<double> sm_clock_hz;
  std::optional<double> power_w;

  // A launch is sampled if is_sampled(launch, level), or if it is one of the first of its name.
  int sample_level = 0;

  std::vector<RankStep> step_samples;
  std::vector<RankPart> parts;
  std::vector<RankCollective> collectives;
  std::vector<CollectiveSample> samples;  // by collective and launch

  bool has_steps() const { return origin != StepOrigin::whole && typical_steps > 0; }
  // Mean per typical step, in seconds; 0 without typical steps.
  double per_step_s(std::int64_t sum_ns) const {
    return typical_steps > 0
               ? 1e-9 * static_cast<double>(sum_ns) / static_cast<double>(typical_steps)
               : 0;
  }
};

// Whether samples of this level, from 0, have a launch: all of level 0, half of them of level 1, a
// quarter of level 2. The launches of a level are also in all lower levels, so that ranks with
// different levels have those of the highest in common. Pseudorandom: a fixed stride would hit the
// same collectives in every step.
bool is_sampled(std::int64_t launch, int level);

// Summarizes the profile of one rank. `options`: as RankSummary::options. Throws std::runtime_error
// if the profile has no GPU activity.
RankSummary summarize_rank(const collector::RankHead& head, const RunAnalysis& run,
                           std::string options);

}  // namespace mansard::analysis
