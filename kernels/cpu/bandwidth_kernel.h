// SPDX-License-Identifier: Apache-2.0
// What the bandwidth kernels of the host share: a working set in slices, passed over as often as it
// takes to be timed well.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cpu/host_kernel.h"
#include "kernels/cpu/slices.h"
#include "kernels/cpu/working_sets.h"

namespace mansard {

class BandwidthKernel : public HostKernel {
 public:
  Work work() const override {
    Work work;
    work.bytes[level_] = slices_.total_bytes() * static_cast<double>(repetitions_);
    work.flop = flop_per_byte_ * work.bytes[level_];
    return work;
  }

  void launch(void*) override {
    run_timed([this](int thread) { pass(thread, repetitions_); });
  }

  std::map<std::string, std::string> parameters() const override {
    std::map<std::string, std::string> all = HostKernel::parameters();
    all["working_set_bytes"] = std::to_string(static_cast<std::int64_t>(slices_.total_bytes()));
    all["repetitions"] = std::to_string(repetitions_);
    const std::string policy = huge_page_policy();
    if (!policy.empty()) all["transparent_huge_pages"] = policy;
    all["pages"] = pages() == Pages::huge ? "huge" : "default";
    if (!note_.empty()) all["note"] = note_;
    return all;
  }

 protected:
  BandwidthKernel(const std::string& name, const VectorLoops& loops, const DeviceInfo& device,
                  const PrepareOptions& options, int arrays, double flop_per_byte)
      : HostKernel(loops),
        options_(options),
        flop_per_byte_(flop_per_byte),
        total_bytes_(working_set_bytes(name, device, options)),
        level_(level_holding(device, static_cast<double>(total_bytes_))),
        slices_(threads(), arrays, total_bytes_, pages()) {
    if (level_ == MemoryLevel::dram) note_ = dram_note(device, slices_.total_bytes());
  }

  // One thread's share of a launch.
  virtual void pass(int thread, std::int64_t repetitions) = 0;

  // To be called once the data are in place: chooses how often a launch passes over them, so that
  // it lasts long against the spread of the start.
  void choose_repetitions() {
    constexpr double kShortest_s = 1e-3;
    constexpr double kAimed_s = 2e-3;
    for (;;) {
      const double time_s = std::max(undisturbed_time_s(), 1e-9);
      if (time_s >= kShortest_s) return;
      const double factor = std::clamp(kAimed_s / time_s, 2.0, 1000.0);
      repetitions_ = static_cast<std::int64_t>(static_cast<double>(repetitions_) * factor);
    }
  }

  const Slices& slices() const { return slices_; }
  const PrepareOptions& options() const { return options_; }
  std::int64_t repetitions() const { return repetitions_; }

 private:
  // Scattered small pages collide in a physically indexed cache, so a cache is met on huge pages.
  // DRAM is met on those that programs have, STREAM among them.
  Pages pages() const { return level_ == MemoryLevel::dram ? Pages::system_default : Pages::huge; }

  // The shortest time any thread took for its own share in a few launches: on a busy machine the
  // team's time may be mostly waiting, and would end the choice too early.
  double undisturbed_time_s() {
    using Clock = std::chrono::steady_clock;
    std::vector<double> times_s(static_cast<std::size_t>(threads()));
    double shortest_s = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3; ++i) {
      team().run([&](int thread) {
        const Clock::time_point start = Clock::now();
        pass(thread, repetitions_);
        times_s[static_cast<std::size_t>(thread)] =
            std::chrono::duration<double>(Clock::now() - start).count();
      });
      shortest_s = std::min(shortest_s, *std::min_element(times_s.begin(), times_s.end()));
    }
    return shortest_s;
  }

  PrepareOptions options_;
  double flop_per_byte_;
  std::int64_t total_bytes_;  // asked for
  MemoryLevel level_;
  Slices slices_;
  std::int64_t repetitions_ = 1;
  std::string note_;
};

// A spec whose `level` is empty: the working set (PrepareOptions::shape = {bytes in total}) decides
// which tier it measures, and Work::bytes names that tier. working_sets.h lists the sizes to use.
template <class Prepare>
KernelSpec swept_spec(std::string name, std::string summary, Prepare prepare) {
  KernelSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.target = Target::host;
  spec.role = KernelRole::bandwidth_ceiling;
  spec.unsupported = unsupported_on_host;
  spec.peak_per_clock = [](const DeviceInfo&) { return 0.0; };
  // The curve, and among its sizes those at which a tier is measured.
  spec.working_sets = [](const DeviceInfo& device) {
    std::vector<WorkingSet> sets;
    for (const std::int64_t bytes : sweep_working_sets(device)) {
      sets.push_back({static_cast<double>(bytes), std::nullopt});
    }
    for (const TierWorkingSet& tier : tier_working_sets(device)) {
      sets.push_back({static_cast<double>(tier.bytes), tier.level});
    }
    std::sort(sets.begin(), sets.end(),
              [](const WorkingSet& a, const WorkingSet& b) { return a.bytes < b.bytes; });
    return sets;
  };
  spec.prepare = [prepare](const DeviceInfo& device, const PrepareOptions& options) {
    return prepare(loops_for(device), device, options);
  };
  return spec;
}

}  // namespace mansard
