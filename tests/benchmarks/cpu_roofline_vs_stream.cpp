// SPDX-License-Identifier: Apache-2.0
// CPU ceilings vs. independent measurements. Informative only: always exits with 0.
//  - DRAM: cpu_triad, alternating with a STREAM triad written here from its definition.
//  - FMA: measured FLOP/s over cores x lanes x 2 x units x the measured clock.
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <pthread.h>
#include <thread>
#include <vector>

#include <sys/mman.h>

#include "kernels/ceilings/cpu/working_sets.h"
#include "kernels/device/host_topology.h"
#include "kernels/kernel.h"

namespace {

using namespace mansard;

struct Summary {
  double median = 0;
  double spread = 0;  // interquartile range over median
};

Summary summarize(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  const double median = n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
  return {median, (values[3 * n / 4] - values[n / 4]) / median};
}

// STREAM (J. D. McCalpin): three consecutive arrays of doubles, like its static arrays, and one
// plain loop that is divided evenly among the threads, each of which touches its part first. The
// compiler optimizes it freely. cpu_triad measures DRAM on default pages; `huge_pages` shows the
// effect of the page size.
class Stream {
 public:
  Stream(std::size_t elements, std::vector<int> cpus, bool huge_pages)
      : arrays_(allocate(3 * elements, huge_pages)),
        a_(arrays_.get()),
        b_(a_ + elements),
        c_(b_ + elements),
        elements_(elements),
        cpus_(std::move(cpus)) {
    on_every_cpu([this](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        a_[i] = 1;
        b_[i] = 2;
        c_[i] = 0.5;
      }
    });
  }

  double triad_bytes_per_s() {
    const double scalar = 3;
    const double time_s = on_every_cpu([this, scalar](std::size_t begin, std::size_t end) {
      double* const a = a_;
      const double* const b = b_;
      const double* const c = c_;
      for (std::size_t i = begin; i < end; ++i) a[i] = b[i] + scalar * c[i];
    });
    return 24.0 * static_cast<double>(elements_) / time_s;
  }

  bool correct() const {
    return std::all_of(a_, a_ + elements_, [](double x) { return x == 3.5; });
  }

 private:
  template <class Body>
  double on_every_cpu(Body body) {
    using Clock = std::chrono::steady_clock;
    const std::size_t n = cpus_.size();
    std::vector<Clock::time_point> starts(n);
    std::vector<Clock::time_point> ends(n);
    std::barrier ready(static_cast<std::ptrdiff_t>(n));
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < n; ++t) {
      threads.emplace_back([&, t] {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(cpus_[t], &set);
        pthread_setaffinity_np(pthread_self(), sizeof set, &set);
        ready.arrive_and_wait();
        starts[t] = Clock::now();
        body(elements_ * t / n, elements_ * (t + 1) / n);
        ends[t] = Clock::now();
      });
    }
    for (std::thread& thread : threads) thread.join();
    return std::chrono::duration<double>(*std::max_element(ends.begin(), ends.end()) -
                                         *std::min_element(starts.begin(), starts.end()))
        .count();
  }

  struct Free {
    void operator()(double* array) const { std::free(array); }
  };
  using Doubles = std::unique_ptr<double[], Free>;

  static Doubles allocate(std::size_t elements, bool huge_pages) {
    constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
    const std::size_t bytes = (elements * sizeof(double) / kHugePageBytes + 1) * kHugePageBytes;
    Doubles array(static_cast<double*>(std::aligned_alloc(kHugePageBytes, bytes)));
    if (!array) throw std::bad_alloc();
    if (huge_pages) madvise(array.get(), bytes, MADV_HUGEPAGE);
    return array;
  }

  Doubles arrays_;
  double* a_;
  double* b_;
  double* c_;
  std::size_t elements_;
  std::vector<int> cpus_;
};

void print(const char* what, const Summary& s, const char* unit) {
  std::printf("  %-28s %12s   spread %s\n", what, format_si(s.median, unit).c_str(),
              format_percent(s.spread).c_str());
}

void print_ratio(const char* what, const std::vector<double>& ours,
                 const std::vector<double>& theirs) {
  std::vector<double> pairs;
  for (std::size_t i = 0; i < ours.size(); ++i) pairs.push_back(ours[i] / theirs[i]);
  const Summary ratio = summarize(pairs);
  std::printf("  %-28s %12.3f   of pairs: %.3f, spread %s (aim: 0.90 to 1.10)\n", what,
              summarize(ours).median / summarize(theirs).median, ratio.median,
              format_percent(ratio.spread).c_str());
}

