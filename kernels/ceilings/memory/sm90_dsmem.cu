// SPDX-License-Identifier: Apache-2.0
// Distributed shared memory: every thread block of a cluster reads the shared memory of the next,
// over the network between the SMs of a GPC. There is one ceiling per cluster size, because it
// determines the number of usable SMs and the distance of the traffic.
#include <random>

#include "kernels/ceilings/memory/shared_memory.cuh"
#include "kernels/device/device_buffer.h"
#include "kernels/device/sm_clock.cuh"
#include "kernels/kernel.h"

namespace mansard::kernels {
namespace {

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;
// Bytes per lane and load: 16, 8 or 4. The network transfers 32-byte packets; the widest access
// requests the most packets per instruction.
constexpr int kWidthBytes = 16;
constexpr int kWidth = kWidthBytes / 4;
// Loads in flight per thread. At 13 B per clock and SM (H800, see below) and about 200 cycles, an
// SM needs 2.6 KB in flight; one load of each of 16 warps is already three times that.
constexpr int kInFlight = 4;
constexpr int kSlotWords = 32 * kWidth;
constexpr int kBufferBytes = 32 * 1024;
constexpr int kSlots = kBufferBytes / (4 * kSlotWords);
constexpr int kStarts = kSlots / 2;
constexpr int kStep = kStarts / kInFlight;
constexpr double kLaunchBytes = 4e9;  // of all blocks; 1.2 ms at 3.3 TB/s

__host__ __device__ constexpr int slot_of(int warp, int iteration, int load) {
  return (warp + iteration) % kStarts + load * kStep;
}

struct Words {
  std::uint32_t w[kWidth];
};

__device__ __forceinline__ Words load_remote(std::uint32_t address) {
  Words v;
  if constexpr (kWidth == 4) {
    asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.w[0]), "=r"(v.w[1]), "=r"(v.w[2]), "=r"(v.w[3])
                 : "r"(address));
  } else if constexpr (kWidth == 2) {
    asm volatile("ld.shared::cluster.v2.u32 {%0, %1}, [%2];"
                 : "=r"(v.w[0]), "=r"(v.w[1])
                 : "r"(address));
  } else {
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v.w[0]) : "r"(address));
  }
  return v;
}

__device__ __forceinline__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

// A block's buffer holds `data` plus the block's number; `sums` receives each thread's sum of all
// words that it read from its neighbor.
__global__ void __launch_bounds__(kThreads)
    dsmem_ceiling(const std::uint32_t* data, std::uint32_t* sums, int iterations, SmSpan* spans) {
  __shared__ __align__(128) std::uint32_t buffer[kBufferBytes / 4];
  for (int i = threadIdx.x; i < kBufferBytes / 4; i += kThreads) buffer[i] = data[i] + blockIdx.x;

  std::uint32_t rank;
  std::uint32_t blocks;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  std::uint32_t remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(remote)
               : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(buffer))),
                 "r"((rank + 1) % blocks));
  cluster_barrier();

  const int warp = threadIdx.x / 32;
  const std::uint32_t base = remote + threadIdx.x % 32 * kWidthBytes;
  std::uint32_t sum = 0;
  SmSpan span{};
  if (threadIdx.x == 0) span_begin(span);
#pragma unroll 2
  for (int it = 0; it < iterations; ++it) {
    const std::uint32_t address = base + slot_of(warp, it, 0) * 4 * kSlotWords;
    Words v[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) v[i] = load_remote(address + i * kStep * 4 * kSlotWords);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) {
#pragma unroll
      for (int w = 0; w < kWidth; ++w) sum += v[i].w[w];
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    span_end(span);
    spans[blockIdx.x] = span;
  }
  cluster_barrier();  // a block that exits would free its memory
  sums[blockIdx.x * kThreads + threadIdx.x] = sum;
}

struct ClusterLaunch {
  cudaLaunchAttribute attribute{};
  cudaLaunchConfig_t config{};

  ClusterLaunch(int blocks, int cluster, cudaStream_t stream) {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = static_cast<unsigned>(cluster);
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(kThreads);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
  }
  ClusterLaunch(const ClusterLaunch&) = delete;  // config points into it
  ClusterLaunch& operator=(const ClusterLaunch&) = delete;
};

// As many clusters as run at once; fewer than all SMs if a GPC's SM count is not a multiple of the
// size.
int resident_clusters(int cluster) {
  cuda_check(cudaFuncSetAttribute(dsmem_ceiling, cudaFuncAttributePreferredSharedMemoryCarveout,
                                  cudaSharedmemCarveoutMaxShared),
             "request the largest shared-memory carveout");
  const ClusterLaunch launch(cluster, cluster, nullptr);
  int clusters = 0;
  cuda_check(cudaOccupancyMaxActiveClusters(&clusters, dsmem_ceiling, &launch.config),
             "compute how many clusters of " + std::to_string(cluster) + " blocks fit");
  if (clusters == 0) {
    throw std::runtime_error("a cluster of " + std::to_string(cluster) +
                             " blocks does not fit on this device");
  }
  return clusters;
}

