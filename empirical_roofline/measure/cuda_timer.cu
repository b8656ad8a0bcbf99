// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "empirical_roofline/measure/launch_timer.h"
#include "kernels/device/cuda_check.h"

namespace mansard {
namespace {

constexpr unsigned long long kSpin_ns = 30000;  // several times what enqueuing a launch takes

__global__ void spin(unsigned long long duration_ns) {
  unsigned long long start = 0;
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - start < duration_ns);
}

// The SM's clock between two ticks of the global timer, which ticks coarsely (up to 1 us). Far
// shorter than what a power limit takes to change the clock, and after the timed launch's end.
__global__ void probe_clock(double* clock_hz) {
  constexpr unsigned long long kLeast_ns = 30000;
  unsigned long long ns[3] = {};
  long long cycle[2] = {};
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns[0]));
  for (int edge = 0; edge < 2; ++edge) {
    const unsigned long long until = edge == 0 ? ns[0] : ns[1] + kLeast_ns;
    unsigned long long now = ns[0];
    unsigned long long last = now;
    while (now <= until || now == last) {
      last = now;
      asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
      cycle[edge] = clock64();
    }
    ns[edge + 1] = now;
  }
  *clock_hz = 1e9 * static_cast<double>(cycle[1] - cycle[0]) / static_cast<double>(ns[2] - ns[1]);
}

class Stream {
 public:
  explicit Stream(const DeviceInfo& device) {
    cuda_check(cudaSetDevice(device.ordinal), "use " + device.name);
    cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
  }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }
  void wait(const char* what) const { cuda_check(cudaStreamSynchronize(stream_), what); }

 private:
  cudaStream_t stream_ = nullptr;
};

class EventTimer : public LaunchTimer {
 public:
  explicit EventTimer(const DeviceInfo& device) : stream_(device) {
    cuda_check(cudaEventCreate(&start_), "create an event");
    cuda_check(cudaEventCreate(&end_), "create an event");
    cuda_check(cudaMallocHost(&clock_hz_, sizeof *clock_hz_), "allocate pinned memory");
    *clock_hz_ = 0;
  }
  ~EventTimer() override {
    cudaEventDestroy(start_);
    cudaEventDestroy(end_);
    cudaFreeHost(clock_hz_);
  }
  double clock_after_hz() const override { return *clock_hz_; }
  double time_s(PreparedKernel& kernel) override {
    spin<<<1, 1, 0, stream_.get()>>>(kSpin_ns);
    cuda_check(cudaEventRecord(start_, stream_.get()), "record an event");
    kernel.launch(stream_.get());
    cuda_check(cudaEventRecord(end_, stream_.get()), "record an event");
    probe_clock<<<1, 1, 0, stream_.get()>>>(clock_hz_);
    stream_.wait("run the timed kernel");
    float ms = 0;
    cuda_check(cudaEventElapsedTime(&ms, start_, end_), "read the events");
    return 1e-3 * ms;
  }

 private:
  Stream stream_;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t end_ = nullptr;
  double* clock_hz_ = nullptr;  // pinned: the device writes it
};

// Two batches are in flight, so that the device starts the next while the host reads the last.
class CudaLoadTimer : public LoadTimer {
 public:
  explicit CudaLoadTimer(const DeviceInfo& device) : stream_(device) {
    for (cudaEvent_t& e : ends_) cuda_check(cudaEventCreate(&e), "create an event");
  }
  ~CudaLoadTimer() override {
    cudaStreamSynchronize(stream_.get());
    for (const cudaEvent_t e : ends_) cudaEventDestroy(e);
  }
  double next_s(PreparedKernel& kernel, int launches) override {
    if (batches_ == 0) record(0);
    for (int i = 0; i < launches; ++i) kernel.launch(stream_.get());
    ++batches_;
    record(batches_);
    if (batches_ < 2) return 0;
    const cudaEvent_t end = event(batches_ - 1);
    cuda_check(cudaEventSynchronize(end), "run a batch of launches");
    float ms = 0;
    cuda_check(cudaEventElapsedTime(&ms, event(batches_ - 2), end), "read the events");
    return 1e-3 * ms;
  }

 private:
  cudaEvent_t event(int batch) const { return ends_[batch % 3]; }
  void record(int batch) {
    cuda_check(cudaEventRecord(event(batch), stream_.get()), "record an event");
  }

  Stream stream_;
  cudaEvent_t ends_[3] = {};  // of the batch in flight and of the two before it
  int batches_ = 0;
};

class WallTimer : public LaunchTimer {
 public:
  explicit WallTimer(const DeviceInfo& device) : stream_(device) {}
  double time_s(PreparedKernel& kernel) override {
    using Clock = std::chrono::steady_clock;
    stream_.wait("empty the stream");
    const Clock::time_point start = Clock::now();
    kernel.launch(stream_.get());
    stream_.wait("run the timed launches");
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

 private:
  Stream stream_;
};

}  // namespace

std::unique_ptr<LaunchTimer> make_event_timer(const DeviceInfo& device) {
  return std::make_unique<EventTimer>(device);
}

std::unique_ptr<LoadTimer> make_load_timer(const DeviceInfo& device) {
  return std::make_unique<CudaLoadTimer>(device);
}

std::unique_ptr<LaunchTimer> make_wall_timer(const DeviceInfo& device) {
  return std::make_unique<WallTimer>(device);
}

}  // namespace mansard
