// SPDX-License-Identifier: Apache-2.0
// Overhead of kernel records. On the GPU: kernels of a fixed duration follow each other in a stream
// that always has more kernels queued, so that the host does not matter, and their period is
// compared with and without records. On the host: launches of empty kernels are timed.
//
// Without arguments it requests from CUPTI the minimum of a tracing tool, which is the lower bound
// for every tool based on CUPTI. With `mansard` it measures Mansard.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <cupti.h>

#include "tests/benchmarks/fixed_kernels.cuh"

namespace mansard {

constexpr const char* kUsage =
    "usage: benchmark_tracing_cost [--pinned] [--rounds N]\n"
    "       mansard profile --capture-range cudaProfilerApi -- benchmark_tracing_cost mansard\n"
    "  --pinned    CUPTI keeps timestamps in pinned host memory, not in device memory\n"
    "  --rounds N  measurements per configuration and kernel, in random order (default 20)\n";

struct Options {
  bool mansard = false;
  bool pinned = false;
  int rounds = 20;
};

constexpr FixedKernel kMeasured[] = {{10, 0, 900}, {50, 0, 900}, {170, 0, 300}, {50, 64, 600}};
constexpr std::size_t kMaxWrittenMib = 64;

void check(CUptiResult result, const std::string& attempted) {
  if (result == CUPTI_SUCCESS) return;
  const char* text = "unknown error";
  cuptiGetResultString(result, &text);
  fail(attempted + ": " + text);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--help") {
      std::fputs(kUsage, stdout);
      std::exit(0);
    } else if (word == "--pinned") {
      options.pinned = true;
    } else if (word == "mansard" && std::getenv("CUDA_INJECTION64_PATH") != nullptr) {
      options.mansard = true;
    } else if (word == "--rounds" && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
      options.rounds = std::atoi(argv[++i]);
    } else {
      fail("'" + word + "' is unknown, lacks its value, or is not valid here\n" + kUsage, 2);
    }
  }
  return options;
}

struct Way {
  const char* name;
  std::function<void()> begin;
  std::function<void()> end;
};

void CUPTIAPI request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *size = 8 << 20;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, *size));
  *records = 0;
}

void CUPTIAPI complete_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                              std::size_t) {
  std::free(buffer);
}

Way cupti_way(const char* name, std::vector<CUpti_ActivityKind> kinds) {
  const auto begin = [kinds] {
    for (const auto kind : kinds) check(cuptiActivityEnable(kind), "enable records");
  };
  const auto end = [kinds] {
    for (const auto kind : kinds) check(cuptiActivityDisable(kind), "disable records");
    check(cuptiActivityFlushAll(0), "flush records");
  };
  return {name, begin, end};
}

// The records that Mansard requests from CUPTI in a capture window
// (collector/cupti/record_kinds.h).
Way mansards_kinds_way() {
  Way way = cupti_way(
      "CUPTI, Mansard's records",
      {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
       CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_RUNTIME,
       CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_OVERHEAD,
       CUPTI_ACTIVITY_KIND_MEMORY2, CUPTI_ACTIVITY_KIND_MEMORY_POOL});
  const auto driver_launches = [](std::uint8_t enable) {
    for (const auto call :
         {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
          CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
          CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz}) {
      check(cuptiActivityEnableDriverApi(call, enable), "select driver calls");
    }
  };
  return {way.name,
          [=] {
            way.begin();
            driver_launches(1);
          },
          [=] {
            driver_launches(0);
            way.end();
          }};
}

std::vector<Way> cupti_ways(bool pinned) {
  constexpr auto kPinned = CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED;
  std::uint8_t yes = 1;
  std::size_t size = sizeof yes;
  if (pinned) check(cuptiActivitySetAttribute(kPinned, &size, &yes), "request pinned memory");
  check(cuptiActivityRegisterCallbacks(request_buffer, complete_buffer), "register buffers");
  constexpr auto kKernels = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  constexpr auto kCalls = CUPTI_ACTIVITY_KIND_RUNTIME;
  return {cupti_way("CUPTI, kernels", {kKernels}),
          cupti_way("CUPTI, kernels and runtime API", {kKernels, kCalls}),
          cupti_way("CUPTI, kernels one by one", {CUPTI_ACTIVITY_KIND_KERNEL}),
          cupti_way("CUPTI, kernels and all calls", {kKernels, kCalls, CUPTI_ACTIVITY_KIND_DRIVER}),
          mansards_kinds_way(),
          cupti_way("CUPTI, runtime API only", {kCalls})};
}

Way mansard_way() {
  const auto end = [] {
    check(cudaProfilerStop(), "cudaProfilerStop");
    // Mansard's threads flush and write the remaining records. This thread stays awake, because the
    // next measurement would be slower after a sleep.
    const auto over = std::chrono::steady_clock::now() + std::chrono::milliseconds(600);
    while (std::chrono::steady_clock::now() < over) continue;
  };
  return {"mansard", [] { check(cudaProfilerStart(), "cudaProfilerStart"); }, end};
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

void compare(const std::string& measured, const std::function<double()>& measure_ns,
             const std::vector<Way>& ways, int rounds) {
  std::mt19937 random(1);
  std::vector<std::vector<double>> took_ns(ways.size());
  std::vector<std::size_t> order(ways.size());
  std::iota(order.begin(), order.end(), 0);
  for (int round = -1; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t way : order) {
      ways[way].begin();
      const double ns = measure_ns();
      ways[way].end();
      if (round >= 0) took_ns[way].push_back(ns);  // the first round is a warm-up
    }
  }
  for (std::size_t way = 0; way < ways.size(); ++way) {
    std::vector<double> added_ns;
    std::transform(took_ns[way].begin(), took_ns[way].end(), took_ns[0].begin(),
                   std::back_inserter(added_ns), std::minus());
    std::printf("| %s | %s | %.0f | %+.0f | %+.0f to %+.0f |\n", measured.c_str(), ways[way].name,
                quantile(took_ns[way], 0.5), quantile(added_ns, 0.5), quantile(added_ns, 0.25),
                quantile(added_ns, 0.75));
  }
  std::fflush(stdout);
}

std::string name_of(const FixedKernel& kernel) {
  std::string name = "kernel of " + std::to_string(kernel.duration_us) + " us";
  if (kernel.written_mib > 0) name += " and " + std::to_string(kernel.written_mib) + " MiB";
  return name;
}

}  // namespace mansard

int main(int argc, char** argv) {
  using namespace mansard;
  const Options options = parse(argc, argv);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) fail("no GPU", 77);
  std::vector<Way> ways = {{"plain", [] {}, [] {}}, {"plain again", [] {}, [] {}}};
  const auto more = options.mansard ? std::vector{mansard_way()} : cupti_ways(options.pinned);
  ways.insert(ways.end(), more.begin(), more.end());
  FixedKernels stream(kMaxWrittenMib);
  std::puts("| measured | way | ns | added, ns | quartiles |\n|---|---|---|---|---|");
  compare(
      "launch, on the host", [&] { return stream.launch_ns(); }, ways, options.rounds);
  for (const FixedKernel& kernel : kMeasured) {
    compare(
        name_of(kernel), [&] { return stream.beyond_waiting_ns(kernel); }, ways, options.rounds);
  }
  return 0;
}
