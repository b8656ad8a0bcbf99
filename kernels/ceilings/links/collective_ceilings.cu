// SPDX-License-Identifier: Apache-2.0
// Collectives between GPUs that are connected by NVLink, of NCCL and by copy engines: bus bandwidth
// over message size. One process drives all GPUs. Calls that take less time than the host needs to
// enqueue them are repeated within a CUDA graph, so that their latency is that of the GPUs.
//
// Message sizes and bus bandwidths are those of nccl-tests (kernels/vocabulary/collective.h).
#include <algorithm>
#include <cstring>
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
#include "kernels/distributed/copy_engine_exchange.h"
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

enum class Executor { nccl, copy_engines };

struct Rank {
  Rank(int device, std::int64_t count)
      : device(device), in(static_cast<std::size_t>(count)), out(static_cast<std::size_t>(count)) {}
  int device;
  CudaStream stream;
  CudaEvent event{cudaEventDisableTiming};
  DeviceBuffer<std::uint32_t> in, out;
  std::uint32_t salt = 0;
};
using Ranks = std::vector<std::unique_ptr<Rank>>;

// Executes collectives of `ranks`, which must outlive it.
class CollectiveLibrary {
 public:
  virtual ~CollectiveLibrary() = default;
  virtual std::string name() const = 0;
  // Whether a graph may have the calls of all ranks, and must. Otherwise each rank has its own:
  // streams of a rank wait for others in ways that a graph does not see, and CUDA could wait for
  // what it has not started yet.
  virtual bool shares_graph() const = 0;
  // Enqueues a call on the stream of each rank, with messages of `count` words.
  virtual void enqueue(CollectiveOperation operation, std::int64_t count) = 0;
};

[[noreturn]] void report_missing(CollectiveOperation operation) {
  throw std::logic_error("no ceiling of " + std::string(to_string(operation)));
}

