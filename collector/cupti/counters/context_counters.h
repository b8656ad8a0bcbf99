// SPDX-License-Identifier: Apache-2.0
// Hardware counters of one CUDA context: CUPTI's range profiler.
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

  // Values of one range, in the order of the group's metrics; NaN: not read.
  struct Range {
    std::string name;
    std::vector<double> values;
  };

  // Opens `group` of the plan for at most `ranges` ranges, and closes the one before. Takes a few
  // tenths of a second, as a CUPTI profiler object reads one configuration: given a second one, it
  // continues with the first (13.0).
  void open(std::size_t group, std::size_t ranges);
  void close();
  std::size_t group() const { return group_; }  // kNoGroup: none is open

  // Starts the next pass. In a group that is read by replay, each launch before stop() is a range.
  void start();
  void stop();
  // Otherwise what runs from push() to pop() is a range. Ranges of several passes belong together
  // if they have the same name. Both wait for the context's work.
  void push(const std::string& name);
  void pop();

  // Returns the ranges since open(), oldest first; close() or open() must come next.
  std::vector<Range> take();

  static constexpr std::size_t kNoGroup = ~std::size_t{0};

 private:
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
  ByteImage counter_data_;
};

}  // namespace mansard::collector
