// SPDX-License-Identifier: Apache-2.0
// gui_open [KERNELS [RANGES_PER_KERNEL [REPETITIONS]]] | gui_open FILE [REPETITIONS] Time from a
// profile to the data that the window's views draw, and the memory then held. Uses FILE, or a
// synthetic profile (in the temporary folder) with 2.2 million kernels, as many API calls, and one
// range per four kernels. Each repetition is a separate process, with the file in the page cache.
// The last line has the minimum of each column, because other programs only add.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <string>
#include <unistd.h>
#include <vector>

#include <sys/mman.h>
#include <sys/resource.h>

#include "gui/models/open_run.h"
#include "tests/benchmarks/synthetic_profile.h"

namespace {

using namespace mansard;
using namespace mansard::gui;
namespace fs = std::filesystem;

struct Measured {
  double load_s = 0;
  double analyze_s = 0;
  double prepare_s = 0;
  double wall_s = 0;
  double cpu_s = 0;       // user and system, of all threads
  double held_bytes = 0;  // resident after opening minus before, both trimmed
  double peak_bytes = 0;  // maximum resident minus before
  double kernels = 0;
};

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
}

double cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double resident_bytes() {
  malloc_trim(0);
  std::ifstream statm("/proc/self/statm");
  double size = 0;
  double resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024 * static_cast<double>(usage.ru_maxrss);
}

// Memory of the data structures known to be large.
void print_account(const gui::OpenRun& run) {
  const store::Profile& profile = run.analysis.profile;
  const auto kernels = static_cast<double>(profile.kernels.size());
  const auto line = [&](const char* what, std::size_t bytes) {
    std::printf("  %-28s %8.1f\n", what, static_cast<double>(bytes) / kernels);
  };
  std::size_t launch_indices = 0;
  for (const analysis::KernelRow& row : run.analysis.rows)
    launch_indices += row.launch_indices.capacity();
  std::size_t device_slices = 0;
  std::size_t host_slices = 0;
  for (const figure::TimelineTrack& track : run.timeline.tracks) {
    (track.device_id < 0 ? host_slices : device_slices) += track.slices.held_bytes();
  }
  constexpr std::size_t kLaunch = 28;
  std::puts("bytes per kernel of");
  line("Profile::kernels", profile.kernels.held_bytes());
  line("Profile::api_calls", profile.api_calls.held_bytes());
  line("Profile::nvtx", profile.nvtx.held_bytes());
  line("KernelRow::launch_indices", launch_indices * sizeof(std::uint32_t));
  line("Timeline, devices", device_slices);
  line("Timeline, threads", host_slices);
  line("LaunchColumns", run.launches.size() * kLaunch);
}

Measured open_as_the_window_does(const fs::path& file, bool with_account) {
  Measured m;
  const double before_bytes = resident_bytes();
  const double cpu_before_s = cpu_s();
  const auto start = std::chrono::steady_clock::now();
  auto last = start;
  const auto lap_s = [&] {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last, now)).count();
  };
  store::Profile profile = store::load_profile(file);
  m.load_s = lap_s();
  analysis::RunAnalysis analysis = analysis::analyze_run(std::move(profile), {});
  m.analyze_s = lap_s();
  const std::shared_ptr<const gui::OpenRun> run = gui::prepare_run(std::move(analysis));
  m.prepare_s = lap_s();
  m.wall_s = m.load_s + m.analyze_s + m.prepare_s;
  m.cpu_s = cpu_s() - cpu_before_s;
  m.peak_bytes = peak_bytes() - before_bytes;
  m.held_bytes = resident_bytes() - before_bytes;
  m.kernels = static_cast<double>(run->analysis.profile.kernels.size());
  if (with_account) print_account(*run);
  return m;
}

void print(const char* label, const Measured& m) {
  std::printf("%-8s %8.2f %8.2f %8.2f %8.2f %8.2f %11.1f %11.1f\n", label, m.load_s, m.analyze_s,
              m.prepare_s, m.wall_s, m.cpu_s, m.held_bytes / m.kernels, m.peak_bytes / m.kernels);
  std::fflush(stdout);
}

Measured least_of(const Measured* all, int count) {
  Measured least = all[0];
  for (const Measured& m : std::vector<Measured>(all + 1, all + count)) {
    for (const auto member :
         {&Measured::load_s, &Measured::analyze_s, &Measured::prepare_s, &Measured::wall_s,
          &Measured::cpu_s, &Measured::held_bytes, &Measured::peak_bytes}) {
      least.*member = std::min(least.*member, m.*member);
    }
  }
  return least;
}

void measure(const fs::path& file, int repetitions) {
  // Shared with the measuring processes.
  auto* const results =
      static_cast<Measured*>(mmap(nullptr, static_cast<std::size_t>(repetitions) * sizeof(Measured),
                                  PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (results == MAP_FAILED) std::exit(1);
  for (int i = 0; i < repetitions; ++i) {
    benchmark::in_process([&] {
      results[i] = open_as_the_window_does(file, i == 0);
      std::fflush(stdout);
    });
    if (i == 0) {
      std::puts("          load, s analyze, prepare,  all, s   CPU, s held, B/ker peak, B/ker");
    }
    print(std::to_string(i + 1).c_str(), results[i]);
  }
  print("minimum", least_of(results, repetitions));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && fs::is_regular_file(argv[1])) {
    measure(argv[1], argc > 2 ? std::max(1, std::atoi(argv[2])) : 5);
    return 0;
  }
  const std::int64_t kernels = argc > 1 ? std::max(1LL, std::atoll(argv[1])) : 2'200'000;
  const double ranges = argc > 2 ? std::atof(argv[2]) : 0.25;
  const benchmark::Size size{kernels, kernels,
                             static_cast<std::int64_t>(ranges * static_cast<double>(kernels))};
  const fs::path file =
      fs::temp_directory_path() / ("gui_open_" + std::to_string(getpid()) + ".sqlite");
  benchmark::in_process([&] { benchmark::MadeUpRecording(file, size).write(); });
  std::printf("%lld kernels, %lld API calls, %lld ranges; profile size %.1f MB\n",
              static_cast<long long>(size.kernels), static_cast<long long>(size.calls),
              static_cast<long long>(size.ranges), 1e-6 * static_cast<double>(fs::file_size(file)));
  std::fflush(stdout);  // otherwise the child processes print it again
  measure(file, argc > 3 ? std::max(1, std::atoi(argv[3])) : 5);
  fs::remove(file);
  return 0;
}