class Dsmem : public PreparedKernel {
 public:
  explicit Dsmem(int cluster)
      : cluster_(cluster),
        blocks_(resident_clusters(cluster) * cluster),
        data_(shared_memory::random_words(kBufferBytes / 4)),
        spans_(blocks_),
        sums_(static_cast<std::size_t>(blocks_) * kThreads) {}

  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::dsmem] = turn_bytes() * turns();
    return w;
  }
  void launch(void* stream) override { enqueue(turns(), static_cast<cudaStream_t>(stream)); }

  std::string verify() override {
    constexpr int kChecked = kStarts + 3;  // every start, and some twice
    const std::vector<std::uint32_t> words = shared_memory::random_words(kBufferBytes / 4);
    data_ = DeviceBuffer<std::uint32_t>(words);
    sums_.fill_bytes(0xff);
    enqueue(kChecked, nullptr);
    const std::vector<std::uint32_t> got = sums_.to_host();
    constexpr int kRead = kChecked * kInFlight * kWidth;
    std::vector<std::uint32_t> of_data(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      for (int n = 0; n < kRead; ++n) {
        const int slot = slot_of(t / 32, n / kWidth / kInFlight, n / kWidth % kInFlight);
        const int word = slot * kSlotWords + t % 32 * kWidth + n % kWidth;
        of_data[static_cast<std::size_t>(t)] += words[static_cast<std::size_t>(word)];
      }
    }
    for (int block = 0; block < blocks_; ++block) {
      const int rank = block % cluster_;
      const int neighbor = block - rank + (rank + 1) % cluster_;
      for (int t = 0; t < kThreads; ++t) {
        const std::uint32_t expected =
            of_data[static_cast<std::size_t>(t)] + static_cast<std::uint32_t>(kRead * neighbor);
        const std::uint32_t sum = got[static_cast<std::size_t>(block) * kThreads + t];
        if (sum == expected) continue;
        return "thread " + std::to_string(t) + " of block " + std::to_string(block) +
               " read words with the sum " + std::to_string(sum) + " from block " +
               std::to_string(neighbor) + ", expected " + std::to_string(expected);
      }
    }
    return "";
  }
  double elapsed_cycles() override { return spans_.cycles(); }
  double elapsed_device_s() override { return spans_.seconds(); }
  std::map<std::string, std::string> parameters() const override {
    return {{"cluster_blocks", std::to_string(cluster_)},
            {"blocks", std::to_string(blocks_)},
            {"threads_per_block", std::to_string(kThreads)},
            {"bytes_per_load", std::to_string(kWidthBytes)},
            {"in_flight_per_thread", std::to_string(kInFlight)}};
  }

 private:
  double turn_bytes() const { return 4.0 * kSlotWords * kInFlight * kWarps * blocks_; }
  int turns() const { return static_cast<int>(kLaunchBytes / turn_bytes()); }
  void enqueue(int iterations, cudaStream_t stream) {
    const ClusterLaunch launch(blocks_, cluster_, stream);
    cuda_check(cudaLaunchKernelEx(&launch.config, dsmem_ceiling,
                                  static_cast<const std::uint32_t*>(data_.get()), sums_.get(),
                                  iterations, spans_.get()),
               "launch the distributed shared memory ceiling");
  }

  int cluster_;
  int blocks_;
  DeviceBuffer<std::uint32_t> data_;
  SpanBuffer spans_;
  DeviceBuffer<std::uint32_t> sums_;
};

}  // namespace

// No datasheet states a rate. Published measurement: 3.27 TB/s on an H800 in clusters of 2
// ("Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via Microbenchmarking", arXiv
// 2402.13499).
void register_sm90_dsmem(KernelRegistry& registry) {
  for (const int cluster : {2, 4, 8}) {
    KernelSpec spec;
    spec.name = "dsmem_cluster" + std::to_string(cluster);
    spec.summary = "Loads from a neighbor's shared memory, cluster size " + std::to_string(cluster);
    spec.role = KernelRole::bandwidth_ceiling;
    spec.level = MemoryLevel::dsmem;
    spec.fixed_pattern = "random integers";
    spec.unsupported = [](const DeviceInfo& device) -> std::string {
      return device.compute_capability >= 90 ? "" : "needs compute capability 9.0 or higher";
    };
    spec.peak_per_clock = [](const DeviceInfo&) { return 0.0; };
    spec.prepare = [cluster](const DeviceInfo&, const PrepareOptions&) {
      return std::make_unique<Dsmem>(cluster);
    };
    registry.add(std::move(spec));
  }
}

}  // namespace mansard::kernels
