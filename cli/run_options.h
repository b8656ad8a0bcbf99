// SPDX-License-Identifier: Apache-2.0
// Options of `mansard run`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/device_info.h"

namespace mansard::cli {

struct RunOptions {
  std::string what = "layer";
  std::string recipe = "bf16";
  std::string device = "auto";
  std::string preset = "llama3-8b";
  std::string shape;
  std::string pattern = "random_normal";
  std::string format = "table";
  std::string machine;
  std::int64_t tokens = 0;  // 0: default for the device
  int micro_batches = 1;
  bool graph = false;
  bool reuse_quantized = false;
  int steps = 0;
  int warmup = -1;
  bool verify = false;
  bool no_verify = false;
};

// Returns {8192, 4096} for "8192x4096". Throws UsageError.
std::vector<std::int64_t> parse_shape(const std::string& text);

// `wish`: auto, gpu or cpu. `local_rank`: the number of this process on its host; each has a GPU of
// its own, unless only one is visible to each. Throws std::runtime_error if there is none.
kernels::DeviceInfo choose_device(const std::string& wish, int local_rank = 0);

}  // namespace mansard::cli
