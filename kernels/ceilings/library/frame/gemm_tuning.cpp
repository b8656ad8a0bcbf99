// SPDX-License-Identifier: Apache-2.0
#if MANSARD_HAVE_CUBLASLT

#include "kernels/ceilings/library/frame/gemm_tuning.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "kernels/ceilings/library/frame/algorithm_text.h"
#include "support/statistics.h"

namespace mansard::kernels::library {
namespace {

class Stopwatch {
 public:
  double time_s() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class GpuTimer {
 public:
  GpuTimer() {
    cuda_check(cudaEventCreate(&start_), "create an event");
    cuda_check(cudaEventCreate(&end_), "create an event");
  }
  ~GpuTimer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(end_);
  }
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;

  // Seconds per launch, over `launches` in a row. With `lead`, another launch precedes them, so
  // that the GPU is busy while the host enqueues the first timed one.
  double time_s(const GemmRunner& runner, const Contender& contender, int launches,
                bool lead) const {
    const auto launch = [&] {
      cublaslt_check(runner.run(contender, nullptr), "run " + contender.matmul->name());
    };
    if (lead) launch();
    cuda_check(cudaEventRecord(start_), "record an event");
    for (int i = 0; i < launches; ++i) launch();
    cuda_check(cudaEventRecord(end_), "record an event");
    cuda_check(cudaEventSynchronize(end_), "run " + contender.matmul->name());
    float time_ms = 0;
    cuda_check(cudaEventElapsedTime(&time_ms, start_, end_), "read an event");
    return 1e-3 * time_ms / launches;
  }

 private:
  cudaEvent_t start_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

class Tuner {
 public:
  Tuner(const GemmRunner& runner, const SweepPlan& plan, const TuningOptions& options)
      : runner_(runner), plan_(plan), options_(options) {}

  Tuning run() {
    for (const GemmShape& shape : plan_.shapes) {
      const bool too_slow = best_rate_ > 0 && shape.flop() / best_rate_ > options_.longest_launch_s;
      if (too_slow || late() || !screen(shape)) ++tuning_.shapes_left_out;
    }
    if (tuning_.winners.empty()) {
      throw std::runtime_error("cuBLASLt " + cublaslt_version_text(cublaslt().version()) +
                               " has no such algorithm for " + runner_.gemm().name + " of " +
                               to_string(plan_.shapes.front()) + " on this device");
    }
    compare_winners();
    tuning_.time_s = watch_.time_s();
    return tuning_;
  }

 private:
  bool late() const { return !tuning_.winners.empty() && watch_.time_s() > options_.limit_s; }

  double sample_time_s(const Contender& contender) const {
    // Enqueuing takes the host about 10 us, which is negligible for such a long launch; a lead
    // would double the sample.
    constexpr double kLongLaunch_s = 4e-3;
    const double expected_s = contender.shape.flop() / best_rate_;
    const auto launches = static_cast<int>(std::lround(options_.sample_s / expected_s));
    return timer_.time_s(runner_, contender, std::clamp(launches, 1, 100),
                         expected_s < kLongLaunch_s);
  }

  // The algorithms that cuBLASLt offers and can run. The first launch loads the kernel's code.
  std::vector<Contender> runnable(const GemmShape& shape) {
    std::vector<Contender> all = runner_.contenders(shape);
    std::erase_if(all, [&](const Contender& contender) {
      if (plan_.contender && contender.number != *plan_.contender) return true;
      return runner_.run(contender, nullptr) != CUBLAS_STATUS_SUCCESS;
    });
    cuda_check(cudaDeviceSynchronize(), "run the algorithms for " + to_string(shape));
    return all;
  }

  // Clocks leave their idle state within some tens of milliseconds of load.
  void warm_up(const Contender& contender) {
    const Stopwatch watch;
    do {
      best_rate_ = contender.shape.flop() / timer_.time_s(runner_, contender, 1, true);
    } while (watch.time_s() < options_.warm_up_s);
  }

  // Adds the fastest algorithm of the shape to the winners. Returns false if there is none.
  bool screen(const GemmShape& shape) {
    std::vector<Contender> contenders = runnable(shape);
    if (contenders.empty()) return false;
    if (best_rate_ == 0) warm_up(contenders.front());
    double best_here = 0;
    for (Contender& contender : contenders) {
      if (best_here > 0 && late()) break;
      contender.time_s = sample_time_s(contender);
      best_here = std::max(best_here, contender.rate());
      best_rate_ = std::max(best_rate_, contender.rate());
      ++tuning_.candidates;
    }
    for (Contender& contender : contenders) {
      if (contender.rate() < options_.close * best_here) continue;
      contender.time_s = std::min(contender.time_s, sample_time_s(contender));
    }
    tuning_.winners.push_back(*std::max_element(contenders.begin(), contenders.end(), slower));
    return true;
  }

  void compare_winners() {
    std::vector<std::vector<double>> times_s(tuning_.winners.size());
    for (int round = 0; round < options_.final_rounds; ++round) {
      for (std::size_t i = 0; i < tuning_.winners.size(); ++i) {
        const Contender& winner = tuning_.winners[i];
        const Stopwatch watch;
        times_s[i].push_back(sample_time_s(winner));
        // Pause as long as the run, as for bursts (measure.h); otherwise the clock would decide the
        // ranking.
        std::this_thread::sleep_for(std::chrono::duration<double>(watch.time_s()));
      }
    }
    for (std::size_t i = 0; i < tuning_.winners.size(); ++i) {
      tuning_.winners[i].time_s = median_in_place(times_s[i]);
    }
    tuning_.best = *std::max_element(tuning_.winners.begin(), tuning_.winners.end(), slower);
  }

  static bool slower(const Contender& x, const Contender& y) { return x.rate() < y.rate(); }

  const GemmRunner& runner_;
  const SweepPlan& plan_;
  TuningOptions options_;
  GpuTimer timer_;
  Stopwatch watch_;
  Tuning tuning_;
  double best_rate_ = 0;  // over all contenders; 0: none timed yet
};

}  // namespace

Tuning tune(const GemmRunner& runner, const SweepPlan& plan, const TuningOptions& options) {
  return Tuner(runner, plan, options).run();
}

}  // namespace mansard::kernels::library

#endif
