// SPDX-License-Identifier: Apache-2.0
// CUPTI's functions for hardware counters, as a table like CuptiApi.
#pragma once

#include <cupti.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

namespace mansard::collector {

// The host API needs neither GPU nor driver.
struct ProfilerHostApi {
  decltype(&cuptiProfilerHostInitialize) initialize = nullptr;
  decltype(&cuptiProfilerHostDeinitialize) deinitialize = nullptr;
  decltype(&cuptiProfilerHostGetSupportedChips) get_supported_chips = nullptr;
  decltype(&cuptiProfilerHostConfigAddMetrics) config_add_metrics = nullptr;
  decltype(&cuptiProfilerHostGetConfigImageSize) get_config_image_size = nullptr;
  decltype(&cuptiProfilerHostGetConfigImage) get_config_image = nullptr;
  decltype(&cuptiProfilerHostGetNumOfPasses) get_num_of_passes = nullptr;
  decltype(&cuptiProfilerHostEvaluateToGpuValues) evaluate_to_gpu_values = nullptr;
  decltype(&cuptiGetResultString) get_result_string = nullptr;
};

struct RangeProfilerApi {
  decltype(&cuptiProfilerInitialize) initialize = nullptr;
  decltype(&cuptiDeviceGetChipName) get_chip_name = nullptr;
  decltype(&cuptiGetDeviceId) get_device_id = nullptr;
  decltype(&cuptiProfilerGetCounterAvailability) get_counter_availability = nullptr;
  decltype(&cuptiRangeProfilerEnable) enable = nullptr;
  decltype(&cuptiRangeProfilerDisable) disable = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataSize) get_counter_data_size = nullptr;
  decltype(&cuptiRangeProfilerCounterDataImageInitialize) initialize_counter_data = nullptr;
  decltype(&cuptiRangeProfilerSetConfig) set_config = nullptr;
  decltype(&cuptiRangeProfilerStart) start = nullptr;
  decltype(&cuptiRangeProfilerStop) stop = nullptr;
  decltype(&cuptiRangeProfilerPushRange) push_range = nullptr;
  decltype(&cuptiRangeProfilerPopRange) pop_range = nullptr;
  decltype(&cuptiRangeProfilerDecodeData) decode_data = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataInfo) get_counter_data_info = nullptr;
  decltype(&cuptiRangeProfilerCounterDataGetRangeInfo) get_range_info = nullptr;
  decltype(&cuptiGetGraphExecId) get_graph_exec_id = nullptr;
};

// Counters sampled at a fixed rate, for a whole GPU.
struct PmSamplingApi {
  decltype(&cuptiProfilerInitialize) initialize = nullptr;
  decltype(&cuptiDeviceGetChipName) get_chip_name = nullptr;
  decltype(&cuptiPmSamplingGetCounterAvailability) get_counter_availability = nullptr;
  decltype(&cuptiPmSamplingEnable) enable = nullptr;
  decltype(&cuptiPmSamplingDisable) disable = nullptr;
  decltype(&cuptiPmSamplingSetConfig) set_config = nullptr;
  decltype(&cuptiPmSamplingGetCounterDataSize) get_counter_data_size = nullptr;
  decltype(&cuptiPmSamplingCounterDataImageInitialize) initialize_counter_data = nullptr;
  decltype(&cuptiPmSamplingStart) start = nullptr;
  decltype(&cuptiPmSamplingStop) stop = nullptr;
  decltype(&cuptiPmSamplingDecodeData) decode_data = nullptr;
  decltype(&cuptiPmSamplingGetCounterDataInfo) get_counter_data_info = nullptr;
  decltype(&cuptiPmSamplingCounterDataGetSampleInfo) get_sample_info = nullptr;
};

// Load from the same library as load_cupti(), and throw std::runtime_error like it.
ProfilerHostApi load_profiler_host();
RangeProfilerApi load_range_profiler();
PmSamplingApi load_pm_sampling();

}  // namespace mansard::collector
