// SPDX-License-Identifier: Apache-2.0
// CUPTI's counters without a GPU: a "kernel" that is launched between start and stop makes a range,
// whose duration is its own and whose other metrics are ten times that.
#pragma once

#include <algorithm>
#include <cstring>
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
  std::vector<double> pending;  // ranges that are not decoded
  std::vector<double> decoded;
  int started_twice = 0;
  // One object of CUPTI's reads its first configuration, whatever it is given later.
  bool configured = false;
  int configured_twice = 0;

  void run_kernel(double duration_ns) {
    if (started) pending.push_back(duration_ns);
  }
};

inline FakeProfiler* fake_profiler = nullptr;

inline std::string metrics_of(const char* const* names, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += std::string(i == 0 ? "" : " ") + names[i];
  return all;
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
    p->numOfPasses = std::count(names.begin(), names.end(), ' ') > 2 ? 2 : 1;
    return CUPTI_SUCCESS;
  };
  api.evaluate_to_gpu_values = [](CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
    const double duration_ns = fake_profiler->decoded.at(p->rangeIndex);
    for (std::size_t i = 0; i < p->numMetrics; ++i) {
      const bool is_time = std::string(p->ppMetricNames[i]) == "gpu__time_duration.sum";
      p->pMetricValues[i] = is_time ? duration_ns : 10 * duration_ns;
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
    fake_profiler->calls.push_back(
        "config " + std::string(reinterpret_cast<const char*>(p->pConfig), p->configSize));
    return CUPTI_SUCCESS;
  };
  api.start = [](CUpti_RangeProfiler_Start_Params*) {
    fake_profiler->started_twice += fake_profiler->started ? 1 : 0;
    fake_profiler->started = fake_profiler->start_result == CUPTI_SUCCESS;
    return fake_profiler->start_result;
  };
  api.stop = [](CUpti_RangeProfiler_Stop_Params*) {
    fake_profiler->started = false;
    return CUPTI_SUCCESS;
  };
  api.decode_data = [](CUpti_RangeProfiler_DecodeData_Params*) {
    fake_profiler->decoded = std::exchange(fake_profiler->pending, {});
    return CUPTI_SUCCESS;
  };
  api.get_counter_data_info = [](CUpti_RangeProfiler_GetCounterDataInfo_Params* p) {
    p->numTotalRanges = fake_profiler->decoded.size();
    return CUPTI_SUCCESS;
  };
  return api;
}

}  // namespace mansard::test
