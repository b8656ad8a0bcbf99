// SPDX-License-Identifier: Apache-2.0
// Names of the processes and threads of a profile. No analysis needs them, so they are not part of
// Profile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>

#include "collector/store/global_ids.h"

namespace mansard::store {

struct HostNames {
  std::unordered_map<std::int64_t, std::string> threads;  // by globalTid
  std::unordered_map<std::int64_t, std::string>
      processes;  // this and the next two are keyed by process_key
  std::unordered_map<std::int64_t, std::string> hosts;  // of a merged profile
  std::unordered_map<std::int64_t, int> ranks;
};

// Throws std::runtime_error like load_profile(). Names that were not recorded are missing.
HostNames read_host_names(const std::filesystem::path& file);

}  // namespace mansard::store
