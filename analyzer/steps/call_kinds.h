// SPDX-License-Identifier: Apache-2.0
// Classifies CUDA API calls by their effect on the calling thread.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "collector/store/profile.h"

namespace mansard::analysis {

enum class CallKind : std::uint8_t {
  launch,       // puts work on a device and returns
  synchronize,  // returns after device work has finished
  other,
};

// Kinds of a profile's calls, cached by name. The profile must outlive this and must not move.
class CallKinds {
 public:
  explicit CallKinds(const store::Profile& profile) : profile_(profile) {}
  CallKind of(const store::ApiRecord& call);

 private:
  const store::Profile& profile_;
  std::unordered_map<store::StringId, CallKind> kinds_;
};

}  // namespace mansard::analysis
