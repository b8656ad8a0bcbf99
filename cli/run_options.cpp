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

kernels::DeviceInfo choose_device(const std::string& wish, int local_rank) {
  const std::vector<kernels::DeviceInfo> gpus = kernels::cuda_devices();
  if (wish == "gpu" && gpus.empty()) {
    throw std::runtime_error("cannot run on a GPU: " + kernels::cuda_unavailable_reason());
  }
  if (wish == "cpu" || gpus.empty()) return kernels::host_device();
  if (gpus.size() == 1) return gpus.front();
  if (static_cast<std::size_t>(local_rank) >= gpus.size()) {
    throw std::runtime_error("no GPU for local rank " + std::to_string(local_rank) +
                             ": this host has " + std::to_string(gpus.size()) +
                             "; start one rank per GPU, or use --device cpu");
  }
  return gpus[static_cast<std::size_t>(local_rank)];
}

}  // namespace mansard::cli
