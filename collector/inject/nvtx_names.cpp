// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/nvtx_names.h"

namespace mansard::collector {

const NvtxDomain* NvtxNames::domain(std::string_view name) {
  const std::lock_guard lock(mutex_);
  auto at = domains_.find(name);
  if (at == domains_.end()) {
    const auto id = static_cast<std::int64_t>(domains_.size()) + 1;
    at = domains_.emplace(name, NvtxDomain{id, std::string(name)}).first;
  }
  return &at->second;
}

const NvtxString* NvtxNames::string(std::string_view text) {
  const std::lock_guard lock(mutex_);
  auto at = strings_.find(text);
  if (at == strings_.end()) at = strings_.emplace(text, NvtxString{std::string(text)}).first;
  return &at->second;
}

}  // namespace mansard::collector
