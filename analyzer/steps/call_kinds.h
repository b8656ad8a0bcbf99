// SPDX-License-Identifier: Apache-2.0
// What a call of the CUDA API does to the thread that makes it.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "collector/store/profile.h"

namespace mansard {

enum class CallKind : std::uint8_t {
  launch,       // puts work on a device and returns
  synchronise,  // returns when work is done
  other,
};

// Of a profile's calls, by their names, of which there are few. The profile must stay where it is.
class CallKinds {
 public:
  explicit CallKinds(const Profile& profile) : profile_(profile) {}
  CallKind of(const ApiRecord& call);

 private:
  const Profile& profile_;
  std::unordered_map<StringId, CallKind> kinds_;
};

}  // namespace mansard
