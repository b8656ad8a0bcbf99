// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/ceilings/cpu/host_kernel.h"
#include "kernels/ceilings/cpu/latency.h"
#include "kernels/ceilings/cpu/line_order.h"
#include "kernels/ceilings/cpu/working_sets.h"

namespace mansard::kernels {
namespace {

constexpr const char* kLatencyName = "cpu_latency";
constexpr std::int64_t kLineBytes = 64;

struct alignas(kLineBytes) Line {
  const Line* next;
};

// The device as seen by one core: its own caches, and one of each shared cache.
DeviceInfo one_core_of(DeviceInfo device) {
  device.units = 1;
  for (int* count : {&device.l1_count, &device.l2_count, &device.l3_count}) {
    *count = std::min(*count, 1);
  }
  return device;
}

class LatencyKernel final : public HostKernel {
 public:
  // `device` as one core sees it.
  LatencyKernel(Chase chase, InstructionSet set, const DeviceInfo& device,
                const PrepareOptions& options)
      : HostKernel(set, {read_host_topology().cpus.front()}),
        chase_(chase),
        lines_(lines_of(working_set_bytes(kLatencyName, device, options))),
        level_(level_holding(device, static_cast<double>(lines_ * kLineBytes))),
        buffer_(static_cast<std::size_t>(lines_ * kLineBytes), pages_for(level_)),
        order_(static_cast<std::uint64_t>(lines_), options.seed) {
    if (level_ == MemoryLevel::dram) {
      note_ = dram_note(device, static_cast<double>(lines_ * kLineBytes));
    }
    team().run([this](int) { link(); });
    at_ = line(0);
    // Visits the lines so that a cache holds them before it is timed.
    if (level_ != MemoryLevel::dram) {
      team().run([this](int) { chase_(at_, whole_granules(lines_)); });
    }
    accesses_ = kChaseGranule * repetitions_that_last([this](int, std::int64_t granules) {
                  at_ = chase_(at_, kChaseGranule * granules);
                });
    // Not a whole number of cycles; otherwise a launch that does nothing would end at the right
    // line.
    if (accesses_ % lines_ == 0) accesses_ += kChaseGranule;
  }

  Work work() const override {
    Work work;
    work.operations = static_cast<double>(accesses_);
    work.bytes[level_] = static_cast<double>(accesses_ * kLineBytes);
    return work;
  }

  // Continues where the last launch ended, so that working sets larger than the range of a launch
  // are covered completely.
  void launch(void*) override {
    run_timed([this](int) { at_ = chase_(at_, accesses_); });
  }

  // The order contains each line once, each line points to its successor in that order, and a
  // launch ends as many lines further as it counts accesses. Hence the chase visits every line, one
  // per access.
  std::string verify() override {
    std::vector<bool> seen(static_cast<std::size_t>(lines_));
    for (std::int64_t place = 0; place < lines_; ++place) {
      const Line* const here = line(place);
      const auto index = static_cast<std::size_t>(here - first());
      if (index >= seen.size() || seen[index]) return "line visited twice: " + name(here);
      seen[index] = true;
      if (here->next != line((place + 1) % lines_)) {
        return name(here) + " leads to " + name(here->next) + " instead of " +
               name(line((place + 1) % lines_));
      }
    }
    for (const std::int64_t start : {std::int64_t{0}, lines_ / 3}) {
      at_ = line(start);
      launch(nullptr);
      const Line* const expected = line((start + accesses_) % lines_);
      if (at_ != expected) {
        return std::to_string(accesses_) + " accesses from " + name(line(start)) + " end at " +
               name(static_cast<const Line*>(at_)) + " instead of " + name(expected);
      }
    }
    return "";
  }

  std::map<std::string, std::string> parameters() const override {
    std::map<std::string, std::string> all = HostKernel::parameters();
    all["working_set_bytes"] = std::to_string(lines_ * kLineBytes);
    all["line_bytes"] = std::to_string(kLineBytes);
    all["accesses_per_launch"] = std::to_string(accesses_);
    const std::string policy = huge_page_policy();
    if (!policy.empty()) all["transparent_huge_pages"] = policy;
    all["pages"] = to_string(pages_for(level_));
    if (!note_.empty()) all["note"] = note_;
    return all;
  }

 private:
  // With fewer lines than a granule, launches could only end where they started.
  static std::int64_t lines_of(std::int64_t bytes) {
    constexpr std::int64_t kMin = 2 * kChaseGranule;
    if (bytes / kLineBytes >= kMin) return bytes / kLineBytes;
    throw std::runtime_error(std::string(kLatencyName) + ": a working set of " +
                             std::to_string(bytes) + " bytes is too small; it must be at least " +
                             std::to_string(kMin * kLineBytes));
  }

  static std::int64_t whole_granules(std::int64_t accesses) {
    return (accesses + kChaseGranule - 1) / kChaseGranule * kChaseGranule;
  }

  // Called by the pinned thread, so that the pages are on its NUMA node.
  void link() const {
    Line* const lines = first();
    for (std::int64_t place = 0; place < lines_; ++place) {
      lines[line(place) - lines].next = line((place + 1) % lines_);
    }
  }

  Line* first() const { return reinterpret_cast<Line*>(buffer_.data()); }
  const Line* line(std::int64_t place) const {
    return first() + order_.line(static_cast<std::uint64_t>(place));
  }
  std::string name(const Line* which) const { return "line " + std::to_string(which - first()); }

  Chase chase_;
  std::int64_t lines_;
  MemoryLevel level_;
  PageBuffer buffer_;
  LineOrder order_;
  const void* at_ = nullptr;
  std::int64_t accesses_ = 0;
  std::string note_;
};

}  // namespace

const void* chase(const void* line, std::int64_t accesses) {
  const Line* at = static_cast<const Line*>(line);
  for (std::int64_t i = 0; i < accesses; i += kChaseGranule) {
#pragma GCC unroll 16
    for (int j = 0; j < kChaseGranule; ++j) at = at->next;
  }
  return at;
}

std::unique_ptr<PreparedKernel> prepare_latency(Chase chase, InstructionSet set,
                                                const DeviceInfo& device,
                                                const PrepareOptions& options) {
  return std::make_unique<LatencyKernel>(chase, set, one_core_of(device), options);
}

void register_cpu_latency(KernelRegistry& registry);
void register_cpu_latency(KernelRegistry& registry) {
  KernelSpec spec;
  spec.name = kLatencyName;
  spec.summary = "Latency of dependent loads, one thread, vs. working-set size";
  spec.target = Target::host;
  spec.role = KernelRole::latency_ceiling;
  spec.fixed_pattern = "pointers in random order";
  spec.unsupported = unsupported_on_host;
  spec.peak_per_clock = [](const DeviceInfo&) { return 0.0; };
  spec.working_sets = [](const DeviceInfo& device) { return curve(one_core_of(device)); };
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions& options) {
    return prepare_latency(chase, set_for(device), device, options);
  };
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
