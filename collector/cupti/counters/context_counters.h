// SPDX-License-Identifier: Apache-2.0
// Hardware counters of one CUDA context: CUPTI's range profiler, with one range per kernel launched
// between start() and stop().
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collector/cupti/counters/counters_refused.h"
#include "collector/cupti/counters/metric_plan.h"
#include "collector/cupti/counters/profiler_api.h"

namespace mansard::collector {

class ContextCounters {
 public:
  // Plans the metric set `set_name` (metric_sets.h) for this context's GPU. Takes a few tenths of a
  // second. Throws CountersRefused, or std::runtime_error for a GPU without such counters.
  ContextCounters(const RangeProfilerApi& api, const ProfilerHostApi& host_api, CUcontext context,
                  std::string_view set_name);
  ~ContextCounters();
  ContextCounters(const ContextCounters&) = delete;
  ContextCounters& operator=(const ContextCounters&) = delete;

  std::uint32_t device_id() const { return device_id_; }
  const MetricPlan& plan() const { return plan_; }
  std::size_t group() const { return group_; }

  // Selects `group` for the following reads. Takes a few tenths of a second after the first time.
  void configure(std::size_t group);

  void start();
  void stop();

  // Returns the values of each range since configure(), in the order of the group's metrics, oldest
  // range first. At most kMaxRanges are allowed. Call configure() again before the next ranges.
  std::vector<std::vector<double>> take();

  static constexpr std::size_t kMaxRanges = 64;
  static constexpr std::size_t kNoGroup = ~std::size_t{0};

 private:
  void open();
  void close();
  void check(CUptiResult result, const std::string& attempted) const;
  ByteImage counter_availability() const;
  void clear_counter_data();

  const RangeProfilerApi api_;
  const ProfilerHostApi host_api_;
  const CUcontext context_;
  std::uint32_t device_id_ = 0;
  std::unique_ptr<ProfilerHost> host_;
  MetricPlan plan_;
  std::size_t group_ = kNoGroup;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  bool configured_ = false;
  ByteImage counter_data_;
};

}  // namespace mansard::collector
