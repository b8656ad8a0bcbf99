// SPDX-License-Identifier: Apache-2.0
// Common parts of the host's bandwidth kernels: a working set in slices, traversed as often as
// needed for an accurate time.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/ceilings/cpu/host_kernel.h"
#include "kernels/ceilings/cpu/slices.h"
#include "kernels/ceilings/cpu/working_sets.h"

namespace mansard::kernels {

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
    all["pages"] = to_string(pages_for(level_));
    all["numa_nodes"] = std::to_string(numa_nodes_);
    if (!note_.empty()) all["note"] = note_;
    return all;
  }

 protected:
  BandwidthKernel(const std::string& name, const VectorLoops& loops, const DeviceInfo& device,
                  const PrepareOptions& options, int arrays, double flop_per_byte,
                  const HostTopology& host = read_host_topology())
      : HostKernel(loops.set, host.cpus),
        loops_(loops),
        seed_(options.seed),
        numa_nodes_(host.numa_nodes),
        flop_per_byte_(flop_per_byte),
        total_bytes_(working_set_bytes(name, device, options)),
        level_(level_holding(device, static_cast<double>(total_bytes_))),
        slices_(threads(), arrays, total_bytes_, pages_for(level_)) {
    if (level_ == MemoryLevel::dram) note_ = dram_note(device, slices_.total_bytes());
  }

  // One thread's share of a launch.
  virtual void pass(int thread, std::int64_t repetitions) = 0;

  // Call it after the data have been filled.
  void choose_repetitions() {
    repetitions_ = repetitions_that_last(
        [this](int thread, std::int64_t repetitions) { pass(thread, repetitions); });
  }

  const Slices& slices() const { return slices_; }
  const VectorLoops& loops() const { return loops_; }
  std::uint64_t seed() const { return seed_; }
  std::int64_t repetitions() const { return repetitions_; }

 private:
  VectorLoops loops_;
  std::uint64_t seed_;
  int numa_nodes_;
  double flop_per_byte_;
  std::int64_t total_bytes_;  // requested
  MemoryLevel level_;
  Slices slices_;
  std::int64_t repetitions_ = 1;
  std::string note_;
};

// No theoretical peak, because the clocks of the tiers differ from those of the cores.
template <class Prepare>
KernelSpec bandwidth_spec(std::string name, std::string summary, Prepare prepare) {
  KernelSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.target = Target::host;
  spec.role = KernelRole::bandwidth_ceiling;
  spec.fixed_pattern = "uniform in [-1, 1)";
  spec.unsupported = unsupported_on_host;
  spec.peak_per_clock = [](const DeviceInfo&) { return 0.0; };
  spec.prepare = [prepare](const DeviceInfo& device, const PrepareOptions& options) {
    return prepare(loops_for(device), device, options);
  };
  return spec;
}

// A spec without `level`: the working set (PrepareOptions::shape = {bytes in total}) selects the
// measured tier, and Work::bytes names it.
template <class Prepare>
KernelSpec swept_spec(std::string name, std::string summary, Prepare prepare) {
  KernelSpec spec = bandwidth_spec(std::move(name), std::move(summary), std::move(prepare));
  spec.working_sets = curve;
  return spec;
}

}  // namespace mansard::kernels
