// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/counters/counters_refused.h"

namespace mansard::collector {
namespace {

// Returns what the user or the administrator of the machine can do.
std::string remedy(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      return ". Run as root, give the container the capability SYS_ADMIN, or have the driver "
             "loaded "
             "with NVreg_RestrictProfilingToAdminUsers=0";
    case CUPTI_ERROR_HARDWARE_BUSY:
      return ". Another program is using this GPU's counters; to pause DCGM, run `dcgmi profile "
             "--pause`";
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
      return ". Use the whole GPU: MIG instances share the counters";
    case CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_WITH_MPS:
      return ". Stop the Multi-Process Service (MPS)";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return ". The hypervisor must grant profiling to this virtual GPU";
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
      return ". Counters are disabled in confidential computing mode";
    default:
      return "";
  }
}

std::string text_of(const ProfilerHostApi& host, CUptiResult result) {
  const char* text = nullptr;
  if (host.get_result_string(result, &text) != CUPTI_SUCCESS || text == nullptr) text = "error";
  return std::string(text) + " (" + std::to_string(static_cast<int>(result)) + ")";
}

}  // namespace

CountersRefused::CountersRefused(const ProfilerHostApi& host, CUptiResult result,
                                 const std::string& attempted)
    : std::runtime_error(attempted + ": " + text_of(host, result) + remedy(result)) {}

}  // namespace mansard::collector
