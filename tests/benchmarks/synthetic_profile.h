// SPDX-License-Identifier: Apache-2.0
// Synthetic profiles of long training runs: steps of a thousand kernels with their API calls and
// nested ranges.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include <sys/wait.h>

#include "collector/store/profile_writer.h"

namespace mansard::benchmark {

struct Size {
  std::int64_t kernels;
  std::int64_t calls;
  std::int64_t ranges;
};

inline constexpr std::int64_t kStep = 1000;       // kernels per step
inline constexpr std::int64_t kPeriodNs = 10000;  // from one kernel start to the next
inline constexpr std::int64_t kThread = (std::int64_t{7} << 24) | 1;

class MadeUpRecording {
 public:
  MadeUpRecording(const std::filesystem::path& file, Size size) : writer_(file, {}), size_(size) {
    for (int i = 0; i < 300; ++i) {
      names_.push_back(writer_.intern(
          "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float" +
          std::to_string(i) + ">, std::array<char*, 3ul> >(int)"));
    }
    launch_ = writer_.intern("cudaLaunchKernel_v7000");
    other_ = writer_.intern("cudaEventRecord_v3020");
  }

  void write() {
    store::GpuRecord gpu;
    gpu.name = "NVIDIA H200";
    writer_.add(gpu);
    for (std::int64_t i = 0; i < size_.kernels; ++i) {
      const std::int64_t base_ns = 1000000 + i * kPeriodNs;
      add_calls(i, base_ns);
      add_kernel(i, base_ns + 20000);
      add_ranges(i, base_ns);
    }
    writer_.finish(store::RecordingState::complete);
  }

 private:
  // This kernel's share of `total` items.
  std::int64_t share(std::int64_t i, std::int64_t total) const {
    return (i + 1) * total / size_.kernels - i * total / size_.kernels;
  }

  void add_calls(std::int64_t i, std::int64_t base_ns) {
    const std::int64_t count = share(i, size_.calls);
    for (std::int64_t call = 0; call < count; ++call) {
      store::ApiRecord record;
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
    store::KernelRecord record;
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

  // Written in order of their ends, as a collector does; the step is last.
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
    store::NvtxRecord record;
    record.start_ns = start_ns;
    record.end_ns = end_ns;
    record.global_tid = kThread;
    record.text = text;
    writer_.add(record);
  }

  store::ProfileWriter writer_;
  Size size_;
  std::vector<store::StringId> names_;
  store::StringId launch_ = 0;
  store::StringId other_ = 0;
  std::int64_t correlation_ = 0;
  std::int64_t launched_ = 0;
};

// In separate processes, so that the memory of one does not affect the next.
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

}  // namespace mansard::benchmark
