// SPDX-License-Identifier: Apache-2.0
// Objects behind NVTX handles: domains and registered strings. They live as long as the process,
// since a program may use a handle at any time, also in a forked child.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace mansard::collector {

struct NvtxDomain {
  std::int64_t id;  // 0 is the default domain, whose handle is null
  std::string name;
};

struct NvtxString {
  std::string text;
};

class NvtxNames {
 public:
  // Domains and strings with equal names share a handle, as many shared objects create the same
  // ones.
  const NvtxDomain* domain(std::string_view name);
  const NvtxString* string(std::string_view text);

  // Called around fork(), so that the child does not inherit a lock held by a thread that does not
  // exist there.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
  std::map<std::string, NvtxDomain, std::less<>> domains_;
  std::map<std::string, NvtxString, std::less<>> strings_;
};

}  // namespace mansard::collector
