// SPDX-License-Identifier: Apache-2.0
// What a call of the CUDA API does to the thread that makes it.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "collector/store/profile.h"

namespace mansard::analysis {

enum class CallKind : std::uint8_t {
  launch,       // puts work on a device and returns
  synchronize,  // returns when work is done
  other,
};

// Of a profile's calls, by their names, of which there are few. The profile must stay where it is.
class CallKinds {
 public:
  explicit CallKinds(const store::Profile& profile) : profile_(profile) {}
  CallKind of(const store::ApiRecord& call);

 private:
  const store::Profile& profile_;
  std::unordered_map<store::StringId, CallKind> kinds_;
};

}  // namespace mansard::analysis
