// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/counters/profiler_api.h"

#include "collector/cupti/cupti_library.h"

namespace mansard::collector {

ProfilerHostApi load_profiler_host() {
  void* library = open_cupti_library();
  ProfilerHostApi api;
  find_function(library, "cuptiProfilerHostInitialize", api.initialize);
  find_function(library, "cuptiProfilerHostDeinitialize", api.deinitialize);
  find_function(library, "cuptiProfilerHostGetSupportedChips", api.get_supported_chips);
  find_function(library, "cuptiProfilerHostConfigAddMetrics", api.config_add_metrics);
  find_function(library, "cuptiProfilerHostGetConfigImageSize", api.get_config_image_size);
  find_function(library, "cuptiProfilerHostGetConfigImage", api.get_config_image);
  find_function(library, "cuptiProfilerHostGetNumOfPasses", api.get_num_of_passes);
  find_function(library, "cuptiProfilerHostEvaluateToGpuValues", api.evaluate_to_gpu_values);
  find_function(library, "cuptiGetResultString", api.get_result_string);
  return api;
}

RangeProfilerApi load_range_profiler() {
  void* library = open_cupti_library();
  RangeProfilerApi api;
  find_function(library, "cuptiProfilerInitialize", api.initialize);
  find_function(library, "cuptiDeviceGetChipName", api.get_chip_name);
  find_function(library, "cuptiGetDeviceId", api.get_device_id);
  find_function(library, "cuptiProfilerGetCounterAvailability", api.get_counter_availability);
  find_function(library, "cuptiRangeProfilerEnable", api.enable);
  find_function(library, "cuptiRangeProfilerDisable", api.disable);
  find_function(library, "cuptiRangeProfilerGetCounterDataSize", api.get_counter_data_size);
  find_function(library, "cuptiRangeProfilerCounterDataImageInitialize",
                api.initialize_counter_data);
  find_function(library, "cuptiRangeProfilerSetConfig", api.set_config);
  find_function(library, "cuptiRangeProfilerStart", api.start);
  find_function(library, "cuptiRangeProfilerStop", api.stop);
  find_function(library, "cuptiRangeProfilerPushRange", api.push_range);
  find_function(library, "cuptiRangeProfilerPopRange", api.pop_range);
  find_function(library, "cuptiRangeProfilerDecodeData", api.decode_data);
  find_function(library, "cuptiRangeProfilerGetCounterDataInfo", api.get_counter_data_info);
  find_function(library, "cuptiRangeProfilerCounterDataGetRangeInfo", api.get_range_info);
  find_function(library, "cuptiGetGraphExecId", api.get_graph_exec_id);
  return api;
}

PmSamplingApi load_pm_sampling() {
  void* library = open_cupti_library();
  PmSamplingApi api;
  find_function(library, "cuptiProfilerInitialize", api.initialize);
  find_function(library, "cuptiDeviceGetChipName", api.get_chip_name);
  find_function(library, "cuptiPmSamplingGetCounterAvailability", api.get_counter_availability);
  find_function(library, "cuptiPmSamplingEnable", api.enable);
  find_function(library, "cuptiPmSamplingDisable", api.disable);
  find_function(library, "cuptiPmSamplingSetConfig", api.set_config);
  find_function(library, "cuptiPmSamplingGetCounterDataSize", api.get_counter_data_size);
  find_function(library, "cuptiPmSamplingCounterDataImageInitialize", api.initialize_counter_data);
  find_function(library, "cuptiPmSamplingStart", api.start);
  find_function(library, "cuptiPmSamplingStop", api.stop);
  find_function(library, "cuptiPmSamplingDecodeData", api.decode_data);
  find_function(library, "cuptiPmSamplingGetCounterDataInfo", api.get_counter_data_info);
  find_function(library, "cuptiPmSamplingCounterDataGetSampleInfo", api.get_sample_info);
  return api;
}

}  // namespace mansard::collector
