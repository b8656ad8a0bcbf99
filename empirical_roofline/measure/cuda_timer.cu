// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include "empirical_roofline/measure/launch_timer.h"
#include "kernels/device/cuda_check.h"

namespace mansard::roofline {
namespace {

constexpr unsigned long long kSpin_ns = 30000;  // several times the time to enqueue a launch

__global__ void spin(unsigned long long duration_ns) {
  unsigned long long start = 0;
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - start < duration_ns);
}

struct Tick {
  long long cycle = 0;
  unsigned long long ns = 0;  // 0: no block ran on this SM
};

// Reads the cycle counter and the time on each SM. The counters keep running between kernels.
__global__ void tick(Tick* by_sm, unsigned sms) {
  unsigned sm = 0;
  Tick now;
  asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now.ns));
  now.cycle = clock64();
  if (sm < sms) by_sm[sm] = now;
}

// Readings of the SMs' cycle counters, and the mean clock between two readings.
class SmTicks {
 public:
  SmTicks(int sms, int readings) : sms_(static_cast<unsigned>(sms)) {
    kernels::cuda_check(cudaMallocHost(&ticks_, readings * sms_ * sizeof *ticks_),
                        "allocate pinned memory");
  }
  ~SmTicks() { cudaFreeHost(ticks_); }
  SmTicks(const SmTicks&) = delete;
  SmTicks& operator=(const SmTicks&) = delete;

  void read(int reading, cudaStream_t stream) {
    std::fill_n(of(reading), sms_, Tick{});
    tick<<<sms_, 1, 0, stream>>>(of(reading), sms_);
  }

  // Mean clock between two completed readings; 0 if no SM is in both.
  double clock_hz(int from, int to) const {
    double sum_hz = 0;
    int seen = 0;
    for (unsigned sm = 0; sm < sms_; ++sm) {
      const Tick& first = of(from)[sm];
      const Tick& last = of(to)[sm];
      if (first.ns == 0 || last.ns <= first.ns || last.cycle <= first.cycle) continue;
      sum_hz += 1e9 * static_cast<double>(last.cycle - first.cycle) /
                static_cast<double>(last.ns - first.ns);
      ++seen;
    }
    return seen > 0 ? sum_hz / seen : 0;
  }

 private:
  Tick* of(int reading) const { return ticks_ + static_cast<std::size_t>(reading) * sms_; }

  unsigned sms_;
  Tick* ticks_ = nullptr;  // pinned memory, written by the device
};

class Stream {
 public:
  explicit Stream(const kernels::DeviceInfo& device) {
    kernels::cuda_check(cudaSetDevice(device.ordinal), "use " + device.name);
    kernels::cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
                        "create a stream");
  }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }
  void wait(const char* what) const { kernels::cuda_check(cudaStreamSynchronize(stream_), what); }

 private:
  cudaStream_t stream_ = nullptr;
};

class EventTimer : public LaunchTimer {
 public:
  explicit EventTimer(const kernels::DeviceInfo& device)
      : stream_(device), ticks_(device.units, 2) {
    kernels::cuda_check(cudaEventCreate(&start_), "create an event");
    kernels::cuda_check(cudaEventCreate(&end_), "create an event");
  }
  ~EventTimer() override {
    cudaEventDestroy(start_);
    cudaEventDestroy(end_);
  }
  double clock_hz() const override { return ticks_.clock_hz(0, 1); }
  double time_s(kernels::PreparedKernel& kernel) override {
    spin<<<1, 1, 0, stream_.get()>>>(kSpin_ns);
    ticks_.read(0, stream_.get());
    kernels::cuda_check(cudaEventRecord(start_, stream_.get()), "record an event");
    kernel.launch(stream_.get());
    kernels::cuda_check(cudaEventRecord(end_, stream_.get()), "record an event");
    ticks_.read(1, stream_.get());
    stream_.wait("run the timed kernel");
    float ms = 0;
    kernels::cuda_check(cudaEventElapsedTime(&ms, start_, end_), "read the events");
    return 1e-3 * ms;
  }

 private:
  Stream stream_;
  SmTicks ticks_;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

// Keeps two batches in flight, so that the device runs the next while the host reads the last.
class CudaLoadTimer : public LoadTimer {
 public:
  explicit CudaLoadTimer(const kernels::DeviceInfo& device)
      : stream_(device), ticks_(device.units, kReadings) {
    for (cudaEvent_t& e : ends_) kernels::cuda_check(cudaEventCreate(&e), "create an event");
  }
  ~CudaLoadTimer() override {
    cudaStreamSynchronize(stream_.get());
    for (const cudaEvent_t e : ends_) cudaEventDestroy(e);
  }
  double next_s(kernels::PreparedKernel& kernel, int launches) override {
    if (batches_ == 0) record(0);
    for (int i = 0; i < launches; ++i) kernel.launch(stream_.get());
    ++batches_;
    record(batches_);
    if (batches_ < 2) return 0;
    const cudaEvent_t end = event(batches_ - 1);
    kernels::cuda_check(cudaEventSynchronize(end), "run a batch of launches");
    float ms = 0;
    kernels::cuda_check(cudaEventElapsedTime(&ms, event(batches_ - 2), end), "read the events");
    clock_hz_ = ticks_.clock_hz((batches_ - 2) % kReadings, (batches_ - 1) % kReadings);
    return 1e-3 * ms;
  }
  double clock_hz() const override { return clock_hz_; }

 private:
  static constexpr int kReadings =
      3;  // at the ends of the batch in flight and of the two before it
  cudaEvent_t event(int batch) const { return ends_[batch % kReadings]; }
  void record(int batch) {
    ticks_.read(batch % kReadings, stream_.get());
    kernels::cuda_check(cudaEventRecord(event(batch), stream_.get()), "record an event");
  }

  Stream stream_;
  SmTicks ticks_;
  double clock_hz_ = 0;
  cudaEvent_t ends_[kReadings] = {};
  int batches_ = 0;
};

class WallTimer : public LaunchTimer {
 public:
  explicit WallTimer(const kernels::DeviceInfo& device) : stream_(device) {}
  double time_s(kernels::PreparedKernel& kernel) override {
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

std::unique_ptr<LaunchTimer> make_event_timer(const kernels::DeviceInfo& device) {
  return std::make_unique<EventTimer>(device);
}

std::unique_ptr<LoadTimer> make_load_timer(const kernels::DeviceInfo& device) {
  return std::make_unique<CudaLoadTimer>(device);
}

std::unique_ptr<LaunchTimer> make_wall_timer(const kernels::DeviceInfo& device) {
  return std::make_unique<WallTimer>(device);
}

}  // namespace mansard::roofline
