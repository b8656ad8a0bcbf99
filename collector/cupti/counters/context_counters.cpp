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
}

ContextCounters::~ContextCounters() { close(); }

void ContextCounters::close() {
  group_ = kNoGroup;
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

void ContextCounters::open(std::size_t group, std::size_t ranges) {
  close();
  auto enable = cupti_parameters<CUpti_RangeProfiler_Enable_Params>(
      CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
  enable.ctx = context_;
  check(api_.enable(&enable), "opening the hardware counters of GPU " + std::to_string(device_id_));
  profiler_ = enable.pRangeProfilerObject;
  const MetricGroup& wanted = plan_.groups.at(group);
  std::vector<const char*> names = pointers(wanted.metrics);
  auto size = cupti_parameters<CUpti_RangeProfiler_GetCounterDataSize_Params>(
      CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
  size.pRangeProfilerObject = profiler_;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = ranges;
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges);
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
  const bool in_ranges = wanted.reading == GroupReading::ranges;
  config.range = in_ranges ? CUPTI_UserRange : CUPTI_AutoRange;
  config.replayMode = in_ranges ? CUPTI_UserReplay : CUPTI_KernelReplay;
  config.maxRangesPerPass = ranges;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  config.targetNestingLevel = in_ranges ? 1 : 0;
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

void ContextCounters::push(const std::string& name) {
  auto parameters = cupti_parameters<CUpti_RangeProfiler_PushRange_Params>(
      CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE);
  parameters.pRangeProfilerObject = profiler_;
  parameters.pRangeName = name.c_str();
  check(api_.push_range(&parameters), "starting a range of the hardware counters");
}

void ContextCounters::pop() {
  auto parameters = cupti_parameters<CUpti_RangeProfiler_PopRange_Params>(
      CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE);
  parameters.pRangeProfilerObject = profiler_;
  check(api_.pop_range(&parameters), "ending a range of the hardware counters");
}

std::vector<ContextCounters::Range> ContextCounters::take() {
  auto decode = cupti_parameters<CUpti_RangeProfiler_DecodeData_Params>(
      CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
  decode.pRangeProfilerObject = profiler_;
  check(api_.decode_data(&decode), "reading the hardware counters");
  auto info = cupti_parameters<CUpti_RangeProfiler_GetCounterDataInfo_Params>(
      CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE);
  info.pCounterDataImage = counter_data_.data();
  info.counterDataImageSize = counter_data_.size();
  check(api_.get_counter_data_info(&info), "querying the number of readings");
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < info.numTotalRanges; ++i) {
    auto range = cupti_parameters<CUpti_RangeProfiler_CounterData_GetRangeInfo_Params>(
        CUpti_RangeProfiler_CounterData_GetRangeInfo_Params_STRUCT_SIZE);
    range.pCounterDataImage = counter_data_.data();
    range.counterDataImageSize = counter_data_.size();
    range.rangeIndex = i;
    range.rangeDelimiter = "/";
    check(api_.get_range_info(&range), "querying a range of the hardware counters");
    ranges.push_back({range.rangeName != nullptr ? range.rangeName : "",
                      host_->evaluate(counter_data_, i, plan_.groups.at(group_).metrics)});
  }
  return ranges;
}

}  // namespace mansard::collector
