// SPDX-License-Identifier: Apache-2.0
#include "cli/run_options.h"

#include <charconv>
#include <stdexcept>

#include "cli/command.h"

namespace mansard::cli {

std::vector<std::int64_t> parse_shape(const std::string& text) {
  std::vector<std::int64_t> sizes;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    std::int64_t size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    const bool separated = next == end || (*next == 'x' && next + 1 < end);
    if (error != std::errc{} || size <= 0 || !separated) {
      throw UsageError("'" + text +
                       "' is not a shape: write positive sizes separated by x, such as " +
                       "8192x4096");
    }
    sizes.push_back(size);
    at = next == end ? end : next + 1;
  }
  return sizes;
}

kernels::DeviceInfo choose_device(const std::string& wish) {
  const std::vector<kernels::DeviceInfo> gpus = kernels::cuda_devices();
  if (wish == "gpu" && gpus.empty()) {
    throw std::runtime_error("cannot run on a GPU: " + kernels::cuda_unavailable_reason());
  }
  return wish == "cpu" || gpus.empty() ? kernels::host_device() : gpus.front();
}

}  // namespace mansard::cli
