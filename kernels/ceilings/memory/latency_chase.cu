// SPDX-License-Identifier: Apache-2.0
// Latency of one dependent load vs. working-set size: one thread follows a random cycle through
// lines of 128 bytes, each of which holds the address of the next. The order defeats prefetching.
// Device memory is mapped in pages of 2 MiB; beyond the reach of the GPU's TLBs (some hundreds of
// MiB), a load also waits for a page walk, and the curve continues to rise.
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>

#include "kernels/device/device_buffer.h"
#include "kernels/device/sm_clock.cuh"
#include "kernels/kernel.h"

namespace mansard::kernels {
namespace {

constexpr int kLineBytes = 128;
constexpr int kLineAddresses = kLineBytes / 8;
constexpr int kThreads = 1024;  // they warm L1; then one continues alone
constexpr int kUnroll = 16;     // loads per check of the counter, which they hide
constexpr double kKiB = 1024;
constexpr double kGiB = kKiB * kKiB * kKiB;

// L1 of the smallest SM (CC 8.6: 128 KiB) minus the reserved shared memory: these lines stay in L1.
constexpr double kSurelyInL1Bytes = 64 * kKiB;

// A launch starts where the previous one ended, so that all lines are visited. Warming L1 is part
// of each launch, because L1 contents do not survive between launches.
__global__ void __launch_bounds__(kThreads)
    latency_chase_ceiling(const std::uint64_t* lines, int lines_to_fetch, int loads,
                          std::uint64_t* position, SmSpan* span_of_block) {
  for (int i = threadIdx.x; i < lines_to_fetch; i += kThreads) {
    std::uint64_t next;
    asm volatile("ld.global.ca.u64 %0, [%1];"
                 : "=l"(next)
                 : "l"(lines + static_cast<std::size_t>(i) * kLineAddresses)
                 : "memory");
    if (next == 0) *position = 0;  // never true, but makes the load necessary
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  std::uint64_t p = *position;
  SmSpan span{};
  span_begin(span);
  for (int n = 0; n < loads; n += kUnroll) {
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)::"memory");
    }
  }
  // Volatile, like the clock: it waits for the last load, and the clock waits for it.
  *static_cast<volatile std::uint64_t*>(position) = p;
  span_end(span);
  *span_of_block = span;
}

// Line i receives the address of line next[i].
__global__ void link_lines(std::uint64_t* lines, const std::uint32_t* next, std::uint32_t count) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x) {
    lines[static_cast<std::size_t>(i) * kLineAddresses] =
        reinterpret_cast<std::uint64_t>(lines + static_cast<std::size_t>(next[i]) * kLineAddresses);
  }
}

// Loads into the L2 as many lines as it holds.
__global__ void touch_lines(const std::uint64_t* lines, std::uint32_t count,
                            unsigned long long* zeros) {
  unsigned long long none = 0;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x) {
    std::uint64_t next;
    asm volatile("ld.global.cg.u64 %0, [%1];"
                 : "=l"(next)
                 : "l"(lines + static_cast<std::size_t>(i) * kLineAddresses));
    if (next == 0) ++none;
  }
  if (none > 0) atomicAdd(zeros, none);
}

// One cycle through all lines, with every such cycle equally likely (S. Sattolo, "An algorithm to
// generate a random cyclic permutation", 1986).
std::vector<std::uint32_t> random_cycle(std::uint32_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> next(count);
  std::iota(next.begin(), next.end(), 0u);
  std::mt19937_64 engine(seed);
  for (std::uint32_t i = count - 1; i > 0; --i) {
    std::swap(next[i], next[std::uniform_int_distribution<std::uint32_t>(0, i - 1)(engine)]);
  }
  return next;
}

class LatencyChase : public PreparedKernel {
 public:
  LatencyChase(const DeviceInfo& device, const PrepareOptions& options)
      : bytes_(options.shape.empty() ? 32 * kKiB : static_cast<double>(options.shape[0])),
        next_(random_cycle(std::max(2u, static_cast<std::uint32_t>(bytes_ / kLineBytes)),
                           std::random_device{}())),
        fetched_(bytes_ <= device.l1_bytes ? static_cast<int>(next_.size()) : 0),
        loads_(loads_for(device)),
        spans_(1),
        lines_(next_.size() * kLineAddresses) {
    cuda_check(
        cudaFuncSetAttribute(latency_chase_ceiling, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxL1),
        "request the largest L1");
    const DeviceBuffer<std::uint32_t> next(next_);
    link_lines<<<1024, 256>>>(lines_.get(), next.get(), count());
    cuda_check(cudaGetLastError(), "link the lines of the latency chase");
    start_at(0);
    warm();
  }

