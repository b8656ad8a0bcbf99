// SPDX-License-Identifier: Apache-2.0
// Overhead of one range in the profiled program: a push and a pop with recording.
//   benchmark_nvtx_overhead             with the collector attached (records to a temporary file)
//   benchmark_nvtx_overhead --detached  without it, as in a program that is not profiled
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <unistd.h>

#include <benchmark/benchmark.h>
#include <sys/wait.h>

#include "kernels/annotation/range.h"

namespace {

// Ranges come in bursts with pauses, as in a training step. A loop without pauses would measure how
// fast events are dropped when the writer falls behind.
constexpr int kBurst = 10000;

void push_pop(benchmark::State& state, const char* text) {
  for (auto _ : state) {
    for (int i = 0; i < kBurst; ++i) const mansard::kernels::AnnotatedRange range(text);
    state.PauseTiming();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    state.ResumeTiming();
  }
  state.counters["per_range"] =
      benchmark::Counter(double(kBurst) * double(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// In a separate process, because environment variables select the injection.
int run_in_folder(char** argv, const std::string& folder) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("NVTX_INJECTION64_PATH", MANSARD_BENCHMARK_COLLECTOR, 1);
    setenv("MANSARD_OUTPUT", (folder + "/overhead.sqlite").c_str(), 1);
    execv("/proc/self/exe", argv);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

BENCHMARK_CAPTURE(push_pop, short_text, "fprop")->Iterations(40);
BENCHMARK_CAPTURE(push_pop, annotated,
                  "fprop | flop=1.0995116e12 hbm=4.03e8 precision=bf16 class=gemm shape=8192x8192")
    ->Iterations(40);
BENCHMARK_CAPTURE(push_pop, two_threads, "fprop")->Threads(2)->Iterations(40);

int main(int argc, char** argv) {
  const bool detached = argc > 1 && std::strcmp(argv[1], "--detached") == 0;
  if (!detached && std::getenv("MANSARD_OUTPUT") == nullptr) {
    std::string folder = (std::filesystem::temp_directory_path() / "mansard-bench-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) return 1;
    const int code = run_in_folder(argv, folder);
    std::filesystem::remove_all(folder);
    return code;
  }
  if (detached) {
    argv[1] = argv[0];
    --argc;
    ++argv;
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
