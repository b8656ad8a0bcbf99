// SPDX-License-Identifier: Apache-2.0
// Speed and memory of importing a PyTorch profiler trace: writes a trace of synthetic training
// steps in Kineto's format, imports it, and prints both.
//
//   benchmark_import_speed [MEGABYTES [FOLDER]]      with FOLDER the trace is kept there
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <sys/resource.h>

#include "collector/import/import_result.h"

namespace {

using namespace mansard;

constexpr int kOperationsPerStep = 400;
constexpr const char* kKernel =
    "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<c10::BFloat16, "
    "c10::BFloat16, c10::BFloat16, at::native::binary_internal::MulFunctor<float> >, "
    "std::array<char*, 3ul> >(int, at::native::BinaryFunctor<float>, std::array<char*, 3ul>)";

// Nanoseconds in Kineto's format: microseconds with three digits.
void print_us(std::FILE* file, const char* key, long long ns) {
  std::fprintf(file, "\"%s\": %lld.%03lld", key, ns / 1000, ns % 1000);
}

// An operation, its API call, the kernel launched by the call, and the arrow between the two.
void write_operation(std::FILE* file, long long i, long long host_ns, long long device_ns) {
  std::fprintf(file,
               ",\n  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mul\", "
               "\"pid\": 4711, \"tid\": 4711,\n    ");
  print_us(file, "ts", host_ns);
  std::fprintf(file,
               ", \"dur\": 9.250,\n    \"args\": {\n      \"External id\": %lld,\"Sequence "
               "number\": %lld, \"Fwd thread id\": 0, \"Record function id\": 0, "
               "\"Concrete Inputs\": [\"\", \"\", \"\", \"[2, 2]\"], \"Input type\": "
               "[\"c10::BFloat16\", \"c10::BFloat16\"], \"Input Strides\": [[4096, 1], [4096, "
               "1]], \"Input Dims\": [[8192, 4096], [8192, 4096]], \"Ev Idx\": %lld\n    }\n  }",
               i, i, i);
  std::fprintf(file,
               ",\n  {\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": "
               "\"cudaLaunchKernel\", \"pid\": 4711, \"tid\": 4711,\n    ");
  print_us(file, "ts", host_ns + 2000);
  std::fprintf(file,
               ", \"dur\": 4.125,\n    \"args\": {\n      \"External id\": %lld, \"cbid\": "
               "211, \"correlation\": %lld\n    }\n  }",
               i, i);
  std::fprintf(file, ",\n  {\n    \"ph\": \"s\", \"id\": %lld, \"pid\": 4711, \"tid\": 4711, ", i);
  print_us(file, "ts", host_ns + 2000);
  std::fprintf(file, ",\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"\n  }");
  std::fprintf(file,
               ",\n  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s\", \"pid\": 0, "
               "\"tid\": 7,\n    ",
               kKernel);
  print_us(file, "ts", device_ns);
  std::fprintf(file,
               ", \"dur\": 7.360,\n    \"args\": {\n      \"External id\": %lld, \"queued\": "
               "0, \"device\": 0, \"context\": 1, \"stream\": 7, \"correlation\": %lld, "
               "\"registers per thread\": 32, \"shared memory\": 0, \"blocks per SM\": "
               "993.939392, \"warps per SM\": 3975.757568, \"grid\": [131072, 1, 1], "
               "\"block\": [128, 1, 1], \"est. achieved occupancy %%\": 94\n    }\n  }",
               i, i);
}

void write_trace(const std::filesystem::path& path, long long bytes) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    std::perror(path.c_str());
    std::exit(1);
  }
  std::fputs(
      "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\"id\": 0, \"name\": "
      "\"NVIDIA H200\", \"totalGlobalMem\": 150000000000, \"computeMajor\": 9, "
      "\"computeMinor\": 0, \"numSms\": 132}\n  ],\n  \"displayTimeUnit\": \"ms\",\n  "
      "\"baseTimeNanoseconds\": 1743521598000000000,\n  \"traceEvents\": [\n  {\"ph\": "
      "\"M\", \"name\": \"process_name\", \"pid\": 4711, \"args\": {\"name\": \"python3\"}}",
      file);
  long long host_ns = 198'093'488'368'463;
  for (long long i = 1; std::ftell(file) < bytes; ++i) {
    if (i % kOperationsPerStep == 1) {
      std::fprintf(file,
                   ",\n  {\n    \"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": "
                   "\"ProfilerStep#%lld\", \"pid\": 4711, \"tid\": 4711,\n    ",
                   i / kOperationsPerStep);
      print_us(file, "ts", host_ns - 100);
      std::fprintf(file, ", \"dur\": %d,\n    \"args\": {\"External id\": %lld}\n  }",
                   10 * kOperationsPerStep, i);
    }
    write_operation(file, i, host_ns, host_ns + 20'000);
    host_ns += 10'000;
  }
  std::fputs("\n  ],\n  \"traceName\": \"trace.json\"\n}\n", file);
  std::fclose(file);
}

}  // namespace

int main(int argc, char** argv) {
  const long long megabytes = argc > 1 ? std::atoll(argv[1]) : 300;
  const bool keep = argc > 2;
  const std::filesystem::path folder = keep ? argv[2] : std::filesystem::temp_directory_path();
  const std::filesystem::path trace = folder / "mansard_import_speed.json";
  const std::filesystem::path output = folder / "mansard_import_speed.sqlite";
  write_trace(trace, megabytes * 1'000'000);
  const double bytes = static_cast<double>(std::filesystem::file_size(trace));

  const auto begin = std::chrono::steady_clock::now();
  const collector::ImportResult result = collector::import_trace(trace, output, nullptr);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%.0f MB in %.1f s: %.0f MB/s, peak memory %.0f MB\n", bytes * 1e-6, seconds,
              bytes * 1e-6 / seconds, static_cast<double>(usage.ru_maxrss) * 1.024e-3);
  for (const auto& [kind, count] : result.imported.counts()) {
    std::printf("  %lld %s\n", static_cast<long long>(count), kind.c_str());
  }
  std::filesystem::remove(output);
  if (!keep) std::filesystem::remove(trace);
  return 0;
}
