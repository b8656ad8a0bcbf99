// SPDX-License-Identifier: Apache-2.0
// CUPTI's PM sampling without a GPU: samples are made by sample(), and each metric's value is the
// number of the sample. The host's half is that of fake_profiler.h, but for the values.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "support/process.h"
#include "tests/collector/cupti/counters/fake_profiler.h"

namespace mansard::test {

struct FakeSampling {
  std::mutex mutex;  // guards all
  std::vector<std::string> calls;
  CUptiResult enable_result = CUPTI_SUCCESS;
  CUptiResult start_result = CUPTI_SUCCESS;
  bool running = false;
  bool overflows = false;                // at the next decoding
  std::int64_t clock_offset_ns = 0;      // of the GPU's timer
  std::vector<std::int64_t> pending_ns;  // ends of what is not decoded
  std::vector<std::int64_t> decoded_ns;
  std::size_t decoded_before = 0;

  void note(const std::string& call) {
    const std::lock_guard lock(mutex);
    calls.push_back(call);
  }
  bool called(const std::string& call) {
    const std::lock_guard lock(mutex);
    return std::find(calls.begin(), calls.end(), call) != calls.end();
  }
  // False while nothing samples.
  bool sample(std::size_t count) {
    const std::lock_guard lock(mutex);
    for (std::size_t i = 0; running && i < count; ++i) {
      pending_ns.push_back(store::utc_now_ns() + clock_offset_ns);
    }
    return running;
  }
};

inline FakeSampling* fake_sampling = nullptr;

// As much as there is room for.
inline constexpr std::size_t kDecodedAtOnce = 10;

inline collector::ProfilerHostApi fake_sampling_host_api() {
  collector::ProfilerHostApi api = fake_host_api();
  api.evaluate_to_gpu_values = [](CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
    const std::lock_guard lock(fake_sampling->mutex);
    for (std::size_t i = 0; i < p->numMetrics; ++i) {
      p->pMetricValues[i] = static_cast<double>(fake_sampling->decoded_before -
                                                fake_sampling->decoded_ns.size() + p->rangeIndex);
    }
    return CUPTI_SUCCESS;
  };
  return api;
}

inline collector::PmSamplingApi fake_sampling_api() {
  collector::PmSamplingApi api;
  api.initialize = [](CUpti_Profiler_Initialize_Params*) { return CUPTI_SUCCESS; };
  api.get_chip_name = [](CUpti_Device_GetChipName_Params* p) {
    p->pChipName = "GH100";
    return CUPTI_SUCCESS;
  };
  api.get_counter_availability = [](CUpti_PmSampling_GetCounterAvailability_Params* p) {
    p->counterAvailabilityImageSize = 8;
    return CUPTI_SUCCESS;
  };
  api.enable = [](CUpti_PmSampling_Enable_Params* p) {
    fake_sampling->note("enable " + std::to_string(p->deviceIndex));
    p->pPmSamplingObject = reinterpret_cast<CUpti_PmSampling_Object*>(fake_sampling);
    return fake_sampling->enable_result;
  };
  api.disable = [](CUpti_PmSampling_Disable_Params*) {
    fake_sampling->note("disable");
    return CUPTI_SUCCESS;
  };
  api.set_config = [](CUpti_PmSampling_SetConfig_Params* p) {
    fake_sampling->note("config " + std::to_string(p->samplingInterval));
    return CUPTI_SUCCESS;
  };
  api.get_counter_data_size = [](CUpti_PmSampling_GetCounterDataSize_Params* p) {
    p->counterDataSize = 64;
    return CUPTI_SUCCESS;
  };
  api.initialize_counter_data = [](CUpti_PmSampling_CounterDataImage_Initialize_Params*) {
    const std::lock_guard lock(fake_sampling->mutex);
    fake_sampling->decoded_ns.clear();
    return CUPTI_SUCCESS;
  };
  api.start = [](CUpti_PmSampling_Start_Params*) {
    const std::lock_guard lock(fake_sampling->mutex);
    fake_sampling->calls.push_back("start");
    fake_sampling->running = fake_sampling->start_result == CUPTI_SUCCESS;
    return fake_sampling->start_result;
  };
  api.stop = [](CUpti_PmSampling_Stop_Params*) {
    const std::lock_guard lock(fake_sampling->mutex);
    fake_sampling->calls.push_back("stop");
    fake_sampling->running = false;
    return CUPTI_SUCCESS;
  };
  api.decode_data = [](CUpti_PmSampling_DecodeData_Params* p) {
    const std::lock_guard lock(fake_sampling->mutex);
    auto& pending = fake_sampling->pending_ns;
    if (std::exchange(fake_sampling->overflows, false)) {
      pending.clear();
      p->overflow = 1;
      return CUPTI_ERROR_OUT_OF_MEMORY;
    }
    const bool full = pending.size() > kDecodedAtOnce;
    const auto end = full ? pending.begin() + kDecodedAtOnce : pending.end();
    fake_sampling->decoded_ns.assign(pending.begin(), end);
    fake_sampling->decoded_before += fake_sampling->decoded_ns.size();
    pending.erase(pending.begin(), end);
    p->decodeStopReason = full ? CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL
                               : CUPTI_PM_SAMPLING_DECODE_STOP_REASON_OTHER;
    return CUPTI_SUCCESS;
  };
  api.get_counter_data_info = [](CUpti_PmSampling_GetCounterDataInfo_Params* p) {
    const std::lock_guard lock(fake_sampling->mutex);
    p->numCompletedSamples = fake_sampling->decoded_ns.size();
    return CUPTI_SUCCESS;
  };
  api.get_sample_info = [](CUpti_PmSampling_CounterData_GetSampleInfo_Params* p) {
    const std::lock_guard lock(fake_sampling->mutex);
    p->endTimestamp = static_cast<std::uint64_t>(fake_sampling->decoded_ns.at(p->sampleIndex));
    return CUPTI_SUCCESS;
  };
  return api;
}

}  // namespace mansard::test
