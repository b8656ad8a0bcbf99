// SPDX-License-Identifier: Apache-2.0
// Cost of recording an event: events with timestamps, recorded one after another into a stream. The
// slower of the recording host and the device that writes the timestamps determines the time.
#include <sstream>

#include "kernels/ceilings/launch/busy_wait.cuh"
#include "kernels/ceilings/launch/overhead_ceiling.h"
#include "kernels/device/cuda_objects.h"

namespace mansard::kernels {
namespace {

constexpr int kRecords = 1000;

class EventRecord : public OverheadCeiling {
 public:
  EventRecord() : OverheadCeiling("records", kRecords) {}

  void launch(void* stream) override {
    const auto cuda_stream = static_cast<cudaStream_t>(stream);
    repeat("record an event", [&] { return cudaEventRecord(event_.get(), cuda_stream); });
  }

  // Checks that the last event was recorded after a preceding kernel of known duration.
  std::string verify() override {
    constexpr unsigned kBusy_ns = 500'000;
    const CudaEvent start(cudaEventDefault);
    cuda_check(cudaEventRecord(start.get(), nullptr), "record an event");
    busy_wait<><<<1, 1>>>(kBusy_ns);
    launch(nullptr);
    cuda_check(cudaDeviceSynchronize(), "wait for recorded events");
    float elapsed_ms = 0;
    cuda_check(cudaEventElapsedTime(&elapsed_ms, start.get(), event_.get()), "read two events");
    if (elapsed_ms >= 0.99e-6f * kBusy_ns) return "";  // two clocks: the events' and the kernel's
    std::ostringstream text;
    text << "the events are " << elapsed_ms << " ms apart, with a kernel of " << 1e-6 * kBusy_ns
         << " ms between them";
    return text.str();
  }

 private:
  CudaEvent event_{cudaEventDefault};
};

}  // namespace

void register_event_record(KernelRegistry& registry) {
  registry.add(overhead_spec<EventRecord>(
      "event_record", "Back-to-back cudaEventRecord calls with timestamps", Overhead::event));
}

}  // namespace mansard::kernels
