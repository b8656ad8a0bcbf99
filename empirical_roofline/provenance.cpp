// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/provenance.h"

#include <chrono>
#include <ctime>
#include <unistd.h>

#if MANSARD_HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

namespace mansard::roofline {
namespace {

std::string now_utc() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace

Provenance provenance_now(const std::string& command, const NvmlDevice* nvml) {
  Provenance p;
  p.date_utc = now_utc();
  char host[256] = "";
  if (::gethostname(host, sizeof host - 1) == 0) p.host = host;
  p.mansard_version = MANSARD_VERSION;
  p.command = command;
  if (nvml != nullptr) p.driver_version = nvml->driver_version();
#if MANSARD_HAVE_CUDA
  if (nvml != nullptr) {
    p.cuda_version =
        std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
  }
#endif
  return p;
}

}  // namespace mansard::roofline
