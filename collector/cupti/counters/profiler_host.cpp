// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/counters/profiler_host.h"

#include <stdexcept>
#include <utility>

namespace mansard::collector {
namespace {

std::vector<const char*> pointers(std::span<const std::string> names) {
  std::vector<const char*> all;
  for (const std::string& name : names) all.push_back(name.c_str());
  return all;
}

void check(const ProfilerHostApi& api, CUptiResult result, const std::string& attempted) {
  if (result == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  if (api.get_result_string(result, &text) != CUPTI_SUCCESS || text == nullptr) text = "error";
  throw std::runtime_error(attempted + ": " + text + " (" +
                           std::to_string(static_cast<int>(result)) + ")");
}

}  // namespace

std::vector<std::string> known_chips(const ProfilerHostApi& api) {
  auto parameters = cupti_parameters<CUpti_Profiler_Host_GetSupportedChips_Params>(
      CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE);
  check(api, api.get_supported_chips(&parameters), "querying the chips that CUPTI supports");
  return {parameters.ppChipNames, parameters.ppChipNames + parameters.numChips};
}

// A configuration under construction. Metrics cannot be removed again, so each configuration needs
// a new object.
class ProfilerHost::Object {
 public:
  Object(const ProfilerHostApi& api, const std::string& chip, const ByteImage& availability,
         Reader reader)
      : api_(api) {
    auto parameters = cupti_parameters<CUpti_Profiler_Host_Initialize_Params>(
        CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
    parameters.profilerType = reader == Reader::sampling ? CUPTI_PROFILER_TYPE_PM_SAMPLING
                                                         : CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    parameters.pChipName = chip.c_str();
    parameters.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
    check(api_, api_.initialize(&parameters), "preparing the counters of chip " + chip);
    object_ = parameters.pHostObject;
  }
  ~Object() {
    auto parameters = cupti_parameters<CUpti_Profiler_Host_Deinitialize_Params>(
        CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
    parameters.pHostObject = object_;
    api_.deinitialize(&parameters);
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  CUpti_Profiler_Host_Object* get() const { return object_; }

 private:
  const ProfilerHostApi api_;
  CUpti_Profiler_Host_Object* object_ = nullptr;
};

ProfilerHost::ProfilerHost(const ProfilerHostApi& api, std::string chip, ByteImage availability,
                           Reader reader)
    : api_(api),
      chip_(std::move(chip)),
      availability_(std::move(availability)),
      reader_(reader),
      evaluator_(std::make_unique<Object>(api_, chip_, availability_, reader_)) {}

ProfilerHost::~ProfilerHost() = default;
ProfilerHost::ProfilerHost(ProfilerHost&&) noexcept = default;

ByteImage ProfilerHost::config_image(std::span<const std::string> metrics) const {
  const Object object(api_, chip_, availability_, reader_);
  const std::vector<const char*> names = pointers(metrics);
  auto add = cupti_parameters<CUpti_Profiler_Host_ConfigAddMetrics_Params>(
      CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
  add.pHostObject = object.get();
  add.ppMetricNames = const_cast<const char**>(names.data());
  add.numMetrics = names.size();
  if (api_.config_add_metrics(&add) != CUPTI_SUCCESS) return {};
  auto size = cupti_parameters<CUpti_Profiler_Host_GetConfigImageSize_Params>(
      CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
  size.pHostObject = object.get();
  if (api_.get_config_image_size(&size) != CUPTI_SUCCESS) return {};
  ByteImage config(size.configImageSize);
  auto image = cupti_parameters<CUpti_Profiler_Host_GetConfigImage_Params>(
      CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
  image.pHostObject = object.get();
  image.configImageSize = config.size();
  image.pConfigImage = config.data();
  if (api_.get_config_image(&image) != CUPTI_SUCCESS) return {};
  return config;
}

std::size_t ProfilerHost::passes(const ByteImage& config) const {
  auto parameters = cupti_parameters<CUpti_Profiler_Host_GetNumOfPasses_Params>(
      CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
  parameters.configImageSize = config.size();
  parameters.pConfigImage = const_cast<std::uint8_t*>(config.data());
  check(api_, api_.get_num_of_passes(&parameters), "counting the passes on chip " + chip_);
  return parameters.numOfPasses;
}

std::vector<double> ProfilerHost::evaluate(const ByteImage& counter_data, std::size_t range,
                                           std::span<const std::string> metrics) const {
  std::vector<const char*> names = pointers(metrics);
  std::vector<double> values(names.size());
  auto parameters = cupti_parameters<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(
      CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
  parameters.pHostObject = evaluator_->get();
  parameters.pCounterDataImage = counter_data.data();
  parameters.counterDataImageSize = counter_data.size();
  parameters.rangeIndex = range;
  parameters.ppMetricNames = names.data();
  parameters.numMetrics = names.size();
  parameters.pMetricValues = values.data();
  check(api_, api_.evaluate_to_gpu_values(&parameters), "reading counter values");
  return values;
}

}  // namespace mansard::collector
