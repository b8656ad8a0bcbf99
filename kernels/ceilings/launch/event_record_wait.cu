// SPDX-License-Identifier: Apache-2.0
// Cost of making one stream wait for another: a chain of events that are recorded in one stream and
// waited for in the other, then back. One operation is one such hop.
#include <array>

#include "kernels/ceilings/launch/busy_wait.cuh"
#include "kernels/ceilings/launch/overhead_ceiling.h"
#include "kernels/device/cuda_objects.h"
#include "kernels/device/device_buffer.h"

namespace mansard::kernels {
namespace {

constexpr int kHops = 400;
static_assert(kHops % 2 == 0, "the chain ends in the stream it began in");

__global__ void take_turn(unsigned* turns, unsigned turn) {
  if (*turns == turn) *turns = turn + 1;
}

class EventRecordWait : public OverheadCeiling {
 public:
  EventRecordWait() : OverheadCeiling("hops", kHops) {}

  void launch(void* stream) override {
    int n = 0;
    repeat("make one stream wait for another",
           [&] { return hop(n++, static_cast<cudaStream_t>(stream)); });
  }

  // Starts with a long kernel: without the waits, kernels of the other stream would run before it
  // ends and out of order.
  std::string verify() override {
    constexpr unsigned kBusy_ns = 5'000'000;
    const CudaStream stream;
    DeviceBuffer<unsigned> turns(1);
    turns.fill_bytes(0);
    cuda_check(cudaDeviceSynchronize(), "clear the count of turns");
    busy_wait<><<<1, 1, 0, stream.get()>>>(kBusy_ns);
    int n = 0;
    repeat("make one stream wait for another", [&] {
      const cudaError_t status = hop(n, stream.get());
      take_turn<<<1, 1, 0, side(n + 1, stream.get())>>>(turns.get(), static_cast<unsigned>(n));
      ++n;
      return status;
    });
    cuda_check(cudaStreamSynchronize(stream.get()), "run the chain of hops");
    return count_difference(turns.to_host()[0]);
  }

 private:
  cudaStream_t side(int n, cudaStream_t stream) const { return n % 2 == 0 ? stream : other_.get(); }

  // One hop, from side `n` to the next. The event is recorded again after the wait for it has been
  // enqueued; the wait keeps its original target.
  cudaError_t hop(int n, cudaStream_t stream) const {
    const cudaEvent_t event = events_[static_cast<std::size_t>(n % 2)].get();
    const cudaError_t status = cudaEventRecord(event, side(n, stream));
    if (status != cudaSuccess) return status;
    return cudaStreamWaitEvent(side(n + 1, stream), event, 0);
  }

  CudaStream other_;
  std::array<CudaEvent, 2> events_{CudaEvent(cudaEventDisableTiming),
                                   CudaEvent(cudaEventDisableTiming)};
};

}  // namespace

void register_event_record_wait(KernelRegistry& registry) {
  registry.add(overhead_spec<EventRecordWait>(
      "event_record_wait", "Dependency between streams: cudaEventRecord and cudaStreamWaitEvent",
      Overhead::event));
}

}  // namespace mansard::kernels
