// SPDX-License-Identifier: Apache-2.0
// NCCL's collectives between GPUs that are connected by NVLink: bus bandwidth over message size.
// One process drives all GPUs. Calls that take less time than the host needs to enqueue them are
// repeated within a CUDA graph, so that their latency is that of the GPUs.
//
// Message sizes and bus bandwidths are those of nccl-tests (kernels/vocabulary/collective.h).
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/ceilings/links/peer.h"
#include "kernels/device/cuda_objects.h"
#include "kernels/device/device_buffer.h"
#include "kernels/device/hashed_array.cuh"
#include "kernels/distributed/nccl.h"
#include "kernels/kernel.h"
#include "kernels/vocabulary/collective.h"

namespace mansard::kernels {
namespace {

constexpr int kMostRanks = 8;
struct Salts {
  std::uint32_t of_rank[kMostRanks];
};

// Counts elements that are not the sum of the ranks' values, up to rounding.
__global__ void count_wrong_sums(const float* data, std::int64_t first, std::int64_t count,
                                 Salts salts, int ranks, unsigned long long* wrong) {
  hashed::for_each_index(count, [&](std::int64_t i) {
    double sum = 0;
    for (int r = 0; r < ranks; ++r) {
      sum += double{hashed::value(static_cast<std::uint64_t>(first + i), salts.of_rank[r])};
    }
    const double error = double{data[i]} - sum;
    if (!(fabs(error) <= 1e-6 * sum)) atomicAdd(wrong, 1ull);
  });
}

// Counts words that are not the hashed ones of an array, `shift` words further.
__global__ void count_wrong_words(const std::uint32_t* data, std::int64_t shift, std::int64_t count,
                                  std::uint32_t salt, unsigned long long* wrong) {
  hashed::for_each_index(count, [&](std::int64_t i) {
    if (data[i] != hashed::bits(static_cast<std::uint64_t>(shift + i), salt)) {
      atomicAdd(wrong, 1ull);
    }
  });
}

// The devices of a collective of `ranks`, starting with `device`; empty if there are too few, or if
// the collective belongs to a device with a lower number.
std::vector<int> devices_of(int device, int ranks) {
  std::vector<int> devices = nvlink_peers(device);
  std::sort(devices.begin(), devices.end());
  if (devices.empty() || devices.front() < device) return {};
  devices.insert(devices.begin(), device);
  if (devices.size() < static_cast<std::size_t>(ranks)) return {};
  devices.resize(static_cast<std::size_t>(ranks));
  return devices;
}

// Connecting takes seconds, so communicators are kept until the process ends.
const std::vector<Nccl::Comm>& communicators(const std::vector<int>& devices) {
  static std::mutex mutex;
  static std::map<std::vector<int>, std::vector<Nccl::Comm>> all;
  const std::scoped_lock lock(mutex);
  std::vector<Nccl::Comm>& comms = all[devices];
  if (comms.empty()) {
    std::vector<Nccl::Comm> made(devices.size());
    nccl().check(
        nccl().comm_init_all(made.data(), static_cast<int>(devices.size()), devices.data()),
        "connect " + std::to_string(devices.size()) + " GPUs");
    comms = made;
  }
  return comms;
}

class CollectiveCeiling : public PreparedKernel {
 public:
  CollectiveCeiling(CollectiveOperation operation, const std::vector<int>& devices, std::int64_t bytes)
      : operation_(operation),
        devices_(devices),
        count_(bytes / 4),
        repeats_(static_cast<int>(std::clamp<std::int64_t>((1 << 25) / bytes, 1, 32))),
        comms_(&communicators(devices)) {
    for (const int device : devices_) {
      const CurrentDevice use(device);
      ranks_.push_back(std::make_unique<Rank>(count_));
    }
    fill();
    enqueue();  // NCCL connects and allocates at the first call, which a capture does not allow
    wait();
    record();
  }
  ~CollectiveCeiling() override {
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  }

  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::nvlink] = repeats_ * bus_bytes();
    return w;
  }
  void launch(void* stream) override {
    const CurrentDevice use(devices_.front());
    cuda_check(cudaGraphLaunch(graph_, static_cast<cudaStream_t>(stream)), "run a collective");
  }
  std::string verify() override {
    fill();
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const CurrentDevice use(devices_[r]);
      ranks_[r]->out.fill_bytes(0xff);
      cuda_check(cudaDeviceSynchronize(), "poison the result of a collective");
    }
    launch(ranks_.front()->stream.get());
    wait();
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      if (const unsigned long long wrong = wrong_values(static_cast<int>(r)); wrong > 0) {
        return "rank " + std::to_string(r) + ": " +
               hashed::wrong_values(wrong, static_cast<std::int64_t>(result_count()));
      }
    }
    return "";
  }
  std::map<std::string, std::string> parameters() const override {
    return {{"ranks", std::to_string(ranks())},
            {"bytes", std::to_string(4 * count_)},
            {"bus_bytes", std::to_string(static_cast<std::int64_t>(bus_bytes()))},
            {"calls", std::to_string(repeats_)},
            {"library", "NCCL " + nccl().version}};
  }

 private:
  struct Rank {
    explicit Rank(std::int64_t count)
        : in(static_cast<std::size_t>(count)), out(static_cast<std::size_t>(count)) {}
    CudaStream stream;
    CudaEvent event{cudaEventDisableTiming};
    DeviceBuffer<std::uint32_t> in, out;
    std::uint32_t salt = 0;
  };

  // Bytes of a call over the links of a GPU in one direction.
  double bus_bytes() const {
    return mansard::bus_bytes(operation_, 4.0 * static_cast<double>(count_), ranks()).value();
  }
  int ranks() const { return static_cast<int>(devices_.size()); }
  std::int64_t piece() const { return count_ / ranks(); }
  std::int64_t result_count() const {
    return operation_ == CollectiveOperation::reduce_scatter ? piece() : count_;
  }

  void fill() {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const CurrentDevice use(devices_[r]);
      ranks_[r]->salt = hashed::fresh_salt();
      hashed::fill(ranks_[r]->in.get(), count_, ranks_[r]->salt);
    }
  }

  void wait() const {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const CurrentDevice use(devices_[r]);
      cuda_check(cudaStreamSynchronize(ranks_[r]->stream.get()), "finish a collective");
    }
  }

  Nccl::Result call(std::size_t r) const {
    const Rank& rank = *ranks_[r];
    const Nccl& n = nccl();
    const Nccl::Comm comm = (*comms_)[r];
    const auto whole = static_cast<std::size_t>(count_);
    const auto part = static_cast<std::size_t>(piece());
    switch (operation_) {
      case CollectiveOperation::all_reduce:
        return n.all_reduce(rank.in.get(), rank.out.get(), whole, Nccl::kFloat32, Nccl::kSum, comm,
                            rank.stream.get());
      case CollectiveOperation::all_gather:
        return n.all_gather(rank.in.get(), rank.out.get(), part, Nccl::kFloat32, comm,
                            rank.stream.get());
      case CollectiveOperation::reduce_scatter:
        return n.reduce_scatter(rank.in.get(), rank.out.get(), part, Nccl::kFloat32, Nccl::kSum,
                                comm, rank.stream.get());
      case CollectiveOperation::all_to_all:
        for (int peer = 0; peer < ranks(); ++peer) {
          const std::int64_t at = peer * piece();
          Nccl::Result result =
              n.send(rank.in.get() + at, part, Nccl::kFloat32, peer, comm, rank.stream.get());
          if (result != Nccl::kSuccess) return result;
          result =
              n.receive(rank.out.get() + at, part, Nccl::kFloat32, peer, comm, rank.stream.get());
          if (result != Nccl::kSuccess) return result;
        }
        return Nccl::kSuccess;
      case CollectiveOperation::broadcast:
      case CollectiveOperation::reduce:
      case CollectiveOperation::send_receive:
        break;
    }
    throw std::logic_error("no ceiling of " + std::string(to_string(operation_)));
  }

  void enqueue() const {
    nccl().check(nccl().group_start(), "start a group of calls");
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const CurrentDevice use(devices_[r]);
      nccl().check(call(r), "enqueue a collective");
    }
    nccl().check(nccl().group_end(), "enqueue a collective");
  }

  // The streams of the other GPUs join the capture of the first one's, and end in it.
  void record() {
    const CurrentDevice use(devices_.front());
    const cudaStream_t first = ranks_.front()->stream.get();
    cuda_check(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal), "record a graph");
    cuda_check(cudaEventRecord(ranks_.front()->event.get(), first), "record an event");
    for (std::size_t r = 1; r < ranks_.size(); ++r) {
      const CurrentDevice other(devices_[r]);
      cuda_check(cudaStreamWaitEvent(ranks_[r]->stream.get(), ranks_.front()->event.get(), 0),
                 "join a capture");
    }
    for (int i = 0; i < repeats_; ++i) enqueue();
    for (std::size_t r = 1; r < ranks_.size(); ++r) {
      const CurrentDevice other(devices_[r]);
      cuda_check(cudaEventRecord(ranks_[r]->event.get(), ranks_[r]->stream.get()),
                 "record an event");
    }
    for (std::size_t r = 1; r < ranks_.size(); ++r) {
      cuda_check(cudaStreamWaitEvent(first, ranks_[r]->event.get(), 0), "end a capture");
    }
    cudaGraph_t graph = nullptr;
    cuda_check(cudaStreamEndCapture(first, &graph), "record a graph of collectives");
    const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    cuda_check(status, "prepare a graph of collectives");
  }

  unsigned long long wrong_values(int rank) const {
    const CurrentDevice use(devices_[static_cast<std::size_t>(rank)]);
    const Rank& own = *ranks_[static_cast<std::size_t>(rank)];
    DeviceBuffer<unsigned long long> wrong(1);
    wrong.fill_bytes(0);
    Salts salts{};
    for (std::size_t r = 0; r < ranks_.size(); ++r) salts.of_rank[r] = ranks_[r]->salt;
    const bool sums =
        operation_ == CollectiveOperation::all_reduce || operation_ == CollectiveOperation::reduce_scatter;
    if (sums) {
      const std::int64_t first = operation_ == CollectiveOperation::all_reduce ? 0 : rank * piece();
      count_wrong_sums<<<hashed::kHelperBlocks, hashed::kHelperThreads>>>(
          reinterpret_cast<const float*>(own.out.get()), first, result_count(), salts, ranks(),
          wrong.get());
    } else {
      // Piece r comes from rank r: its first piece (all-gather), or the one for this rank.
      for (int r = 0; r < ranks(); ++r) {
        count_wrong_words<<<hashed::kHelperBlocks, hashed::kHelperThreads>>>(
            own.out.get() + r * piece(), operation_ == CollectiveOperation::all_gather ? 0 : rank * piece(),
            piece(), salts.of_rank[r], wrong.get());
      }
    }
    cuda_check(cudaGetLastError(), "check a collective");
    return wrong.to_host()[0];
  }

  CollectiveOperation operation_;
  std::vector<int> devices_;
  std::int64_t count_;  // words of a message
  int repeats_;
  const std::vector<Nccl::Comm>* comms_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  cudaGraphExec_t graph_ = nullptr;
};

