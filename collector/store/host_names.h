// SPDX-License-Identifier: Apache-2.0
// What the processes and threads of a recording are called. No analysis needs it, so it is not part
// of a Profile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>

#include "collector/store/global_ids.h"

namespace mansard::store {

struct HostNames {
  std::unordered_map<std::int64_t, std::string> threads;    // by globalTid
  std::unordered_map<std::int64_t, std::string> processes;  // this and the next two: by process_key
  std::unordered_map<std::int64_t, std::string> hosts;      // of a merged recording
  std::unordered_map<std::int64_t, int> ranks;
};

// Throws std::runtime_error as load_profile() does. Names that are not recorded are missing.
HostNames read_host_names(const std::filesystem::path& file);

}  // namespace mansard::store
