// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "kernels/distributed/collectives.h"

#if MANSARD_HAVE_CUDA

#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include <cuda.h>

#include "kernels/device/cuda_objects.h"
#include "kernels/device/device_buffer.h"
#include "kernels/device/driver_function.h"
#include "kernels/distributed/copy_engine_exchange.h"
#include "kernels/distributed/shared_memory.h"

namespace mansard::kernels {
namespace {

// An allocation of a rank, as the others get to know it.
struct ShownAllocation {
  std::uint64_t process = 0;
  int device = 0;
  std::uint64_t base = 0, size = 0;
  cudaIpcMemHandle_t handle{};
};

// Differs between processes; process IDs do not in all containers.
std::uint64_t process_token() {
  static const std::uint64_t token = [] {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random();
  }();
  return token;
}

CUdeviceptr allocation_base(const void* address, std::size_t& size) {
  static const auto get_range =
      driver_function<decltype(&cuMemGetAddressRange)>("cuMemGetAddressRange");
  CUdeviceptr base = 0;
  if (get_range == nullptr ||
      get_range(&base, &size, reinterpret_cast<CUdeviceptr>(address)) != CUDA_SUCCESS) {
    throw std::runtime_error("cannot find the allocation of an array of device memory");
  }
  return base;
}

// Device memory of the other ranks, mapped into this process.
class MappedAllocation {
 public:
  // Collective. Throws std::runtime_error on all ranks if one of them cannot map the memory of
  // another one.
  MappedAllocation(ProcessGroup& group, const void* address) {
    std::vector<ShownAllocation> all(static_cast<std::size_t>(group.size()));
    ShownAllocation& own = all[static_cast<std::size_t>(group.rank())];
    group.agree([&] {
      std::size_t size = 0;
      own_base_ = own.base = allocation_base(address, size);
      size_ = own.size = size;
      own.process = process_token();
      cuda_check(cudaGetDevice(&own.device), "query the current device");
      cuda_check(cudaIpcGetMemHandle(&own.handle, reinterpret_cast<void*>(own.base)),
                 "share device memory");
    });
    group.all_gather(all.data(), sizeof(ShownAllocation));
    try {
      group.agree([&] {
        for (const ShownAllocation& shown : all) {
          bases_.push_back(&shown == &own ? reinterpret_cast<std::byte*>(own.base)
                                          : map(shown, own));
        }
      });
    } catch (...) {
      unmap();
      throw;
    }
  }
  ~MappedAllocation() { unmap(); }
  MappedAllocation(const MappedAllocation&) = delete;
  MappedAllocation& operator=(const MappedAllocation&) = delete;

  bool has(const void* address) const {
    return reinterpret_cast<std::uint64_t>(address) - own_base_ < size_;
  }
  // Addresses of an array on each rank.
  std::vector<std::byte*> addresses(const void* own) const {
    std::vector<std::byte*> all = bases_;
    for (std::byte*& base : all) base += reinterpret_cast<std::uint64_t>(own) - own_base_;
    return all;
  }

 private:
  std::byte* map(const ShownAllocation& shown, const ShownAllocation& own) {
    if (shown.size != own.size)
      throw std::runtime_error("ranks exchange arrays of different sizes");
    if (shown.process == own.process) {  // ranks are threads
      if (shown.device != own.device) {
        const cudaError_t enabled = cudaDeviceEnablePeerAccess(shown.device, 0);
        if (enabled != cudaErrorPeerAccessAlreadyEnabled) cuda_check(enabled, "access a peer GPU");
        cudaGetLastError();
      }
      return reinterpret_cast<std::byte*>(shown.base);
    }
    void* mapped = nullptr;
    cuda_check(cudaIpcOpenMemHandle(&mapped, shown.handle, cudaIpcMemLazyEnablePeerAccess),
               "map device memory of another rank");
    opened_.push_back(mapped);
    return static_cast<std::byte*>(mapped);
  }
  void unmap() {
    for (void* const mapped : opened_) cudaIpcCloseMemHandle(mapped);
    opened_.clear();
    cudaGetLastError();
  }

  std::vector<std::byte*> bases_;
  std::vector<void*> opened_;
  std::uint64_t own_base_ = 0, size_ = 0;
};

// Ranks in processes, or threads, of one host.
class CopyEngineCollectives : public Collectives {
 public:
  CopyEngineCollectives(ProcessGroup& group, cudaStream_t backend)
      : Collectives(group),
        backend_(backend),
        flags_(group, CopyEngineExchange::flags_bytes(size()), "the flags of collectives") {
    group.agree([&] {
      cuda_check(cudaHostRegister(flags_.get(), static_cast<std::size_t>(flags_.bytes()),
                                  cudaHostRegisterMapped),
                 "register shared memory");
      registered_.reset(flags_.get());
      void* on_device = nullptr;
      cuda_check(cudaHostGetDevicePointer(&on_device, flags_.get(), 0), "map shared memory");
      if (on_device != flags_.get()) {
        throw std::runtime_error("the GPU has another address for memory of the host");
      }
      staging_ = DeviceBuffer<std::byte>(CopyEngineExchange::kStagingBytes);
    });
    mapped_staging_.emplace(group, staging_.get());
    group.agree([&] {
      exchange_.emplace(rank(), mapped_staging_->addresses(staging_.get()),
                        static_cast<std::uint32_t*>(flags_.get()));
    });
    group.on_loss([this] {
      releaser_ = std::thread([this] {
        while (!ends_) pass_flags();
      });
    });
    try {
      check();
    } catch (...) {
      end();
      throw;
    }
  }
  ~CopyEngineCollectives() override { end(); }

