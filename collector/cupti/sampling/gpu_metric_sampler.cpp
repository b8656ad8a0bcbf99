// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/sampling/gpu_metric_sampler.h"

#include <utility>

#include "collector/cupti/counters/counters_refused.h"
#include "collector/cupti/sampling/gpu_metric_set.h"

namespace mansard::collector {

void GpuMetricSampler::check(CUptiResult result, const std::string& attempted) const {
  if (result != CUPTI_SUCCESS) throw CountersRefused(host_api_, result, attempted);
}

GpuMetricSampler::GpuMetricSampler(const PmSamplingApi& api, const ProfilerHostApi& host_api,
                                   std::size_t device, std::chrono::nanoseconds period)
    : api_(api), host_api_(host_api), device_(device), period_(period) {
  auto initialize = cupti_parameters<CUpti_Profiler_Initialize_Params>(
      CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
  check(api_.initialize(&initialize), "opening the hardware counters");
  auto chip = cupti_parameters<CUpti_Device_GetChipName_Params>(
      CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  chip.deviceIndex = device_;
  check(api_.get_chip_name(&chip), "querying the GPU's chip");
  host_ = std::make_unique<ProfilerHost>(host_api_, chip.pChipName, counter_availability(),
                                         ProfilerHost::Reader::sampling);
  plan_ = plan_gpu_metrics(*host_);
  auto enable =
      cupti_parameters<CUpti_PmSampling_Enable_Params>(CUpti_PmSampling_Enable_Params_STRUCT_SIZE);
  enable.deviceIndex = device_;
  check(api_.enable(&enable), "enabling sampling of GPU " + std::to_string(device_));
  sampling_ = enable.pPmSamplingObject;
  try {
    configure();
  } catch (...) {
    disable();
    throw;
  }
}

GpuMetricSampler::~GpuMetricSampler() {
  try {
    stop();
  } catch (const CountersRefused&) {
    // Disabling also stops sampling.
  }
  disable();
}

void GpuMetricSampler::disable() {
  auto parameters = cupti_parameters<CUpti_PmSampling_Disable_Params>(
      CUpti_PmSampling_Disable_Params_STRUCT_SIZE);
  parameters.pPmSamplingObject = sampling_;
  api_.disable(&parameters);
}

ByteImage GpuMetricSampler::counter_availability() const {
  auto parameters = cupti_parameters<CUpti_PmSampling_GetCounterAvailability_Params>(
      CUpti_PmSampling_GetCounterAvailability_Params_STRUCT_SIZE);
  parameters.deviceIndex = device_;
  check(api_.get_counter_availability(&parameters), "querying the counters that can be sampled");
  ByteImage image(parameters.counterAvailabilityImageSize);
  parameters.pCounterAvailabilityImage = image.data();
  check(api_.get_counter_availability(&parameters), "querying the counters that can be sampled");
  return image;
}

void GpuMetricSampler::configure() {
  const MetricGroup& group = plan_.groups.front();
  auto config = cupti_parameters<CUpti_PmSampling_SetConfig_Params>(
      CUpti_PmSampling_SetConfig_Params_STRUCT_SIZE);
  config.pPmSamplingObject = sampling_;
  config.configSize = group.config.size();
  config.pConfig = group.config.data();
  config.hardwareBufferSize = kBufferBytes;
  config.samplingInterval = static_cast<std::uint64_t>(period_.count());
  config.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
  config.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
  check(api_.set_config(&config), "programming the sampled counters");
  std::vector<const char*> names;
  for (const std::string& name : group.metrics) names.push_back(name.c_str());
  auto size = cupti_parameters<CUpti_PmSampling_GetCounterDataSize_Params>(
      CUpti_PmSampling_GetCounterDataSize_Params_STRUCT_SIZE);
  size.pPmSamplingObject = sampling_;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxSamples = kSamplesAtOnce;
  check(api_.get_counter_data_size(&size), "querying the sample data size");
  counter_data_.assign(size.counterDataSize, 0);
  clear_counter_data();
}

void GpuMetricSampler::clear_counter_data() {
  auto parameters = cupti_parameters<CUpti_PmSampling_CounterDataImage_Initialize_Params>(
      CUpti_PmSampling_CounterDataImage_Initialize_Params_STRUCT_SIZE);
  parameters.pPmSamplingObject = sampling_;
  parameters.counterDataSize = counter_data_.size();
  parameters.pCounterData = counter_data_.data();
  check(api_.initialize_counter_data(&parameters), "initializing the sample data");
}

void GpuMetricSampler::start() {
  auto parameters =
      cupti_parameters<CUpti_PmSampling_Start_Params>(CUpti_PmSampling_Start_Params_STRUCT_SIZE);
  parameters.pPmSamplingObject = sampling_;
  check(api_.start(&parameters), "starting sampling");
  started_ = first_ = true;
}

void GpuMetricSampler::stop() {
  if (!std::exchange(started_, false)) return;
  auto parameters =
      cupti_parameters<CUpti_PmSampling_Stop_Params>(CUpti_PmSampling_Stop_Params_STRUCT_SIZE);
  parameters.pPmSamplingObject = sampling_;
  check(api_.stop(&parameters), "stopping sampling");
}

std::size_t GpuMetricSampler::completed() const {
  auto info = cupti_parameters<CUpti_PmSampling_GetCounterDataInfo_Params>(
      CUpti_PmSampling_GetCounterDataInfo_Params_STRUCT_SIZE);
  info.pCounterDataImage = counter_data_.data();
  info.counterDataImageSize = counter_data_.size();
  check(api_.get_counter_data_info(&info), "counting the samples");
  return info.numCompletedSamples;
}

GpuMetricSampler::Sample GpuMetricSampler::sample(std::size_t index) const {
  auto info = cupti_parameters<CUpti_PmSampling_CounterData_GetSampleInfo_Params>(
      CUpti_PmSampling_CounterData_GetSampleInfo_Params_STRUCT_SIZE);
  info.pPmSamplingObject = sampling_;
  info.pCounterDataImage = counter_data_.data();
  info.counterDataImageSize = counter_data_.size();
  info.sampleIndex = index;
  check(api_.get_sample_info(&info), "querying the time of a sample");
  return {static_cast<std::int64_t>(info.endTimestamp),
          host_->evaluate(counter_data_, index, metrics())};
}

GpuMetricSampler::Taken GpuMetricSampler::take(std::vector<Sample>& samples) {
  Taken taken = Taken::all;
  for (;;) {
    auto decode = cupti_parameters<CUpti_PmSampling_DecodeData_Params>(
        CUpti_PmSampling_DecodeData_Params_STRUCT_SIZE);
    decode.pPmSamplingObject = sampling_;
    decode.pCounterDataImage = counter_data_.data();
    decode.counterDataImageSize = counter_data_.size();
    const CUptiResult result = api_.decode_data(&decode);
    if (result != CUPTI_SUCCESS && decode.overflow != 0) {
      const bool was_started = started_;
      stop();
      configure();
      if (was_started) start();
      return Taken::some_lost;
    }
    check(result, "reading the samples");
    const std::size_t count = completed();
    for (std::size_t i = 0; i < count; ++i) {
      if (!std::exchange(first_, false)) samples.push_back(sample(i));
    }
    clear_counter_data();
    if (decode.decodeStopReason != CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL) {
      return taken;
    }
    taken = Taken::some_lost;
  }
}

}  // namespace mansard::collector
