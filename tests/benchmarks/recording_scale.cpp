// SPDX-License-Identifier: Apache-2.0
// recording_scale [FOLDER [KERNELS CALLS RANGES]]
// How long a recording of a long training run takes from its file to all analyses, and how much
// memory: made-up steps of a thousand kernels, their API calls and nested ranges. Each size is
// written to FOLDER (the temporary one), analysed in a process of its own, and removed. Without
// numbers: 2.2 M kernels, 7 M calls and 15.9 M ranges, and a half and a quarter of it; and 10 M
// kernels alone, and a half and a quarter.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>

#include "analyzer/run_analysis.h"
#include "collector/store/profile_writer.h"

namespace {

using namespace mansard;

struct Size {
  std::int64_t kernels;
  std::int64_t calls;
  std::int64_t ranges;
};

constexpr std::int64_t kStep = 1000;       // kernels
constexpr std::int64_t kPeriodNs = 10000;  // from kernel to kernel
constexpr std::int64_t kThread = (std::int64_t{7} << 24) | 1;

class Recording {
 public:
  Recording(const std::filesystem::path& file, Size size) : writer_(file, {}), size_(size) {
    for (int i = 0; i < 300; ++i) {
      names_.push_back(writer_.intern(
          "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float" +
          std::to_string(i) + ">, std::array<char*, 3ul> >(int)"));
    }
    launch_ = writer_.intern("cudaLaunchKernel_v7000");
    other_ = writer_.intern("cudaEventRecord_v3020");
  }

  void write() {
    GpuRecord gpu;
    gpu.name = "NVIDIA H200";
    writer_.add(gpu);
    for (std::int64_t i = 0; i < size_.kernels; ++i) {
      const std::int64_t base_ns = 1000000 + i * kPeriodNs;
      add_calls(i, base_ns);
      add_kernel(i, base_ns + 20000);
      add_ranges(i, base_ns);
    }
    writer_.finish(RecordingState::complete);
  }

 private:
  // Of `total` things this kernel's.
  std::int64_t share(std::int64_t i, std::int64_t total) const {
    return (i + 1) * total / size_.kernels - i * total / size_.kernels;
  }

  void add_calls(std::int64_t i, std::int64_t base_ns) {
    const std::int64_t count = share(i, size_.calls);
    for (std::int64_t call = 0; call < count; ++call) {
      ApiRecord record;
      record.start_ns = base_ns + 50 + call * (kPeriodNs / count);
      record.end_ns = record.start_ns + 1500;
      record.global_tid = kThread;
      record.correlation_id = ++correlation_;
      record.name = call == 0 ? launch_ : other_;
      if (call == 0) launched_ = correlation_;
      writer_.add(record);
    }
  }

  void add_kernel(std::int64_t i, std::int64_t start_ns) {
    KernelRecord record;
    record.start_ns = start_ns;
    record.end_ns = start_ns + 8000 + i * 7919 % 1500;
    record.stream_id = 7;
    record.correlation_id = launched_;
    const std::size_t in_step = static_cast<std::size_t>(i % kStep);
    record.demangled_name = record.short_name = names_[in_step * 7919 % names_.size()];
    record.grid = {static_cast<std::int32_t>(1 + in_step % 4), 1, 1};
    record.block = {128, 1, 1};
    writer_.add(record);
  }

  // In the order in which they end, as a collector writes them: the step last.
  void add_ranges(std::int64_t i, std::int64_t base_ns) {
    const std::int64_t count = share(i, size_.ranges);
    for (std::int64_t depth = count - 1; depth >= 0; --depth) {
      const bool annotated = depth == count - 1 && i % 3 == 0;
      add_range(base_ns + 10 * depth, base_ns + kPeriodNs - 10 - 10 * depth,
                annotated ? "layer | flop=1e9 hbm=1e6 precision=bf16"
                          : "aten::op_" + std::to_string((7 * i + depth) % 500));
    }
    if (count > 0 && (i % kStep == kStep - 1 || i + 1 == size_.kernels)) {
      const std::int64_t step = i / kStep;
      add_range(1000000 + step * kStep * kPeriodNs - 5, base_ns + kPeriodNs - 5,
                "step " + std::to_string(step));
    }
  }

  void add_range(std::int64_t start_ns, std::int64_t end_ns, const std::string& text) {
    NvtxRecord record;
    record.start_ns = start_ns;
    record.end_ns = end_ns;
    record.global_tid = kThread;
    record.text = text;
    writer_.add(record);
  }

  ProfileWriter writer_;
  Size size_;
  std::vector<StringId> names_;
  StringId launch_ = 0;
  StringId other_ = 0;
  std::int64_t correlation_ = 0;
  std::int64_t launched_ = 0;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Load, analyse, and all that `mansard analyze` prints.
void analyze(const std::filesystem::path& file, Size size) {
  const auto start = std::chrono::steady_clock::now();
  Profile profile = load_profile(file);
  const double load_s = seconds_since(start);
  const RunAnalysis run = analyze_run(std::move(profile), {});
  const double analyzed_s = seconds_since(start);
  std::size_t tables = 0;
  for (const AnalysisSpec& spec : analysis_registry().all()) tables += spec.run(run).tables.size();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%10lld %10lld %10lld %9.2f %9.2f %9.2f %9.2f\n",
              static_cast<long long>(size.kernels), static_cast<long long>(size.calls),
              static_cast<long long>(size.ranges), load_s, analyzed_s, seconds_since(start),
              static_cast<double>(usage.ru_maxrss) * 1024e-9);
  std::fflush(stdout);
}

// In processes of their own, so that the memory of one is not that of the next.
template <class Work>
void in_process(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    std::_Exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) std::exit(1);
}

void measure(const std::filesystem::path& folder, Size size) {
  const std::filesystem::path file = folder / ("scale_" + std::to_string(getpid()) + ".sqlite");
  in_process([&] { Recording(file, size).write(); });
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