  std::string name() const override { return "copy engines"; }
  std::int64_t bucket_bytes() const override { return std::int64_t{32} << 20; }

  void all_reduce(float* data, std::int64_t count) override {
    begin();
    exchange_->all_reduce(data, array(data, 4 * count, round_up_16(4 * count)));
  }
  void reduce_scatter(float* data, std::int64_t count) override {
    begin();
    exchange_->reduce_scatter(data, array(data, 4 * count, 4 * count / size()));
  }
  void all_gather(const void* piece, void* all, std::int64_t bytes_per_rank) override {
    begin();
    exchange_->all_gather(piece, array(all, size() * bytes_per_rank, bytes_per_rank));
  }
  void join() override { exchange_->join(backend_); }

 private:
  void begin() {
    group().require_all();
    exchange_->start_after(backend_);
  }
  std::int64_t round_up_16(std::int64_t bytes) const {
    return (bytes + 16 * size() - 1) / (16 * size()) * 16;
  }

  ExchangedArray array(void* data, std::int64_t bytes, std::int64_t piece_bytes) {
    return {allocation_of(data).addresses(data), bytes, piece_bytes};
  }
  // All ranks use the same arrays in the same order, so all of them map an allocation together.
  const MappedAllocation& allocation_of(const void* data) {
    for (const auto& allocation : allocations_) {
      if (allocation->has(data)) return *allocation;
    }
    allocations_.push_back(std::make_unique<MappedAllocation>(group(), data));
    return *allocations_.back();
  }

  // A stream that waits for a rank that has ended would wait forever, and a graph has many waits.
  void pass_flags() {
    exchange_->release();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

  // Some hosts only seem to copy between GPUs: with an IOMMU in the way, arrays arrive as garbage.
  void check() {
    constexpr std::int64_t kCount = 1000;
    DeviceBuffer<float> sums;
    std::vector<float> values(kCount);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(rank() + 1) * static_cast<float>(i);
    group().agree([&] { sums = DeviceBuffer<float>(values); });
    for (int lane = 0; lane < CopyEngineExchange::kLanes; ++lane) {
      all_reduce(sums.get(), kCount);
      join();  // the next one starts after it
    }
    group().agree([&] {
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
      bool is_late = false;
      while (cudaStreamQuery(backend_) == cudaErrorNotReady) {
        is_late = is_late || std::chrono::steady_clock::now() > end;
        if (is_late) exchange_->release();
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
      if (is_late) throw std::runtime_error("a collective by copy engines does not end");
      // The sum of all ranks, and then of equal values.
      const auto n = static_cast<float>(size());
      const float factor = n * (n + 1) / 2 * std::pow(n, CopyEngineExchange::kLanes - 1.0f);
      const std::vector<float> results = sums.to_host();
      for (std::size_t i = 0; i < results.size(); ++i) {
        if (results[i] != factor * static_cast<float>(i))
          throw std::runtime_error("a collective by copy engines has a wrong result");
      }
    });
    allocations_.clear();
    group().barrier();  // nobody has the memory of the check mapped when it is freed
  }

  void end() {
    group().on_loss(nullptr);
    ends_ = true;
    if (releaser_.joinable()) releaser_.join();
    while (exchange_ && cudaStreamQuery(backend_) == cudaErrorNotReady) pass_flags();
    exchange_.reset();
  }

  struct Unregister {
    void operator()(void* memory) const { cudaHostUnregister(memory); }
  };

  cudaStream_t backend_;
  SharedMemory flags_;
  std::unique_ptr<void, Unregister> registered_;
  DeviceBuffer<std::byte> staging_;
  std::optional<MappedAllocation> mapped_staging_;
  std::vector<std::unique_ptr<MappedAllocation>> allocations_;
  std::optional<CopyEngineExchange> exchange_;
  std::atomic<bool> ends_ = false;
  std::thread releaser_;
};

}  // namespace

std::unique_ptr<Collectives> make_copy_engine_collectives(ProcessGroup& group, void* stream) {
  return std::make_unique<CopyEngineCollectives>(group, static_cast<cudaStream_t>(stream));
}

}  // namespace mansard::kernels

#else

namespace mansard::kernels {
std::unique_ptr<Collectives> make_copy_engine_collectives(ProcessGroup&, void*) {
  throw std::runtime_error("cannot connect GPUs: Mansard was built without CUDA");
}
}  // namespace mansard::kernels

#endif