// 4 KiB to 1 GiB; the last is the ceiling.
std::vector<WorkingSet> message_sizes(const DeviceInfo&) {
  std::vector<WorkingSet> sizes;
  for (double bytes = 4096; bytes <= 1 << 30; bytes *= 4) sizes.push_back({bytes, std::nullopt});
  sizes.back().level = MemoryLevel::nvlink;
  return sizes;
}

KernelSpec collective_spec(CollectiveOperation operation, const std::string& summary, int ranks) {
  KernelSpec spec;
  spec.name = collective_ceiling(operation, ranks);
  spec.summary = summary + " of " + std::to_string(ranks) + " GPUs with NCCL, over message size";
  spec.role = KernelRole::bandwidth_ceiling;
  spec.level = MemoryLevel::nvlink;
  spec.roof = false;
  spec.fixed_pattern = hashed::kDescription;
  spec.working_sets = message_sizes;
  spec.unsupported = [ranks](const DeviceInfo& device) -> std::string {
    if (nvlink_peers(device.ordinal).size() + 1 < static_cast<std::size_t>(ranks)) {
      return "needs " + std::to_string(ranks) + " GPUs connected by NVLink";
    }
    if (devices_of(device.ordinal, ranks).empty()) return "measured with the first GPU";
    return nccl_unavailable_reason();
  };
  spec.prepare = [=](const DeviceInfo& device, const PrepareOptions& options) {
    return std::make_unique<CollectiveCeiling>(operation, devices_of(device.ordinal, ranks),
                                               options.shape.at(0));
  };
  return spec;
}

}  // namespace

void register_collective_ceilings(KernelRegistry& registry) {
  for (const int ranks : {2, 4, kMostRanks}) {
    registry.add(collective_spec(CollectiveOperation::all_reduce, "All-reduce", ranks));
    registry.add(collective_spec(CollectiveOperation::all_gather, "All-gather", ranks));
    registry.add(collective_spec(CollectiveOperation::reduce_scatter, "Reduce-scatter", ranks));
    registry.add(collective_spec(CollectiveOperation::all_to_all, "All-to-all", ranks));
  }
}

}  // namespace mansard::kernels