// Memory speed depends on the location (NUMA, the hypervisor's pages), so every campaign allocates
// anew, and the order of allocation alternates.
void compare_dram(const kernels::DeviceInfo& device) {
  constexpr int kCampaigns = 6;
  constexpr int kAlternations = 5;
  const std::vector<kernels::TierWorkingSet> tiers = kernels::tier_working_sets(device);
  if (tiers.empty() || tiers.back().level != MemoryLevel::dram) {
    std::printf("DRAM triad: not measured, no working set separates DRAM from the caches\n");
    return;
  }
  // The arrays of all sides exist at the same time.
  const double bytes =
      std::min(static_cast<double>(tiers.back().bytes), 0.25 * kernels::available_memory_bytes());
  const std::size_t elements = static_cast<std::size_t>(bytes) / 24;
  kernels::PrepareOptions options;
  options.shape = {static_cast<std::int64_t>(bytes)};
  const kernels::KernelSpec& spec = *kernels::kernel_registry().find("cpu_triad");
  const std::vector<int> cpus = kernels::read_host_topology().cpus;

  std::vector<double> ours, plain, huge;
  bool correct = true;
  for (int campaign = 0; campaign < kCampaigns; ++campaign) {
    std::unique_ptr<kernels::PreparedKernel> triad;
    std::optional<Stream> stream, stream_huge;
    for (int i = 0; i < 3; ++i) {
      const int side = (campaign + i) % 3;
      if (side == 0) triad = spec.prepare(device, options);
      if (side == 1) stream.emplace(elements, cpus, false);
      if (side == 2) stream_huge.emplace(elements, cpus, true);
    }
    const double moved_bytes = triad->work().bytes.begin()->second;
    for (int i = -1; i < kAlternations; ++i) {  // the first round is a warm-up
      triad->launch(nullptr);
      const double our_rate = moved_bytes / triad->elapsed_device_s();
      const double plain_rate = stream->triad_bytes_per_s();
      const double huge_rate = stream_huge->triad_bytes_per_s();
      if (i < 0) continue;
      ours.push_back(our_rate);
      plain.push_back(plain_rate);
      huge.push_back(huge_rate);
    }
    correct = correct && stream->correct() && stream_huge->correct() && triad->verify().empty();
  }
  std::printf("DRAM triad, working set %s, %d campaigns of %d alternations, huge pages: %s\n",
              format_capacity(bytes).c_str(), kCampaigns, kAlternations,
              kernels::huge_page_policy().c_str());
  print("cpu_triad", summarize(ours), "B/s");
  print("STREAM, default pages", summarize(plain), "B/s");
  print("STREAM, huge pages", summarize(huge), "B/s");
  print_ratio("to STREAM, default pages", ours, plain);
  print_ratio("to STREAM, huge pages", ours, huge);
  std::printf("  results %s\n", correct ? "verified" : "WRONG");
}

void compare_fma(const kernels::DeviceInfo& device, const char* name) {
  constexpr int kWarmUp = 10;
  constexpr int kLaunches = 60;
  const kernels::KernelSpec& spec = *kernels::kernel_registry().find(name);
  const auto kernel = spec.prepare(device, {});
  std::vector<double> rates, clocks, fractions;
  for (int i = 0; i < kWarmUp + kLaunches; ++i) {
    kernel->launch(nullptr);
    if (i < kWarmUp) continue;
    const double flop_per_s = kernel->work().flop / kernel->elapsed_device_s();
    const double clock_hz = kernel->elapsed_cycles() / kernel->elapsed_device_s();
    rates.push_back(flop_per_s);
    clocks.push_back(clock_hz);
    fractions.push_back(flop_per_s / (device.units * spec.peak_per_clock(device) * clock_hz));
  }
  std::printf("%s, %d launches, %s units\n", name, kLaunches,
              kernel->parameters().at("fma_units").c_str());
  print("measured", summarize(rates), "FLOP/s");
  print("measured clock", summarize(clocks), "Hz");
  const Summary fraction = summarize(fractions);
  std::printf("  %-28s %12.3f   spread %s, best %.3f (aim: at least 0.85)\n",
              "fraction of peak at clock", fraction.median, format_percent(fraction.spread).c_str(),
              *std::max_element(fractions.begin(), fractions.end()));
}

}  // namespace

int main() {
  try {
    const kernels::DeviceInfo device = kernels::host_device();
    std::printf("%s, %d cores, %s\n", device.name.c_str(), device.units,
                device.instruction_set.c_str());
    for (const char* name : {"cpu_fma_fp64", "cpu_fma_fp32"}) compare_fma(device, name);
    compare_dram(device);
  } catch (const std::exception& error) {
    std::printf("not measured: %s\n", error.what());
  }
  return 0;
}
