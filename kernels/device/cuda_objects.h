// SPDX-License-Identifier: Apache-2.0
// Streams and events with scoped ownership.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/device/cuda_check.h"

namespace mansard::kernels {

class CudaEvent {
 public:
  // cudaEventDefault records a timestamp; cudaEventDisableTiming only orders.
  explicit CudaEvent(unsigned flags) {
    cuda_check(cudaEventCreateWithFlags(&event_, flags), "create an event");
  }
  ~CudaEvent() { cudaEventDestroy(event_); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

// Neither this stream nor the default stream waits for the other.
class CudaStream {
 public:
  enum class Priority { normal, highest };
  explicit CudaStream(Priority priority = Priority::normal) {
    int lowest = 0, highest = 0;
    cuda_check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "query stream priorities");
    cuda_check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking,
                                            priority == Priority::normal ? 0 : highest),
               "create a stream");
  }
  ~CudaStream() { cudaStreamDestroy(stream_); }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace mansard::kernels
