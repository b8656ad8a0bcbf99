// SPDX-License-Identifier: Apache-2.0
// recording_scale [FOLDER [KERNELS CALLS RANGES]] Time and memory from the profile of a long
// training run to all analyses, with synthetic steps of a thousand kernels, their API calls and
// nested ranges. Each size is written to FOLDER (default: the temporary folder), analyzed in a
// separate process, and removed. Default sizes: 2.2 M kernels, 7 M API calls and 15.9 M ranges, and
// a half and a quarter of them; and 10 M kernels only, and a half and a quarter.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>

#include <sys/resource.h>

#include "analyzer/run_analysis.h"
#include "tests/benchmarks/synthetic_profile.h"

namespace {

using namespace mansard;
using mansard::benchmark::in_process;
using mansard::benchmark::MadeUpRecording;
using mansard::benchmark::Size;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Loads, analyzes, and computes everything that `mansard analyze` prints.
void analyze(const std::filesystem::path& file, Size size) {
  const auto start = std::chrono::steady_clock::now();
  store::Profile profile = store::load_profile(file);
  const double load_s = seconds_since(start);
  const analysis::RunAnalysis run = analysis::analyze_run(std::move(profile), {});
  const double analyzed_s = seconds_since(start);
  for (const analysis::AnalysisSpec& spec : analysis::analysis_registry().all()) spec.run(run);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%10lld %10lld %10lld %9.2f %9.2f %9.2f %9.2f\n",
              static_cast<long long>(size.kernels), static_cast<long long>(size.calls),
              static_cast<long long>(size.ranges), load_s, analyzed_s, seconds_since(start),
              static_cast<double>(usage.ru_maxrss) * 1024e-9);
  std::fflush(stdout);
}

void measure(const std::filesystem::path& folder, Size size) {
  const std::filesystem::path file = folder / ("scale_" + std::to_string(getpid()) + ".sqlite");
  in_process([&] { MadeUpRecording(file, size).write(); });
  in_process([&] { analyze(file, size); });
  std::filesystem::remove(file);
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder =
      argc > 1 ? argv[1] : std::filesystem::temp_directory_path().string();
  std::puts("   kernels      calls     ranges   load, s  rows, s    all, s   peak, GB");
  std::fflush(stdout);
  if (argc > 4) {
    measure(folder, {std::atoll(argv[2]), std::atoll(argv[3]), std::atoll(argv[4])});
    return 0;
  }
  for (const int part : {4, 2, 1})
    measure(folder, {2200000 / part, 7000000 / part, 15900000 / part});
  for (const int part : {4, 2, 1}) measure(folder, {10000000 / part, 0, 0});
  return 0;
}