// Connecting takes seconds, so communicators are kept until the process ends.
const std::vector<Nccl::Comm>& communicators(const Ranks& ranks) {
  static std::mutex mutex;
  static std::map<std::vector<int>, std::vector<Nccl::Comm>> all;
  std::vector<int> devices;
  for (const auto& rank : ranks) devices.push_back(rank->device);
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

class NcclLibrary : public CollectiveLibrary {
 public:
  explicit NcclLibrary(const Ranks& ranks) : ranks_(&ranks), comms_(&communicators(ranks)) {}
  std::string name() const override { return "NCCL " + nccl().version; }
  bool shares_graph() const override { return true; }

  void enqueue(CollectiveOperation operation, std::int64_t count) override {
    nccl().check(nccl().group_start(), "start a group of calls");
    for (std::size_t r = 0; r < ranks_->size(); ++r) {
      const CurrentDevice use((*ranks_)[r]->device);
      nccl().check(call(operation, count, r), "enqueue a collective");
    }
    nccl().check(nccl().group_end(), "enqueue a collective");
  }

 private:
  Nccl::Result call(CollectiveOperation operation, std::int64_t count, std::size_t r) const {
    const Rank& rank = *(*ranks_)[r];
    const Nccl& n = nccl();
    const Nccl::Comm comm = (*comms_)[r];
    const auto whole = static_cast<std::size_t>(count);
    const std::size_t part = whole / ranks_->size();
    switch (operation) {
      case CollectiveOperation::all_reduce:
        return n.all_reduce(rank.in.get(), rank.out.get(), whole, Nccl::kFloat32, Nccl::kSum, comm,
                            rank.stream.get());
      case CollectiveOperation::all_gather:
        return n.all_gather(rank.in.get(), rank.out.get(), part, Nccl::kFloat32, comm,
                            rank.stream.get());
      case CollectiveOperation::reduce_scatter:
        return n.reduce_scatter(rank.in.get(), rank.out.get() + r * part, part, Nccl::kFloat32,
                                Nccl::kSum, comm, rank.stream.get());
      case CollectiveOperation::all_to_all:
        for (std::size_t peer = 0; peer < ranks_->size(); ++peer) {
          const std::size_t at = peer * part;
          Nccl::Result result = n.send(rank.in.get() + at, part, Nccl::kFloat32,
                                       static_cast<int>(peer), comm, rank.stream.get());
          if (result != Nccl::kSuccess) return result;
          result = n.receive(rank.out.get() + at, part, Nccl::kFloat32, static_cast<int>(peer),
                             comm, rank.stream.get());
          if (result != Nccl::kSuccess) return result;
        }
        return Nccl::kSuccess;
      case CollectiveOperation::broadcast:
      case CollectiveOperation::reduce:
      case CollectiveOperation::send_receive:
        break;
    }
    report_missing(operation);
  }

  const Ranks* ranks_;
  const std::vector<Nccl::Comm>* comms_;
};

class CopyEngineLibrary : public CollectiveLibrary {
 public:
  explicit CopyEngineLibrary(const Ranks& ranks) : ranks_(&ranks) {
    const int count = static_cast<int>(ranks.size());
    void* flags = nullptr;
    const auto flags_bytes = static_cast<std::size_t>(CopyEngineExchange::flags_bytes(count));
    cuda_check(cudaHostAlloc(&flags, flags_bytes, cudaHostAllocPortable | cudaHostAllocMapped),
               "allocate flags");
    flags_.reset(flags);
    std::memset(flags, 0, flags_bytes);
    std::vector<std::byte*> staging;
    for (const auto& rank : ranks) {
      const CurrentDevice use(rank->device);
      staging_.emplace_back(static_cast<std::size_t>(CopyEngineExchange::kStagingBytes));
      staging.push_back(staging_.back().get());
      for (const auto& peer : ranks) {
        if (peer != rank)
          access_.push_back(std::make_unique<PeerAccess>(rank->device, peer->device));
      }
    }
    for (int r = 0; r < count; ++r) {
      const CurrentDevice use(ranks[static_cast<std::size_t>(r)]->device);
      exchanges_.push_back(
          std::make_unique<CopyEngineExchange>(r, staging, static_cast<std::uint32_t*>(flags)));
    }
  }
  std::string name() const override { return "copy engines"; }
  bool shares_graph() const override { return false; }

  void enqueue(CollectiveOperation operation, std::int64_t count) override {
    const auto n = static_cast<std::int64_t>(ranks_->size());
    ExchangedArray out;
    for (const auto& rank : *ranks_) {
      out.of_rank.push_back(reinterpret_cast<std::byte*>(rank->out.get()));
    }
    out.bytes = 4 * count;
    out.piece_bytes = 4 * count / n;
    for (std::size_t r = 0; r < ranks_->size(); ++r) {
      Rank& rank = *(*ranks_)[r];
      const CurrentDevice use(rank.device);
      CopyEngineExchange& exchange = *exchanges_[r];
      const auto* const in = reinterpret_cast<const float*>(rank.in.get());
      exchange.start_after(rank.stream.get());
      switch (operation) {
        case CollectiveOperation::all_reduce:
          exchange.all_reduce(in, out);
          break;
        case CollectiveOperation::all_gather:
          exchange.all_gather(in, out);
          break;
        case CollectiveOperation::reduce_scatter:
          exchange.reduce_scatter(in, out);
          break;
        case CollectiveOperation::all_to_all:
        case CollectiveOperation::broadcast:
        case CollectiveOperation::reduce:
        case CollectiveOperation::send_receive:
          report_missing(operation);
      }
      exchange.join(rank.stream.get());
    }
  }

 private:
  struct FreeHost {
    void operator()(void* memory) const { cudaFreeHost(memory); }
  };

  const Ranks* ranks_;
  std::unique_ptr<void, FreeHost> flags_;
  std::vector<DeviceBuffer<std::byte>> staging_;
  std::vector<std::unique_ptr<PeerAccess>> access_;
  std::vector<std::unique_ptr<CopyEngineExchange>> exchanges_;
};

class CollectiveCeiling : public PreparedKernel {
 public:
  CollectiveCeiling(Executor executor, CollectiveOperation operation,
                    const std::vector<int>& devices, std::int64_t bytes)
      : operation_(operation),
        devices_(devices),
        count_(bytes / 4),
        repeats_(static_cast<int>(std::clamp<std::int64_t>((1 << 25) / bytes, 1, 32))) {
    for (const int device : devices_) {
      const CurrentDevice use(device);
      ranks_.push_back(std::make_unique<Rank>(device, count_));
    }
    if (executor == Executor::nccl) {
      library_ = std::make_unique<NcclLibrary>(ranks_);
    } else {
      library_ = std::make_unique<CopyEngineLibrary>(ranks_);
    }
    fill();
    library_->enqueue(
        operation_,
        count_);  // NCCL connects and allocates at the first call, which a capture does not allow
    wait();
    record();
  }
  ~CollectiveCeiling() override {
    for (const cudaGraphExec_t graph : graphs_) cudaGraphExecDestroy(graph);
  }

  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::nvlink] = repeats_ * bus_bytes();
    return w;
  }
  void launch(void* stream) override {
    const CurrentDevice use(devices_.front());
    const auto first = static_cast<cudaStream_t>(stream);
    if (graphs_.size() > 1) fork(first);
    for (std::size_t r = graphs_.size(); r-- > 0;) {
      const CurrentDevice of_rank(devices_[r]);
      cuda_check(cudaGraphLaunch(graphs_[r], r == 0 ? first : ranks_[r]->stream.get()),
                 "run a collective");
    }
    if (graphs_.size() > 1) join(first);
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
            {"library", library_->name()}};
  }

 private:
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

  // The streams of the other ranks wait for `first`, which belongs to the first rank's device.
  void fork(cudaStream_t first) const {
    cuda_check(cudaEventRecord(ranks_.front()->event.get(), first), "record an event");
    for (std::size_t r = 1; r < ranks_.size(); ++r) {
      const CurrentDevice use(devices_[r]);
      cuda_check(cudaStreamWaitEvent(ranks_[r]->stream.get(), ranks_.front()->event.get(), 0),
                 "wait for an event");
    }
  }
  // `first` waits for the streams of the other ranks.
  void join(cudaStream_t first) const {
    for (std::size_t r = 1; r < ranks_.size(); ++r) {
      const CurrentDevice use(devices_[r]);
      cuda_check(cudaEventRecord(ranks_[r]->event.get(), ranks_[r]->stream.get()),
                 "record an event");
    }
    for (std::size_t r = 1; r < ranks_.size(); ++r) {
      cuda_check(cudaStreamWaitEvent(first, ranks_[r]->event.get(), 0), "wait for an event");
    }
  }

  void record() {
    const CurrentDevice use(devices_.front());
    const std::size_t graphs = library_->shares_graph() ? 1 : ranks_.size();
    for (std::size_t r = 0; r < graphs; ++r) {
      cuda_check(cudaStreamBeginCapture(ranks_[r]->stream.get(), cudaStreamCaptureModeThreadLocal),
                 "record a graph");
    }
    if (graphs == 1) fork(ranks_.front()->stream.get());
    for (int i = 0; i < repeats_; ++i) library_->enqueue(operation_, count_);
    if (graphs == 1) join(ranks_.front()->stream.get());
    std::vector<cudaGraph_t> recorded(graphs);
    for (std::size_t r = 0; r < graphs; ++r) {
      cuda_check(cudaStreamEndCapture(ranks_[r]->stream.get(), &recorded[r]),
                 "record a graph of collectives");
    }
    for (std::size_t r = 0; r < graphs; ++r) {
      const CurrentDevice of_rank(devices_[r]);
      cudaGraphExec_t executable = nullptr;
      cuda_check(cudaGraphInstantiate(&executable, recorded[r], 0),
                 "prepare a graph of collectives");
      cudaGraphDestroy(recorded[r]);
      graphs_.push_back(executable);
    }
  }

  unsigned long long wrong_values(int rank) const {
    const CurrentDevice use(devices_[static_cast<std::size_t>(rank)]);
    const Rank& own = *ranks_[static_cast<std::size_t>(rank)];
    DeviceBuffer<unsigned long long> wrong(1);
    wrong.fill_bytes(0);
    Salts salts{};
    for (std::size_t r = 0; r < ranks_.size(); ++r) salts.of_rank[r] = ranks_[r]->salt;
    const bool sums = operation_ == CollectiveOperation::all_reduce ||
                      operation_ == CollectiveOperation::reduce_scatter;
    if (sums) {
      const std::int64_t first = operation_ == CollectiveOperation::all_reduce ? 0 : rank * piece();
      count_wrong_sums<<<hashed::kHelperBlocks, hashed::kHelperThreads>>>(
          reinterpret_cast<const float*>(own.out.get()) + first, first, result_count(), salts,
          ranks(), wrong.get());
    } else {
      // Piece r comes from rank r: its first piece (all-gather), or the one for this rank.
      for (int r = 0; r < ranks(); ++r) {
        count_wrong_words<<<hashed::kHelperBlocks, hashed::kHelperThreads>>>(
            own.out.get() + r * piece(),
            operation_ == CollectiveOperation::all_gather ? 0 : rank * piece(), piece(),
            salts.of_rank[r], wrong.get());
      }
    }
    cuda_check(cudaGetLastError(), "check a collective");
    return wrong.to_host()[0];
  }

  CollectiveOperation operation_;
  std::vector<int> devices_;
  std::int64_t count_;  // words of a message
  int repeats_;
  Ranks ranks_;
  std::unique_ptr<CollectiveLibrary> library_;
  std::vector<cudaGraphExec_t> graphs_;  // one, or one per rank
};

