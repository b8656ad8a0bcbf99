// SPDX-License-Identifier: Apache-2.0
// export_scale [FOLDER [KERNELS CALLS RANGES]] Time and memory of `mansard export` for each target,
// from a synthetic profile in FOLDER (default: the temporary folder) with, by default, a million
// kernels, a million API calls and two million ranges. Each target is written by a separate process
// and then removed. "analyze" is the part that all of them do first.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>

#include <sys/resource.h>

#include "reports/export/export.h"
#include "tests/benchmarks/synthetic_profile.h"

namespace {

using namespace mansard;
namespace fs = std::filesystem;

void write_target(const std::string& target, const reports::ExportInput& input,
                  const fs::path& output) {
  if (target == "analyze") return;
  if (target == "sqlite") return reports::export_sqlite(input, output);
  const auto sink = reports::open_file_sink(output, reports::is_packed_name(output));
  if (target.starts_with("chrome")) reports::export_chrome(input, *sink);
  if (target == "perfetto") reports::export_perfetto(input, *sink);
  if (target == "csv") reports::export_csv(input, reports::ExportTable::launches, *sink);
  if (target == "json") reports::export_json(input, *sink);
  sink->finish();
}

void measure(const std::string& target, const fs::path& recording) {
  const fs::path output = recording.string() + "." + target;
  const auto start = std::chrono::steady_clock::now();
  const analysis::RunAnalysis run = analysis::analyze_run(store::load_profile(recording), {});
  const reports::ExportInput input{.run = run, .names = store::read_host_names(recording)};
  const auto analyzed = std::chrono::steady_clock::now();
  write_target(target, input, output);
  const auto end = std::chrono::steady_clock::now();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::error_code none;
  const double bytes = fs::exists(output) ? static_cast<double>(fs::file_size(output)) : 0;
  fs::remove(output, none);
  using Seconds = std::chrono::duration<double>;
  std::printf("%-10s %9.2f %9.2f %9.2f %9.1f\n", target.c_str(), Seconds(analyzed - start).count(),
              Seconds(end - analyzed).count(), static_cast<double>(usage.ru_maxrss) * 1024e-9,
              1e-6 * bytes);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path folder = argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path();
  benchmark::Size size{1'000'000, 1'000'000, 2'000'000};
  if (argc > 4) size = {std::atoll(argv[2]), std::atoll(argv[3]), std::atoll(argv[4])};
  const fs::path recording = folder / ("export_" + std::to_string(getpid()) + ".sqlite");
  benchmark::in_process([&] { benchmark::MadeUpRecording(recording, size).write(); });
  std::printf("%lld kernels, %lld API calls, %lld ranges; profile size %.1f MB\n",
              static_cast<long long>(size.kernels), static_cast<long long>(size.calls),
              static_cast<long long>(size.ranges),
              1e-6 * static_cast<double>(fs::file_size(recording)));
  std::puts("target     analyze, s  write, s  peak, GB  file, MB");
  std::fflush(stdout);
  for (const char* target :
       {"analyze", "chrome", "chrome.gz", "perfetto", "csv", "json", "sqlite"}) {
    benchmark::in_process([&] { measure(target, recording); });
  }
  fs::remove(recording);
  return 0;
}
