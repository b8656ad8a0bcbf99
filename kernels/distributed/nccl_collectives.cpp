// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "kernels/distributed/collectives.h"

#if MANSARD_HAVE_CUDA

#include <cstring>

#include "kernels/device/cuda_objects.h"
#include "kernels/distributed/nccl.h"

namespace mansard::kernels {
namespace {

// Operations run on a stream of their own, with priority over the kernels of the backend: what they
// deliver late, the next operation of all ranks waits for.
class NcclCollectives : public Collectives {
 public:
  NcclCollectives(ProcessGroup& group, cudaStream_t backend)
      : Collectives(group),
        backend_(backend),
        stream_(CudaStream::Priority::highest),
        ready_(cudaEventDisableTiming),
        done_(cudaEventDisableTiming) {
    Nccl::UniqueId id{};
    if (rank() == 0) nccl().check(nccl().get_unique_id(&id), "create a communicator");
    const std::string text = group.broadcast(std::string(id.bytes, sizeof id.bytes));
    std::memcpy(id.bytes, text.data(), sizeof id.bytes);
    nccl().check(nccl().comm_init_rank(&comm_, size(), id, rank()),
                 "connect rank " + std::to_string(rank()) + " of " + std::to_string(size()));
    // A kernel that waits for a rank that has ended would never return.
    group.on_loss([this] {
      const std::scoped_lock lock(mutex_);
      if (comm_ != nullptr) nccl().comm_abort(std::exchange(comm_, nullptr));
    });
  }

  ~NcclCollectives() override {
    group().on_loss(nullptr);
    if (comm_ != nullptr) nccl().comm_destroy(comm_);
  }

  std::string name() const override { return "NCCL " + nccl().version; }
  // While NCCL's blocks occupy some SMs, a GEMM that counts on all of them takes up to twice as
  // long, so few long exchanges cost less than many short ones.
  std::int64_t bucket_bytes() const override { return std::int64_t{256} << 20; }

  void all_reduce(float* data, std::int64_t count) override {
    enqueue("all-reduce", [&](Nccl::Comm comm) {
      return nccl().all_reduce(data, data, static_cast<std::size_t>(count), Nccl::kFloat32,
                               Nccl::kSum, comm, stream_.get());
    });
  }
  void reduce_scatter(float* data, std::int64_t count) override {
    const std::int64_t piece = count / size();
    enqueue("reduce-scatter", [&](Nccl::Comm comm) {
      return nccl().reduce_scatter(data, data + rank() * piece, static_cast<std::size_t>(piece),
                                   Nccl::kFloat32, Nccl::kSum, comm, stream_.get());
    });
  }
  void all_gather(const void* piece, void* all, std::int64_t bytes_per_rank) override {
    enqueue("all-gather", [&](Nccl::Comm comm) {
      return nccl().all_gather(piece, all, static_cast<std::size_t>(bytes_per_rank), Nccl::kInt8,
                               comm, stream_.get());
    });
  }

  void join() override {
    cuda_check(cudaEventRecord(done_.get(), stream_.get()), "record an event");
    cuda_check(cudaStreamWaitEvent(backend_, done_.get(), 0), "wait for a collective");
  }

 private:
  template <class Operation>
  void enqueue(const char* what, const Operation& operation) {
    cuda_check(cudaEventRecord(ready_.get(), backend_), "record an event");
    cuda_check(cudaStreamWaitEvent(stream_.get(), ready_.get(), 0), "wait for the backend");
    const std::scoped_lock lock(mutex_);
    group().require_all();
    nccl().check(operation(comm_), std::string("enqueue an ") + what);
  }

  cudaStream_t backend_;
  CudaStream stream_;
  CudaEvent ready_, done_;
  std::mutex mutex_;
  Nccl::Comm comm_ = nullptr;  // null: aborted
};

}  // namespace

std::unique_ptr<Collectives> make_nccl_collectives(ProcessGroup& group, void* stream) {
  return std::make_unique<NcclCollectives>(group, static_cast<cudaStream_t>(stream));
}

}  // namespace mansard::kernels

#else

namespace mansard::kernels {
std::unique_ptr<Collectives> make_nccl_collectives(ProcessGroup&, void*) {
  throw std::runtime_error("cannot connect GPUs: Mansard was built without CUDA");
}
}  // namespace mansard::kernels

#endif