  Work work() const override {
    Work w;
    w.operations = loads_;
    return w;
  }
  void launch(void* stream) override { enqueue(loads_, static_cast<cudaStream_t>(stream)); }

  std::string verify() override {
    const std::uint32_t start = std::random_device{}() % count();
    start_at(start);
    enqueue(loads_, nullptr);
    std::uint32_t expected = start;
    for (int n = 0; n < loads_; ++n) expected = next_[expected];
    const std::uint64_t got = position_.to_host()[0];
    warm();
    if (got == address(expected)) return "";
    return std::to_string(loads_) + " loads from line " + std::to_string(start) +
           " did not end on line " + std::to_string(expected);
  }
  double elapsed_cycles() override { return spans_.cycles(); }
  double elapsed_device_s() override { return spans_.seconds(); }
  std::map<std::string, std::string> parameters() const override {
    return {{"working_set_bytes", std::to_string(std::size_t{count()} * kLineBytes)},
            {"stride_bytes", std::to_string(kLineBytes)},
            {"loads", std::to_string(loads_)}};
  }

 private:
  // A launch must be long relative to its start (2 us), and no longer than 3 ms: assumes 20 ns per
  // load from L1, 180 ns from the L2, and 800 ns from device memory with a page walk.
  int loads_for(const DeviceInfo& device) const {
    if (bytes_ <= kSurelyInL1Bytes) return 65536;
    return bytes_ <= device.l2_bytes / 8 ? 16384 : 3584;
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(next_.size()); }
  std::uint64_t address(std::uint32_t line) const {
    return reinterpret_cast<std::uint64_t>(lines_.get()) + std::uint64_t{line} * kLineBytes;
  }
  void start_at(std::uint32_t line) {
    position_ = DeviceBuffer<std::uint64_t>(std::vector<std::uint64_t>{address(line)});
  }
  // Twice, because the first visit may leave only part of an L2-sized set in the L2.
  void warm() {
    DeviceBuffer<unsigned long long> zeros(1);
    zeros.fill_bytes(0);
    for (int i = 0; i < 2; ++i) touch_lines<<<1024, 256>>>(lines_.get(), count(), zeros.get());
    cuda_check(cudaGetLastError(), "warm the latency chase");
    if (zeros.to_host()[0] > 0)
      throw std::runtime_error("the latency chase found lines that are not linked");
  }
  void enqueue(int loads, cudaStream_t stream) {
    latency_chase_ceiling<<<1, kThreads, 0, stream>>>(lines_.get(), fetched_, loads,
                                                      position_.get(), spans_.get());
    cuda_check(cudaGetLastError(), "launch the latency chase");
  }

  double bytes_;
  std::vector<std::uint32_t> next_;
  int fetched_;
  int loads_;
  SpanBuffer spans_;
  DeviceBuffer<std::uint64_t> lines_;
  DeviceBuffer<std::uint64_t> position_;
};

// Half an octave apart from 4 KiB to four times the L2, then an octave to 1 GiB.
std::vector<WorkingSet> working_sets(const DeviceInfo& device) {
  const double most = std::min(kGiB, device.memory_bytes / 4);
  std::vector<WorkingSet> sets;
  double bytes = 4 * kKiB;
  for (; bytes <= std::min(most, 4 * device.l2_bytes); bytes *= std::sqrt(2.0)) {
    sets.push_back({kLineBytes * std::round(bytes / kLineBytes), std::nullopt});
  }
  for (double large = 512 * kKiB * kKiB; large <= most; large *= 2) {
    if (large >= bytes) sets.push_back({large, std::nullopt});
  }
  return sets;
}

}  // namespace

void register_latency_chase(KernelRegistry& registry) {
  KernelSpec spec;
  spec.name = "latency_chase";
  spec.summary = "Latency of dependent loads, random order, vs. working-set size";
  spec.role = KernelRole::latency_ceiling;
  spec.fixed_pattern = "random cycle";
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    return device.compute_capability >= 80 ? "" : "needs compute capability 8.0 or higher";
  };
  spec.peak_per_clock = [](const DeviceInfo&) { return 0.0; };
  spec.working_sets = working_sets;
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions& options) {
    return std::make_unique<LatencyChase>(device, options);
  };
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
