// SPDX-License-Identifier: Apache-2.0
// Bandwidth of the two halves of a split L2: every SM reads only lines of its own partition, or
// only lines of the other. The partitions are first identified by latency.
#include <cstdint>
#include <random>
#include <stdexcept>

#include "kernels/device/device_buffer.h"
#include "kernels/device/l2_sides.h"
#include "kernels/device/sm_clock.cuh"
#include "kernels/kernel.h"

namespace mansard::kernels {
namespace {

constexpr int kThreads = 1024;
constexpr int kWarps = kThreads / 32;
constexpr int kLineBytes = 128;
constexpr int kLineWords = kLineBytes / 4;
constexpr int kLines = 163840;    // 20 MiB: both partitions can hold all of it
constexpr int kLinesPerLoad = 4;  // per warp: 16 bytes per lane
constexpr int kInFlight = 2;
constexpr int kLinesPerTurn = kWarps * kInFlight * kLinesPerLoad;  // per block
constexpr int kProbes = 4;  // per line and SM; the fastest counts, the first warms
constexpr double kLaunchBytes = 6e9;

enum class Side { near, far };

__device__ __forceinline__ std::uint32_t sm_number() {
  std::uint32_t n;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(n));
  return n;
}

// An atomic operation, because atomics execute at a line's home while loads may be served from a
// copy in the near partition. It changes nothing.
__device__ __forceinline__ std::uint32_t probe(std::uint32_t* p) {
  std::uint32_t v;
  asm volatile("atom.relaxed.gpu.global.or.b32 %0, [%1], 0;" : "=r"(v) : "l"(p) : "memory");
  return v;
}

__device__ __forceinline__ std::uint32_t cycle() {
  std::uint32_t c;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
  return c;
}

// One thread of each SM times the operation on every line. The SMs start at different lines so that
// they do not queue. No word equals `never`: the branch makes the second clock reading wait for the
// result.
__global__ void probe_l2_lines(std::uint32_t* data, std::uint32_t never, int sms,
                               std::uint16_t* cycles) {
  const int sm = static_cast<int>(sm_number());
  if (threadIdx.x != 0 || sm >= sms) return;
  std::uint16_t* row = cycles + static_cast<std::size_t>(sm) * kLines;
  for (int n = 0; n < kLines; ++n) {
    const int line = (n + sm * (kLines / sms)) % kLines;
    std::uint32_t least = 0xfffe;
    for (int i = 0; i < kProbes; ++i) {
      const std::uint32_t start = cycle();
      if (probe(data + line * kLineWords) == never) return;
      least = min(least, cycle() - start);
    }
    row[line] = static_cast<std::uint16_t>(least);
  }
}

// `lines`: the indices of the `count` lines that each SM reads, starting with those of SM 0. No two
// SMs share a line, and an SM has several times as many lines as it keeps in flight, because
// concurrent requests to a line would be merged in front of the L2 (see l2_read.cu). About one in
// fifty still is, when a line recurs every second iteration. `sm_read` receives the block's SM,
// `sums` each thread's sum of all words.
__global__ void __launch_bounds__(kThreads, 1)
    l2_side_ceiling(const std::uint32_t* data, const std::uint32_t* lines, int count, int turns,
                    int* sm_read, std::uint32_t* sums, SmSpan* spans) {
  extern __shared__ std::uint32_t list[];
  const std::uint32_t sm = sm_number();
  for (int i = threadIdx.x; i < count; i += kThreads) list[i] = lines[sm * count + i];
  if (threadIdx.x == 0) sm_read[blockIdx.x] = static_cast<int>(sm);
  __syncthreads();

  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const std::uint32_t* base = data + lane % 8 * 4;
  const int own = warp * kInFlight * kLinesPerLoad + lane / 8;
  const int turns_per_pass = count / kLinesPerTurn;
  int turn = 0;
  std::uint32_t sum = 0;
  SmSpan span{};
  if (threadIdx.x == 0) span_begin(span);
  for (int t = 0; t < turns; ++t) {
    uint4 v[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) {
      const std::uint32_t line = list[turn * kLinesPerTurn + own + i * kLinesPerLoad];
      asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z), "=r"(v[i].w)
                   : "l"(base + line * kLineWords));
    }
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) sum += v[i].x + v[i].y + v[i].z + v[i].w;
    if (++turn == turns_per_pass) turn = 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    span_end(span);
    spans[blockIdx.x] = span;
  }
  sums[blockIdx.x * kThreads + threadIdx.x] = sum;
}

