// SPDX-License-Identifier: Apache-2.0
// CUPTI's counters without a GPU. A "kernel" that is launched between start and stop makes a range,
// whose duration is its own and whose other metrics are ten times that. With ranges of the caller,
// the n-th metric of a group is counted in pass n modulo the number of passes.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "collector/cupti/counters/profiler_api.h"

namespace mansard::test {

struct FakeProfiler {
  std::vector<std::string> calls;
  CUptiResult enable_result = CUPTI_SUCCESS;
  CUptiResult start_result = CUPTI_SUCCESS;
  bool started = false;
  // A range has a duration per pass; NaN: it was not in that pass.
  struct Range {
    std::string name;
    std::vector<double> durations_ns;
  };
  bool by_ranges = false;
  std::size_t passes = 1;
  std::size_t pass = 0;
  std::size_t capacity = 0;
  std::vector<Range> pending;  // not decoded
  std::vector<Range> decoded;
  std::string open_range;
  int dropped = 0;  // ranges beyond the capacity
  int started_twice = 0;
  // One object of CUPTI's reads its first configuration, whatever it is given later.
  bool configured = false;
  int configured_twice = 0;

  void run_kernel(double duration_ns) {
    if (!started) return;
    if (!by_ranges) {
      pending.push_back({std::to_string(pending.size()), {duration_ns}});
    } else if (!open_range.empty()) {
      range(open_range).durations_ns[pass] = duration_ns;
    }
    dropped += pending.size() > capacity ? 1 : 0;
  }
  Range& range(const std::string& name) {
    for (Range& known : pending) {
      if (known.name == name) return known;
    }
    const double missing = std::numeric_limits<double>::quiet_NaN();
    return pending.emplace_back(Range{name, std::vector<double>(passes, missing)});
  }
};

inline FakeProfiler* fake_profiler = nullptr;

inline std::string metrics_of(const char* const* names, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += std::string(i == 0 ? "" : " ") + names[i];
  return all;
}

inline std::size_t passes_of(const std::string& names) {
  return std::count(names.begin(), names.end(), ' ') > 2 ? 2 : 1;
}

// Configurations hold their metrics' names.
inline collector::ProfilerHostApi fake_host_api() {
  collector::ProfilerHostApi api;
  api.initialize = [](CUpti_Profiler_Host_Initialize_Params* p) {
    p->pHostObject = reinterpret_cast<CUpti_Profiler_Host_Object*>(new std::string);
    return CUPTI_SUCCESS;
  };
  api.deinitialize = [](CUpti_Profiler_Host_Deinitialize_Params* p) {
    delete reinterpret_cast<std::string*>(p->pHostObject);
    return CUPTI_SUCCESS;
  };
  api.config_add_metrics = [](CUpti_Profiler_Host_ConfigAddMetrics_Params* p) {
    *reinterpret_cast<std::string*>(p->pHostObject) = metrics_of(p->ppMetricNames, p->numMetrics);
    return CUPTI_SUCCESS;
  };
  api.get_config_image_size = [](CUpti_Profiler_Host_GetConfigImageSize_Params* p) {
    p->configImageSize = reinterpret_cast<std::string*>(p->pHostObject)->size();
    return CUPTI_SUCCESS;
  };
  api.get_config_image = [](CUpti_Profiler_Host_GetConfigImage_Params* p) {
    std::memcpy(p->pConfigImage, reinterpret_cast<std::string*>(p->pHostObject)->data(),
                p->configImageSize);
    return CUPTI_SUCCESS;
  };
  // At most two metrics and the duration go into one pass.
  api.get_num_of_passes = [](CUpti_Profiler_Host_GetNumOfPasses_Params* p) {
    const std::string names(reinterpret_cast<const char*>(p->pConfigImage), p->configImageSize);
    p->numOfPasses = passes_of(names);
    return CUPTI_SUCCESS;
  };
  api.evaluate_to_gpu_values = [](CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
    const std::vector<double>& durations_ns = fake_profiler->decoded.at(p->rangeIndex).durations_ns;
    for (std::size_t i = 0; i < p->numMetrics; ++i) {
      const bool is_time = std::string(p->ppMetricNames[i]) == "gpu__time_duration.sum";
      p->pMetricValues[i] = durations_ns[i % durations_ns.size()] * (is_time ? 1 : 10);
    }
    return CUPTI_SUCCESS;
  };
  api.get_result_string = [](CUptiResult, const char** text) {
    *text = "CUPTI_FAKE_ERROR";
    return CUPTI_SUCCESS;
  };
  return api;
}

inline collector::RangeProfilerApi fake_range_api() {
  collector::RangeProfilerApi api;
  api.initialize = [](CUpti_Profiler_Initialize_Params*) { return CUPTI_SUCCESS; };
  api.get_chip_name = [](CUpti_Device_GetChipName_Params* p) {
    p->pChipName = "GH100";
    return CUPTI_SUCCESS;
  };
  api.get_device_id = [](CUcontext, std::uint32_t* id) {
    *id = 3;
    return CUPTI_SUCCESS;
  };
  api.get_counter_availability = [](CUpti_Profiler_GetCounterAvailability_Params* p) {
    p->counterAvailabilityImageSize = 8;
    return CUPTI_SUCCESS;
  };
  api.enable = [](CUpti_RangeProfiler_Enable_Params* p) {
    fake_profiler->calls.push_back("enable");
    p->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object*>(fake_profiler);
    fake_profiler->configured = false;
    return fake_profiler->enable_result;
  };
  api.disable = [](CUpti_RangeProfiler_Disable_Params*) {
    fake_profiler->calls.push_back("disable");
    return CUPTI_SUCCESS;
  };
  api.get_counter_data_size = [](CUpti_RangeProfiler_GetCounterDataSize_Params* p) {
    p->counterDataSize = 64;
    return CUPTI_SUCCESS;
  };
  api.initialize_counter_data = [](CUpti_RangeProfiler_CounterDataImage_Initialize_Params*) {
    fake_profiler->decoded.clear();
    return CUPTI_SUCCESS;
  };
  api.set_config = [](CUpti_RangeProfiler_SetConfig_Params* p) {
    fake_profiler->configured_twice += std::exchange(fake_profiler->configured, true) ? 1 : 0;
    const std::string names(reinterpret_cast<const char*>(p->pConfig), p->configSize);
    fake_profiler->calls.push_back("config " + names);
    fake_profiler->by_ranges = p->range == CUPTI_UserRange;
    fake_profiler->passes = p->range == CUPTI_UserRange ? passes_of(names) : 1;
    fake_profiler->pass = 0;
    fake_profiler->capacity = p->maxRangesPerPass;
    fake_profiler->pending.clear();
    return CUPTI_SUCCESS;
  };
  api.start = [](CUpti_RangeProfiler_Start_Params*) {
    fake_profiler->started_twice += fake_profiler->started ? 1 : 0;
    fake_profiler->started = fake_profiler->start_result == CUPTI_SUCCESS;
    return fake_profiler->start_result;
  };
  api.stop = [](CUpti_RangeProfiler_Stop_Params*) {
    fake_profiler->started = false;
    if (fake_profiler->by_ranges && fake_profiler->pass + 1 < fake_profiler->passes) {
      ++fake_profiler->pass;
    }
    return CUPTI_SUCCESS;
  };
  api.push_range = [](CUpti_RangeProfiler_PushRange_Params* p) {
    fake_profiler->started_twice += fake_profiler->open_range.empty() ? 0 : 1;
    fake_profiler->open_range = p->pRangeName;
    return CUPTI_SUCCESS;
  };
  api.pop_range = [](CUpti_RangeProfiler_PopRange_Params*) {
    fake_profiler->open_range.clear();
    return CUPTI_SUCCESS;
  };
  api.decode_data = [](CUpti_RangeProfiler_DecodeData_Params*) {
    fake_profiler->decoded = std::exchange(fake_profiler->pending, {});
    return CUPTI_SUCCESS;
  };
  api.get_range_info = [](CUpti_RangeProfiler_CounterData_GetRangeInfo_Params* p) {
    p->rangeName = fake_profiler->decoded.at(p->rangeIndex).name.c_str();
    return CUPTI_SUCCESS;
  };
  api.get_graph_exec_id = [](CUgraphExec, std::uint32_t* id) {
    *id = 7;
    return CUPTI_SUCCESS;
  };
  api.get_counter_data_info = [](CUpti_RangeProfiler_GetCounterDataInfo_Params* p) {
    p->numTotalRanges = fake_profiler->decoded.size();
    return CUPTI_SUCCESS;
  };
  return api;
}

}  // namespace mansard::test