// 4 KiB to 1 GiB; the last is the ceiling.
std::vector<WorkingSet> message_sizes(const DeviceInfo&) {
  std::vector<WorkingSet> sizes;
  for (double bytes = 4096; bytes <= 1 << 30; bytes *= 4) sizes.push_back({bytes, std::nullopt});
  sizes.back().level = MemoryLevel::nvlink;
  return sizes;
}

KernelSpec collective_spec(Executor executor, CollectiveOperation operation,
                           const std::string& summary, int ranks) {
  const bool uses_nccl = executor == Executor::nccl;
  KernelSpec spec;
  spec.name =
      uses_nccl ? collective_ceiling(operation, ranks) : copy_engine_ceiling(operation, ranks);
  spec.summary = summary + " of " + std::to_string(ranks) + " GPUs with " +
                 (uses_nccl ? "NCCL" : "copy engines") + ", over message size";
  spec.role = KernelRole::bandwidth_ceiling;
  spec.level = MemoryLevel::nvlink;
  spec.roof = false;
  spec.fixed_pattern = hashed::kDescription;
  spec.working_sets = message_sizes;
  spec.unsupported = [ranks, uses_nccl](const DeviceInfo& device) -> std::string {
    if (nvlink_peers(device.ordinal).size() + 1 < static_cast<std::size_t>(ranks)) {
      return "needs " + std::to_string(ranks) + " GPUs connected by NVLink";
    }
    if (devices_of(device.ordinal, ranks).empty()) return "measured with the first GPU";
    return uses_nccl ? nccl_unavailable_reason() : "";
  };
  spec.prepare = [=](const DeviceInfo& device, const PrepareOptions& options) {
    return std::make_unique<CollectiveCeiling>(
        executor, operation, devices_of(device.ordinal, ranks), options.shape.at(0));
  };
  return spec;
}

}  // namespace

void register_collective_ceilings(KernelRegistry& registry) {
  using enum CollectiveOperation;
  for (const int ranks : {2, 4, kMostRanks}) {
    for (const Executor executor : {Executor::nccl, Executor::copy_engines}) {
      registry.add(collective_spec(executor, all_reduce, "All-reduce", ranks));
      registry.add(collective_spec(executor, all_gather, "All-gather", ranks));
      registry.add(collective_spec(executor, reduce_scatter, "Reduce-scatter", ranks));
    }
    registry.add(collective_spec(Executor::nccl, all_to_all, "All-to-all", ranks));
  }
}

}  // namespace mansard::kernels
