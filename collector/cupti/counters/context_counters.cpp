// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/counters/context_counters.h"

#include <utility>

#include "collector/cupti/counters/metric_sets.h"

namespace mansard::collector {
namespace {

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> all;
  for (const std::string& name : names) all.push_back(name.c_str());
  return all;
}

}  // namespace

void ContextCounters::check(CUptiResult result, const std::string& attempted) const {
  if (result != CUPTI_SUCCESS) throw CountersRefused(host_api_, result, attempted);
}

ContextCounters::ContextCounters(const RangeProfilerApi& api, const ProfilerHostApi& host_api,
                                 CUcontext context, std::string_view set_name)
    : api_(api), host_api_(host_api), context_(context) {
  auto initialize = cupti_parameters<CUpti_Profiler_Initialize_Params>(
      CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
  check(api_.initialize(&initialize), "opening the hardware counters");
  check(api_.get_device_id(context_, &device_id_), "querying the context's GPU");
  auto chip = cupti_parameters<CUpti_Device_GetChipName_Params>(
      CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  chip.deviceIndex = device_id_;
  check(api_.get_chip_name(&chip), "querying the GPU's chip");
  const std::string name = chip.pChipName;
  host_ = std::make_unique<ProfilerHost>(host_api_, name, counter_availability());
  const MetricSet set =
      metric_set(set_name, compute_capability_of_chip(name).value_or(kNewestCapability));
  plan_ = plan_metrics(*host_, set.metrics, set.passes);
  open();
}

ContextCounters::~ContextCounters() { close(); }

void ContextCounters::open() {
  auto enable = cupti_parameters<CUpti_RangeProfiler_Enable_Params>(
      CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
  enable.ctx = context_;
  check(api_.enable(&enable), "opening the hardware counters of GPU " + std::to_string(device_id_));
  profiler_ = enable.pRangeProfilerObject;
}

void ContextCounters::close() {
  if (profiler_ == nullptr) return;
  auto parameters = cupti_parameters<CUpti_RangeProfiler_Disable_Params>(
      CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
  parameters.pRangeProfilerObject = std::exchange(profiler_, nullptr);
  api_.disable(&parameters);
}

ByteImage ContextCounters::counter_availability() const {
  auto parameters = cupti_parameters<CUpti_Profiler_GetCounterAvailability_Params>(
      CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE);
  parameters.ctx = context_;
  check(api_.get_counter_availability(&parameters), "querying the available hardware counters");
  ByteImage image(parameters.counterAvailabilityImageSize);
  parameters.pCounterAvailabilityImage = image.data();
  check(api_.get_counter_availability(&parameters), "querying the available hardware counters");
  return image;
}

void ContextCounters::configure(std::size_t group) {
  // A CUPTI profiler object reads one configuration: given a second one, it continues with the
  // first (13.0).
  if (std::exchange(configured_, true)) {
    close();
    open();
  }
  const MetricGroup& wanted = plan_.groups.at(group);
  std::vector<const char*> names = pointers(wanted.metrics);
  auto size = cupti_parameters<CUpti_RangeProfiler_GetCounterDataSize_Params>(
      CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
  size.pRangeProfilerObject = profiler_;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = kMaxRanges;
  size.maxNumRangeTreeNodes = kMaxRanges;
  check(api_.get_counter_data_size(&size), "querying the counter data size");
  counter_data_.assign(size.counterDataSize, 0);
  clear_counter_data();
  auto config = cupti_parameters<CUpti_RangeProfiler_SetConfig_Params>(
      CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
  config.pRangeProfilerObject = profiler_;
  config.configSize = wanted.config.size();
  config.pConfig = wanted.config.data();
  config.counterDataImageSize = counter_data_.size();
  config.pCounterDataImage = counter_data_.data();
  config.range = CUPTI_AutoRange;
  config.replayMode = CUPTI_KernelReplay;
  config.maxRangesPerPass = kMaxRanges;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  check(api_.set_config(&config), "programming the hardware counters");
  group_ = group;
}

void ContextCounters::clear_counter_data() {
  auto parameters = cupti_parameters<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
      CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
  parameters.pRangeProfilerObject = profiler_;
  parameters.counterDataSize = counter_data_.size();
  parameters.pCounterData = counter_data_.data();
  check(api_.initialize_counter_data(&parameters), "initializing the counter data");
}

void ContextCounters::start() {
  auto parameters = cupti_parameters<CUpti_RangeProfiler_Start_Params>(
      CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
  parameters.pRangeProfilerObject = profiler_;
  check(api_.start(&parameters), "starting the hardware counters");
}

void ContextCounters::stop() {
  auto parameters = cupti_parameters<CUpti_RangeProfiler_Stop_Params>(
      CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
  parameters.pRangeProfilerObject = profiler_;
  check(api_.stop(&parameters), "stopping the hardware counters");
}

std::vector<std::vector<double>> ContextCounters::take() {
  auto decode = cupti_parameters<CUpti_RangeProfiler_DecodeData_Params>(
      CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
  decode.pRangeProfilerObject = profiler_;
  check(api_.decode_data(&decode), "reading the hardware counters");
  auto info = cupti_parameters<CUpti_RangeProfiler_GetCounterDataInfo_Params>(
      CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE);
  info.pCounterDataImage = counter_data_.data();
  info.counterDataImageSize = counter_data_.size();
  check(api_.get_counter_data_info(&info), "querying the number of readings");
  std::vector<std::vector<double>> ranges;
  for (std::size_t range = 0; range < info.numTotalRanges; ++range) {
    ranges.push_back(host_->evaluate(counter_data_, range, plan_.groups.at(group_).metrics));
  }
  group_ = kNoGroup;
  return ranges;
}

}  // namespace mansard::collector