class L2Side : public PreparedKernel {
 public:
  L2Side(const DeviceInfo& device, Side side)
      : side_(side),
        blocks_(device.units),
        shared_bytes_(one_block_per_sm(device)),
        spans_(blocks_),
        sm_read_(static_cast<std::size_t>(blocks_)),
        sums_(static_cast<std::size_t>(blocks_) * kThreads) {
    fill();
    sides_ = split_l2(measure(), blocks_, kLines);
    lay_out_lists();
  }

  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::l2] = turn_bytes() * turns();
    return w;
  }
  void launch(void* stream) override { enqueue(turns(), static_cast<cudaStream_t>(stream)); }

  std::string verify() override {
    fill();
    sums_.fill_bytes(0xff);
    sm_read_.fill_bytes(0xff);
    constexpr int kPasses = 2;
    enqueue(kPasses * (count_ / kLinesPerTurn), nullptr);
    const std::vector<std::uint32_t> sums = sums_.to_host();
    std::vector<bool> seen(static_cast<std::size_t>(blocks_));
    for (int block = 0; const int sm : sm_read_.to_host()) {
      if (sm < 0 || sm >= blocks_ || seen[static_cast<std::size_t>(sm)]) {
        return "block " + std::to_string(block) + " reported SM " + std::to_string(sm) +
               ", which does not exist or already ran a block";
      }
      seen[static_cast<std::size_t>(sm)] = true;
      std::uint32_t got = 0;
      for (int t = 0; t < kThreads; ++t)
        got += sums[static_cast<std::size_t>(block) * kThreads + t];
      const std::uint32_t expected = kPasses * sum_of_lines(sm);
      if (got != expected) {
        return "SM " + std::to_string(sm) + " read words with the sum " + std::to_string(got) +
               ", expected " + std::to_string(expected);
      }
      ++block;
    }
    return "";
  }
  double elapsed_cycles() override { return spans_.cycles(); }
  double elapsed_device_s() override { return spans_.seconds(); }
  std::map<std::string, std::string> parameters() const override {
    int sms = 0;
    for (const int s : sides_.of_sm) sms += s;
    return {{"working_set_bytes_per_sm", std::to_string(count_ * kLineBytes)},
            {"near_latency_cycles", std::to_string(static_cast<int>(sides_.near_cycles + 0.5))},
            {"far_latency_cycles", std::to_string(static_cast<int>(sides_.far_cycles + 0.5))},
            {"sms_of_sides", std::to_string(blocks_ - sms) + "+" + std::to_string(sms)},
            {"in_flight_per_thread", std::to_string(kInFlight)},
            {"threads_per_block", std::to_string(kThreads)},
            {"blocks", std::to_string(blocks_)}};
  }

 private:
  // Enough shared memory that no SM can hold a second block.
  static int one_block_per_sm(const DeviceInfo& device) {
    int bytes = 0;
    cuda_check(
        cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device.ordinal),
        "query the shared memory limit of a block");
    cuda_check(
        cudaFuncSetAttribute(l2_side_ceiling, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "reserve shared memory for the list of lines");
    cuda_check(
        cudaFuncSetAttribute(probe_l2_lines, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "reserve shared memory for the L2 probe");
    return bytes;
  }

  void fill() {
    std::mt19937 engine(std::random_device{}());
    words_.resize(std::size_t{kLines} * kLineWords);
    for (std::uint32_t& w : words_) w = engine() | 1u;
    if (data_.size() == 0) data_ = DeviceBuffer<std::uint32_t>(words_.size());
    // Reuses the same memory, because the lists apply to these addresses.
    cuda_check(cudaMemcpy(data_.get(), words_.data(), data_.bytes(), cudaMemcpyHostToDevice),
               "copy to the device");
  }

  std::vector<std::uint16_t> measure() {
    constexpr std::uint32_t kNever = 0;  // all words are odd
    DeviceBuffer<std::uint16_t> cycles(static_cast<std::size_t>(blocks_) * kLines);
    cycles.fill_bytes(0xff);
    probe_l2_lines<<<blocks_, 32, shared_bytes_>>>(data_.get(), kNever, blocks_, cycles.get());
    cuda_check(cudaGetLastError(), "launch the L2 probe");
    std::vector<std::uint16_t> all = cycles.to_host();
    for (int sm = 0; sm < blocks_; ++sm) {
      if (all[static_cast<std::size_t>(sm) * kLines] != 0xffff) continue;
      throw std::runtime_error("cannot measure the L2's latencies: SM " + std::to_string(sm) +
                               " ran no block; another program may be using the GPU");
    }
    return all;
  }

  // Each SM gets the same number of lines of the requested side, in whole iterations.
  void lay_out_lists() {
    std::vector<std::uint32_t> of_side[2];
    for (std::uint32_t line = 0; line < kLines; ++line) {
      of_side[sides_.of_line[line]].push_back(line);
    }
    std::size_t readers[2] = {};
    for (const int sm_side : sides_.of_sm) ++readers[read_by(sm_side)];
    count_ = kLines;
    for (int side = 0; side < 2; ++side) {
      if (readers[side] == 0) continue;
      count_ = std::min(count_, static_cast<int>(of_side[side].size() / readers[side]));
    }
    count_ = count_ / kLinesPerTurn * kLinesPerTurn;
    if (count_ < 4 * kLinesPerTurn) {
      throw std::runtime_error("one half of the L2 has too few of " + std::to_string(kLines) +
                               " lines for the SMs that read it");
    }
    std::size_t next[2] = {};
    for (const int sm_side : sides_.of_sm) {
      const int side = read_by(sm_side);
      const auto first = of_side[side].begin() + static_cast<std::ptrdiff_t>(next[side]);
      lists_.insert(lists_.end(), first, first + count_);
      next[side] += static_cast<std::size_t>(count_);
    }
    lists_on_device_ = DeviceBuffer<std::uint32_t>(lists_);
  }
  int read_by(int sm_side) const { return side_ == Side::near ? sm_side : 1 - sm_side; }

  std::uint32_t sum_of_lines(int sm) const {
    std::uint32_t sum = 0;
    for (int i = 0; i < count_; ++i) {
      const std::size_t line = lists_[static_cast<std::size_t>(sm) * count_ + i];
      for (int w = 0; w < kLineWords; ++w) sum += words_[line * kLineWords + w];
    }
    return sum;
  }

  double turn_bytes() const { return static_cast<double>(kLinesPerTurn) * kLineBytes * blocks_; }
  int turns() const { return static_cast<int>(kLaunchBytes / turn_bytes()); }
  void enqueue(int turns, cudaStream_t stream) {
    l2_side_ceiling<<<blocks_, kThreads, shared_bytes_, stream>>>(
        data_.get(), lists_on_device_.get(), count_, turns, sm_read_.get(), sums_.get(),
        spans_.get());
    cuda_check(cudaGetLastError(), "launch the ceiling of an L2 side");
  }

  Side side_;
  int blocks_;
  int shared_bytes_;
  std::vector<std::uint32_t> words_;
  DeviceBuffer<std::uint32_t> data_;
  L2Sides sides_;
  int count_ = 0;
  std::vector<std::uint32_t> lists_;  // of each SM in turn
  DeviceBuffer<std::uint32_t> lists_on_device_;
  SpanBuffer spans_;
  DeviceBuffer<int> sm_read_;
  DeviceBuffer<std::uint32_t> sums_;
};

KernelSpec side_spec(std::string name, std::string summary, Side side) {
  KernelSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.role = KernelRole::bandwidth_ceiling;
  spec.level = MemoryLevel::l2;
  spec.roof = false;
  spec.fixed_pattern = "random integers";
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    if (device.compute_capability < 80) return "needs compute capability 8.0 or higher";
    return device.l2_bytes >= 2.0 * kLines * kLineBytes ? "" : "needs an L2 of 40 MiB or more";
  };
  spec.peak_per_clock = [](const DeviceInfo&) { return 0.0; };
  spec.prepare = [side](const DeviceInfo& device, const PrepareOptions&) {
    return std::make_unique<L2Side>(device, side);
  };
  return spec;
}

}  // namespace

void register_l2_near_far(KernelRegistry& registry) {
  registry.add(side_spec("l2_near", "L2 reads from the SM's own L2 partition", Side::near));
  registry.add(side_spec("l2_far", "L2 reads from the other L2 partition", Side::far));
}

}  // namespace mansard::kernels
