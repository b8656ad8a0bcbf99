// SPDX-License-Identifier: Apache-2.0
// Compares our NVML declarations with nvml.h, if it is installed.
#include "support/nvml.h"

#if __has_include(<nvml.h>)
#include <type_traits>

#include <nvml.h>

#include <gtest/gtest.h>

#include "support/clocks_event_reasons.h"

namespace mansard {
namespace {

TEST(NvmlAbi, ConstantsAndLayoutsMatchNvml) {
  EXPECT_EQ(nvml::kSuccess, static_cast<int>(NVML_SUCCESS));
  EXPECT_EQ(nvml::kNotSupported, static_cast<int>(NVML_ERROR_NOT_SUPPORTED));
  EXPECT_EQ(nvml::kNoPermission, static_cast<int>(NVML_ERROR_NO_PERMISSION));
  EXPECT_EQ(nvml::kFunctionNotFound, static_cast<int>(NVML_ERROR_FUNCTION_NOT_FOUND));
  EXPECT_EQ(nvml::kGpuIsLost, static_cast<int>(NVML_ERROR_GPU_IS_LOST));
  EXPECT_EQ(nvml::kSmClock, static_cast<unsigned>(NVML_CLOCK_SM));
  EXPECT_EQ(nvml::kMemoryClock, static_cast<unsigned>(NVML_CLOCK_MEM));
  EXPECT_EQ(nvml::kGpuTemperature, static_cast<unsigned>(NVML_TEMPERATURE_GPU));
#ifdef NVML_FI_DEV_POWER_INSTANT
  EXPECT_EQ(nvml::kPowerInstant, static_cast<unsigned>(NVML_FI_DEV_POWER_INSTANT));
#endif
  EXPECT_EQ(static_cast<int>(nvml::ValueType::float64), static_cast<int>(NVML_VALUE_TYPE_DOUBLE));
  EXPECT_EQ(static_cast<int>(nvml::ValueType::uint32),
            static_cast<int>(NVML_VALUE_TYPE_UNSIGNED_INT));
  EXPECT_EQ(static_cast<int>(nvml::ValueType::uint64),
            static_cast<int>(NVML_VALUE_TYPE_UNSIGNED_LONG_LONG));
  EXPECT_EQ(sizeof(nvml::FieldValue), sizeof(nvmlFieldValue_t));
  EXPECT_EQ(offsetof(nvml::FieldValue, type), offsetof(nvmlFieldValue_t, valueType));
  EXPECT_EQ(offsetof(nvml::FieldValue, result), offsetof(nvmlFieldValue_t, nvmlReturn));
  EXPECT_EQ(offsetof(nvml::FieldValue, value), offsetof(nvmlFieldValue_t, value));
  EXPECT_EQ(sizeof(nvml::Memory), sizeof(nvmlMemory_t));
  EXPECT_EQ(offsetof(nvml::Memory, used_bytes), offsetof(nvmlMemory_t, used));
  EXPECT_EQ(sizeof(nvml::Utilization), sizeof(nvmlUtilization_t));
  EXPECT_EQ(offsetof(nvml::Utilization, memory), offsetof(nvmlUtilization_t, memory));
  EXPECT_EQ(sizeof(nvml::ProcessInfo), sizeof(nvmlProcessInfo_v2_t));
  EXPECT_EQ(offsetof(nvml::ProcessInfo, used_bytes), offsetof(nvmlProcessInfo_v2_t, usedGpuMemory));
}

#ifdef nvmlClocksEventReasonSwPowerCap
TEST(NvmlAbi, ReasonsMatchNvml) {
  EXPECT_EQ(describe_clocks_event_reasons(nvmlClocksEventReasonGpuIdle), "idle");
  EXPECT_EQ(describe_clocks_event_reasons(nvmlClocksEventReasonSwPowerCap), "software power cap");
  EXPECT_EQ(describe_clocks_event_reasons(nvmlClocksEventReasonSwThermalSlowdown),
            "software thermal slowdown");
}
#endif

}  // namespace
}  // namespace mansard
#endif
