// SPDX-License-Identifier: Apache-2.0
// write_rank_profiles FOLDER [NAME=VALUE]... Writes synthetic profiles of a job's ranks,
// run-0.sqlite and so on. Names: ranks, steps, collectives (per step), kernels (before each
// collective), world (size that the profiles state), calls (0: no API calls), first and last (ranks
// to write); slow=RANK:FRACTION (of its GEMMs), idle=RANK:MICROSECONDS (per step), ends=RANK:STEPS
// (it is interrupted), fewer=RANK:STEPS (it is complete), skips=RANK:COLLECTIVES,
// ahead=RANK:MICROSECONDS (its clock), drift=RANK:PPM.
#include <cstdio>
#include <stdexcept>
#include <string>

#include "tests/analyzer/ranks/rank_profiles.h"

namespace {

using mansard::test::JobScenario;
using mansard::test::RankVariation;
using mansard::test::SyntheticJob;

struct Range {
  int first = 0;
  int last = -1;
};

bool set_of_job(JobScenario& job, Range& range, const std::string& name, int value) {
  if (name == "ranks")
    job.ranks = value;
  else if (name == "steps")
    job.steps = value;
  else if (name == "collectives")
    job.collectives = value;
  else if (name == "kernels")
    job.segment_kernels = value;
  else if (name == "world")
    job.world_size = value;
  else if (name == "calls")
    job.api_calls = value != 0;
  else if (name == "first")
    range.first = value;
  else if (name == "last")
    range.last = value;
  else
    return false;
  return true;
}

bool set_of_rank(RankVariation& rank, const std::string& name, double value) {
  const auto whole = static_cast<int>(value);
  if (name == "slow")
    rank.slow_gemms = value;
  else if (name == "idle")
    rank.idle_ns = std::llround(1e3 * value);
  else if (name == "ends" || name == "fewer")
    rank.steps = whole;
  else if (name == "skips")
    rank.skipped_collectives = whole;
  else if (name == "ahead")
    rank.clock_ahead_ns = std::llround(1e3 * value);
  else if (name == "drift")
    rank.clock_drift = 1e-6 * value;
  else
    return false;
  if (name == "ends") rank.complete = false;
  return true;
}

void set(JobScenario& job, Range& range, const std::string& argument) {
  const std::size_t equals = argument.find('=');
  const std::size_t colon = argument.find(':', equals);
  const std::string name = argument.substr(0, equals);
  bool known = false;
  if (equals != std::string::npos && colon != std::string::npos) {
    const int rank = std::stoi(argument.substr(equals + 1, colon - equals - 1));
    known = set_of_rank(job.variations[rank], name, std::stod(argument.substr(colon + 1)));
  } else if (equals != std::string::npos) {
    known = set_of_job(job, range, name, std::stoi(argument.substr(equals + 1)));
  }
  if (!known) throw std::invalid_argument("unknown argument '" + argument + "'");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 2) throw std::invalid_argument("give a folder");
    JobScenario job;
    Range range;
    for (int i = 2; i < argc; ++i) set(job, range, argv[i]);
    if (range.last < 0) range.last = job.ranks - 1;
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder);
    const SyntheticJob synthetic(job);
    for (int rank = range.first; rank <= range.last; ++rank) {
      synthetic.write(rank, folder / SyntheticJob::file_name(rank));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "write_rank_profiles: %s\n", error.what());
    return 1;
  }
  return 0;
}
